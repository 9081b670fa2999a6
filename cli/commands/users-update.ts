// `users update`: what customers see of a user.

import { readFileSync } from 'node:fs';
import { setPublicProfileAs } from '../../db/accounts/public-profiles';
import { findUserByName } from '../../db/accounts/users';
import { counted } from '../../domain/language';
import {
  MAX_CONTACT,
  MAX_DISPLAY_NAME,
  readContact,
  readDisplayName,
} from '../../domain/public-profile';
import { readLogo, type LogoFault } from '../../use-cases/logos';
import { command, run } from '../command';
import { CommandError } from '../error';
import { userNotFound } from '../lookups';
import { userOption } from '../options';
import { normalUsername } from '../../domain/username';

export const usersUpdate = command(
  'update',
  'Set what customers see of a user: name, contact and logo; an empty value takes it away',
)
  .addOption(userOption)
  .option('--display-name <name>', 'instead of the name of the account', (text) =>
    readLine('display-name', text, readDisplayName, MAX_DISPLAY_NAME),
  )
  .option('--contact <contact>', 'where customers ask', (text) =>
    readLine('contact', text, readContact, MAX_CONTACT),
  )
  .option('--logo <file>', 'a PNG')
  .action(
    run(async ({ db, actor }, { user: name, displayName, contact: new_contact, logo: file }) => {
      const change = {
        ...(displayName === undefined ? {} : { display_name: displayName || null }),
        ...(new_contact === undefined ? {} : { contact: new_contact || null }),
        ...(await readPicture(file)),
      };
      if (Object.keys(change).length === 0) {
        throw new CommandError('usage', 'Give --display-name, --contact or --logo');
      }
      const username = normalUsername(name);
      if (!(await setPublicProfileAs(db, username, change, actor))) throw userNotFound(name);
      const { display_name, contact } = (await findUserByName(db, username))!;
      const { logo } = change;
      return {
        json: {
          username,
          display_name,
          contact,
          ...(logo === undefined ? {} : { has_logo: logo !== null }),
        },
        text: `Customers see ${username} as: ${display_name ?? 'the name of the account'}.`,
      };
    }),
  );

/** Reads the value; an empty text removes it. */
function readLine(
  option: string,
  text: string,
  read: (text: string) => string | undefined,
  longest: number,
): string {
  if (text.trim() === '') return '';
  const line = read(text);
  if (line !== undefined) return line;
  throw new CommandError(
    'usage',
    `--${option} must be one line of at most ${counted('en', longest, 'character', 'characters')} with a letter or digit, and no invisible ones`,
  );
}

const LOGO_FAULTS: Readonly<Record<LogoFault, string>> = {
  too_large: 'has more than 200 kB',
  not_png: 'is not a PNG, or an interlaced one',
  wrong_size: 'must be 16 to 1,024 pixels wide and high',
  busy: 'is being read already',
};

async function readPicture(file: string | undefined): Promise<{ readonly logo?: Buffer | null }> {
  if (file === undefined) return {};
  if (file === '') return { logo: null };
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new CommandError('usage', `--logo cannot be read: ${(error as Error).message}`);
  }
  const read = await readLogo('', bytes);
  if (read.ok) return { logo: read.image };
  throw new CommandError('usage', `--logo ${LOGO_FAULTS[read.fault]}`);
}

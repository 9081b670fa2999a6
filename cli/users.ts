// Users and their identity checks.

import { readFileSync } from 'node:fs';
import { setPublicProfileAs, type ProfileChange } from '../db/public-profiles';
import { findUserByName, listUsers } from '../db/users';
import { MAX_PASSWORD, MIN_PASSWORD } from '../domain/password';
import {
  MAX_CONTACT,
  MAX_DISPLAY_NAME,
  readContact,
  readDisplayName,
} from '../domain/public-profile';
import { grantOperator } from '../use-cases/operators';
import { decideIdentityCheck, MAX_REASON, resealIdentities } from '../use-cases/identity-checks';
import { readLogo, type LogoFault } from '../use-cases/logos';
import { signUp, type SignUpFault } from '../use-cases/users';
import type { Command, CommandContext, CommandResult } from './command';
import { CommandError } from './error';
import { requireUser, userNotFound } from './lookups';
import type { Options } from './options';
import { readSecretInput } from './secret-input';
import { table } from './table';
import { sealerOf } from './webhook-dependencies';
import { withTemporal } from './temporal';

const usersCreate: Command = {
  usage:
    'users create --username U --email E --password-stdin --country CC [--first-name F] [--last-name L]',
  summary:
    'Create a user with wallets; the sandbox wallets are funded; the password is the first line of standard input',
  async run({ db, options, actor }) {
    const given = {
      username: options.required('username'),
      email: options.required('email'),
      country: options.required('country'),
    };
    const password = await readSecretInput(options, 'password');
    if (password === undefined) throw new CommandError('usage', '--password-stdin is required');
    const signed_up = await signUp(
      { db, actor },
      {
        ...given,
        password,
        first_name: options.optional('first-name') ?? '',
        last_name: options.optional('last-name') ?? '',
      },
    );
    if (!signed_up.ok) {
      const { error } = signed_up;
      const isTaken = error === 'username_taken' || error === 'email_taken';
      throw new CommandError(isTaken ? 'user_exists' : 'usage', FAULTS[error]);
    }
    const { user } = signed_up;
    return { json: { ...user }, text: `Created user ${user.username} (${user.id}).` };
  },
};

const TAKEN = 'A user with this username or e-mail exists already';

const FAULTS: Readonly<Record<SignUpFault, string>> = {
  invalid_username:
    '--username must be 3 to 32 letters, digits, dots, dashes or underscores, and begin with a letter or digit',
  invalid_email: '--email must be an e-mail address',
  invalid_country: '--country must be a country code of two letters',
  short_password: `The password must have at least ${MIN_PASSWORD} characters`,
  long_password: `The password must have at most ${MAX_PASSWORD} characters`,
  common_password:
    'The password is among the most common ones, which are tried first: choose another',
  own_name_password: 'The password must not be the username or the e-mail address',
  username_taken: TAKEN,
  email_taken: TAKEN,
};

const usersList: Command = {
  usage: 'users list',
  summary: 'List all users',
  async run({ db }) {
    const users = await listUsers(db);
    const rows = users.map((u) => [
      ...[u.username, u.email, u.country, u.kyc_status],
      ...[u.frozen_at === null ? '' : `since ${u.frozen_at}`, u.id],
    ]);
    return {
      json: { users: users.map((user) => ({ ...user })) },
      text: table([['USERNAME', 'EMAIL', 'COUNTRY', 'KYC', 'FROZEN', 'ID'], ...rows]),
    };
  },
};

const usersShow: Command = {
  usage: 'users show --user U',
  summary: 'Show a user, and whether and why the account is frozen',
  async run({ db, options }) {
    const user = await requireUser(db, options.required('user'));
    const lines = Object.entries(user).map(([field, value]) => [field, String(value ?? '-')]);
    return { json: { ...user }, text: table(lines) };
  },
};

const kycApprove: Command = {
  usage: 'kyc approve --user U [--reason R]',
  summary: "Approve a user's identity check, so that live keys can be created",
  run: (context) => decide(context, 'approved'),
};

const kycReject: Command = {
  usage: 'kyc reject --user U [--reason R]',
  summary: "Reject a user's identity check; the user is told the reason",
  run: (context) => decide(context, 'rejected'),
};

const kycReseal: Command = {
  usage: 'kyc reseal',
  summary: 'Encrypt what identity checks submitted with the first of SECRETS_KEYS',
  async run(context) {
    const { db, actor } = context;
    const counts = await resealIdentities({ db, actor, sealer: sealerOf(context) });
    const { resealed, already, unreadable } = counts;
    return {
      json: { ...counts },
      text:
        `Encrypted with the first key: ${resealed}. Already so: ${already}.` +
        (unreadable === 0 ? '' : ` No key decrypts: ${unreadable}. Add the missing key.`),
      exit_status: unreadable === 0 ? 0 : 1,
    };
  },
};

async function decide(
  context: CommandContext,
  decision: 'approved' | 'rejected',
): Promise<CommandResult> {
  const { db, options, actor } = context;
  const name = options.required('user');
  const reason = options.optional('reason');
  const decided = await decideIdentityCheck({ db, actor }, name, { decision, reason });
  if (!decided.ok) {
    if (decided.error === 'not_found') throw userNotFound(name);
    throw new CommandError('usage', `--reason must have at most ${MAX_REASON} characters`);
  }
  const { id, username } = decided.user;
  await wake(context, id);
  return {
    json: { username, kyc_status: decision },
    text: `The identity check of ${username} is ${decision}.`,
  };
}

const WAKE_WITHIN_MS = 5_000;

/** So that the merchant is told at once; without Temporal the sweeper does it in a minute or two. */
async function wake(context: CommandContext, user_id: string): Promise<void> {
  if (context.system.temporal_address === undefined) return;
  const { createIdentityCheckWaker } = await import('../temporal/identity-checks.js');
  try {
    await withTemporal(context, (client) =>
      client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, () =>
        createIdentityCheckWaker(client, context.config.task_queue)(user_id),
      ),
    );
  } catch (error) {
    context.note(`The user will be told in a minute or two: ${(error as Error).message}`);
  }
}

const usersUpdate: Command = {
  usage: 'users update --user U [--display-name N] [--contact C] [--logo FILE]',
  summary:
    'Set what customers see of a user: name, contact and logo (a PNG); an empty value takes it away',
  async run({ db, options, actor }) {
    const name = options.required('user');
    const change = {
      ...readLine(options, 'display-name', readDisplayName),
      ...readLine(options, 'contact', readContact),
      ...(await readPicture(options.optional('logo'))),
    };
    if (Object.keys(change).length === 0) {
      throw new CommandError('usage', 'Give --display-name, --contact or --logo');
    }
    const username = name.toLowerCase();
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
  },
};

function readLine(
  options: Options,
  option: 'display-name' | 'contact',
  read: (text: string) => string | undefined,
): ProfileChange {
  const text = options.optional(option);
  if (text === undefined) return {};
  const field = option.replace('-', '_');
  if (text.trim() === '') return { [field]: null };
  const line = read(text);
  if (line !== undefined) return { [field]: line };
  throw new CommandError(
    'usage',
    `--${option} must be one line of at most ${option === 'contact' ? MAX_CONTACT : MAX_DISPLAY_NAME} characters with a letter or digit, and no invisible ones`,
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

const usersGrant: Command = {
  usage: 'users grant --user U --role operator',
  summary: "Let the account's owner open the operators' pages of the dashboard",
  run: (context) => changeRole(context, true),
};

const usersRevokeRole: Command = {
  usage: 'users revoke-role --user U --role operator',
  summary: "Take the operators' pages from the account's owner, with the next request",
  run: (context) => changeRole(context, false),
};

async function changeRole(
  { db, options, actor }: CommandContext,
  is_operator: boolean,
): Promise<CommandResult> {
  const name = options.required('user');
  const role = options.required('role');
  if (role !== 'operator') throw new CommandError('usage', '--role must be operator');
  const granted = await grantOperator({ db, actor }, name, is_operator);
  if (!granted.ok) throw userNotFound(name);
  const username = name.toLowerCase();
  const state = is_operator ? 'is an operator' : 'is no operator';
  return {
    json: { username, role, is_operator, changed: granted.changed },
    text: granted.changed ? `${username} ${state} now.` : `${username} ${state} already.`,
  };
}

export const userCommands = [
  ...[usersCreate, usersList, usersShow, usersUpdate, usersGrant, usersRevokeRole],
  ...[kycApprove, kycReject, kycReseal],
];

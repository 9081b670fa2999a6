// Reads the mails to a person, as the service has written them.

import { listMails } from '../../db/people/mails';
import { createSealer } from '../../secrets/seal';
import { readMailText } from '../../use-cases/mails';
import type { TestDatabase } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';

export interface ReadMail {
  readonly subject: string;
  readonly text: string;
}

/** The newest first. */
export async function mailsTo(
  { db }: Pick<TestDatabase, 'db'>,
  recipient: string,
): Promise<ReadMail[]> {
  const sealer = createSealer([TEST_SECRETS_KEY]);
  const mails = await listMails(db, 1_000);
  return mails
    .filter((mail) => mail.recipient === recipient)
    .map((mail) => ({ subject: mail.subject, text: readMailText(sealer, mail) }));
}

/** The path of the first link in the text, such as `/dashboard/email/confirm?token=…`. */
export function linkIn({ text }: Pick<ReadMail, 'text'>): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`There is no link in: ${text}`);
  const url = new URL(link);
  return url.pathname + url.search;
}

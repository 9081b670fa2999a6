// Mails to people: written into the table with what they are about, sent afterwards by a workflow.

import { randomUUID } from 'node:crypto';
import type { Addressee } from '../db/accounts/identity-checks';
import type { Db, Tx } from '../db/connect';
import { insertMail, type MailRow, type NewMail } from '../db/people/mails';
import { listReaders } from '../db/people/news';
import { LANGUAGES, type Language } from '../domain/language';
import type { Sealer } from '../secrets/seal';

export interface MailText {
  readonly subject: string;
  /** Plain text. It may hold a secret: the database gets it sealed, Temporal never. */
  readonly text: string;
}

export interface Mail extends MailText {
  readonly to: string;
}

/** Writes a mail in the person's language, or in every language when theirs is not known. */
export function mailIn(
  { email, language }: Addressee,
  write: (language: Language) => MailText,
): Mail {
  const texts = (language === null ? LANGUAGES : [language]).map(write);
  return {
    to: email,
    subject: texts.map(({ subject }) => subject).join(' / '),
    text: texts.map(({ text }) => text).join('\n\n---\n\n'),
  };
}

/**
 * Writes the mail, also inside of a transaction, and returns its id. It leaves when `startMail` of
 * the dependencies is called with the id after the commit; without that call, the sweeper finds
 * it.
 */
export async function queueMail(
  { db, sealer }: { readonly db: Db | Tx; readonly sealer: Sealer },
  mail: Mail,
): Promise<string> {
  const sealed = sealMail(sealer, mail);
  await insertMail(db, sealed);
  return sealed.id;
}

/** The mail as it is stored: for functions of the database that write it with something else. */
export function sealMail(sealer: Sealer, { to, subject, text }: Mail): NewMail {
  const id = randomUUID();
  return { id, recipient: to, subject, sealed_text: sealer.seal(text, mailContext(id)) };
}

/** A mail to every owner of the account who has confirmed an address, to be written with what it is about. */
export async function sealForOwners(
  { db, sealer }: { readonly db: Db; readonly sealer: Sealer },
  user_id: string,
  write: (language: Language) => MailText,
): Promise<NewMail[]> {
  const owners = await listReaders(db, user_id, 'owner');
  return owners.map((owner) => sealMail(sealer, mailIn(owner, write)));
}

export function readMailText(
  sealer: Sealer,
  { id, sealed_text }: Pick<MailRow, 'id' | 'sealed_text'>,
): string {
  return sealer.open(sealed_text, mailContext(id));
}

export function mailContext(id: string): string {
  return `mail/${id}`;
}

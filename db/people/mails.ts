// Mails to people, as rows that wait to be sent. Their texts are sealed.

import { columns, type RowOf } from '../columns';
import { callValue, calls, execute, lookUp, type Db, type Tx } from '../connect';

const COLUMNS = columns(`mails m:
  id recipient subject sealed_text created_at sent_at failed_at tries last_error`);
export type MailRow = RowOf<typeof COLUMNS>;

export type NewMail = Pick<MailRow, 'id' | 'recipient' | 'subject' | 'sealed_text'>;

export async function insertMail(db: Db | Tx, mail: NewMail): Promise<void> {
  const values = [mail.id, mail.recipient, mail.subject, mail.sealed_text];
  await callValue(db, 'queue_mail', values);
}

/** Undefined when it is sent, given up or unknown. Counts a try. */
export async function claimMail(
  db: Db,
  id: string,
  give_up_seconds: number,
): Promise<MailRow | undefined> {
  const text = `select ${COLUMNS} from claim_mail($1, $2) m`;
  return (await execute<MailRow>(db, { name: 'claim_mail', text }, [id, give_up_seconds]))[0];
}

/** `refused`: no other try would succeed. `failed`: one may. */
export type MailOutcome = 'sent' | 'refused' | 'failed';

export const recordMail =
  calls<(id: string, outcome: MailOutcome, error: string | null) => void>('record_mail');

export interface StalledAfter {
  /** The age of a mail that no worker has tried to send. */
  readonly new_ms: number;
  /** Longer than any pause between two tries. */
  readonly tried_ms: number;
}

/** The ids of mails whose workflow seems to be lost, the oldest first. */
export async function listStalledMails(
  db: Db,
  { new_ms, tried_ms }: StalledAfter,
  limit: number,
): Promise<string[]> {
  const text = `select id from mails
     where sent_at is null and failed_at is null
       and coalesce(tried_at, created_at) < clock_timestamp()
             - make_interval(secs => case when tried_at is null then $1::integer else $2::integer end / 1000.0)
     order by created_at
     limit $3`;
  const statement = { name: 'list_stalled_mails', text };
  const rows = await execute<{ readonly id: string }>(db, statement, [new_ms, tried_ms, limit]);
  return rows.map(({ id }) => id);
}

/** The newest first; `recipient`: in any case, only those to this address. */
export async function listMails(db: Db, limit: number, recipient = ''): Promise<MailRow[]> {
  const text = `select ${COLUMNS} from mails m where $2 in ('', lower(m.recipient))
     order by m.created_at desc limit $1`;
  return lookUp<MailRow>(db, { name: 'list_mails', text }, [limit, recipient.toLowerCase()]);
}

// Sends the mails that wait in the database. A mail is sent at least once: when the process dies
// after the server has taken the text and before that is recorded, it is sent again, under the same
// Message-ID, by which most mailboxes show it once.

import type { Db } from '../db/connect';
import { claimMail, recordMail } from '../db/people/mails';
import { isRowId } from '../domain/ids';
import { createLimit } from '../domain/limit';
import type { Sealer } from '../secrets/seal';
import { readMailText } from '../use-cases/mails';
import { withHeartbeats } from './heartbeats';
import { refuseMessage } from './refused-messages';
import type { SendMail } from './smtp';

export interface MailActivityDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  /** Undefined: this installation sends no mails. */
  readonly sendMail: SendMail | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A mail that could not be sent for so long is of no use any more. */
export const GIVE_UP_SECONDS = 3 * 24 * 60 * 60;

/**
 * Mails that one process sends at once. A mail server that does not answer holds each for up to a
 * minute, and what customers and merchants wait for is done by activities of the same worker.
 */
const MAILS_AT_ONCE = 20;

/** `ended`: sent, or given up. `waits`: to be tried again. */
export type MailProgress = 'ended' | 'waits';

export function createMailActivities(dependencies: MailActivityDependencies) {
  const { db, sealer, sendMail, log } = dependencies;
  const limit = createLimit({ at_once: MAILS_AT_ONCE });

  async function send(id: string, sendNow: SendMail): Promise<MailProgress> {
    const mail = await claimMail(db, id, GIVE_UP_SECONDS);
    if (!mail) return 'ended';
    const { recipient, subject } = mail;
    const text = readMailText(sealer, mail);
    const { outcome, error } = await sendNow({ id, to: recipient, subject, text });
    await recordMail(db, id, outcome, error);
    if (outcome !== 'sent') log({ part: 'mails', mail: id, outcome });
    return outcome === 'failed' ? 'waits' : 'ended';
  }

  return withHeartbeats({
    /** The server's words may name the recipient: they are in the table only. */
    async sendQueuedMail(id: string): Promise<MailProgress> {
      if (!isRowId(id)) {
        refuseMessage(dependencies, { message: 'mail', references: [id] });
        return 'ended';
      }
      if (!sendMail) return 'waits';
      return (await limit.tryRun(() => send(id, sendMail))) ?? 'waits';
    },
  });
}

export type MailActivities = ReturnType<typeof createMailActivities>;

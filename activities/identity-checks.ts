// Does what is due about an account's identity check: each step and its mails are one transaction,
// so that every mail is written once, whenever a process dies. What the check is about stays in the
// database.

import {
  advanceIdentityCheck,
  findCheckMail,
  type CheckStatus,
} from '../db/accounts/identity-checks';
import type { Db } from '../db/connect';
import { isRowId } from '../domain/ids';
import type { Sealer } from '../secrets/seal';
import type { WakeMail } from '../temporal/mails';
import { queueMail } from '../use-cases/mails';
import { withHeartbeats } from './heartbeats';
import { mailsOfCheck } from './identity-mails';
import { refuseMessage } from './refused-messages';

export interface IdentityActivityDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly wakeMail: WakeMail;
  /** The dashboard's address, without a slash at its end. */
  readonly dashboard_url: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface CheckProgress {
  /** `none`: the account has no check. */
  readonly status: CheckStatus | 'none';
  /** The time until the next thing is due; null when nothing is left. */
  readonly wait_ms: number | null;
}

export function createIdentityActivities(dependencies: IdentityActivityDependencies) {
  const { db, sealer, wakeMail, dashboard_url } = dependencies;
  return withHeartbeats({
    async advanceIdentityCheck(user_id: string): Promise<CheckProgress> {
      if (!isRowId(user_id)) {
        refuseMessage(dependencies, { message: 'identity check', references: [user_id] });
        return { status: 'none', wait_ms: null };
      }
      for (;;) {
        const { step, mails } = await db.transaction(async (tx) => {
          const step = await advanceIdentityCheck(tx, user_id);
          const mails: string[] = [];
          if (step?.message) {
            const about = await findCheckMail(tx, step.check_id);
            for (const mail of mailsOfCheck(step.message, about, dashboard_url)) {
              mails.push(await queueMail({ db: tx, sealer }, mail));
            }
          }
          return { step, mails };
        });
        mails.forEach(wakeMail);
        if (!step) return { status: 'none', wait_ms: null };
        const { status, message, wait_ms } = step;
        if (message === null) return { status, wait_ms };
      }
    },
  });
}

export type IdentityActivities = ReturnType<typeof createIdentityActivities>;

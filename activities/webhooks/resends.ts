// The activity of a resend: queues the next page of a range of deliveries.

import type { Db } from '../../db/connect';
import { findResendOwner, resendPage } from '../../db/webhook-resends';
import { createTurns } from '../../domain/turns';
import type { EndpointWaker } from '../../temporal/webhook-endpoints';
import type { RefusalLog } from '../refused-messages';
import { forRows } from '../rows';

export interface ResendDependencies extends RefusalLog {
  readonly db: Db;
  readonly waker: Pick<EndpointWaker, 'wake'>;
}

const PAGE = 500;
/** Each keeps a connection of the process, which deliveries and postings need, too. */
const PAGES_AT_ONCE = 2;

export function createResendActivities(dependencies: ResendDependencies) {
  const { db, waker } = dependencies;
  const turns = createTurns(PAGES_AT_ONCE);
  return forRows(dependencies, 'resend', {
    /** Accounts take turns: however many endpoints one resends for, it has one page at a time. */
    async resendPage(
      resend_id: string,
    ): Promise<{ readonly is_done: boolean; readonly queued: number }> {
      const user_id = await findResendOwner(db, resend_id);
      const { is_done, queued, wake } = await turns.take(user_id, () =>
        resendPage(db, resend_id, PAGE),
      );
      waker.wake(wake);
      return { is_done, queued };
    },
  });
}

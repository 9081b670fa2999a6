// The activity of a resend: queues the next page of a range of deliveries.

import type { Db } from '../../db/connect';
import { findResendOwner, resendPage } from '../../db/webhooks/webhook-resends';
import { createLimit } from '../../domain/limit';
import type { EndpointWaker } from '../../temporal/webhook-endpoints';
import type { RefusalLog } from '../refused-messages';
import { forRows } from '../rows';

export interface ResendDependencies extends RefusalLog {
  readonly db: Db;
  readonly waker: Pick<EndpointWaker, 'wake'>;
}

const PAGE = 500;
/** Each keeps a connection of the process, which deliveries and postings need, too. */
const PAGES = { at_once: 2, each: 1 };

export function createResendActivities(dependencies: ResendDependencies) {
  const { db, waker } = dependencies;
  const limit = createLimit(PAGES);
  return forRows(dependencies, 'resend', {
    /** Accounts take turns: however many endpoints one resends for, it has one page at a time. */
    async resendPage(
      resend_id: string,
    ): Promise<{ readonly is_done: boolean; readonly queued: number }> {
      const user_id = await findResendOwner(db, resend_id);
      const { is_done, queued, wake } = await limit.run(
        () => resendPage(db, resend_id, PAGE),
        user_id,
      );
      waker.wake(wake);
      return { is_done, queued };
    },
  });
}

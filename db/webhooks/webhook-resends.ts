// Time ranges of deliveries that are sent again, page by page. The row says how far one has come.

import type { Environment } from '../../domain/environment';
import type { EventType } from '../../domain/event';
import type { DeliveryStatus } from '../../domain/webhook';
import { columns, type RowOf } from '../columns';
import { callValue, calls, lookUp, type Db } from '../connect';

export interface NewResend {
  readonly user_id: string;
  readonly environment: Environment;
  readonly endpoint_id: string;
  readonly statuses: readonly DeliveryStatus[];
  readonly types: readonly EventType[];
  /** Inclusive. */
  readonly created_from: string;
  /** Exclusive, and never later than now. */
  readonly created_to: string;
}

/** Returns its id, or null while another of the endpoint is running. */
export async function beginResend(db: Db, resend: NewResend): Promise<string | null> {
  return callValue(db, 'begin_resend', [JSON.stringify(resend)]);
}

/** Queues a page of one of those that are under way. False when none is, or another process is at it. */
export const continueResend = calls<(page: number) => boolean>('continue_resend');

const RESEND = columns('webhook_resends r: id endpoint_id status queued created_at completed_at');
export type Resend = RowOf<typeof RESEND>;

/** Finds a resend of this user only. */
export async function findResend(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<Resend | undefined> {
  const text = `select ${RESEND} from webhook_resends r
                 where r.id = $3 and r.user_id = $1 and r.environment = $2`;
  const rows = await lookUp<Resend>(db, { name: 'find_resend', text }, [user_id, environment, id]);
  return rows[0];
}

/** Finds the last resend of this user only. */
export async function findLastResend(
  db: Db,
  user_id: string,
  environment: Environment,
  endpoint_id: string,
): Promise<Resend | undefined> {
  const text = `select ${RESEND} from webhook_resends r
                 where r.endpoint_id = $3 and r.user_id = $1 and r.environment = $2
                 order by r.created_at desc limit 1`;
  const values = [user_id, environment, endpoint_id];
  return (await lookUp<Resend>(db, { name: 'find_last_resend', text }, values))[0];
}

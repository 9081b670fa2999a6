// Time ranges of deliveries that are sent again, page by page. The row says how far one has come.

import type { Environment } from '../../domain/environment';
import type { EventType } from '../../domain/event';
import type { DeliveryStatus } from '../../domain/webhook';
import { call, callValue, execute, lookUp, type Db } from '../connect';
import { failUnknown, requireRow } from '../unknown-row';

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

/**
 * Returns its id, or null while another of the endpoint is running. The caller starts its workflow; if that
 * fails, the sweeper starts it.
 */
export async function beginResend(db: Db, resend: NewResend): Promise<string | null> {
  return callValue(db, 'begin_resend', [JSON.stringify(resend)]);
}

/**
 * The user whose deliveries it sends again.
 *
 * @throws UnknownRowError
 */
export async function findResendOwner(db: Db, id: string): Promise<string> {
  const statement = {
    name: 'find_resend_owner',
    text: 'select user_id from webhook_resends where id = $1',
  };
  const [row] = await execute<{ user_id: string }>(db, statement, [id]);
  return row ? row.user_id : failUnknown(db, 'resend', id);
}

export interface ResendPage {
  readonly is_done: boolean;
  /** The number of all that were queued. */
  readonly queued: number;
  readonly wake: readonly string[];
}

/** @throws UnknownRowError */
export async function resendPage(db: Db, id: string, page: number): Promise<ResendPage> {
  const [row] = await requireRow(db, 'resend', id, () =>
    call<ResendPage>(db, 'resend_page', [id, page]),
  );
  return row!;
}

export interface Resend {
  readonly id: string;
  readonly endpoint_id: string;
  readonly status: 'running' | 'completed';
  readonly queued: number;
  readonly created_at: string;
  readonly completed_at: string | null;
}

/** Finds a resend of this user only. */
export async function findResend(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<Resend | undefined> {
  const text = `select id, endpoint_id, status, queued, created_at, completed_at
                  from webhook_resends where id = $3 and user_id = $1 and environment = $2`;
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
  const text = `select id, endpoint_id, status, queued, created_at, completed_at
                  from webhook_resends
                 where endpoint_id = $3 and user_id = $1 and environment = $2
                 order by created_at desc limit 1`;
  const values = [user_id, environment, endpoint_id];
  return (await lookUp<Resend>(db, { name: 'find_last_resend', text }, values))[0];
}

/**
 * Older than this and not completed: perhaps their workflow was never started. Up to a hundred, others each
 * time, so that those which are at work do not hide one that is not.
 */
export async function listRunningResends(db: Db, older_than_ms: number): Promise<string[]> {
  const text = `select id from webhook_resends
                 where status = 'running'
                   and created_at < now() - $1::integer * interval '1 millisecond'
                 order by random() limit 100`;
  const rows = await execute<{ id: string }>(db, { name: 'list_running_resends', text }, [
    older_than_ms,
  ]);
  return rows.map(({ id }) => id);
}

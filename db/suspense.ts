// Money that no intent could take: operators list it, and accept it for the merchant or refund it.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import { execute, type Db } from './connect';

export interface SuspenseItem {
  readonly id: string;
  readonly reference: string;
  readonly environment: Environment;
  readonly gateway: string;
  readonly provider_payment_id: string;
  readonly intent_id: string | null;
  readonly username: string | null;
  readonly reason:
    'late' | 'second_payment' | 'amount' | 'currency' | 'unknown_intent' | 'balance_limit';
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly status: 'held' | 'accepted' | 'refunding' | 'refunded';
  readonly created_at: string;
  readonly resolved_at: string | null;
}

const SELECT = `select s.id, s.reference, s.environment, s.gateway, s.provider_payment_id, s.intent_id,
    u.username, s.reason, s.currency, s.amount_minor, s.status, s.created_at, s.resolved_at
  from suspense_items s left join users u on u.id = s.user_id`;

/** Oldest first; only items that wait for a decision, unless `all`. */
export async function listSuspense(db: Db, all: boolean): Promise<SuspenseItem[]> {
  const text = `${SELECT} where $1 or s.status in ('held', 'refunding') order by s.created_at, s.id`;
  return execute(db, { name: 'list_suspense', text }, [all]);
}

export async function findSuspense(db: Db, id: string): Promise<SuspenseItem | undefined> {
  const rows = await execute<SuspenseItem>(
    db,
    { name: 'find_suspense', text: `${SELECT} where s.id = $1` },
    [id],
  );
  return rows[0];
}

/** Credits the merchant's wallet. Postgres refuses an item that is not held or has no merchant. */
export async function acceptSuspense(
  db: Db,
  id: string,
): Promise<{ readonly reference: string; readonly balance_minor: bigint }> {
  const text = 'select reference, balance_minor from accept_suspense($1)';
  const [row] = await execute<{ reference: string; balance_minor: bigint }>(
    db,
    { name: 'accept_suspense', text },
    [id],
  );
  return row!;
}

/** Returns the status afterwards: `refunding` when the gateway may now be asked to refund. */
export async function beginSuspenseRefund(db: Db, id: string): Promise<SuspenseItem['status']> {
  const text = 'select begin_suspense_refund($1) as status';
  const [row] = await execute<{ status: SuspenseItem['status'] }>(
    db,
    { name: 'begin_suspense_refund', text },
    [id],
  );
  return row!.status;
}

export async function finishSuspenseRefund(
  db: Db,
  id: string,
  refund_id: string,
): Promise<SuspenseItem['status']> {
  const text = 'select finish_suspense_refund($1, $2) as status';
  const [row] = await execute<{ status: SuspenseItem['status'] }>(
    db,
    { name: 'finish_suspense_refund', text },
    [id, refund_id],
  );
  return row!.status;
}

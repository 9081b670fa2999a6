// The clock of an account's sandbox, and what waits for it. Times of what waits are due in real time.

import { execute, lookUp, type Db } from '../connect';

export const WAITING_TYPES = [
  'payment_intent',
  'payment_attempt',
  'webhook_delivery',
  'payout',
  'payout_batch',
] as const;

export interface Waiting {
  readonly type: (typeof WAITING_TYPES)[number];
  readonly id: string;
  readonly due_at: string;
}

export interface SandboxClock {
  /** The database's clock, in ms. */
  readonly real_ms: number;
  /** How far the account's is ahead. */
  readonly clock_seconds: number;
}

const FIND = {
  name: 'find_sandbox_clock',
  text: `select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as real_ms,
                coalesce((select s.clock_seconds from sandboxes s where s.user_id = $1), 0) as clock_seconds`,
};

export async function findSandboxClock(db: Db, user_id: string): Promise<SandboxClock> {
  return (await execute<SandboxClock>(db, FIND, [user_id]))[0]!;
}

const LIST = {
  name: 'list_sandbox_waiting',
  text: 'select type, id, due_at from sandbox_waiting($1, $2)',
};

/** What is due first. */
export function listSandboxWaiting(db: Db, user_id: string, limit: number): Promise<Waiting[]> {
  return execute<Waiting>(db, LIST, [user_id, limit]);
}

const SETTLED = {
  name: 'is_sandbox_settled',
  text: 'select is_sandbox_settled($1) as is_settled',
};

/** Whether all that is due is done. */
export async function isSandboxSettled(db: Db, user_id: string): Promise<boolean> {
  return (await lookUp<{ is_settled: boolean }>(db, SETTLED, [user_id]))[0]!.is_settled;
}

/** How far, one of them; neither: to what is due next. */
export interface Advance {
  readonly seconds?: number | undefined;
  /** An instant of the account's clock. */
  readonly to?: string | undefined;
  /** When something is due next at the provider of payouts, in real time. */
  readonly provider_due: string | undefined;
}

export interface Advanced {
  readonly outcome: 'done' | 'backwards' | 'too_far';
  readonly clock_seconds: number;
  readonly payment_intents: number;
  readonly webhook_deliveries: number;
  /** What to wake, by when it is due. */
  readonly endpoints: readonly string[];
  readonly payment_attempts: readonly string[];
  readonly payouts: readonly string[];
  readonly payout_batches: readonly string[];
  readonly refunds: readonly string[];
}

const ADVANCE = {
  name: 'advance_sandbox_clock',
  text: `select outcome, clock_seconds, payment_intents, webhook_deliveries, endpoints, payment_attempts, payouts,
                payout_batches, refunds
           from advance_sandbox_clock($1, $2, $3, $4)`,
};

/** Moves the clock, and brings all that waits nearer, in one transaction. */
export async function advanceSandboxClock(
  db: Db,
  user_id: string,
  { seconds, to, provider_due }: Advance,
): Promise<Advanced> {
  const values = [user_id, seconds ?? null, to ?? null, provider_due ?? null];
  return (await execute<Advanced>(db, ADVANCE, values))[0]!;
}

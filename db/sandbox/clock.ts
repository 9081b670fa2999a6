// The clock of an account's sandbox, and what waits for it. Times of what waits are due in real time.

import { call, callValue, execute, lookUp, type Db } from '../connect';

export const WAITING_TYPES = [
  'transfer',
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

/** Lists what waits, the first due first. */
export function listSandboxWaiting(db: Db, user_id: string, limit: number): Promise<Waiting[]> {
  return call<Waiting>(db, 'sandbox_waiting', [user_id, limit]);
}

/** Whether all that is due is done. */
export async function isSandboxSettled(db: Db, user_id: string): Promise<boolean> {
  return callValue(db.lookUps, 'is_sandbox_settled', [user_id]);
}

const ASKED = {
  name: 'are_sandbox_payouts_asked',
  text: `select not exists (
           select from payouts p
            where p.user_id = $1 and p.environment = 'sandbox' and p.status = 'pending'
              and p.provider_payment_id is null and (p.asks = 0 or (p.asks = 1 and p.stage = 'unknown'))) as are_asked`,
};

/** Whether the provider has answered once about each payout that was ordered. */
export async function areSandboxPayoutsAsked(db: Db, user_id: string): Promise<boolean> {
  return (await lookUp<{ are_asked: boolean }>(db, ASKED, [user_id]))[0]!.are_asked;
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
  /** The workflows of these are to be woken, by when they are due. */
  readonly payment_attempts: readonly string[];
  readonly payouts: readonly string[];
  readonly payout_batches: readonly string[];
  readonly refunds: readonly string[];
}

/** Moves the clock, and brings all that waits nearer, in one transaction. */
export async function advanceSandboxClock(
  db: Db,
  user_id: string,
  { seconds, to, provider_due }: Advance,
): Promise<Advanced> {
  const values = [user_id, seconds ?? null, to ?? null, provider_due ?? null];
  return (await call<Advanced>(db, 'advance_sandbox_clock', values))[0]!;
}

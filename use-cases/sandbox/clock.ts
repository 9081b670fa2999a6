// Shows and advances the clock of an account's sandbox. The rows decide: what was committed and not woken is found by
// the sweeps, and the provider's timers are set to the row's clock by every call here and every question about a payout.

import { setTimeout as delay } from 'node:timers/promises';
import { listPayoutBatchesToRun } from '../../db/payout-batches/payout-batches';
import {
  advanceSandboxClock,
  areSandboxPayoutsAsked,
  findSandboxClock,
  isSandboxSettled,
  listSandboxWaiting,
  type Advanced,
  type Waiting,
} from '../../db/sandbox/clock';
import { GatewayError } from '../../domain/gateway-error';
import { laterBy } from '../../domain/instant';
import { createLimit, forEach } from '../../domain/limit';
import type { OrderDependencies } from '../requests/dependencies';

export type ClockDependencies = Pick<
  OrderDependencies,
  'db' | 'log' | 'payout_providers' | 'pursue' | 'startPayoutBatch'
> & { readonly settle_within_ms?: number };

export interface ShownClock {
  /** ISO 8601, by the account's clock. */
  readonly now: string;
  readonly offset_seconds: number;
  readonly waiting: readonly Waiting[];
}

export interface ClockMove {
  readonly seconds?: number | undefined;
  readonly to?: string | undefined;
}

export type MovedClock =
  /** `moving`: another move of the account is not over in this process. */
  | { readonly ok: false; readonly error: 'backwards' | 'too_far' | 'moving' }
  | (Pick<ShownClock, 'now' | 'offset_seconds'> & {
      readonly ok: true;
      readonly moved: Readonly<Record<(typeof MOVED)[number], number>>;
      readonly settled: boolean;
    });

export const MOVED = [
  'payment_intents',
  'payment_attempts',
  'webhook_deliveries',
  'payouts',
  'payout_batches',
  'refunds',
] as const;

/** The clock may be ahead by this in all. */
export const MOST_SECONDS = 400 * 86_400;
const SHOWN = 100;
const SETTLE_WITHIN_MS = 10_000;
/** Between looks whether all is done: a look is one statement. */
const LOOK_MS = 100;
/** Signals at once: some thousands are sent in the ten seconds, and the sweep sends what is left. */
const SIGNALS_AT_ONCE = 16;

export async function showClock(deps: ClockDependencies, user_id: string): Promise<ShownClock> {
  const { real_ms, clock_seconds } = await findSandboxClock(deps.db, user_id);
  const known = await listSandboxWaiting(deps.db, user_id, SHOWN);
  const { waiting } = await followClock(deps, user_id, clock_seconds);
  const rows = [...known, ...waiting].sort(byDue).slice(0, SHOWN);
  return {
    ...clockAt(real_ms, clock_seconds),
    waiting: rows.map((row) => ({ ...row, due_at: laterBy(row.due_at, clock_seconds) })),
  };
}

function byDue(one: Waiting, other: Waiting): number {
  return one.due_at < other.due_at ? -1 : 1;
}

function clockAt(
  real_ms: number,
  offset_seconds: number,
): Pick<ShownClock, 'now' | 'offset_seconds'> {
  return { now: new Date(real_ms + offset_seconds * 1_000).toISOString(), offset_seconds };
}

/** A move writes all open rows of its account, and then looks ten times a second whether all is done. */
const MOVES = createLimit({ each: 1 });

/** Returns when all that became due is done, or after ten seconds. */
export async function moveClock(
  deps: ClockDependencies,
  user_id: string,
  to: ClockMove,
): Promise<MovedClock> {
  const moved = await MOVES.tryRun(() => moveAndSettle(deps, user_id, to), user_id);
  return moved ?? { ok: false, error: 'moving' };
}

async function moveAndSettle(
  deps: ClockDependencies,
  user_id: string,
  { seconds, to }: ClockMove,
): Promise<MovedClock> {
  const { db, settle_within_ms = SETTLE_WITHIN_MS } = deps;
  const deadline = performance.now() + settle_within_ms;
  // The timers of what it is asked for later would begin after the move.
  const ask_until = deadline - settle_within_ms / 2;
  while (!(await areSandboxPayoutsAsked(db, user_id)) && performance.now() < ask_until) {
    await delay(LOOK_MS);
  }
  const is_to_next = seconds === undefined && to === undefined;
  const provider_due = is_to_next ? await nextAtProvider(deps, user_id) : undefined;
  const advanced = await advanceSandboxClock(db, user_id, { seconds, to, provider_due });
  const { outcome, clock_seconds } = advanced;
  if (outcome !== 'done') return { ok: false, error: outcome };
  // Before the signals: payouts are asked about then.
  let provider = await followClock(deps, user_id, clock_seconds);
  await wakeMoved(deps, advanced, deadline);
  let settled = isDone(provider) && (await isSandboxSettled(db, user_id));
  while (!settled && performance.now() < deadline) {
    await delay(LOOK_MS);
    settled = await isSandboxSettled(db, user_id);
    if (!settled) continue;
    provider = await followClock(deps, user_id, clock_seconds);
    settled = isDone(provider);
  }
  const { real_ms } = await findSandboxClock(db, user_id);
  return {
    ok: true,
    ...clockAt(real_ms, clock_seconds),
    moved: {
      payment_intents: advanced.payment_intents,
      webhook_deliveries: advanced.webhook_deliveries,
      payment_attempts: advanced.payment_attempts.length,
      payouts: advanced.payouts.length,
      payout_batches: advanced.payout_batches.length,
      refunds: advanced.refunds.length,
    },
    settled,
  };
}

async function nextAtProvider(
  deps: ClockDependencies,
  user_id: string,
): Promise<string | undefined> {
  const { clock_seconds } = await findSandboxClock(deps.db, user_id);
  const { waiting } = await followClock(deps, user_id, clock_seconds);
  return waiting[0]?.due_at;
}

interface AtProvider {
  readonly waiting: readonly Waiting[];
  /** False when a provider could not be asked. */
  readonly is_known: boolean;
}

function isDone({ waiting, is_known }: AtProvider): boolean {
  return is_known && waiting.every(({ due_at }) => Date.parse(due_at) > Date.now());
}

/** Sets the timers of the simulated providers to the account's clock; they may be so already. */
async function followClock(
  { payout_providers, log }: ClockDependencies,
  user_id: string,
  clock_seconds: number,
): Promise<AtProvider> {
  const waiting: Waiting[] = [];
  let is_known = true;
  for (const provider of payout_providers.sandbox) {
    try {
      const found = (await provider.followClock?.({ account: user_id, clock_seconds })) ?? [];
      waiting.push(...found.map((one) => ({ type: 'payout' as const, ...one })));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      is_known = false;
      log({ part: 'sandbox-clock', provider: provider.name, error: error.message });
    }
  }
  return { waiting: waiting.sort(byDue), is_known };
}

/** A workflow that cannot be woken, or not in time, is left to the sweeps. */
async function wakeMoved(
  deps: ClockDependencies,
  { payment_attempts, payouts, payout_batches, refunds }: Advanced,
  deadline: number,
): Promise<void> {
  const { db, log } = deps;
  const moved = { 'payment-attempt': payment_attempts, payout: payouts, refund: refunds } as const;
  const signals = Object.entries(moved).flatMap(([kind, ids]) =>
    ids.map((id) => () => deps.pursue(kind as keyof typeof moved, [id])),
  );
  const batches =
    payout_batches.length === 0 ? [] : await listPayoutBatchesToRun(db, payout_batches);
  signals.push(...batches.map((batch) => () => deps.startPayoutBatch(batch)));
  await forEach(signals, SIGNALS_AT_ONCE, async (signal) => {
    if (performance.now() >= deadline) return;
    await signal().catch((error: unknown) => log({ part: 'sandbox-clock', error: String(error) }));
  });
}

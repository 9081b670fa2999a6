// The form of a check, and the helpers of all checks.

import type { GatewayError } from '../../domain/gateway-error';
import type { Kind } from './bench';
import type { Plan } from './proxy';
import { outcomeOf, wordsOf, type Order, type Side, type Stand, type Told } from './stand';

export interface Check {
  /** `area.word` */
  readonly id: string;
  /** A sentence that is true of an adapter that passes. */
  readonly name: string;
  /** The harm that has happened, or would, without it. */
  readonly protects_from: string;
  /** The author's remedy when it has failed. */
  readonly advice: string;
  /** @throws Fault when the adapter does not pass, Skip when the check does not apply to it */
  readonly run: (stand: Stand) => Promise<void>;
}

export interface FaultDetails {
  readonly sent: string;
  readonly expected: string;
  readonly got: string;
}

export class Fault extends Error {
  readonly details: FaultDetails;
  constructor(details: FaultDetails) {
    super(`sent ${details.sent}, expected ${details.expected}, got ${details.got}`);
    this.details = details;
  }
}

export class Skip extends Error {}

/** @throws Fault unless it holds */
export function demand(holds: boolean, sent: string, expected: string, got: unknown): void {
  if (!holds) throw new Fault({ sent, expected, got: shown(got) });
}

/** Runs it for charges and payouts, whichever there are. It is skipped only if it is for both. */
export function each(
  run: (side: Side, stand: Stand) => Promise<void>,
  kinds: readonly Kind[] = ['charge', 'payout'],
): Check['run'] {
  return async (stand) => {
    const sides = stand.sides.filter(({ kind }) => kinds.includes(kind));
    const skipped: Skip[] = [];
    for (const side of sides) {
      try {
        await run(side, stand);
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
        skipped.push(error);
      }
    }
    if (sides.length === 0) throw new Skip(`the adapter has no ${kinds.join(' and no ')}`);
    if (skipped.length === sides.length) throw skipped[0]!;
  };
}

/** The outcome of an order: a state, or an error. */
export type Result = Told | { readonly status: 'error'; readonly error: unknown };

export async function tryTo(work: () => Promise<Told>): Promise<Result> {
  return work().catch((error: unknown) => ({ status: 'error', error }) as const);
}

export function isAccepted({ status }: Result): boolean {
  return status === 'under_way' || status === 'paid';
}

/** Has it ordered under a plan. */
export async function orderUnder(
  stand: Stand,
  side: Side,
  order: Order,
  plan: Plan,
  by: Pick<Side, 'ask'> = side,
): Promise<{ readonly result: Result; readonly requests: number }> {
  const { result, requests } = await stand.duringOrders(side, plan, () =>
    tryTo(() => by.ask(order)),
  );
  return { result, requests: requests.length };
}

export function nameOf(side: Side, { id, amount, currency, phone }: Order): string {
  return `a ${side.kind} ${id} of ${amount} minor units of ${currency} for ${phone}`;
}

const LONGEST_SHOWN = 400;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, writable);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function writable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (!(value instanceof Error)) return value;
  const { fault, is_about_access } = value as Partial<GatewayError>;
  const outcome = outcomeOf(value) ?? null;
  return { error: value.name, message: wordsOf(value), outcome, fault, is_about_access };
}

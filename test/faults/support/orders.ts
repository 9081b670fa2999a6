// Merchants' orders and their customers' acts, drawn by chance: payment links, paid in every way that the gateway's
// page offers, left alone, cancelled, or paid at the last moment.

import { CURRENCIES, type Currency } from '../../../domain/currency';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import { formatAmount } from '../../../domain/money';
import type { Action } from '../../../dev/simulators/gateway/courses';
import type { FundedUser } from './users';
import type { Random } from './random';

export interface Moment {
  readonly from: 'answer' | 'expiry';
  /** Negative is before it. */
  readonly ms: number;
}

export interface Act {
  readonly at: Moment;
  readonly action: Action;
  /** A slow payment is settled after this. */
  readonly delay_ms: number;
}

export interface Order {
  readonly key: string;
  readonly environment: Environment;
  readonly merchant: FundedUser;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  /** Seconds; undefined: the default of a day. */
  readonly expires_in: number | undefined;
  /** The customer's acts, in this order. */
  readonly acts: readonly Act[];
  /** The merchant cancels at this moment. */
  readonly cancel_at: Moment | undefined;
  /** An impatient merchant leaves at the first 5xx, and never comes back. */
  readonly is_patient: boolean;
  /** Sent once more after the response, which has to come again byte for byte. */
  readonly is_repeated: boolean;
  /** The key sent once more with another amount, which has to be refused. */
  readonly is_misused: boolean;
  /** Picks the process that gets the first request. */
  readonly first_api: number;
}

const PLANS = [
  'pay',
  'pay',
  'pay_slowly',
  'pay_notify_twice',
  'pay_twice',
  'decline_retry',
  'decline',
  'decline_slowly',
  'come_back_later',
  'pay_at_expiry',
  'expire',
  'cancel',
  'cancel_while_paying',
] as const;
type Plan = (typeof PLANS)[number];

/**
 * Order n is the same for the same seed.
 *
 * @param environments those that have a gateway; the sandbox among them
 */
export function createOrders(
  merchants: readonly FundedUser[],
  random: Random,
  environments: readonly Environment[] = ENVIRONMENTS,
): () => Order {
  let count = 0;
  return () => {
    count += 1;
    const plan = random.pick(PLANS);
    // Live intents live for 15 minutes at least.
    const isShort = plan === 'pay_at_expiry' || plan === 'expire' || random.chance(0.3);
    const environment = isShort || random.chance(0.3) ? 'sandbox' : 'live';
    return {
      // Unlike any transfer's: both are read by user, environment and key.
      key: `order-${count}`,
      environment: environments.includes(environment) ? environment : 'sandbox',
      merchant: random.pick(merchants),
      currency: random.pick(CURRENCIES),
      amount_minor: BigInt(random.integer(1, 5)) * 100n,
      expires_in: isShort ? random.integer(3, 6) : undefined,
      ...whatHappens(plan, random),
      is_patient: random.chance(0.85),
      is_repeated: random.chance(0.2),
      is_misused: random.chance(0.05),
      first_api: random.integer(0, 1),
    };
  };
}

/** One plain order in the sandbox that is not paid unless `acts` says how. */
export function plainOrder(order: Pick<Order, 'key' | 'merchant'> & Partial<Order>): Order {
  return {
    environment: 'sandbox',
    currency: 'XOF',
    amount_minor: 100n,
    expires_in: undefined,
    acts: [],
    cancel_at: undefined,
    is_patient: true,
    is_repeated: false,
    is_misused: false,
    first_api: 0,
    ...order,
  };
}

function whatHappens(plan: Plan, random: Random): Pick<Order, 'acts' | 'cancel_at'> {
  const soon: Moment = { from: 'answer', ms: random.integer(0, 1_500) };
  const act = (action: Action, at = soon): Act => ({
    at,
    action,
    delay_ms: random.integer(200, 5_000),
  });
  switch (plan) {
    case 'decline_retry':
      return { acts: [act('decline_retry'), act('pay')], cancel_at: undefined };
    case 'pay_at_expiry': {
      const at: Moment = { from: 'expiry', ms: random.integer(-250, 100) };
      return {
        acts: [act(random.pick(['pay', 'pay_slowly', 'decline']), at)],
        cancel_at: undefined,
      };
    }
    case 'expire':
      return { acts: [], cancel_at: undefined };
    case 'cancel':
      return { acts: [], cancel_at: soon };
    case 'cancel_while_paying': {
      const at: Moment = { from: 'answer', ms: soon.ms + random.integer(-60, 60) };
      return { acts: [act(random.pick(['pay', 'pay_slowly', 'decline']))], cancel_at: at };
    }
    default:
      return { acts: [act(plan)], cancel_at: undefined };
  }
}

/** Returns a request's body; `more` units make it another one. */
export function orderBody({ key, currency, amount_minor, expires_in }: Order, more = 0n): string {
  const rest = JSON.stringify({ currency, expires_in, metadata: { order: key } }).slice(0, -1);
  return `${rest},"amount":${formatAmount(amount_minor + more * 100n)}}`;
}

// Lists the payments and refunds of Stripe for the reconciliation. Stripe lists a payment by the moment when the
// customer began it, which with some methods is two weeks before it succeeds.

import type Stripe from 'stripe';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { ListedPayment, ListedRefund } from '../../domain/payment';
import type { ListPage, ListWindow } from '../port';
import type { Deadline } from './adapter';
import { readMoney } from './amounts';
import { isUnknownToStripe } from './errors';
import { stateOf } from './refunds';
import { instant } from './sessions';

/** Stripe's longest page (https://docs.stripe.com/api/pagination). */
const PAGE = 100;

interface PageOptions {
  readonly cursor: string | undefined;
  readonly deadline: Deadline;
}

export async function listPayments(
  stripe: Stripe,
  environment: Environment,
  window: ListWindow,
  { cursor, deadline }: PageOptions,
): Promise<ListPage<ListedPayment>> {
  const params = { ...pageParams(window, cursor), expand: ['data.latest_charge'] };
  const { data, has_more } = await stripe.paymentIntents.list(params, deadline());
  const items = data.flatMap((one) => takenPayment(environment, one) ?? []);
  return { items, next: has_more ? data.at(-1)!.id : null };
}

export async function findTakenPayment(
  stripe: Stripe,
  environment: Environment,
  id: string,
  deadline: Deadline,
): Promise<ListedPayment | undefined> {
  try {
    const options = { expand: ['latest_charge'] };
    const found = await stripe.paymentIntents.retrieve(id, options, deadline());
    return takenPayment(environment, found);
  } catch (error) {
    if (isUnknownToStripe(error)) return undefined;
    throw error;
  }
}

export async function listRefunds(
  stripe: Stripe,
  window: ListWindow,
  { cursor, deadline }: PageOptions,
): Promise<ListPage<ListedRefund>> {
  const { data, has_more } = await stripe.refunds.list(pageParams(window, cursor), deadline());
  return { items: data.flatMap(listedRefund), next: has_more ? data.at(-1)!.id : null };
}

function pageParams({ from, to }: ListWindow, cursor: string | undefined) {
  // Stripe counts whole seconds: the one in which the window ends belongs to it.
  const created = {
    gte: Math.floor(Date.parse(from) / 1000),
    lt: Math.ceil(Date.parse(to) / 1000),
  };
  return { created, limit: PAGE, ...(cursor === undefined ? {} : { starting_after: cursor }) };
}

/**
 * Returns undefined when nothing was taken, and for payments of others: an account may have other
 * uses.
 */
function takenPayment(
  environment: Environment,
  found: Stripe.PaymentIntent,
): ListedPayment | undefined {
  const { id, status, metadata, amount_received, currency, latest_charge } = found;
  const { intent_id, reference, environment: named } = metadata;
  if (status !== 'succeeded' || intent_id === undefined || named !== environment) return undefined;
  if (found.livemode !== (environment === 'live')) {
    throw new GatewayError('refused', `Stripe's list is not of the environment ${environment}`);
  }
  const charge = typeof latest_charge === 'object' ? latest_charge : null;
  return {
    provider_payment_id: id,
    ...moneyOf(id, amount_received, currency),
    occurred_at: instant((charge ?? found).created),
    intent_id,
    reference: reference ?? null,
  };
}

function listedRefund(found: Stripe.Refund): ListedRefund[] {
  const { id, payment_intent, amount, currency, created } = found;
  const payment = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  const money = readMoney(amount, currency);
  // A refund without a payment, or in a currency, of ours is left out.
  if (payment === undefined || money === undefined) return [];
  return [
    {
      refund_id: id,
      provider_payment_id: payment,
      ...money,
      status: stateOf(found).status,
      created_at: instant(created),
    },
  ];
}

function moneyOf(id: string, units: unknown, currency: unknown) {
  const money = readMoney(units, currency);
  if (money !== undefined) return money;
  throw new GatewayError('refused', `Stripe lists ${id} with an amount that cannot be ours`);
}

// Refunds at Stripe. A refund is made when its status is `succeeded`; until then it may take days,
// and it may fail even afterwards (https://docs.stripe.com/refunds, "Failed refunds").

import type Stripe from 'stripe';
import { GatewayError } from '../../domain/gateway-error';
import type { RefundState } from '../../domain/payment';
import type { RefundRequest } from '../port';
import type { Deadline } from './adapter';
import { toStripeUnits } from './amounts';
import { gatewayError, isAlreadyRefunded, isOfAnotherRequest } from './errors';

/** The most refunds of a payment that are looked through: Stripe's longest page. */
const MOST_REFUNDS = 100;

export async function refund(
  stripe: Stripe,
  { provider_payment_id: payment_intent, amount, currency, ...request }: RefundRequest,
  deadline: Deadline,
): Promise<RefundState> {
  const { idempotency_key, reference, is_whole = false, may_exist = false } = request;
  const units = toStripeUnits(amount, currency);
  if (units === undefined) {
    throw new GatewayError('refused', `Stripe has no such amount of ${currency}`);
  }
  const isByHand = (one: Stripe.Refund): boolean =>
    is_whole && one.metadata?.[REFERENCE] === undefined && one.amount === units && !hasFailed(one);
  const find = async (): Promise<Stripe.Refund | undefined> => {
    const window = { payment_intent, limit: MOST_REFUNDS };
    const { data } = await stripe.refunds.list(window, deadline()).catch(throwUnknown);
    return data.find((one) => one.metadata?.[REFERENCE] === reference) ?? data.find(isByHand);
  };
  if (may_exist) {
    const earlier = await find();
    if (earlier !== undefined) return stateOf(earlier);
  }
  try {
    const created = await stripe.refunds.create(
      { payment_intent, amount: units, metadata: { [REFERENCE]: reference } },
      { idempotencyKey: idempotency_key, ...deadline() },
    );
    return stateOf(created);
  } catch (error) {
    // The database may have been restored to an earlier moment: the other request may have made a
    // refund.
    if (isOfAnotherRequest(error)) throwUnknown(error);
    if (!isAlreadyRefunded(error)) throw error;
    const whole = await find();
    // It was refunded in parts or by others: an operator or the merchant has to look.
    if (whole === undefined) throw error;
    return stateOf(whole);
  }
}

/** Throws an error that leaves open whether there is a refund. */
function throwUnknown(error: unknown): never {
  const known = gatewayError(error);
  if (!(known instanceof GatewayError)) throw error;
  throw new GatewayError(known.fault === 'timeout' ? 'timeout' : 'unreachable', known.message);
}

/** The name of our reference in a refund's metadata. */
export const REFERENCE = 'reference';

/**
 * Reads the refund. Creating it again with the same key would repeat Stripe's first response, with
 * the status of that moment (https://docs.stripe.com/api/idempotent_requests).
 */
export async function findRefund(
  stripe: Stripe,
  refund_id: string,
  deadline: Deadline,
): Promise<RefundState> {
  return stateOf(await stripe.refunds.retrieve(refund_id, {}, deadline()));
}

function hasFailed({ status }: Stripe.Refund): boolean {
  return status === 'failed' || status === 'canceled';
}

/** The statuses are those of https://docs.stripe.com/api/refunds/object#refund_object-status. */
export function stateOf(found: Stripe.Refund): RefundState {
  const { id: refund_id, status, failure_reason } = found;
  switch (status) {
    case 'succeeded':
      return { status, refund_id };
    case 'failed':
    case 'canceled': {
      const why = failure_reason === undefined ? '' : ` (${failure_reason})`;
      return {
        status: 'failed',
        refund_id,
        reason: `Stripe's refund ${refund_id} is ${status}${why}`,
      };
    }
    case 'pending': {
      const why = found.pending_reason === undefined ? null : `Stripe: ${found.pending_reason}`;
      return { status, refund_id, detail: why };
    }
    case 'requires_action': {
      const detail =
        'Stripe waits for the customer, to whom it has sent an e-mail (requires_action)';
      return { status: 'pending', refund_id, detail };
    }
    default: {
      // An unknown status is not guessed: Stripe is asked again, and operators see it.
      const detail = `Stripe gives it the status ${String(status)}, which this version does not know`;
      return { status: 'pending', refund_id, detail };
    }
  }
}

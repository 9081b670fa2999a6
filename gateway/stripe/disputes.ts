// Disputes at Stripe (https://docs.stripe.com/disputes/how-disputes-work). Stripe takes the amount and a fee when the
// bank claims the money; a bank that only asks first (`warning_…`) has claimed nothing, and may claim it later.

import type Stripe from 'stripe';
import type { DisputeState } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { Deadline } from './adapter';
import { fromStripeUnits, readMoney } from './amounts';
import { instant } from './sessions';

/** An appeal (`appeal_…`) follows a dispute that was lost. */
const STATUSES: Readonly<Record<string, DisputeState['status']>> = {
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'none',
  prevented: 'none',
};

export async function findDispute(
  stripe: Stripe,
  environment: Environment,
  dispute_id: string,
  deadline: Deadline,
): Promise<DisputeState> {
  const found = await stripe.disputes.retrieve(dispute_id, {}, deadline());
  if (found.livemode !== (environment === 'live')) {
    throw new GatewayError('refused', `Stripe's dispute is not of the environment ${environment}`);
  }
  return stateOf(found);
}

function stateOf(found: Stripe.Dispute): DisputeState {
  const { id, payment_intent, amount, currency, reason } = found;
  const payment = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent;
  const money = readMoney(amount, currency);
  const status = STATUSES[found.status];
  // An unknown status is not guessed: Stripe is asked again, and operators see it.
  if (status === undefined || payment === undefined || money === undefined) {
    const words = `status ${found.status}, of ${String(payment)}, ${amount} ${currency}`;
    throw new GatewayError('refused', `Stripe's dispute ${id} cannot be ours: ${words}`);
  }
  const due_by = found.evidence_details.due_by;
  return {
    status,
    provider_payment_id: payment,
    ...money,
    fee_minor: feeOf(found, money.currency),
    reason,
    evidence_due_by: due_by ? instant(due_by) : null,
  };
}

/** A fee in another currency than the dispute's is not converted: the merchant is not asked for it. */
function feeOf(
  { balance_transactions }: Stripe.Dispute,
  currency: DisputeState['currency'],
): string {
  const units = balance_transactions
    .filter((one) => one.currency === currency.toLowerCase())
    .reduce((sum, { fee }) => sum + fee, 0);
  return String(fromStripeUnits(units, currency) ?? 0n);
}

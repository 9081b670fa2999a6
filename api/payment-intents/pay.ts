// What the pay page needs of an intent: its public side, and a checkout to send the customer to.

import { findIntentByCode, getIntent } from '../../db/intents';
import type { IntentStatus } from '../../domain/intent';
import type { ApiDependencies } from '../context';
import type { CheckoutOpening, PayDependencies } from '../pay/router';
import type { IntentName } from '../../temporal/payment-intents';

/** A customer waits with a page in front of them. */
const RENEW_WITHIN_MS = 8_000;

export function createPayDependencies(dependencies: ApiDependencies): PayDependencies {
  const { db, gateways, link_secrets, log, strangers } = dependencies;
  return {
    ...{ link_secrets, log, strangers },
    async findPayable(short_code) {
      const intent = await findIntentByCode(db, short_code);
      if (!intent) return undefined;
      return {
        short_code,
        // The look-up finds none before its checkout is open.
        status: intent.status as IntentStatus,
        amount_minor: intent.amount_minor,
        currency: intent.currency,
        reference: intent.reference,
        description: intent.description,
        merchant_name: intent.merchant_name,
        environment: intent.environment,
        expires_at: intent.expires_at,
        last_payment_error: intent.last_payment_error,
        is_simulated_gateway: gateways[intent.environment]?.name === 'sandbox',
        checkout_url: intent.checkout_url!,
      };
    },
    async openCheckout(short_code) {
      const intent = await findIntentByCode(db, short_code);
      if (intent?.status !== 'open') return 'not_payable';
      if (!intent.has_lapsed) return { checkout_url: intent.checkout_url! };
      return renew(dependencies, intent);
    },
  };
}

/** The gateway's session has ended before the intent: its workflow opens the next one. */
async function renew(
  { intent_workflows, db, log }: ApiDependencies,
  { environment, id }: IntentName,
): Promise<CheckoutOpening> {
  try {
    await intent_workflows.renewCheckout({ environment, id }, Date.now() + RENEW_WITHIN_MS);
  } catch (error) {
    log({ part: 'pay', error: String(error) });
  }
  const intent = await getIntent(db, id);
  if (intent.status !== 'open') return 'not_payable';
  return intent.has_lapsed ? 'gateway_unavailable' : { checkout_url: intent.checkout_url! };
}

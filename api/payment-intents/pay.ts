// What the pay page asks of an intent: its public side, and a checkout to send the customer to.

import { WorkflowNotFoundError } from '@temporalio/client';
import { findIntentByCode, getIntent } from '../../db/intents';
import { intentWorkflowId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intent';
import { renewCheckout } from '../../workflows/messages';
import type { ApiDependencies } from '../context';
import type { CheckoutOpening, PayDependencies } from '../pay/router';
import { within } from '../../temporal/ask';

/** A customer waits with a page in front of them. */
const RENEW_WITHIN_MS = 8_000;

export function createPayDependencies(dependencies: ApiDependencies): PayDependencies {
  const { db, gateways, log } = dependencies;
  return {
    log,
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
      return renew(dependencies, intent.environment, intent.id);
    },
  };
}

/** The gateway's session has ended before the intent: its workflow opens the next one. */
async function renew(
  { temporal, db, log }: ApiDependencies,
  environment: Parameters<typeof intentWorkflowId>[0],
  id: string,
): Promise<CheckoutOpening> {
  const handle = temporal.workflow.getHandle(intentWorkflowId(environment, id));
  const deadline = Date.now() + RENEW_WITHIN_MS;
  try {
    const asking = temporal.connection.withDeadline(deadline, () =>
      handle.executeUpdate(renewCheckout),
    );
    await within(deadline - Date.now(), asking);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) log({ part: 'pay', error: String(error) });
  }
  const intent = await getIntent(db, id);
  if (intent.status !== 'open') return 'not_payable';
  return intent.has_lapsed ? 'gateway_unavailable' : { checkout_url: intent.checkout_url! };
}

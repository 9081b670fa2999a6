// Orders a refund for those who may: a caller with an API key, or a person who is signed in. The
// row comes first, with the money reserved; then the workflow that follows it is started. One that
// is lost in between the sweeper starts.

import type { Caller } from '../../db/keys/api-keys';
import { createRefund, type CreatedRefund } from '../../db/refunds/refunds';
import type { IntentView, Metadata } from '../../domain/intent';
import type { JsonSource } from '../../domain/json-source';
import { formatAmount, MAX_MINOR } from '../../domain/money';
import type { NewRefund } from '../../domain/refund';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { fingerprintFields, refundReference, uuidOf } from '../../secrets/hash';
import { pursueOrder } from '../pursuits';
import { readAmount } from '../requests/amounts';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { errorDocsUrl } from '../../domain/docs-paths';
import { nothingChanged, orUnknown } from '../requests/failures';
import { keyLimitExceeded } from '../requests/key-limit';
import { storedResponse, type OrderResponse } from '../requests/stored-response';
import { readMetadata, sortedText } from '../payment-intents/create';

const MAY_BE_MADE = 'The refund may yet be made. Repeat the request with the same Idempotency-Key.';

export interface RefundOrder {
  /** The caller, with the response that the key has already. */
  readonly caller: Pick<Caller, 'user_id' | 'environment' | 'now' | 'stored'> &
    Partial<Pick<Caller, 'limited_key'>>;
  /** The caller's own. */
  readonly intent: Pick<IntentView, 'id' | 'currency'>;
  /** The amount as it was written, a plain decimal; undefined: what is left. */
  readonly amount_text: string | undefined;
  readonly reason: string | null;
  readonly metadata: Metadata;
  /** Source text of the metadata's numbers by JSON pointer. */
  readonly numbers: JsonSource['numbers'];
  readonly key: string;
  readonly request_id: string;
}

/** The response that is stored for the key. @throws Refusal */
export async function orderRefund(
  dependencies: OrderDependencies,
  order: RefundOrder,
): Promise<OrderResponse> {
  const refund = readRefund(order);
  const { stored } = order.caller;
  if (stored) return storedResponse(stored, refund.fingerprint, { is_replay: true });
  const { db, config } = dependencies;
  const created = await orUnknown(MAY_BE_MADE, () =>
    createRefund(db, refund, errorDocsUrl(config.public_url)),
  );
  if (created.outcome === 'limit_exceeded') {
    throw await keyLimitExceeded(db, refund.limited_key, refund.currency);
  }
  if (!('response' in created)) throw refusalOf(created, refund);
  const { response, is_replay, outcome } = created;
  if (outcome === 'created' && !is_replay) await pursueOrder(dependencies, 'refund', refund);
  return storedResponse(response, refund.fingerprint, { is_replay });
}

function readRefund({ caller, intent, amount_text, ...order }: RefundOrder): NewRefund {
  const { user_id, environment } = caller;
  const { currency } = intent;
  const { reason, key, request_id } = order;
  const amount_minor =
    amount_text === undefined ? null : readAmount(amount_text, currency, MAX_MINOR).toString();
  const metadata = readMetadata(order.metadata, order.numbers);
  // One key is one refund and one workflow.
  const id = uuidOf(`${environment}/${user_id}/refund/${key}`);
  return {
    id,
    reference: refundReference(id),
    environment,
    user_id,
    intent_id: intent.id,
    currency,
    amount_minor,
    reason,
    metadata,
    idempotency_key: key,
    fingerprint: fingerprintFields({
      payment_intent: intent.id,
      amount: String(amount_minor),
      reason: JSON.stringify(reason),
      metadata: sortedText(metadata),
    }),
    request_id,
    limited_key: caller.limited_key,
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(caller.now) + ACCEPT_WITHIN_MS).toISOString(),
  };
}

type Refused = Exclude<
  CreatedRefund,
  { readonly response: unknown } | { readonly outcome: 'limit_exceeded' }
>;

function refusalOf(refused: Refused, { currency }: NewRefund): Refusal {
  switch (refused.outcome) {
    case 'lapsed':
      return nothingChanged();
    case 'account_frozen':
    case 'kyc_required':
    case 'too_many_refunds':
    case 'payment_disputed':
      return new Refusal(refused.outcome);
    case 'payment_intent_not_refundable':
      return new Refusal('payment_intent_not_refundable', {
        message: `This payment intent is ${refused.intent_status}: only a payment that has succeeded can be refunded.`,
      });
    case 'refund_exceeds_payment': {
      const { left_minor } = refused;
      return new Refusal('refund_exceeds_payment', {
        param: 'amount',
        message:
          left_minor === 0n
            ? 'Nothing of this payment is left to refund: pending refunds count.'
            : `At most ${formatAmount(left_minor)} ${currency} of this payment can still be refunded.`,
      });
    }
  }
}

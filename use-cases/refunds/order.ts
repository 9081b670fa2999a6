// Orders a refund for those who may: a caller with an API key, or a person who is signed in. The
// row comes first, with the money reserved; then the workflow that follows it is started. One that
// is lost in between the sweeper starts.

import type { IntentView } from '../../db/payment-intents/intent-views';
import { createRefund, type RefusedRefund, type NewRefund } from '../../db/refunds/refunds';
import { errorDocsUrl } from '../../domain/docs-paths';
import type { Metadata } from '../../domain/intent';
import type { JsonSource } from '../../domain/json-source';
import { formatAmount, MAX_MINOR } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { refundReference } from '../../secrets/hash';
import { limitExceeded } from '../requests/account-limit';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { readMetadata, sortedText } from '../requests/metadata';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Noun,
  type Order,
  type OrderResponse,
} from '../requests/orders';

export interface RefundOrder extends Order {
  /** The caller's own. */
  readonly intent: Pick<IntentView, 'id' | 'currency'>;
  /** The amount as it was written, a plain decimal; undefined: what is left. */
  readonly amount_text: string | undefined;
  readonly reason: string | null;
  readonly metadata: Metadata;
  /** Source text of the metadata's numbers by JSON pointer. */
  readonly numbers: JsonSource['numbers'];
}

/** The response that is stored for the key. @throws Refusal */
export async function orderRefund(
  dependencies: OrderDependencies,
  order: RefundOrder,
): Promise<OrderResponse> {
  const { db, config } = dependencies;
  const refund = readRefund(order);
  return answerOnce(order, refund, () =>
    placeOrder(dependencies, NOUN, refund, () =>
      createRefund(db, refund, errorDocsUrl(config.public_url)),
    ),
  );
}

function readRefund({ intent, amount_text, ...order }: RefundOrder): NewRefund {
  const { id: intent_id, currency } = intent;
  const { reason } = order;
  const amount_minor =
    amount_text === undefined ? null : readAmount(amount_text, currency, MAX_MINOR).toString();
  const metadata = readMetadata(order.metadata, order.numbers);
  const said = { intent_id, amount_minor, reason, metadata };
  const keyed = keyedRow('refund', order, fingerprinted(said));
  return { ...keyed, ...said, reference: refundReference(keyed.id), currency };
}

/** The amount as it was given: what is left is another one each time. */
export function fingerprinted({
  intent_id,
  amount_minor,
  reason,
  metadata,
}: Pick<NewRefund, 'intent_id' | 'amount_minor' | 'reason' | 'metadata'>) {
  return {
    payment_intent: intent_id,
    amount: String(amount_minor),
    reason: JSON.stringify(reason),
    metadata: sortedText(metadata),
  };
}

const NOUN: Noun<RefusedRefund, NewRefund> = {
  pursuit: 'refund',
  unknown: 'The refund may yet be made. Repeat the request with the same Idempotency-Key.',
  refusals: {
    limit_exceeded: (refused, { currency }) => limitExceeded(refused, currency),
    payment_intent_not_refundable: ({ outcome, intent_status }) =>
      new Refusal(outcome, {
        message: `This payment intent is ${intent_status}: only a payment that has succeeded can be refunded.`,
      }),
    refund_exceeds_payment: ({ outcome, left_minor }, { currency }) =>
      new Refusal(outcome, {
        param: 'amount',
        message:
          left_minor === 0n
            ? 'Nothing of this payment is left to refund: pending refunds count.'
            : `At most ${formatAmount(left_minor)} ${currency} of this payment can still be refunded.`,
      }),
  },
};

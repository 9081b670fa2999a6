// Sends money for those who may: a caller with an API key, or a person who is signed in.

import { isDatabaseUnavailable } from '../../db/errors';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import type { Currency } from '../../domain/currency';
import type { Metadata } from '../../domain/intent';
import { renderJson } from '../../domain/json';
import type { AskedOrder, Heard } from '../../domain/risk';
import { CARRY_OUT_WITHIN_MS, type TransferRequest } from '../../domain/transfer';
import { makeTransferReference } from '../../secrets/random';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { notBegun } from '../requests/failures';
import { sortedText } from '../requests/metadata';
import {
  answerOnce,
  keyedRow,
  type Answered,
  type NamedOrder,
  type OrderResponse,
} from '../requests/orders';
import { refusalOf, unknownRecipientLimit } from './refusals';
import { submitTransfer } from './submit';
import { normalUsername } from '../../domain/username';

export interface TransferOrder extends NamedOrder {
  readonly to_username: string;
  readonly currency: Currency;
  /** The amount as it was written, a plain decimal. */
  readonly amount_text: string;
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/**
 * The response that is stored for the key.
 * @throws Refusal for an outcome that is not stored, and while the outcome is not known
 */
export async function sendTransfer(
  dependencies: OrderDependencies,
  order: TransferOrder,
): Promise<OrderResponse> {
  const transfer = readTransfer(dependencies, order);
  return answerOnce(order, transfer, async () => {
    await countRecipient(dependencies, transfer, order);
    return askAndSubmit(dependencies, transfer, order);
  });
}

async function askAndSubmit(
  dependencies: OrderDependencies,
  transfer: TransferRequest,
  order: TransferOrder,
): Promise<Answered> {
  // With an answer it is another order to this process: it must not be taken for the one that came to nothing.
  const asked = { ...transfer, reference: makeTransferReference() };
  const { environment, sender_id: user_id, currency, amount_minor, to_username } = transfer;
  const about: AskedOrder = {
    id: asked.reference,
    type: 'transfer',
    environment,
    user_id,
    currency,
    amount_minor,
    recipient: { username: to_username },
    ip: order.ip ?? null,
    batch_id: null,
  };
  let is_submitted = false;
  const submit = async (heard?: Heard): Promise<Answered | 'unasked'> => {
    is_submitted = true;
    const request = heard ? { ...asked, heard } : transfer;
    const answered = await submitTransfer(dependencies, request, order);
    is_submitted = answered !== 'unasked';
    return answered;
  };
  try {
    return await dependencies.voices.hear(about, submit);
  } catch (error) {
    if (is_submitted || !isDatabaseUnavailable(error)) throw error;
    throw notBegun(order.has_own_key);
  }
}

/** @throws Refusal when the account has named too many usernames that do not exist */
async function countRecipient(
  { db }: OrderDependencies,
  { to_username, currency, amount_minor }: TransferRequest,
  { caller, has_own_key }: TransferOrder,
): Promise<void> {
  let seconds: number | undefined;
  try {
    seconds = await waitBeforeNaming(db, caller, [to_username], { currency, amount_minor });
  } catch (error) {
    throw isDatabaseUnavailable(error) ? notBegun(has_own_key) : error;
  }
  if (seconds !== undefined) throw unknownRecipientLimit(seconds, { param: 'to_username' });
}

function readTransfer({ config }: OrderDependencies, order: TransferOrder): TransferRequest {
  const { caller, currency, amount_text, description } = order;
  const amount = readAmount(amount_text, currency, config.max_transfer[currency]);
  // Usernames are stored in lower case; case does not distinguish users.
  const to_username = normalUsername(order.to_username);
  if (to_username === caller.username) throw refusalOf('self_transfer');
  const amount_minor = amount.toString();
  // None and an empty one are the same.
  const metadata = Object.keys(order.metadata ?? {}).length > 0 ? order.metadata : undefined;
  const { fingerprint, accept_before } = keyedRow(
    'transfer',
    order,
    {
      to_username,
      currency,
      amount: amount_minor,
      ...(description === undefined ? {} : { description }),
      ...(metadata && { metadata: sortedText(metadata) }),
    },
    CARRY_OUT_WITHIN_MS,
  );
  return {
    reference: makeTransferReference(),
    environment: caller.environment,
    sender_id: caller.user_id,
    sender_username: caller.username,
    key: order.key,
    fingerprint,
    request_id: order.request_id,
    accept_before,
    to_username,
    currency,
    amount_minor,
    ...(description === undefined ? {} : { description }),
    ...(metadata && { metadata: renderJson({ ...metadata }) }),
    ...(caller.limited_key && { limited_key: caller.limited_key }),
    ...(order.ip !== undefined && { ip: order.ip }),
  };
}

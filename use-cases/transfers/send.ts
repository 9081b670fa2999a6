// Sends money for those who may: a caller with an API key, or a person who is signed in.

import type { Caller } from '../../db/keys/api-keys';
import { isDatabaseUnavailable } from '../../db/errors';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import type { Currency } from '../../domain/currency';
import type { Metadata } from '../../domain/intent';
import { renderJson } from '../../domain/json';
import { ACCEPT_WITHIN_MS, type TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { notBegun } from '../requests/failures';
import { storedResponse, type OrderResponse } from '../requests/stored-response';
import { sortedText } from '../payment-intents/create';
import { refusalOf, unknownRecipientLimit } from './refusals';
import { submitTransfer } from './submit';
import { normalUsername } from '../../domain/username';

export interface TransferOrder {
  /** The sender, with the database's clock and the response that the key has already. */
  readonly sender: Pick<Caller, 'user_id' | 'username' | 'environment' | 'now' | 'stored'> &
    Partial<Pick<Caller, 'limited_key'>>;
  readonly to_username: string;
  readonly currency: Currency;
  /** The amount as it was written, a plain decimal. */
  readonly amount_text: string;
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly key: string;
  /** The key may have been sent before. */
  readonly has_own_key: boolean;
  readonly request_id: string;
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
  // A key that has its response needs no workflow.
  const { stored } = order.sender;
  if (stored) return storedResponse(stored, transfer.fingerprint, { is_replay: true });
  await countRecipient(dependencies, transfer, order);
  const { response, is_replay } = await submitTransfer(dependencies, transfer, order);
  return storedResponse(response, transfer.fingerprint, { is_replay });
}

/** @throws Refusal when the account has named too many usernames that do not exist */
async function countRecipient(
  { db }: OrderDependencies,
  { to_username, currency, amount_minor }: TransferRequest,
  { sender, has_own_key }: TransferOrder,
): Promise<void> {
  let seconds: number | undefined;
  try {
    seconds = await waitBeforeNaming(db, sender, [to_username], { currency, amount_minor });
  } catch (error) {
    throw isDatabaseUnavailable(error) ? notBegun(has_own_key) : error;
  }
  if (seconds !== undefined) throw unknownRecipientLimit(seconds, { param: 'to_username' });
}

function readTransfer(
  { config }: OrderDependencies,
  { sender, currency, amount_text, description, key, request_id, ...order }: TransferOrder,
): TransferRequest {
  const amount = readAmount(amount_text, currency, config.max_transfer[currency]);
  // Usernames are stored in lower case; case does not distinguish users.
  const to_username = normalUsername(order.to_username);
  if (to_username === sender.username) throw refusalOf('self_transfer');
  const amount_minor = amount.toString();
  // None and an empty one are the same.
  const metadata = Object.keys(order.metadata ?? {}).length > 0 ? order.metadata : undefined;
  return {
    reference: makeTransferReference(),
    environment: sender.environment,
    sender_id: sender.user_id,
    sender_username: sender.username,
    key,
    fingerprint: fingerprintFields({
      to_username,
      currency,
      amount: amount_minor,
      ...(description === undefined ? {} : { description }),
      ...(metadata && { metadata: sortedText(metadata) }),
    }),
    request_id,
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(sender.now) + ACCEPT_WITHIN_MS).toISOString(),
    to_username,
    currency,
    amount_minor,
    ...(description === undefined ? {} : { description }),
    ...(metadata && { metadata: renderJson({ ...metadata }) }),
    ...(sender.limited_key && { limited_key: sender.limited_key }),
  };
}

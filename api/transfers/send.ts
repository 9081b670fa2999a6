// Sends money for whoever may: a caller with an API key, or a person who is signed in.

import type { Caller } from '../../db/api-keys';
import type { Currency } from '../../domain/currency';
import type { Metadata } from '../../domain/intent';
import { renderJson } from '../../domain/json';
import { ACCEPT_WITHIN_MS, type TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import { readAmount } from '../amounts';
import type { ApiDependencies, ApiResponse } from '../context';
import { storedResponse } from '../idempotent-response';
import { sortedText } from '../payment-intents/create';
import { refusalOf } from './refusals';
import { submitTransfer } from './submit';

export interface TransferOrder {
  /** With the database's clock, and the response that the key has already. */
  readonly sender: Pick<Caller, 'user_id' | 'username' | 'environment' | 'now' | 'stored'>;
  readonly to_username: string;
  readonly currency: Currency;
  /** As it was written: a plain decimal. */
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
 * @throws ApiError for an outcome that is not stored, and while the outcome is not known
 */
export async function sendTransfer(
  dependencies: ApiDependencies,
  order: TransferOrder,
): Promise<ApiResponse> {
  const transfer = readTransfer(dependencies, order);
  // A key that has its response needs no workflow.
  const { stored } = order.sender;
  if (stored) return storedResponse(stored, transfer.fingerprint, { replayed: true });
  const { response, is_replay } = await submitTransfer(dependencies, transfer, order);
  return storedResponse(response, transfer.fingerprint, { replayed: is_replay });
}

function readTransfer(
  { config }: ApiDependencies,
  { sender, currency, amount_text, description, key, request_id, ...order }: TransferOrder,
): TransferRequest {
  const amount = readAmount(amount_text, currency, config.max_transfer[currency]);
  // Usernames are stored in lower case; case does not distinguish users.
  const to_username = order.to_username.toLowerCase();
  if (to_username === sender.username) throw refusalOf('self_transfer');
  const amount_minor = amount.toString();
  // None and an empty one are the same, and the same as before there was any.
  const metadata = Object.keys(order.metadata ?? {}).length > 0 ? order.metadata : undefined;
  return {
    reference: makeTransferReference(),
    environment: sender.environment,
    sender_id: sender.user_id,
    sender_username: sender.username,
    key,
    fingerprint: fingerprintFields({
      ...{ to_username, currency, amount: amount_minor },
      ...(description === undefined ? {} : { description }),
      ...(metadata && { metadata: sortedText(metadata) }),
    }),
    request_id,
    // From the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(sender.now) + ACCEPT_WITHIN_MS).toISOString(),
    to_username,
    currency,
    amount_minor,
    ...(description === undefined ? {} : { description }),
    ...(metadata && { metadata: renderJson({ ...metadata }) }),
  };
}

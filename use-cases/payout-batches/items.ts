// Reads one item of a payout batch, as a body or a line of a file has it, into the columns of its row.

import type { Currency } from '../../domain/currency';
import type { AmountFault, Minor } from '../../domain/money';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import {
  columnsOf,
  readNumber,
  type DestinationFault,
  type DestinationFields,
} from '../payouts/destination';

/** An item as it was sent, or stands in a file. */
export interface GivenPayoutItem {
  readonly destination: DestinationFields;
  readonly currency: Currency;
  /** The amount in the caller's writing. */
  readonly amount_text: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export type PayoutItemFault<Amount = AmountFault> =
  { readonly field: 'amount'; readonly fault: Amount } | DestinationFault;

export type ReadPayoutItem<Amount = AmountFault> =
  | { readonly ok: true; readonly item: PayoutBatchItem }
  | ({ readonly ok: false } & PayoutItemFault<Amount>);

/**
 * Programs and people write amounts in different ways: `readAmount` knows how these are written. People leave their
 * `calling_code` out.
 */
export function readPayoutItem<Amount>(
  { destination, currency, amount_text, name, description }: GivenPayoutItem,
  readAmount: (
    text: string,
    currency: Currency,
  ) =>
    { readonly ok: true; readonly amount: Minor } | { readonly ok: false; readonly fault: Amount },
  calling_code?: string,
): ReadPayoutItem<Amount> {
  const parsed = readAmount(amount_text, currency);
  if (!parsed.ok) return { ok: false, field: 'amount', fault: parsed.fault };
  const read = readNumber(destination, calling_code);
  if (!read.ok) return read;
  const item = {
    destination_type: destination.type,
    ...columnsOf(read.destination),
    name: name ?? null,
    description: description ?? null,
    currency,
    amount_minor: parsed.amount.toString(),
  };
  return { ok: true, item };
}

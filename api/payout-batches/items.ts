// Reads the payouts of a batch from its body, and shows them.

import type { PayoutItemView } from '../../db/payout-batches/payout-batches';
import { Decimal, type JsonValue } from '../../domain/json';
import { formatAmount, parseAmount } from '../../domain/money';
import { payoutItemError, type PayoutBatchItem } from '../../domain/payout-batch';
import { readPayoutItem } from '../../use-cases/payout-batches/items';
import { destinationMessage, isOtherName, NAME_FAULT } from '../../use-cases/payouts/destination';
import { AMOUNT_FAULTS } from '../../use-cases/requests/amounts';
import type { ApiRequest } from '../context';
import { itemCheck } from '../middleware/validate';
import { readEach } from '../transfer-batches/items';
import { payoutItem, type CreatePayoutBatchBody, type PayoutItemBody } from './schema';

const checkShape = itemCheck(payoutItem);

/** @throws Refusal invalid_request */
export function readPayoutItems({
  body,
  numbers,
}: Pick<ApiRequest<unknown, CreatePayoutBatchBody>, 'body' | 'numbers'>): Promise<
  PayoutBatchItem[]
> {
  return readEach('payouts', body.payouts, (given, _, name) => {
    const wrong = checkShape(given, name);
    if (wrong) return { wrong };
    const item = given as PayoutItemBody;
    if (isOtherName(item.destination, item.name)) {
      return { wrong: { param: `${name}/name`, message: NAME_FAULT } };
    }
    const amount_text = numbers.get(`/${name}/amount`) ?? '';
    const read = readPayoutItem({ ...item, amount_text }, parseAmount);
    if (read.ok) return { item: read.item };
    return read.field === 'amount'
      ? { wrong: { param: `${name}/amount`, message: AMOUNT_FAULTS[read.fault] } }
      : {
          wrong: { param: `${name}/destination/${read.field}`, message: destinationMessage(read) },
        };
  });
}

export function presentPayoutItem(item: PayoutItemView): Readonly<Record<string, JsonValue>> {
  const error = payoutItemError(item);
  const { phone, operator, account_end, bank_code, name, name_found, name_match } = item;
  return {
    index: item.index,
    destination: {
      type: phone === null ? 'bank' : 'mobile_money',
      phone,
      operator,
      account: account_end && `…${account_end}`,
      bank_code,
      name,
      name_found,
      name_match,
    },
    currency: item.currency,
    amount: new Decimal(formatAmount(item.amount_minor)),
    status: item.status,
    reference: item.reference,
    error: error && { ...error },
  };
}

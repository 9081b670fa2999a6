// Reads the transfers of a batch from its body, and lists the first faults.

import { formatAmount, parseAmount, type Minor } from '../../domain/money';
import { createItemReader, type BatchItem, type ItemFault } from '../../domain/transfer-batch';
import type { Currency } from '../../domain/currency';
import { AMOUNT_FAULTS } from '../../use-cases/requests/amounts';
import { Refusal } from '../../domain/refusal';
import type { ApiRequest } from '../context';
import { itemCheck, type Fault } from '../middleware/validate';
import { mapInTurns } from '../../use-cases/batches/order';
import { batchItem, type BatchItemBody, type CreateBatchBody } from './schema';

/** Faults that are listed, as many as of a single request. */
const MAX_FAULTS = 10;

const checkShape = itemCheck(batchItem);

/** @throws Refusal invalid_request */
export async function readItems(
  {
    body,
    numbers,
    caller,
  }: Pick<ApiRequest<unknown, CreateBatchBody>, 'body' | 'numbers' | 'caller'>,
  max_transfer: Readonly<Record<Currency, Minor>>,
): Promise<BatchItem[]> {
  const readItem = createItemReader(caller.username, max_transfer, parseAmount);
  return readEach('transfers', body.transfers, (given, index, name) => {
    const wrong = checkShape(given, name);
    if (wrong) return { wrong };
    const item = given as BatchItemBody;
    const amount_text = numbers.get(`/transfers/${index}/amount`) ?? '';
    const read = readItem({ ...item, amount_text });
    if (read.ok) return { item: read.item };
    const message = messageOf(read, item.currency, max_transfer);
    return { wrong: { param: `${name}/${read.field}`, message } };
  });
}

/**
 * Reads each item of a long list, whose name is that of the body's field.
 * @throws Refusal invalid_request with the first faults
 */
export async function readEach<Item>(
  field: string,
  given: readonly unknown[],
  read: (
    given: unknown,
    index: number,
    name: string,
  ) => { readonly item: Item } | { readonly wrong: Fault },
): Promise<Item[]> {
  const faults: Fault[] = [];
  const items: Item[] = [];
  await mapInTurns(given, (one, index) => {
    if (faults.length === MAX_FAULTS) return;
    const result = read(one, index, `${field}/${index}`);
    if ('wrong' in result) faults.push(result.wrong);
    else items.push(result.item);
  });
  const [first] = faults;
  if (first) {
    throw new Refusal('invalid_request', {
      param: first.param,
      message: `${first.param} ${first.message}.`,
      details: faults.map((fault) => ({ ...fault })),
    });
  }
  return items;
}

function messageOf(
  fault: ItemFault,
  currency: Currency,
  max_transfer: Readonly<Record<Currency, Minor>>,
): string {
  switch (fault.fault) {
    case 'above_maximum':
      return `must be at most ${formatAmount(max_transfer[currency])} ${currency}`;
    case 'yourself':
      return 'must be another user: you cannot send money to yourself';
    case 'repeated':
      return `is also the key of transfers/${fault.index}`;
    case 'characters':
      return 'must be 1 to 255 printable ASCII characters';
    default:
      return AMOUNT_FAULTS[fault.fault];
  }
}

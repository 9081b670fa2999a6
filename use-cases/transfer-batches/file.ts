// Reads the transfers of a CSV file: a header with to_username, currency and amount, and if wanted
// idempotency_key and description, in any order, or in French bénéficiaire, devise, montant and motif.
// Currencies and amounts are read as people write them.

import type { Currency } from '../../domain/currency';
import { isDecimal } from '../../domain/phone';
import { MAX_TRANSFER_DESCRIPTION } from '../../domain/transfer';
import type { Minor } from '../../domain/money';
import {
  readTypedAmount,
  readTypedCurrency,
  type TypedAmountFault,
} from '../../domain/typed-amount';
import {
  createItemReader,
  type BatchItem,
  type ItemFault,
  type ItemReader,
} from '../../domain/transfer-batch';
import {
  readItemFile,
  type LineFault as FaultOfLine,
  type GivenLine,
  type ItemFile,
  type ReadLine,
} from '../batch-file';

export type LineFault =
  | ItemFault<TypedAmountFault>
  | { readonly field: 'to_username'; readonly fault: 'missing' | 'too_long' | 'as_decimal' }
  | { readonly field: 'currency'; readonly fault: 'unknown' }
  | { readonly field: 'description'; readonly fault: 'long_description' }
  | { readonly field: 'line'; readonly fault: FaultOfLine };

/** A line as it stands in the file. */
interface WrittenLine {
  /** The recipient as the file has it. */
  readonly to_username: string;
  readonly currency: string;
  readonly amount: string;
}

export type FileLine = WrittenLine & { readonly line: number };

export type BatchFile = ItemFile<BatchItem, WrittenLine & LineFault>;

const COLUMNS = ['to_username', 'currency', 'amount', 'idempotency_key', 'description'];
const NAMES = {
  to_username: ['beneficiaire', 'nom d utilisateur', 'username', 'recipient'],
  currency: ['devise'],
  amount: ['montant', 'somme'],
  description: ['motif', 'libelle', 'objet'],
};
const LONGEST_NAME = 64;

export function readBatchFile(
  bytes: Uint8Array,
  sender_username: string,
  max_transfer: Readonly<Record<Currency, Minor>>,
  /** An amount without a currency is in it. */
  home?: Currency,
): Promise<BatchFile> {
  return readItemFile(bytes, sender_username, {
    required: home ? ['to_username', 'amount'] : ['to_username', 'currency', 'amount'],
    columns: COLUMNS,
    names: NAMES,
    begin: (language) => {
      const readItem = createItemReader(sender_username, max_transfer, (amount, currency) =>
        readTypedAmount(amount, currency, language),
      );
      return (line) => readRow(line, home, readItem);
    },
  });
}

function readRow(
  { cell, fault: line_fault }: GivenLine,
  home: Currency | undefined,
  readItem: ItemReader<TypedAmountFault>,
): ReadLine<BatchItem, WrittenLine & LineFault> {
  const to_username = cell('to_username').replace(/^@/, '');
  const written = cell('currency');
  const currency = written === '' ? home : readTypedCurrency(written);
  const amount = cell('amount');
  const key = cell('idempotency_key');
  const description = cell('description');
  const given = {
    to_username,
    // The currency's own fault is found below; this place in the order is taken all the same.
    currency: currency ?? 'XOF',
    amount_text: amount,
    ...(key === '' ? {} : { idempotency_key: key }),
    ...(description === '' ? {} : { description }),
  } as const;
  const read = readItem(given);
  const shown = { to_username, currency: currency ?? written, amount };
  const fault =
    faultOf(line_fault, to_username, currency) ??
    (read.ok ? faultOfDescription(description) : read);
  if (fault) return { ok: false, fault: { ...shown, ...fault } };
  return read as { readonly ok: true; readonly item: BatchItem };
}

/** A username may end in `.0`, but one of digits alone has got that from a spreadsheet. */
const isDecimalNumber = (name: string): boolean => isDecimal(name) && !/[a-z_-]/i.test(name);

function faultOf(
  line_fault: GivenLine['fault'],
  to_username: string,
  currency: Currency | undefined,
): LineFault | undefined {
  if (line_fault) return { field: 'line', fault: line_fault };
  if (to_username === '') return { field: 'to_username', fault: 'missing' };
  if (to_username.length > LONGEST_NAME) return { field: 'to_username', fault: 'too_long' };
  if (isDecimalNumber(to_username)) return { field: 'to_username', fault: 'as_decimal' };
  return currency ? undefined : { field: 'currency', fault: 'unknown' };
}

function faultOfDescription(text: string): LineFault | undefined {
  return Array.from(text).length <= MAX_TRANSFER_DESCRIPTION
    ? undefined
    : { field: 'description', fault: 'long_description' };
}

// Reads the payouts of a CSV file: a header with currency and amount, and phone or account, and if wanted operator,
// bank_code, name and description, in any order, or with the names that spreadsheets in French have. A phone needs its
// country code; the plus before it, which spreadsheets take away, may be left out.

import { isCurrency } from '../../domain/currency';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { PHONE_PATTERN } from '../../domain/phone';
import { readTypedAmount, type TypedAmountFault } from '../../domain/typed-amount';
import { readItemFile, type GivenLine, type ItemFile, type ReadLine } from '../batch-file';
import type { DestinationFields } from '../payouts/destination';
import { readPayoutItem } from './items';

export type PayoutLineFault =
  | 'columns'
  | 'no_destination'
  | 'two_destinations'
  | 'phone'
  | 'account'
  | 'no_holder'
  | 'currency'
  | 'long_text'
  | TypedAmountFault;

/** A line as it stands in the file. */
export interface PayoutLine {
  readonly recipient: string;
  readonly currency: string;
  readonly amount: string;
  readonly fault: PayoutLineFault;
}

export type PayoutFile = ItemFile<PayoutBatchItem, PayoutLine>;

const FRENCH: ReadonlyMap<string, string> = new Map([
  ['téléphone', 'phone'],
  ['telephone', 'phone'],
  ['opérateur', 'operator'],
  ['operateur', 'operator'],
  ['compte', 'account'],
  ['banque', 'bank_code'],
  ['nom', 'name'],
  ['devise', 'currency'],
  ['montant', 'amount'],
  ['motif', 'description'],
]);
const REQUIRED = ['currency', 'amount'] as const;
const OPTIONAL = ['phone', 'operator', 'account', 'bank_code', 'name', 'description'] as const;

/** `reader`: the account whose turn the reading takes. */
export function readPayoutFile(bytes: Uint8Array, reader: string): Promise<PayoutFile> {
  return readItemFile(bytes, reader, {
    required: REQUIRED,
    one_of: ['phone', 'account'],
    columns: [...REQUIRED, ...OPTIONAL],
    french: FRENCH,
    begin: (language) => (line) => {
      const currency = line.cell('currency').toUpperCase();
      const amount = line.cell('amount');
      const read = readLine(line, currency, (text, of) => readTypedAmount(text, of, language));
      if (read.ok) return read;
      const recipient = line.cell('phone') || line.cell('account');
      return { ok: false, fault: { recipient, currency, amount, fault: read.fault } };
    },
  });
}

function readLine(
  { cell, has_its_columns }: GivenLine,
  currency: string,
  readAmount: Parameters<typeof readPayoutItem<TypedAmountFault>>[1],
): ReadLine<PayoutBatchItem, PayoutLineFault> {
  const refuse = (fault: PayoutLineFault) => ({ ok: false, fault }) as const;
  if (!has_its_columns) return refuse('columns');
  const destination = readDestinationCells(cell);
  if (typeof destination === 'string') return refuse(destination);
  if (!isCurrency(currency)) return refuse('currency');
  const [name, description] = [cell('name'), cell('description')];
  const is_long = ['operator', 'bank_code'].some((one) => Array.from(cell(one)).length > 64);
  if (is_long || [name, description].some((one) => Array.from(one).length > 140)) {
    return refuse('long_text');
  }
  const read = readPayoutItem(
    {
      destination,
      currency,
      amount_text: cell('amount'),
      ...(name === '' || destination.type === 'bank' ? {} : { name }),
      ...(description === '' ? {} : { description }),
    },
    readAmount,
  );
  return read.ok ? read : refuse(read.fault);
}

const PHONE = new RegExp(PHONE_PATTERN);
/** All of a number but its plus: no country code begins with a zero, and none is so short. */
const WITHOUT_PLUS = /^[1-9][\d ().-]{9,}$/;

function readDestinationCells(cell: GivenLine['cell']): DestinationFields | PayoutLineFault {
  const [phone, account] = [cell('phone'), cell('account')];
  if (phone === '' && account === '') return 'no_destination';
  if (phone !== '' && account !== '') return 'two_destinations';
  if (account !== '') {
    const [name, bank_code] = [cell('name'), cell('bank_code')];
    if (name === '') return 'no_holder';
    return { type: 'bank', account, name, ...(bank_code === '' ? {} : { bank_code }) };
  }
  const whole = WITHOUT_PLUS.test(phone) ? `+${phone}` : phone;
  if (phone.length > 64 || !PHONE.test(whole)) return 'phone';
  const operator = cell('operator');
  return { type: 'mobile_money', phone: whole, ...(operator === '' ? {} : { operator }) };
}

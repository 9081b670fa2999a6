// Reads the payouts of a CSV file: a header with currency and amount, and phone or account, and if wanted operator,
// bank_code, name and description, in any order, under the names that people give them in English and French. A phone
// needs its country code; the plus before it, which spreadsheets take away, may be left out. Text is held to the rules
// of the API.

import type { AccountFault } from '../../domain/bank-account';
import { isCurrency } from '../../domain/currency';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { isLine, onOneLine } from '../../domain/line';
import type { PhoneFault } from '../../domain/phone';
import { readTypedAmount, type TypedAmountFault } from '../../domain/typed-amount';
import {
  readItemFile,
  type GivenLine,
  type ItemFile,
  type LineFault,
  type ReadLine,
} from '../batch-file';
import type { DestinationFields } from '../payouts/destination';
import { readPayoutItem } from './items';

export type PayoutLineFault =
  | LineFault
  | PhoneFault['fault']
  | AccountFault
  | 'bank_code_as_decimal'
  | 'no_destination'
  | 'two_destinations'
  | 'no_holder'
  | 'characters'
  | 'currency'
  | 'long_text'
  | TypedAmountFault;

/** A line as it stands in the file. */
export interface PayoutLine {
  readonly recipient: string;
  readonly currency: string;
  readonly amount: string;
  readonly fault: PayoutLineFault;
  /** Digits of the phone, negative for too many, where its length is at fault. */
  readonly missing?: number;
}

export type PayoutFile = ItemFile<PayoutBatchItem, PayoutLine>;

const NAMES = {
  phone: [
    'telephone',
    'numero de telephone',
    'numero',
    'tel',
    'mobile',
    'portable',
    'phone number',
    'destination phone',
  ],
  operator: ['operateur', 'destination operator'],
  account: ['compte', 'numero de compte', 'iban', 'rib', 'account number', 'destination account'],
  bank_code: ['banque', 'code banque', 'destination bank code'],
  name: [
    'nom',
    'nom et prenom',
    'nom et prenoms',
    'prenom et nom',
    'nom complet',
    'beneficiaire',
    'full name',
    'recipient',
    'destination name',
  ],
  currency: ['devise'],
  amount: ['montant', 'somme'],
  description: ['motif', 'libelle', 'objet'],
};
const REQUIRED = ['currency', 'amount'] as const;
const OPTIONAL = ['phone', 'operator', 'account', 'bank_code', 'name', 'description'] as const;

/** `reader`: the account whose turn the reading takes. */
export function readPayoutFile(bytes: Uint8Array, reader: string): Promise<PayoutFile> {
  return readItemFile(bytes, reader, {
    required: REQUIRED,
    one_of: ['phone', 'account'],
    columns: [...REQUIRED, ...OPTIONAL],
    names: NAMES,
    ignored: ['destination_type', 'destination_name_found', 'destination_name_match'],
    begin: (language) => (line) => {
      const currency = line.cell('currency').toUpperCase();
      const amount = line.cell('amount');
      const read = readLine(line, currency, (text, of) => readTypedAmount(text, of, language));
      if (read.ok) return read;
      const recipient = line.cell('phone') || line.cell('account');
      return { ok: false, fault: { recipient, currency, amount, ...read.fault } };
    },
  });
}

type Fault = Pick<PayoutLine, 'fault' | 'missing'>;

function readLine(
  { cell, fault }: GivenLine,
  currency: string,
  readAmount: Parameters<typeof readPayoutItem<TypedAmountFault>>[1],
): ReadLine<PayoutBatchItem, Fault> {
  const refuse = (wrong: PayoutLineFault) => ({ ok: false, fault: { fault: wrong } }) as const;
  if (fault) return refuse(fault);
  const line = (name: string): string => onOneLine(cell(name));
  const destination = readDestinationCells(line);
  if (typeof destination === 'string') return refuse(destination);
  if (!isCurrency(currency)) return refuse('currency');
  const [name, description] = [line('name'), line('description')];
  const texts = [name, description, line('operator'), line('bank_code')];
  if (texts.some((text, i) => Array.from(text).length > (i < 2 ? 140 : 64))) {
    return refuse('long_text');
  }
  if (!texts.every(isLine)) return refuse('characters');
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
  if (read.ok) return read;
  const { field, ok, ...wrong } = read;
  return field === 'bank_code' ? refuse('bank_code_as_decimal') : { ok, fault: wrong };
}

function readDestinationCells(cell: GivenLine['cell']): DestinationFields | PayoutLineFault {
  const [phone, account] = [cell('phone'), cell('account')];
  if (phone === '' && account === '') return 'no_destination';
  if (phone !== '' && account !== '') return 'two_destinations';
  if (account !== '') {
    const [name, bank_code] = [cell('name'), cell('bank_code')];
    if (name === '') return 'no_holder';
    return { type: 'bank', account, name, ...(bank_code === '' ? {} : { bank_code }) };
  }
  const operator = cell('operator');
  return { type: 'mobile_money', phone, ...(operator === '' ? {} : { operator }) };
}

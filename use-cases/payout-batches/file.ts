// Reads the payouts of a CSV file: a header with amount, and phone or account, and if wanted currency, operator,
// bank_code, name and description, in any order, under the names that people give them in English and French. The
// country of the account decides what may be left out: the currency where it is the franc, and the country code of its
// own phones. The plus before a code, which spreadsheets take away, may be left out too. Text is held to the rules of
// the API.

import type { AccountFault } from '../../domain/bank-account';
import { currencyAtHome, type Currency } from '../../domain/currency';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import type { Language } from '../../domain/language';
import { isLine, onOneLine } from '../../domain/line';
import { callingCodeOf, type PhoneFault } from '../../domain/phone';
import {
  readTypedAmount,
  readTypedCurrency,
  type TypedAmountFault,
} from '../../domain/typed-amount';
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
const COLUMNS = Object.keys(NAMES);

/** `reader`: the account whose turn the reading takes. */
export function readPayoutFile(
  bytes: Uint8Array,
  reader: { readonly username: string; readonly country: string },
): Promise<PayoutFile> {
  const home = homeOf(reader);
  return readItemFile(bytes, reader.username, {
    required: home.currency ? ['amount'] : ['currency', 'amount'],
    one_of: ['phone', 'account'],
    columns: COLUMNS,
    names: NAMES,
    ignored: ['destination_type', 'destination_name_found', 'destination_name_match'],
    begin: (language) => (line) => readPayoutLine(line, home, language),
  });
}

/** The account's country lets people leave these out. */
export interface Home {
  readonly currency: Currency | undefined;
  readonly calling_code: string | undefined;
}

export const homeOf = ({ country }: { readonly country: string }): Home => ({
  currency: currencyAtHome(country),
  calling_code: callingCodeOf(country),
});

export function readPayoutLine(
  line: GivenLine,
  home: Home,
  language: Language,
): ReadLine<PayoutBatchItem, PayoutLine> {
  const written = line.cell('currency');
  const currency = written === '' ? home.currency : readTypedCurrency(written);
  const read = readLine(line, currency, home, (text, of) => readTypedAmount(text, of, language));
  if (read.ok) return read;
  const recipient = line.cell('phone') || line.cell('account');
  const shown = { recipient, currency: currency ?? written, amount: line.cell('amount') };
  return { ok: false, fault: { ...shown, ...read.fault } };
}

type Fault = Pick<PayoutLine, 'fault' | 'missing'>;

function readLine(
  { cell, fault }: GivenLine,
  currency: Currency | undefined,
  { calling_code }: Home,
  readAmount: Parameters<typeof readPayoutItem<TypedAmountFault>>[1],
): ReadLine<PayoutBatchItem, Fault> {
  const refuse = (wrong: PayoutLineFault) => ({ ok: false, fault: { fault: wrong } }) as const;
  if (fault) return refuse(fault);
  const line = (name: string): string => onOneLine(cell(name));
  const destination = readDestinationCells(line);
  if (typeof destination === 'string') return refuse(destination);
  if (currency === undefined) return refuse('currency');
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
    calling_code,
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

// The payout that a form asks for, as typed and as read.

import type { Currency } from '../../domain/currency';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { plainPhone } from '../../domain/phone';
import { readAmountField } from '../../pages/amounts';
import type { DestinationFields } from '../../use-cases/payouts/destination';
import type { MemberVisit } from '../context';
import { WORDS } from './words';

const NAMES = [
  'type',
  'phone',
  'operator',
  'account',
  'bank_code',
  'name',
  'currency',
  'amount',
  'description',
] as const;

/** The fields as the person typed them. */
export type Fields = Readonly<Record<(typeof NAMES)[number], string>>;
export type Faults = Readonly<Partial<Record<keyof Fields, string>>>;

export const LONGEST = {
  phone: 32,
  operator: 64,
  account: 80,
  bank_code: 64,
  name: 140,
  description: 140,
} as const;

export function readFields(source: URLSearchParams): Fields {
  const text = (name: string): string => (source.get(name) ?? '').trim();
  const fields = Object.fromEntries(NAMES.map((name) => [name, text(name)])) as Fields;
  const type = fields.type === 'bank' ? 'bank' : 'mobile_money';
  return { ...fields, type, currency: fields.currency || 'XOF' };
}

export interface Order {
  readonly fields: Fields;
  readonly destination: DestinationFields;
  /** The name to compare with, where it is not the holder's. */
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly currency: Currency;
  readonly amount: Minor;
  readonly amount_text: string;
}

export function readOrder(
  { language }: MemberVisit,
  fields: Fields,
): { readonly ok: true; readonly order: Order } | { readonly ok: false; readonly faults: Faults } {
  const typed = readAmountField(language, fields, MAX_MINOR);
  const faults = {
    ...faultsOfDestination(language, fields),
    ...(typed.ok ? {} : { [typed.param]: typed.fault }),
  };
  if (!typed.ok || Object.keys(faults).length > 0) return { ok: false, faults };
  const isBank = fields.type === 'bank';
  const { account, name, phone, operator, bank_code, description } = fields;
  return {
    ok: true,
    order: {
      fields: { ...fields, amount: typed.text },
      destination: isBank
        ? { type: 'bank', account, name, bank_code: bank_code || undefined }
        : { type: 'mobile_money', phone: plainPhone(phone), operator: operator || undefined },
      name: isBank || name === '' ? undefined : name,
      description: description || undefined,
      currency: typed.currency,
      amount: typed.amount,
      amount_text: typed.text,
    },
  };
}

const PHONE = /^\+[0-9]{7,15}$/;
const ACCOUNT = /^[A-Z0-9]{4,64}$/i;

function faultsOfDestination(language: MemberVisit['language'], fields: Fields): Faults {
  const words = WORDS[language].faults;
  const long = Object.entries(LONGEST)
    .filter(([name, most]) => fields[name as keyof typeof LONGEST].length > most)
    .map(([name, most]) => [name, words.too_long(most)]);
  const isBank = fields.type === 'bank';
  return {
    ...(!isBank && !PHONE.test(plainPhone(fields.phone)) ? { phone: words.phone } : {}),
    ...(isBank && !ACCOUNT.test(fields.account.replace(/[\s.-]/g, ''))
      ? { account: words.account }
      : {}),
    ...(isBank && fields.name === '' ? { name: words.holder } : {}),
    ...(Object.fromEntries(long) as Faults),
  };
}

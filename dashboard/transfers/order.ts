// The transfer that a form asks for, as typed and as read.

import type { Currency } from '../../domain/currency';
import type { Minor } from '../../domain/money';
import { readAmountField } from '../../pages/amounts';
import type { DashboardDependencies, MemberVisit } from '../context';
import { WORDS } from './words';
import { normalUsername } from '../../domain/username';

/** The fields as the person typed them. */
export interface Fields {
  readonly to_username: string;
  readonly currency: string;
  readonly amount: string;
}

export type Faults = Readonly<Partial<Record<keyof Fields, string>>>;

export const LONGEST_NAME = 64;

export function readFields(source: URLSearchParams): Fields {
  return {
    // People write an @ before names of accounts.
    to_username: normalUsername(source.get('to_username') ?? '').replace(/^@/, ''),
    currency: source.get('currency') ?? 'XOF',
    amount: (source.get('amount') ?? '').trim(),
  };
}

/** A well-formed order. */
export interface Order {
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount: Minor;
  readonly amount_text: string;
}

export function readOrder(
  { config }: DashboardDependencies,
  { language }: MemberVisit,
  fields: Fields,
): Order | Faults {
  const words = WORDS[language];
  const { to_username } = fields;
  const isName = to_username !== '' && to_username.length <= LONGEST_NAME;
  const typed = readAmountField(language, fields, config.max_transfer);
  if (!isName || !typed.ok) {
    return {
      ...(isName ? {} : { to_username: words.missing_recipient }),
      ...(typed.ok ? {} : { [typed.param]: typed.fault }),
    };
  }
  return { to_username, currency: typed.currency, amount: typed.amount, amount_text: typed.text };
}

export function isOrder(read: Order | Faults): read is Order {
  return 'amount_text' in read;
}

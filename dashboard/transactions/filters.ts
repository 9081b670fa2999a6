// The filters of the history, as they stand in a URL.

import type { HistoryFilters } from '../../db/ledger/history';
import { CURRENCIES } from '../../domain/currency';
import { parseInstant } from '../../domain/instant';
import { DIRECTIONS, TRANSACTION_FILTERS, TRANSACTION_STATUSES } from '../../domain/transaction';

export const CHOICES = {
  type: TRANSACTION_FILTERS,
  currency: CURRENCIES,
  status: TRANSACTION_STATUSES,
  direction: DIRECTIONS,
} as const;

export type FilterName = keyof typeof CHOICES | 'from' | 'to' | 'reference';
export type FilterFault = 'wrong_choice' | 'wrong_date' | 'wrong_reference';

export interface ReadFilters {
  readonly filters: HistoryFilters;
  readonly reference: string | undefined;
  readonly before: string | undefined;
  readonly faults: ReadonlyMap<FilterName, FilterFault>;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The text that was typed names no day. */
export const WRONG_DAY = 'wrong';
const MAX_REFERENCE = 64;

/** The beginning of a day of UTC, or of the one so many days later; undefined where none is written. */
export function dayOf(text: string, days: number): string | undefined {
  if (text === '') return undefined;
  const at = DAY.test(text) ? parseInstant(text) : undefined;
  return at === undefined ? WRONG_DAY : new Date(Date.parse(at) + days * DAY_MS).toISOString();
}

/**
 * A field that is empty or left out filters nothing. Days are those of UTC, and `to` is included.
 */
export function readFilters(query: URLSearchParams): ReadFilters {
  const faults = new Map<FilterName, FilterFault>();
  const choose = <Name extends keyof typeof CHOICES>(
    name: Name,
  ): (typeof CHOICES)[Name][number] | undefined => {
    const text = query.get(name) ?? '';
    const chosen = CHOICES[name].find((one) => one === text);
    if (text !== '' && chosen === undefined) faults.set(name, 'wrong_choice');
    return chosen;
  };
  const readDay = (name: 'from' | 'to', days: number): string | undefined => {
    const at = dayOf(query.get(name) ?? '', days);
    if (at === WRONG_DAY) faults.set(name, 'wrong_date');
    return at === WRONG_DAY ? undefined : at;
  };
  const reference = (query.get('reference') ?? '').trim();
  if (reference.length > MAX_REFERENCE) faults.set('reference', 'wrong_reference');
  const ends = readDay('to', 1);
  const cursor = parseInstant(query.get('cursor') ?? '');
  return {
    filters: {
      type: choose('type'),
      currency: choose('currency'),
      status: choose('status'),
      direction: choose('direction'),
      created_from: readDay('from', 0),
    },
    reference: reference === '' ? undefined : reference,
    before: cursor && (ends === undefined || cursor < ends) ? cursor : ends,
    faults,
  };
}

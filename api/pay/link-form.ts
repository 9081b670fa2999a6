// The form that a customer fills in on the page of a reusable link.

import type { PayableLink } from '../../db/payment-links/payment-links';
import type { Currency } from '../../domain/currency';
import type { Language } from '../../domain/language';
import { timesQuantity, type Minor } from '../../domain/money';
import { PAYMENT_LINK_BOUNDS } from '../../domain/payment-link';
import { readAmountField } from '../../pages/amounts';
import { formatMoney } from '../../pages/formats';
import type { LinkPayment } from '../../use-cases/payment-links/pay';
import { WORDS } from './words';

export type MaxPayment = Readonly<Record<Currency, Minor>>;

/** Texts by field name: `suggested`, `amount`, `quantity`, and `collect_` with a key. */
export type LinkFields = ReadonlyMap<string, string>;
export type LinkFaults = ReadonlyMap<string, string>;

export type ReadLinkForm =
  | {
      readonly ok: true;
      readonly fields: LinkFields;
      readonly payment: Pick<LinkPayment, 'amount' | 'quantity' | 'collected'>;
    }
  | { readonly ok: false; readonly fields: LinkFields; readonly faults: LinkFaults };

export const collectedName = (key: string): string => `collect_${key}`;

/** Longer than any amount with groups, cents and a unit, and than any number of pieces. */
const LONGEST = 40;

export function readLinkForm(
  language: Language,
  link: PayableLink,
  form: URLSearchParams,
  max_payment: MaxPayment,
): ReadLinkForm {
  const fields = new Map<string, string>();
  const faults = new Map<string, string>();
  const text = (name: string, longest: number): string => {
    const typed = (form.get(name) ?? '').trim();
    fields.set(
      name,
      Array.from(typed)
        .slice(0, longest + 1)
        .join(''),
    );
    return fields.get(name)!;
  };
  const quantity = readQuantity(language, link, (name) => text(name, LONGEST), faults);
  const price = readPrice(language, link, (name) => text(name, LONGEST), { faults, max_payment });
  const words = WORDS[language];
  const collected: Record<string, string | null> = {};
  for (const { key, required } of link.collect) {
    const name = collectedName(key);
    const answer = text(name, PAYMENT_LINK_BOUNDS.answer);
    if (required && answer === '') faults.set(name, words.answer_missing);
    if (Array.from(answer).length > PAYMENT_LINK_BOUNDS.answer) faults.set(name, words.answer_long);
    collected[key] = answer === '' ? null : answer;
  }
  if (price === undefined || quantity === undefined || faults.size > 0) {
    return { ok: false, fields, faults };
  }
  return {
    ok: true,
    fields,
    payment: { amount: timesQuantity(price, quantity), quantity, collected },
  };
}

type Typed = (name: string) => string;

function readQuantity(
  language: Language,
  { quantity_minimum: minimum, quantity_maximum: maximum }: PayableLink,
  typed: Typed,
  faults: Map<string, string>,
): number | undefined {
  if (minimum === null || maximum === null) return 1;
  const text = typed('quantity');
  const quantity = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (quantity >= minimum && quantity <= maximum) return quantity;
  faults.set('quantity', WORDS[language].quantity_range(minimum, maximum));
  return undefined;
}

/** A typed amount comes before the one chosen beside it. */
function readPrice(
  language: Language,
  link: PayableLink,
  typed: Typed,
  {
    faults,
    max_payment,
  }: { readonly faults: Map<string, string>; readonly max_payment: MaxPayment },
): Minor | undefined {
  if (link.amount_minor !== null) return link.amount_minor as Minor;
  const { currency, minimum_minor, maximum_minor, suggestions_minor } = link;
  const text = typed('amount');
  const chosen = suggestions_minor.find((one) => one === typed('suggested'));
  if (text === '' && chosen !== undefined) return BigInt(chosen) as Minor;
  const read = readAmountField(language, { amount: text, currency }, max_payment);
  const words = WORDS[language];
  const money = (minor: bigint): string => formatMoney(language, minor, currency);
  if (!read.ok) faults.set('amount', read.fault);
  else if (minimum_minor !== null && read.amount < minimum_minor) {
    faults.set('amount', words.amount_least(money(minimum_minor)));
  } else if (maximum_minor !== null && read.amount > maximum_minor) {
    faults.set('amount', words.amount_most(money(maximum_minor)));
  } else return read.amount;
  return undefined;
}

// The field of an amount. The script shows beside it what would be read while a person types: the
// same reading as the form's, from here.

import { isCurrency, type Currency } from '../domain/currency';
import { readTypedAmount } from '../domain/typed-amount';
import { formatMoney } from '../pages/formats';
import { pageRoute } from './context';
import { Field } from './forms';
import { href } from './frame';

const PATH = '/amounts';
const NAME = 'amount';
/** Characters of an amount with groups, cents and a unit. */
const LONGEST = 40;

export function AmountField({
  name = NAME,
  label,
  value,
  hint,
  fault,
  currency,
  required = true,
}: {
  readonly name?: string;
  readonly label: string;
  readonly value?: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  /** Left out where the form has a field `currency`. */
  readonly currency?: Currency;
  readonly required?: boolean;
}) {
  return (
    <Field
      name={name}
      label={label}
      value={value}
      hint={hint}
      fault={fault}
      required={required}
      autocomplete="off"
      inputmode="decimal"
      maxLength={LONGEST}
      beside={<output for={name} data-amount={href(PATH)} data-currency={currency} />}
    />
  );
}

export const AMOUNT_ROUTES = [
  /** The amount as it is read, or nothing: what is wrong with it is said when the form is sent. */
  pageRoute(PATH, 'signed_in', (_dependencies, { language, query }) => {
    const currency = query.get('currency') ?? '';
    const read = isCurrency(currency)
      ? readTypedAmount(query.get(NAME) ?? '', currency, language)
      : undefined;
    const body = read?.ok ? formatMoney(language, read.amount, currency as Currency) : '';
    return { kind: 'file', type: 'text/plain; charset=utf-8', body };
  }),
];

// The fields of giving money back: an amount and a reason.

import type { JSX } from 'preact';
import type { Currency } from '../domain/currency';
import type { Language } from '../domain/language';
import type { Minor } from '../domain/money';
import { CURRENCY_LABELS } from '../pages/formats';
import { AmountField } from './amount-field';
import { readAmountField } from '../pages/amounts';
import { Button, Field, Form } from './forms';

const LONGEST_REASON = 500;

/** The fields as the person typed them. */
export interface GiveBackFields {
  readonly amount: string;
  readonly reason: string;
}

export type GiveBackFaults = Readonly<Partial<Record<keyof GiveBackFields, string>>>;

export interface GiveBack {
  readonly amount: Minor;
  /** The amount in the form that the API takes. */
  readonly amount_text: string;
  readonly reason: string | null;
}

export function readGiveBackFields(source: URLSearchParams): GiveBackFields {
  return {
    amount: (source.get('amount') ?? '').trim(),
    reason: (source.get('reason') ?? '').trim(),
  };
}

export function readGiveBack(
  language: Language,
  { amount: typed_amount, reason }: GiveBackFields,
  {
    currency,
    left,
    fault_reason,
  }: { readonly currency: Currency; readonly left: Minor; readonly fault_reason: string },
): GiveBack | GiveBackFaults {
  const typed = readAmountField(language, { amount: typed_amount, currency }, left);
  const is_long = reason.length > LONGEST_REASON;
  if (!typed.ok || is_long) {
    return {
      ...(typed.ok ? {} : { amount: typed.fault }),
      ...(is_long ? { reason: fault_reason } : {}),
    };
  }
  const { amount, text } = typed;
  return { amount, amount_text: text, reason: reason === '' ? null : reason };
}

export function isGiveBack(read: GiveBack | GiveBackFaults): read is GiveBack {
  return 'amount_text' in read;
}

/** The controls of the form that leads to its confirmation. */
export function GiveBackControls({
  currency,
  fields,
  faults,
  words,
}: {
  readonly currency: Currency;
  readonly fields: GiveBackFields;
  readonly faults: GiveBackFaults;
  readonly words: Readonly<Record<'amount' | 'reason' | 'reason_hint' | 'next', string>>;
}): JSX.Element {
  return (
    <>
      <AmountField
        label={`${words.amount} · ${CURRENCY_LABELS[currency]}`}
        value={fields.amount}
        fault={faults.amount}
        currency={currency}
      />
      <Field
        name="reason"
        label={words.reason}
        hint={words.reason_hint}
        value={fields.reason}
        maxLength={LONGEST_REASON}
        fault={faults.reason}
      />
      <Button>{words.next}</Button>
    </>
  );
}

/** The form that gives the money back. The same form asks again what became of it. */
export function GiveBackForm({
  action,
  order: { amount_text, reason },
  idempotency_key,
  label,
}: {
  readonly action: string;
  readonly order: GiveBack;
  readonly idempotency_key: string;
  readonly label: string;
}): JSX.Element {
  return (
    <Form action={action}>
      <input type="hidden" name="amount" value={amount_text} />
      <input type="hidden" name="reason" value={reason ?? ''} />
      <input type="hidden" name="key" value={idempotency_key} />
      <Button look="danger">{label}</Button>
    </Form>
  );
}

// The form for one payout, to a phone or to a bank account, empty or with what is wrong with it.

import type { JSX } from 'preact';
import { CURRENCIES } from '../../domain/currency';
import { TEST_PHONES } from '../../domain/test-phones';
import { CURRENCY_LABELS } from '../../pages/formats';
import { listOperators } from '../../use-cases/payouts/destination';
import { AmountField } from '../amount-field';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { Button, Field, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice } from '../parts';
import { WORDS as TRANSACTIONS } from '../transactions/words';
import { operatorName } from './operator';
import { LONGEST, readFields, type Faults, type Fields } from './order';
import { WORDS } from './words';

export function showForm(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  return formPage(dependencies, visit, { fields: readFields(visit.query), faults: {} });
}

interface Shown {
  readonly fields: Fields;
  readonly faults: Faults;
  /** The default is 422 with faults or a notice, and 200 without. */
  readonly status?: number;
  readonly notice?: string;
}

export async function formPage(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  { fields, faults, notice, status = notice || Object.keys(faults).length > 0 ? 422 : 200 }: Shown,
): Promise<Answer> {
  const { account, session, language } = visit;
  const words = WORDS[language];
  const shared = TRANSACTIONS[language];
  if (account.is_frozen) return frozenPage(visit, status === 200 ? 200 : 403);
  const isBank = fields.type === 'bank';
  const operators = isBank ? [] : await listOperators(dependencies, session.environment);
  if (operators === 'not_configured') {
    return page(words.make, <Notice tone="warn">{words.not_configured}</Notice>, status);
  }
  const about = (name: keyof typeof LONGEST) => ({
    name,
    value: fields[name],
    fault: faults[name],
    maxLength: LONGEST[name],
    autocomplete: 'off' as const,
  });
  return page(
    words.make,
    <>
      {notice && <Notice tone="bad">{notice}</Notice>}
      <Kinds isBank={isBank} />
      <Form action="/payouts/check" noValidate>
        <input type="hidden" name="type" value={fields.type} />
        {isBank ? (
          <>
            <Field {...about('account')} label={words.account} required />
            <Field {...about('bank_code')} label={words.bank_code} />
            <Field {...about('name')} label={words.holder} hint={words.name_hint} required />
          </>
        ) : (
          <>
            <Field
              {...about('phone')}
              label={words.phone}
              hint={words.phone_hint}
              type="tel"
              required
            />
            <Select
              name="operator"
              label={words.operator}
              hint={words.operator_hint}
              value={fields.operator}
              fault={faults.operator}
              options={[
                { value: '', label: words.by_number },
                ...operators.map((value) => ({ value, label: operatorName(language, value) })),
              ]}
            />
            <Field {...about('name')} label={words.name_optional} hint={words.name_hint} />
          </>
        )}
        <AmountField label={shared.amount} value={fields.amount} fault={faults.amount} />
        <Select
          name="currency"
          label={shared.currency}
          value={fields.currency}
          options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
          fault={faults.currency}
        />
        <Field {...about('description')} label={words.description} hint={words.description_hint} />
        <Button>{words.next}</Button>
      </Form>
      {session.environment === 'sandbox' && <TestNumbers />}
    </>,
    status,
  );
}

function Kinds({ isBank }: { readonly isBank: boolean }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <nav class="tabs" aria-label={words.recipient}>
      <Link to="/payouts/new" current={!isBank}>
        {words.to_phone}
      </Link>
      <Link to="/payouts/new?type=bank" current={isBank}>
        {words.to_bank}
      </Link>
    </nav>
  );
}

function TestNumbers(): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <details>
      <summary>{words.test_numbers}</summary>
      <p>{words.test_numbers_text}</p>
      <ul>
        {TEST_PHONES.map((one) => (
          <li>
            <code>…{one.digits}</code> {one[language]}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function frozenPage({ language }: MemberVisit, status = 403): Answer {
  const words = WORDS[language];
  return page(words.make, <Notice tone="bad">{words.frozen}</Notice>, status);
}

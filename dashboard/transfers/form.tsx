// The form for one transfer, empty or with what was typed and what is wrong with it.

import { CURRENCIES } from '../../domain/currency';
import type { Language } from '../../domain/language';
import { CURRENCY_LABELS } from '../../pages/formats';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { AmountField } from '../amount-field';
import { Button, Field, Form, Select } from '../forms';
import { Link, Notice } from '../parts';
import { LONGEST_NAME, readFields, type Faults, type Fields } from './order';
import { WORDS } from './words';

export function showForm(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return formPage(visit, readFields(visit.query), {}, { status: 200 });
}

export function formPage(
  { account, session, language }: MemberVisit,
  fields: Fields,
  faults: Faults,
  { status, notice }: { readonly status: number; readonly notice?: string },
): Answer {
  const words = WORDS[language];
  if (account.is_frozen) {
    return frozenPage(language, status === 200 ? 200 : 403);
  }
  return page(
    words.send,
    <>
      {notice && <Notice tone="bad">{notice}</Notice>}
      <p class="lead">{words.lead}</p>
      {session.environment === 'sandbox' && <Notice>{words.sandbox}</Notice>}
      <Form action="/transfers/preview">
        <Field
          name="to_username"
          label={words.to}
          value={fields.to_username}
          required
          autocomplete="off"
          maxLength={LONGEST_NAME}
          fault={faults.to_username}
        />
        <AmountField label={words.amount} value={fields.amount} fault={faults.amount} />
        <Select
          name="currency"
          label={words.currency}
          value={fields.currency}
          options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
          fault={faults.currency}
        />
        <Button>{words.next}</Button>
      </Form>
      <p class="actions">
        <Link to="/batches/new">{words.many}</Link>
      </p>
    </>,
    status,
  );
}

/** The page of an account that is frozen; the status is 403 where a form was sent. */
export function frozenPage(language: Language, status = 403): Answer {
  const words = WORDS[language];
  return page(words.send, <Notice tone="bad">{words.frozen}</Notice>, status);
}

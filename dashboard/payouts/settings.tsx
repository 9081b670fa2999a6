// The owners' rule of payouts: which of them need an approval, and how much may leave. One form a currency.

import type { JSX } from 'preact';
import { countOwners } from '../../db/people/team';
import {
  readPayoutSettings,
  type PayoutRules,
  type PayoutSettings,
} from '../../db/payouts/settings';
import { CURRENCIES, isCurrency, type Currency } from '../../domain/currency';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { readAmountField, typedAmount } from '../../pages/amounts';
import { CURRENCY_LABELS, formatMoney } from '../../pages/formats';
import { changePayoutRules } from '../../use-cases/payouts/settings';
import { writingOf } from '../browser';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice } from '../parts';
import { WORDS as TRANSACTIONS } from '../transactions/words';
import { RULE_WORDS } from './words';

const PATH = '/payouts/settings';
const ABOVE = ['approval_above', 'new_destination_above'] as const;
const LIMITS = ['single', 'daily', 'monthly'] as const;
type AmountName = (typeof ABOVE)[number] | (typeof LIMITS)[number];
type Faults = Readonly<Partial<Record<AmountName, string>>>;

export async function showSettings(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const named = visit.query.get('currency') ?? '';
  const currency = isCurrency(named) ? named : 'XOF';
  const settings = await readPayoutSettings(dependencies.db, visit.account.user_id, currency);
  return settingsPage(dependencies, visit, { currency, settings, faults: {} });
}

interface Shown {
  readonly currency: Currency;
  readonly settings: PayoutSettings;
  /** The text as it was typed, where the form comes back. */
  readonly typed?: URLSearchParams;
  readonly faults: Faults;
}

async function settingsPage(
  { db }: DashboardDependencies,
  { account, language }: MemberVisit,
  shown: Shown,
): Promise<Answer> {
  const { currency, settings, faults } = shown;
  const words = RULE_WORDS[language];
  const owners = await countOwners(db, account.user_id);
  const isOn =
    settings.approval_above_minor !== null || settings.new_destination_above_minor !== null;
  return page(
    words.title,
    <>
      <p class="lead">{words.lead}</p>
      <nav class="tabs" aria-label={TRANSACTIONS[language].currency}>
        {CURRENCIES.map((one) => (
          <Link to={`${PATH}?currency=${one}`} current={one === currency}>
            {CURRENCY_LABELS[one]}
          </Link>
        ))}
      </nav>
      {isOn && owners <= settings.approvers && (
        <Notice tone="warn">{words.too_few_owners(owners)}</Notice>
      )}
      <Rules {...shown} />
    </>,
    Object.keys(faults).length > 0 ? 422 : 200,
  );
}

function Rules({ currency, settings, typed, faults }: Shown): JSX.Element {
  const { language } = useFrame();
  const words = RULE_WORDS[language];
  const amount = (name: AmountName, hint?: string) => {
    const minor = settings[`${name}_minor`];
    const kept = minor === null ? '' : typedAmount(minor as Minor, currency);
    return (
      <Field
        name={name}
        label={words[name]}
        hint={hint}
        value={typed?.get(name) ?? kept}
        fault={faults[name]}
        inputmode="decimal"
        autocomplete="off"
        maxLength={40}
      />
    );
  };
  const most = (name: (typeof LIMITS)[number]): string | undefined => {
    const minor = settings[`most_${name}_minor`];
    return minor === null ? undefined : words.most(formatMoney(language, minor, currency));
  };
  return (
    <Form action={PATH} noValidate>
      <input type="hidden" name="currency" value={currency} />
      <h2>{words.approval}</h2>
      {amount('approval_above', words.approval_above_hint)}
      {amount('new_destination_above', words.new_destination_above_hint)}
      <Select
        name="approvers"
        label={words.approvers}
        value={typed?.get('approvers') ?? String(settings.approvers)}
        options={(['1', '2'] as const).map((value) => ({
          value,
          label: words.approvers_options[value],
        }))}
      />
      <h2>{words.limits}</h2>
      <p class="hint">{words.limits_hint}</p>
      {LIMITS.map((name) => amount(name, most(name)))}
      <Button>{words.save}</Button>
    </Form>
  );
}

export async function saveSettings(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, form, language } = visit;
  const words = RULE_WORDS[language];
  const named = form.get('currency') ?? '';
  const currency = isCurrency(named) ? named : 'XOF';
  const read = readRules(visit, currency);
  if (!read.ok) {
    const settings = await readPayoutSettings(dependencies.db, account.user_id, currency);
    return settingsPage(dependencies, visit, {
      currency,
      settings,
      typed: form,
      faults: read.faults,
    });
  }
  const is_changed = await changePayoutRules(writingOf(dependencies), {
    account,
    currency,
    rules: read.rules,
    changed_by: session.email,
  });
  return seeOther(`${PATH}?currency=${currency}`, {
    flash: is_changed ? { notice: words.saved } : { notice: words.same, tone: 'quiet' },
    subject: `payout_settings/${currency}`,
  });
}

function readRules(
  { form, language }: MemberVisit,
  currency: Currency,
):
  | { readonly ok: true; readonly rules: PayoutRules }
  | { readonly ok: false; readonly faults: Faults } {
  const faults: Partial<Record<AmountName, string>> = {};
  const amountOf = (name: AmountName, may_be_zero: boolean): bigint | null => {
    const text = (form.get(name) ?? '').trim();
    if (text === '') return null;
    if (may_be_zero && /^0+$/.test(text)) return 0n;
    const read = readAmountField(language, { amount: text, currency }, MAX_MINOR);
    if (read.ok) return read.amount;
    faults[name] = read.fault;
    return null;
  };
  const rules: PayoutRules = {
    approval_above_minor: amountOf('approval_above', true),
    approvers: form.get('approvers') === '2' ? 2 : 1,
    new_destination_above_minor: amountOf('new_destination_above', true),
    single_minor: amountOf('single', false),
    daily_minor: amountOf('daily', false),
    monthly_minor: amountOf('monthly', false),
  };
  return Object.keys(faults).length > 0 ? { ok: false, faults } : { ok: true, rules };
}

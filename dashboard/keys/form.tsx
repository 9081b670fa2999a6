// The form of a key, new or changed: what it may do, until when, how much a day, and from where.

import type { JSX } from 'preact';
import type { ApiKeyRow, DailyLimit, KeyChanges } from '../../db/keys/api-keys';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { scopesFor } from '../../domain/members';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { DEFAULT_SCOPES, readScopes, SCOPE_TEXTS, type Scope } from '../../domain/scopes';
import { readAmountField, typedAmount } from '../../pages/amounts';
import { CURRENCY_LABELS, formatTime } from '../../pages/formats';
import { MAX_ACTIVE_KEYS, MAX_KEY_NAME } from '../../use-cases/api-keys';
import type { MemberVisit } from '../context';
import { Button, Checkboxes, Field, Form, Select, TextArea } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice } from '../parts';
import { WORDS } from './words';

const MAX_ALLOWED_TEXT = 2_000;
/** Characters of an amount with groups, cents and a unit. */
const LONGEST_AMOUNT = 40;

const EXPIRY_DAYS = [30, 90, 365] as const;
const NEVER = 'never';
const AS_BEFORE = 'as_before';

export type KeyFault =
  | 'no_name'
  | 'no_scope'
  | 'invalid_allowed_ips'
  | 'addresses_required'
  | 'too_many_keys'
  | { readonly currency: Currency; readonly text: string };

/** A new key's, before a person has chosen. */
export function newKeyValues({ account, session }: MemberVisit): URLSearchParams {
  const allowed = scopesFor(account.role, session.environment);
  const scopes = DEFAULT_SCOPES.filter((scope) => allowed.includes(scope));
  return new URLSearchParams(scopes.map((scope) => ['scopes', scope]));
}

export function valuesOf(key: ApiKeyRow): URLSearchParams {
  const { name, scopes, allowed_ips, daily_limit } = key;
  return new URLSearchParams([
    ['name', name],
    ...scopes.map((scope) => ['scopes', scope]),
    ...CURRENCIES.map((currency) => {
      const most = daily_limit?.[currency];
      const typed = most === undefined ? '' : typedAmount(BigInt(most) as Minor, currency);
      return [`daily_${currency}`, typed];
    }),
    ['allowed_ips', allowed_ips?.join('\n') ?? ''],
    ['expires', AS_BEFORE],
  ]);
}

interface KeyFormProps {
  readonly action: string;
  readonly button: string;
  readonly values: URLSearchParams;
  readonly fault: KeyFault | undefined;
  /** The scopes that the person may give. */
  readonly scopes: readonly Scope[];
  /** Of a key that is changed. */
  readonly expires_at?: string | null;
}

export function KeyForm(props: KeyFormProps): JSX.Element {
  const { action, button, values, fault, scopes, expires_at } = props;
  const { language, session } = useFrame();
  const words = WORDS[language];
  const shown = scopes.filter((scope) => scope !== 'sandbox' || session?.environment === 'sandbox');
  const isAddressFault = fault === 'invalid_allowed_ips' || fault === 'addresses_required';
  return (
    <>
      {fault === 'too_many_keys' && (
        <Notice tone="bad">{words.too_many_keys(MAX_ACTIVE_KEYS)}</Notice>
      )}
      <Form action={action} class="card" noValidate>
        <Field
          name="name"
          label={words.name}
          hint={words.name_hint}
          value={values.get('name') ?? ''}
          fault={fault === 'no_name' ? words.no_name : undefined}
          maxLength={MAX_KEY_NAME}
          required
        />
        <Checkboxes
          name="scopes"
          label={words.scopes}
          options={shown.map((scope) => ({
            value: scope,
            label: SCOPE_TEXTS[language][scope],
            hint: scope,
          }))}
          checked={values.getAll('scopes')}
          fault={fault === 'no_scope' ? words.no_scope : undefined}
        />
        {!scopes.includes('transfers:write') && <p class="field">{words.no_money}</p>}
        <ExpirySelect value={values.get('expires') ?? NEVER} expires_at={expires_at} />
        <fieldset class="field checks">
          <legend>{words.daily_limit}</legend>
          <p class="hint">{words.daily_limit_hint}</p>
          {CURRENCIES.map((currency) => (
            <Field
              name={`daily_${currency}`}
              label={CURRENCY_LABELS[currency]}
              value={values.get(`daily_${currency}`) ?? ''}
              fault={
                typeof fault === 'object' && fault.currency === currency ? fault.text : undefined
              }
              inputmode="decimal"
              autocomplete="off"
              maxLength={LONGEST_AMOUNT}
            />
          ))}
        </fieldset>
        <TextArea
          name="allowed_ips"
          label={words.allowed_ips}
          hint={words.allowed_ips_hint}
          value={values.get('allowed_ips') ?? ''}
          fault={isAddressFault ? words[fault] : undefined}
          maxLength={MAX_ALLOWED_TEXT}
        />
        <Button>{button}</Button>
      </Form>
      <p>
        <Link to="/keys">{words.keys}</Link>
      </p>
    </>
  );
}

/** `expires_at`: of a key that is there already. */
export function ExpirySelect({
  value,
  expires_at,
}: {
  readonly value: string;
  readonly expires_at?: string | null | undefined;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const as_before = {
    value: AS_BEFORE,
    label: words.expires_at(expires_at ? formatTime(language, expires_at) : null),
  };
  return (
    <Select
      name="expires"
      label={words.expires}
      hint={words.expires_hint}
      value={value}
      options={[
        ...(expires_at === undefined ? [] : [as_before]),
        ...(expires_at === null ? [] : [{ value: NEVER, label: words.expires_at(null) }]),
        ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: words.in_days(days) })),
      ]}
    />
  );
}

/** Empty when it stays as it is. */
export function readExpiry(form: URLSearchParams): Pick<KeyChanges, 'expires_in_days'> {
  const chosen = form.get('expires');
  if (chosen === AS_BEFORE) return {};
  return { expires_in_days: EXPIRY_DAYS.find((days) => String(days) === chosen) ?? null };
}

export type KeyFormFields = Required<
  Pick<KeyChanges, 'name' | 'scopes' | 'allowed_ips' | 'daily_limit'>
> &
  Pick<KeyChanges, 'expires_in_days'>;

/** What stands in the form. A person gives a key no scope that they may not have. */
export function readKeyForm({
  form,
  language,
  account,
  session,
}: MemberVisit): KeyFormFields | KeyFault {
  const name = (form.get('name') ?? '').trim().slice(0, MAX_KEY_NAME);
  if (name === '') return 'no_name';
  const allowed = scopesFor(account.role, session.environment);
  const scopes = (readScopes(form.getAll('scopes')) ?? []).filter((scope) =>
    allowed.includes(scope),
  );
  const limits: [Currency, string][] = [];
  for (const currency of CURRENCIES) {
    const amount = (form.get(`daily_${currency}`) ?? '').trim();
    if (amount === '') continue;
    const read = readAmountField(language, { amount, currency }, MAX_MINOR);
    if (!read.ok) return { currency, text: read.fault };
    limits.push([currency, String(read.amount)]);
  }
  const addresses = (form.get('allowed_ips') ?? '').split(/[\s,;]+/).filter((text) => text !== '');
  return {
    name,
    scopes,
    allowed_ips: addresses.length > 0 ? addresses : null,
    daily_limit: limits.length > 0 ? (Object.fromEntries(limits) as DailyLimit) : null,
    ...readExpiry(form),
  };
}

export function isKeyFault(read: KeyFormFields | KeyFault): read is KeyFault {
  return typeof read === 'string' || 'text' in read;
}

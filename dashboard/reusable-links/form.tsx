// Making a reusable link: the same path as POST /payment-links, once however often the form is sent. And changing
// what may be changed of one.

import { randomUUID } from 'node:crypto';
import { readBeforeOperation } from '../../db/requests/idempotency';
import { CURRENCIES, isCurrency } from '../../domain/currency';
import { isUuid } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import { LINK_BOUNDS } from '../../domain/intent';
import type { Language } from '../../domain/language';
import {
  fieldKeys,
  PAYMENT_LINK_BOUNDS as MOST,
  type PaymentLinkView,
} from '../../domain/payment-link';
import { readAmountField } from '../../pages/amounts';
import { CURRENCY_LABELS } from '../../pages/formats';
import {
  changePaymentLink,
  orderPaymentLink,
  type LinkBody,
} from '../../use-cases/payment-links/order';
import { AmountField } from '../amount-field';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Checkbox, Field, Form, Select } from '../forms';
import { ADDRESS, readFailure } from '../links/new-link';
import { WORDS as LINK_WORDS } from '../links/words';
import { Notice } from '../parts';
import { troublePage } from '../trouble';
import { findNamed, ownerOf } from './read';
import { WORDS } from './words';

const MONEY = { inputmode: 'decimal', autocomplete: 'off', maxLength: 40 } as const;
const COUNT = { inputmode: 'numeric', autocomplete: 'off', maxLength: 9 } as const;
const QUESTION = { maxLength: MOST.label } as const;
const QUESTIONS = ['question_1', 'question_2', 'question_3'] as const;
const OPEN = ['minimum', 'maximum', 'suggestions'] as const;

/** The controls of the names that are not on the first screen, in their order; and of the title. */
const CONTROLS = {
  title: { maxLength: MOST.title, autocomplete: 'off', required: true },
  description: { maxLength: LINK_BOUNDS.description },
  max_payments: COUNT,
  active_until: { type: 'datetime-local', autocomplete: 'off' },
  minimum: MONEY,
  maximum: MONEY,
  suggestions: { autocomplete: 'off', maxLength: 160 },
  quantity_minimum: COUNT,
  quantity_maximum: COUNT,
  question_1: QUESTION,
  question_2: QUESTION,
  question_3: QUESTION,
  return_url: ADDRESS,
} as const;
const [TITLE, ...MORE] = Object.keys(CONTROLS) as (keyof typeof CONTROLS)[];
const CHANGEABLE = MORE.slice(0, 3);

type Name = keyof typeof CONTROLS | 'amount' | 'currency';
type Faults = Partial<Record<Name, string | undefined>>;
type Controls = Partial<Record<Name, { readonly maxLength?: number }>>;

/** Cut at what a browser lets people type. */
function textOf(form: URLSearchParams, name: Name): string {
  const { maxLength = 40 } = (CONTROLS as Controls)[name] ?? {};
  return Array.from((form.get(name) ?? '').trim())
    .slice(0, maxLength)
    .join('');
}

const requiredName = (question: string): string => `${question}_required`;

interface FormState {
  readonly form: URLSearchParams;
  readonly key?: string;
  readonly faults?: Readonly<Faults> | undefined;
  readonly notice?: string;
  readonly status?: number;
}

export function showNew(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return formPage(visit, { form: visit.query, key: randomUUID() });
}

/** Shows the form of a new link, or of one that is changed. */
function formPage(
  { account, language }: MemberVisit,
  { form, key, faults = {}, notice, status = 200 }: FormState,
  link?: PaymentLinkView,
): Answer {
  const words = { ...LINK_WORDS[language], ...WORDS[language] };
  const title = link ? words.change_title : words.make;
  if (account.is_frozen) {
    return page(title, <Notice tone="bad">{words.frozen}</Notice>, status === 200 ? 200 : 403);
  }
  const fieldOf = (name: keyof typeof CONTROLS) => (
    <>
      <Field
        {...CONTROLS[name]}
        name={name}
        label={words.labels[name]}
        hint={words.hints[name]}
        value={textOf(form, name)}
        fault={faults[name]}
        {...(name === 'active_until' ? { 'data-local': words.active_until } : {})}
      />
      {name.startsWith('question') && (
        <Checkbox
          name={requiredName(name)}
          label={words.required(words.labels[name])}
          checked={form.has(requiredName(name))}
        />
      )}
    </>
  );
  return page(
    title,
    <>
      {notice && <Notice tone="bad">{notice}</Notice>}
      <Form action={link ? `/reusable-links/${link.id}/change` : '/reusable-links'}>
        {fieldOf(TITLE!)}
        {link ? (
          CHANGEABLE.map(fieldOf)
        ) : (
          <>
            <input type="hidden" name="key" value={key} />
            <AmountField
              label={words.amount}
              hint={words.amount_hint}
              value={textOf(form, 'amount')}
              fault={faults.amount}
              required={false}
            />
            <Select
              name="currency"
              label={words.currency}
              value={form.get('currency') ?? 'XOF'}
              fault={faults.currency}
              options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
            />
            <details open={MORE.some((name) => faults[name] !== undefined)}>
              <summary>{words.more}</summary>
              {MORE.map(fieldOf)}
            </details>
          </>
        )}
        <Button>{link ? words.save : words.create}</Button>
      </Form>
      <p class="hint">{link ? words.change_note : words.once}</p>
    </>,
    status,
  );
}

export async function create(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, language, form, ctx } = visit;
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const state = { form, key };
  if (account.is_frozen) return formPage(visit, { ...state, status: 403 });
  const { body, numbers, faults } = readOrder(dependencies, visit);
  if (!body) return formPage(visit, { ...state, faults, status: 422 });
  try {
    const owner = ownerOf(visit);
    const scope = { ...owner, operation: 'payment_link', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { body: created } = await orderPaymentLink(dependencies, {
      caller: { ...owner, ...before },
      body,
      numbers,
      request_id: ctx.state.request_id,
      idempotency_key: key,
    });
    const { id } = JSON.parse(created) as { readonly id: string };
    return seeLink(id, LINK_WORDS[language].made);
  } catch (error) {
    return formPage(visit, { ...state, ...afterError(language, error) });
  }
}

function seeLink(id: string, notice: string): Answer {
  return seeOther(`/reusable-links/${id}`, { flash: { notice }, subject: `payment_link/${id}` });
}

/** No body when there are faults. */
function readOrder(
  { config }: DashboardDependencies,
  { language, form }: MemberVisit,
): { readonly body?: LinkBody; readonly numbers: ReadonlyMap<string, string>; faults: Faults } {
  const words = WORDS[language];
  const { faults, counted, limits } = readLimits(language, form);
  const numbers = new Map<string, string>();
  const currency = form.get('currency') ?? '';
  const money = (name: Name, pointer: string, typed = textOf(form, name)): string | undefined => {
    if (typed === '') return undefined;
    const read = readAmountField(language, { amount: typed, currency }, config.max_payment);
    if (read.ok) numbers.set(pointer, read.text);
    else faults[read.param === 'amount' ? name : 'currency'] = read.fault;
    return typed;
  };
  const amount = money('amount', '/amount');
  const suggested = textOf(form, 'suggestions')
    .split(';')
    .filter((one) => one.trim() !== '');
  const open_amount = {
    minimum: money('minimum', '/open_amount/minimum'),
    maximum: money('maximum', '/open_amount/maximum'),
    suggestions: suggested.map((one, index) =>
      money('suggestions', `/open_amount/suggestions/${index}`, one.trim()),
    ),
  };
  const beside = OPEN.find((name) => textOf(form, name) !== '');
  if (amount !== undefined && beside) faults[beside] = words.fault_open;
  if (suggested.length > MOST.suggestions) faults.suggestions = words.hints.suggestions;
  const minimum = counted('quantity_minimum', MOST.quantity);
  const maximum = counted('quantity_maximum', MOST.quantity);
  if (minimum !== undefined && maximum === undefined)
    faults.quantity_maximum = words.fault_quantity;
  const asked = QUESTIONS.filter((name) => textOf(form, name) !== '');
  const keys = fieldKeys(asked.map((name) => textOf(form, name)));
  if (!isCurrency(currency)) faults.currency = LINK_WORDS[language].fault_gateway;
  if (!isCurrency(currency) || Object.keys(faults).length > 0) return { numbers, faults };
  const body = {
    ...limits,
    currency,
    ...(amount === undefined ? { open_amount } : { amount }),
    ...(maximum === undefined ? {} : { quantity: { minimum: minimum ?? 1, maximum } }),
    collect: asked.map((name, index) => ({
      key: keys[index]!,
      label: textOf(form, name),
      required: form.has(requiredName(name)),
    })),
    return_url: textOf(form, 'return_url') || undefined,
  };
  return { body, numbers, faults };
}

/** What may be changed later, too. Undefined what is left empty. */
function readLimits(language: Language, form: URLSearchParams) {
  const words = WORDS[language];
  const faults: Faults = {};
  const counted = (name: Name, most: number): number | undefined => {
    const typed = textOf(form, name).replace(/\s/g, '');
    if (typed === '') return undefined;
    const count = /^\d{1,7}$/.test(typed) ? Number(typed) : 0;
    if (count < 1 || count > most) faults[name] = words.fault_count(most);
    return count;
  };
  const title = textOf(form, 'title');
  if (title === '') faults.title = words.fault_title;
  const description = textOf(form, 'description') || undefined;
  const until = textOf(form, 'active_until');
  const active_until = parseInstant(`${until}Z`);
  if (until !== '' && active_until === undefined) faults.active_until = words.fault_time;
  const max_payments = counted('max_payments', MOST.max_payments);
  return { faults, counted, limits: { title, description, max_payments, active_until } };
}

/** What is left to the use case. */
function afterError(language: Language, error: unknown): Partial<FormState> {
  const words = { ...LINK_WORDS[language], ...WORDS[language] };
  const { param = '', ...rest } = readFailure(words, error);
  const texts: Readonly<Record<string, Faults>> = {
    amount: { amount: words.fault_gateway },
    currency: { currency: words.fault_gateway },
    'open_amount/maximum': { maximum: words.fault_maximum },
    open_amount: { suggestions: words.fault_suggestions },
    quantity: { quantity_maximum: words.fault_quantity },
    active_until: { active_until: words.fault_time },
    return_url: { return_url: words.fault_address },
  };
  return { ...rest, faults: texts[param] ?? texts[param.split('/')[0]!] ?? {} };
}

export async function showChange(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const link = await findNamed(dependencies, visit);
  if (!link) return troublePage(visit.language, { kind: 'unknown' });
  const form = new URLSearchParams({
    title: link.title,
    description: link.description ?? '',
    max_payments: String(link.max_payments ?? ''),
    active_until: shownUntil(link),
  });
  return formPage(visit, { form }, link);
}

/** The end as its field has it: in UTC, to the minute. */
const shownUntil = ({ active_until }: PaymentLinkView): string => (active_until ?? '').slice(0, 16);

/** Changes the form's fields; or of `active` alone, by the button that takes a link out of use and puts it back. */
export async function change(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, language, form } = visit;
  const words = WORDS[language];
  const link = await findNamed(dependencies, visit);
  if (!link) return troublePage(language, { kind: 'unknown' });
  if (account.is_frozen) return formPage(visit, { form, status: 403 }, link);
  const { faults, limits } = readLimits(language, form);
  const { title, description = null, max_payments = null, active_until = null } = limits;
  // The end of a link that is over stays as it is, seconds too.
  const isSame = textOf(form, 'active_until') === shownUntil(link);
  const active = form.has('active') ? form.get('active') === 'true' : undefined;
  const body =
    active === undefined
      ? { title, description, max_payments, ...(isSame ? {} : { active_until }) }
      : { active };
  if (active === undefined && Object.keys(faults).length > 0) {
    return formPage(visit, { form, faults, status: 422 }, link);
  }
  const order = { owner: ownerOf(visit), link, body, numbers: new Map<string, string>() };
  try {
    await changePaymentLink(dependencies, { ...order, now: new Date().toISOString() });
  } catch (error) {
    if (active !== undefined) throw error;
    return formPage(visit, { form, ...afterError(language, error) }, link);
  }
  const notices = { true: words.is_put_back, false: words.is_taken_out, undefined: words.changed };
  return seeLink(link.id, notices[`${active}`]);
}

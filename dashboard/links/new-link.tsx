// Creating a payment link: the same path as POST /payment-intents. The form carries the idempotency
// key, so that a second click and a reload create one link.

import { randomUUID } from 'node:crypto';
import { Refusal } from '../../domain/refusal';
import { createLink, type IntentFields } from '../../use-cases/payment-intents/create';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/requests/idempotency';
import { CURRENCIES, isCurrency } from '../../domain/currency';
import { readEmail } from '../../domain/email';
import { LINK_BOUNDS } from '../../domain/intent';
import { RESERVED_KEYS } from '../../domain/json';
import { PHONE_PATTERN } from '../../domain/phone';
import { isUuid } from '../../domain/ids';
import { MAX_RETURN_ADDRESS } from '../../domain/return-address';
import { CURRENCY_LABELS } from '../../pages/formats';
import { AmountField } from '../amount-field';
import { readAmountField } from '../../pages/amounts';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Form, Select, TextArea } from '../forms';
import { Notice } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

const NAMES = [
  'amount',
  'currency',
  'description',
  'customer_email',
  'customer_phone',
  'expires_in',
  'return_url',
  'cancel_url',
  'metadata',
] as const;
type Name = (typeof NAMES)[number];

/** The fields below "More fields". */
const MORE: readonly Name[] = ['customer_phone', 'return_url', 'cancel_url', 'metadata'];
export const ADDRESS = { type: 'url', maxLength: MAX_RETURN_ADDRESS } as const;

/** The fields as the person typed them. */
type Fields = Readonly<Record<Name, string>>;
type Faults = Readonly<Partial<Record<Name, string>>>;

const DEFAULTS: Readonly<Partial<Record<Name, string>>> = { currency: 'XOF', expires_in: '86400' };

function readFields(source: URLSearchParams): Fields {
  const read = NAMES.map((name) => [name, (source.get(name) ?? DEFAULTS[name] ?? '').trim()]);
  return Object.fromEntries(read) as Record<Name, string>;
}

function showForm(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return formPage(visit, { fields: readFields(visit.query), key: randomUUID() });
}

interface FormState {
  readonly fields: Fields;
  readonly key: string;
  readonly faults?: Faults;
  readonly notice?: string;
  readonly status?: number;
}

function formPage(
  { account, language }: MemberVisit,
  { fields, key, faults = {}, notice, status = 200 }: FormState,
): Answer {
  const words = WORDS[language];
  if (account.is_frozen) {
    const refusal = <Notice tone="bad">{words.frozen}</Notice>;
    return page(words.new_link, refusal, status === 200 ? 200 : 403);
  }
  const about = (name: Name) => ({ name, value: fields[name], fault: faults[name] });
  const seconds = [
    ['3600', words.hour],
    ['86400', words.day],
    ['604800', words.week],
    ['2592000', words.month],
  ] as const;
  return page(
    words.new_link,
    <>
      {notice && <Notice tone="bad">{notice}</Notice>}
      <Form action="/links">
        <input type="hidden" name="key" value={key} />
        <AmountField label={words.amount} value={fields.amount} fault={faults.amount} />
        <Select
          {...about('currency')}
          label={words.currency}
          options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
        />
        <Field
          {...about('description')}
          label={words.description}
          hint={words.description_hint}
          maxLength={500}
        />
        <Field
          {...about('customer_email')}
          label={words.email}
          hint={words.email_hint}
          type="email"
          maxLength={254}
        />
        <Select
          {...about('expires_in')}
          label={words.expires}
          options={seconds.map(([value, label]) => ({ value, label }))}
        />
        <details open={MORE.some((name) => faults[name] !== undefined)}>
          <summary>{words.more}</summary>
          <Field {...about('customer_phone')} label={words.phone} hint={words.phone_hint} />
          <Field
            {...about('return_url')}
            {...ADDRESS}
            label={words.return_url}
            hint={words.return_url_hint}
          />
          <Field
            {...about('cancel_url')}
            {...ADDRESS}
            label={words.cancel_url}
            hint={words.cancel_url_hint}
          />
          <TextArea {...about('metadata')} label={words.metadata} hint={words.metadata_hint} />
        </details>
        <Button>{words.create}</Button>
      </Form>
      <p class="hint">{words.once}</p>
    </>,
    status,
  );
}

async function create(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const fields = readFields(form);
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const state = { fields, key };
  if (account.is_frozen) return formPage(visit, { ...state, status: 403 });
  const typed = readAmountField(language, fields, dependencies.config.max_payment);
  if (!typed.ok) {
    return formPage(visit, { ...state, faults: { [typed.param]: typed.fault }, status: 422 });
  }
  const read = readBody(fields);
  if (!read.ok) {
    const faults = textsOf(visit, read.faults);
    return formPage(visit, { ...state, faults, status: 422 });
  }
  try {
    const { environment } = session;
    const { user_id, username } = account;
    const scope = { user_id, environment, operation: 'payment_intent', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { body: created } = await createLink(dependencies, {
      caller: { user_id, username, environment, ...before },
      body: read.body,
      numbers: new Map([['/amount', typed.text]]),
      idempotency_key: key,
      has_own_key: true,
      request_id: ctx.state.request_id,
    });
    const { id } = JSON.parse(created) as { readonly id: string };
    return seeOther(`/links/${id}`, { flash: { notice: WORDS[language].made }, subject: id });
  } catch (error) {
    return afterError(visit, state, error);
  }
}

/** What is left to the use case: the amount, and where the customer may be led. */
function readBody(
  fields: Fields,
):
  | { readonly ok: true; readonly body: IntentFields }
  | { readonly ok: false; readonly faults: readonly Name[] } {
  const { currency, description, customer_email, customer_phone } = fields;
  const expires_in = Number(fields.expires_in);
  const metadata = readMetadata(fields.metadata);
  const { minimum, maximum } = LINK_BOUNDS.expires_in;
  const wrong: Readonly<Partial<Record<Name, boolean>>> = {
    currency: !isCurrency(currency),
    description: lengthOf(description) > LINK_BOUNDS.description,
    customer_email: customer_email !== '' && readEmail(customer_email) === undefined,
    customer_phone: customer_phone !== '' && !PHONE.test(customer_phone),
    expires_in: !Number.isInteger(expires_in) || expires_in < minimum || expires_in > maximum,
    metadata: metadata === undefined,
  };
  const faults = NAMES.filter((name) => wrong[name]);
  if (!isCurrency(currency) || metadata === undefined || faults.length > 0) {
    return { ok: false, faults };
  }
  const given = <N extends Name>(name: N): Partial<Record<N, string>> =>
    fields[name] === '' ? {} : ({ [name]: fields[name] } as Record<N, string>);
  const body = {
    currency,
    expires_in,
    ...given('description'),
    ...given('customer_email'),
    ...given('customer_phone'),
    ...given('return_url'),
    ...given('cancel_url'),
    ...(fields.metadata === '' ? {} : { metadata }),
  };
  return { ok: true, body };
}

const PHONE = new RegExp(PHONE_PATTERN, 'u');

const lengthOf = (text: string): number => Array.from(text).length;

/** Reads lines of `name=value`; undefined when they are no list, or too much. */
function readMetadata(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const entries = lines.map((line) => {
    const [name = '', ...value] = line.split('=');
    return [name.trim(), value.length > 0 ? value.join('=').trim() : undefined] as const;
  });
  const metadata = new Map(entries);
  const { name: longest_name, value: longest_value, entries: most } = LINK_BOUNDS.metadata;
  const isRight = entries.every(
    ([name, value]) =>
      name !== '' &&
      !RESERVED_KEYS.has(name) &&
      lengthOf(name) <= longest_name &&
      value !== undefined &&
      lengthOf(value) <= longest_value,
  );
  if (!isRight || metadata.size > most) return undefined;
  return Object.fromEntries(metadata) as Record<string, string>;
}

function afterError(visit: MemberVisit, state: FormState, error: unknown): Answer {
  const { param, ...rest } = readFailure(WORDS[visit.language], error);
  const faults = textsOf(visit, param === undefined ? [] : namesIn(param));
  return formPage(visit, { ...state, faults, ...rest });
}

/** What a form says of an order that was refused, or may yet be carried out. */
export interface OrderFailure {
  /** The field that was refused. */
  readonly param?: string;
  readonly notice?: string;
  /** A new key when the old one belongs to other values. An order that may yet be carried out keeps its own. */
  readonly key?: string;
  readonly status: number;
}

type FailureWords = Readonly<Record<'reused' | 'no_gateway' | 'not_made', string>>;

/** @throws what no form explains */
export function readFailure(words: FailureWords, error: unknown): OrderFailure {
  const code = error instanceof Refusal ? error.code : undefined;
  switch (code) {
    case 'invalid_request':
      return { param: (error as Refusal).about.param!, status: 422 };
    case 'idempotency_key_reuse':
      return { key: randomUUID(), notice: words.reused, status: 422 };
    case 'gateway_not_configured':
      return { notice: words.no_gateway, status: 503 };
    case 'gateway_error':
    case 'gateway_timeout':
    case 'unavailable':
    case 'idempotency_in_progress':
      return { notice: words.not_made, status: 503 };
    default:
      if (isDatabaseUnavailable(error)) return { notice: words.not_made, status: 503 };
      throw error;
  }
}

function textsOf({ language }: MemberVisit, names: readonly Name[]): Faults {
  const words = WORDS[language];
  const texts: Readonly<Record<Name, string>> = {
    amount: words.fault_gateway,
    currency: words.fault_gateway,
    description: words.fault_description,
    customer_email: words.fault_email,
    customer_phone: words.fault_phone,
    expires_in: words.fault_expires,
    return_url: words.fault_address,
    cancel_url: words.fault_address,
    metadata: words.fault_metadata,
  };
  return Object.fromEntries(names.map((name) => [name, texts[name]])) as Faults;
}

function namesIn(param: string): readonly Name[] {
  return NAMES.filter((name) => param.split('/')[0] === name);
}

export const NEW_LINK_ROUTES = [
  pageRoute('/links/new', 'links', showForm),
  formRoute('/links', 'links', 'links.create', create),
];

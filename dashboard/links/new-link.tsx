// Making a payment link: the same path as POST /payment-intents. The form carries the idempotency key, so
// that a second click and a reload make one link.

import { randomUUID } from 'node:crypto';
import { ApiError } from '../../api/api-error';
import { bodyCheck } from '../../api/middleware/validate';
import { createLink } from '../../api/payment-intents/create';
import { createIntentBody, type CreateIntentBody } from '../../api/payment-intents/schema';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/idempotency';
import { CURRENCIES } from '../../domain/currency';
import { isUuid } from '../../domain/ids';
import { MAX_RETURN_ADDRESS } from '../../domain/return-address';
import { readTypedAmount } from '../amounts';
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

/** Below "More fields". */
const MORE: readonly Name[] = ['customer_phone', 'return_url', 'cancel_url', 'metadata'];
const ADDRESS = { type: 'url', maxLength: MAX_RETURN_ADDRESS } as const;

/** As they were typed. */
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
      <Form action="/links" class="narrow">
        <input type="hidden" name="key" value={key} />
        <Field {...about('amount')} label={words.amount} required inputmode="decimal" />
        <Select
          {...about('currency')}
          label={words.currency}
          options={CURRENCIES.map((value) => ({ value, label: value }))}
        />
        <Field
          {...about('description')}
          label={words.description}
          hint={words.description_hint}
          maxLength={500}
        />
        <Field {...about('customer_email')} label={words.email} type="email" maxLength={254} />
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

const checkBody = bodyCheck(createIntentBody);

async function create(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const fields = readFields(form);
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const state = { fields, key };
  if (account.is_frozen) return formPage(visit, { ...state, status: 403 });
  const typed = readTypedAmount(language, fields, dependencies.config.max_payment);
  if (!typed.ok) {
    return formPage(visit, { ...state, faults: { [typed.param]: typed.fault }, status: 422 });
  }
  try {
    const body = readBody(fields, Number(typed.text));
    checkBody(body);
    const { environment } = session;
    const { user_id, username } = account;
    const scope = { user_id, environment, operation: 'payment_intent', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { body: created } = await createLink(dependencies, {
      caller: { user_id, username, environment, ...before },
      body: body as CreateIntentBody,
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

/** Not checked yet. @throws ApiError invalid_request for metadata that is no list */
function readBody(fields: Fields, amount: number): Readonly<Record<string, unknown>> {
  const { currency, description, customer_email, customer_phone, expires_in } = fields;
  const { return_url, cancel_url } = fields;
  const given = (name: string, value: string) => (value === '' ? {} : { [name]: value });
  const lines = fields.metadata
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const metadata = lines.map((line) => {
    const at = line.indexOf('=');
    if (at < 1) throw new ApiError('invalid_request', { param: 'metadata' });
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return {
    amount,
    currency,
    ...given('description', description),
    ...given('customer_email', customer_email),
    ...given('customer_phone', customer_phone),
    ...given('return_url', return_url),
    ...given('cancel_url', cancel_url),
    ...(lines.length === 0 ? {} : { metadata: Object.fromEntries(metadata) as object }),
    expires_in: /^\d{1,9}$/.test(expires_in) ? Number(expires_in) : expires_in,
  };
}

/** Whatever may yet be created is asked for again with the same key. */
function afterError(visit: MemberVisit, state: FormState, error: unknown): Answer {
  const words = WORDS[visit.language];
  const refuse = (rest: Partial<FormState>) => formPage(visit, { ...state, ...rest });
  const code = error instanceof ApiError ? error.code : undefined;
  switch (code) {
    case 'invalid_request':
      return refuse({ faults: faultsOf(visit, error as ApiError), status: 422 });
    case 'idempotency_key_reuse':
      return refuse({ key: randomUUID(), notice: words.reused, status: 422 });
    case 'gateway_not_configured':
      return refuse({ notice: words.no_gateway, status: 503 });
    case 'gateway_error':
    case 'gateway_timeout':
    case 'unavailable':
    case 'idempotency_in_progress':
      return refuse({ notice: words.not_made, status: 503 });
    default:
      if (isDatabaseUnavailable(error)) return refuse({ notice: words.not_made, status: 503 });
      throw error;
  }
}

function faultsOf({ language }: MemberVisit, { about }: ApiError): Faults {
  const words = WORDS[language];
  const texts: Readonly<Partial<Record<Name, string>>> = {
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
  const details = (about.details ?? []) as readonly { readonly param: string }[];
  const params = details.length > 0 ? details.map(({ param }) => param) : [about.param ?? ''];
  const names = new Set(params.map((param) => param.split('/')[0]));
  return Object.fromEntries(
    NAMES.filter((name) => names.has(name)).map((name) => [name, texts[name]]),
  ) as Faults;
}

export const NEW_LINK_ROUTES = [
  pageRoute('/links/new', 'money', showForm),
  formRoute('/links', 'money', 'links.create', create),
];

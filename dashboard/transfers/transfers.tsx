// Sending money: a form, what it would come to, and the transfer. The same path as POST /transfers; the
// idempotency key is made with the preview and carried in its form, so that a second click, a reload and
// "ask again" are the same transfer.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { ApiError } from '../../api/api-error';
import { sendTransfer } from '../../api/transfers/send';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/idempotency';
import { findTransfer, findUnknownRecipientWait, previewTransfer } from '../../db/transfers';
import type { TransferPreview, TransferRow } from '../../db/transfers';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { isUuid, TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import type { Minor } from '../../domain/money';
import { formatMoney } from '../../pages/formats';
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
import { Button, Field, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice, Tag, Time } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

/** As they were typed. */
interface Fields {
  readonly to_username: string;
  readonly currency: string;
  readonly amount: string;
}

type Faults = Readonly<Partial<Record<keyof Fields, string>>>;

const LONGEST_NAME = 64;

function readFields(source: URLSearchParams): Fields {
  return {
    // As people write names of accounts.
    to_username: (source.get('to_username') ?? '').trim().replace(/^@/, '').toLowerCase(),
    currency: source.get('currency') ?? 'XOF',
    amount: (source.get('amount') ?? '').trim(),
  };
}

function showForm(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return formPage(visit, readFields(visit.query), {}, { status: 200 });
}

function formPage(
  { account, session, language }: MemberVisit,
  fields: Fields,
  faults: Faults,
  { status, notice }: { readonly status: number; readonly notice?: string },
): Answer {
  const words = WORDS[language];
  if (account.is_frozen) {
    return page(words.send, <Notice tone="bad">{words.frozen}</Notice>, status === 200 ? 200 : 403);
  }
  return page(
    words.send,
    <>
      {notice && <Notice tone="bad">{notice}</Notice>}
      <p class="lead">{words.lead}</p>
      {session.environment === 'sandbox' && <Notice>{words.sandbox}</Notice>}
      <Form action="/transfers/preview" class="narrow">
        <Field
          name="to_username"
          label={words.to}
          value={fields.to_username}
          required
          autocomplete="off"
          maxLength={LONGEST_NAME}
          fault={faults.to_username}
        />
        <Field
          name="amount"
          label={words.amount}
          value={fields.amount}
          required
          autocomplete="off"
          inputmode="decimal"
          maxLength={40}
          fault={faults.amount}
        />
        <Select
          name="currency"
          label={words.currency}
          value={fields.currency}
          options={CURRENCIES.map((value) => ({ value, label: value }))}
          fault={faults.currency}
        />
        <Button>{words.next}</Button>
      </Form>
    </>,
    status,
  );
}

/** What is to be sent, once it is well-formed. */
interface Order {
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount: Minor;
  readonly amount_text: string;
}

function readOrder(
  { config }: DashboardDependencies,
  { language }: MemberVisit,
  fields: Fields,
): Order | Faults {
  const words = WORDS[language];
  const { to_username } = fields;
  const isName = to_username !== '' && to_username.length <= LONGEST_NAME;
  const typed = readTypedAmount(language, fields, config.max_transfer);
  if (!isName || !typed.ok) {
    return {
      ...(isName ? {} : { to_username: words.missing_recipient }),
      ...(typed.ok ? {} : { [typed.param]: typed.fault }),
    };
  }
  return { to_username, currency: typed.currency, amount: typed.amount, amount_text: typed.text };
}

function isOrder(read: Order | Faults): read is Order {
  return 'amount_text' in read;
}

/** By POST, because it counts names that nobody has, which a link on another site must not. */
async function preview(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language } = visit;
  const fields = readFields(visit.form);
  const order = readOrder(dependencies, visit, fields);
  if (!isOrder(order)) return formPage(visit, fields, order, { status: 422 });
  const found = await previewTransfer(dependencies.db, {
    sender_id: account.user_id,
    environment: session.environment,
    to_username: order.to_username,
    currency: order.currency,
    amount_minor: order.amount,
  });
  if (found.outcome === 'possible') {
    return page(
      WORDS[language].preview,
      <Preview order={order} preview={found} idempotency_key={randomUUID()} />,
    );
  }
  return refuse(dependencies, visit, fields, found);
}

async function refuse(
  { db }: DashboardDependencies,
  visit: MemberVisit,
  fields: Fields,
  { outcome, balance_minor }: TransferPreview,
): Promise<Answer> {
  const { account, session, language, ctx } = visit;
  const words = WORDS[language];
  const wrong = (faults: Faults, status = 422) => formPage(visit, fields, faults, { status });
  switch (outcome) {
    case 'recipient_not_found':
      return wrong({ to_username: words.unknown_recipient });
    case 'self_transfer':
      return wrong({ to_username: words.self });
    case 'insufficient_funds': {
      const balance = formatMoney(language, balance_minor, fields.currency as Currency);
      return wrong({ amount: words.insufficient(balance) });
    }
    case 'unknown_recipient_limit': {
      const wait = await findUnknownRecipientWait(db, account.user_id, session.environment);
      ctx.set('Retry-After', String(wait));
      return wrong({ to_username: words.unknown_limit(String(Math.ceil(wait / 60))) }, 429);
    }
    case 'possible':
    case 'account_frozen':
      return page(words.send, <Notice tone="bad">{words.frozen}</Notice>, 403);
  }
}

function Preview({
  order,
  preview: { fee_minor, balance_minor },
  idempotency_key,
}: {
  readonly order: Order;
  readonly preview: TransferPreview;
  readonly idempotency_key: string;
}): JSX.Element {
  const { language, session } = useFrame();
  const words = WORDS[language];
  const { to_username, currency, amount, amount_text } = order;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const isSimulated = session?.environment === 'sandbox';
  const change = new URLSearchParams({ to_username, currency, amount: amount_text });
  return (
    <>
      {isSimulated && <Notice>{words.sandbox}</Notice>}
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{to_username}</bdi> },
          { term: words.amount, value: money(amount) },
          { term: words.fee, value: money(fee_minor) },
          { term: words.recipient_gets, value: money(amount - fee_minor) },
          { term: words.balance_now, value: money(balance_minor) },
          {
            term: words.balance_after,
            value: isSimulated ? words.unchanged : money(balance_minor - amount),
          },
        ]}
      />
      <SendForm
        order={order}
        idempotency_key={idempotency_key}
        label={words.send_now(formatMoney(language, amount, currency))}
      />
      <p class="hint">{words.once}</p>
      <p>
        <Link to={`/transfers/new?${change}`}>{words.change}</Link>
      </p>
    </>
  );
}

function SendForm({
  order: { to_username, currency, amount_text },
  idempotency_key,
  label,
}: {
  readonly order: Order;
  readonly idempotency_key: string;
  readonly label: string;
}): JSX.Element {
  return (
    <Form action="/transfers">
      <input type="hidden" name="to_username" value={to_username} />
      <input type="hidden" name="currency" value={currency} />
      <input type="hidden" name="amount" value={amount_text} />
      <input type="hidden" name="key" value={idempotency_key} />
      <Button>{label}</Button>
    </Form>
  );
}

async function send(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const fields = readFields(form);
  const key = form.get('key') ?? '';
  const order = readOrder(dependencies, visit, fields);
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  if (!isOrder(order)) return formPage(visit, fields, order, { status: 422 });
  const { user_id, username } = account;
  const { environment } = session;
  try {
    const scope = { user_id, environment, operation: 'transfer', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { status, body } = await sendTransfer(dependencies, {
      sender: { user_id, username, environment, ...before },
      ...order,
      key,
      has_own_key: true,
      request_id: ctx.state.request_id,
    });
    return afterResponse(visit, fields, status, body);
  } catch (error) {
    return afterError(visit, { fields, order, key }, error);
  }
}

/** The response that is stored for the key, and the same for whoever sends the form again. */
function afterResponse(visit: MemberVisit, fields: Fields, status: number, body: string): Answer {
  const words = WORDS[visit.language];
  if (status === 200) {
    const { reference, simulated } = JSON.parse(body) as Pick<
      TransferRow,
      'reference' | 'simulated'
    >;
    const notice = simulated ? words.sent_simulated : words.sent;
    return seeOther(`/transfers/${reference}`, { flash: { notice }, subject: reference });
  }
  const faults =
    status === 402 ? { amount: words.insufficient_now } : { to_username: words.unknown_recipient };
  return formPage(visit, fields, faults, { status: 422 });
}

interface SentForm {
  readonly fields: Fields;
  readonly order: Order;
  readonly key: string;
}

/** What is not stored. Whatever is not known for certain is asked again with the same key. */
function afterError(visit: MemberVisit, { fields, order, key }: SentForm, error: unknown): Answer {
  const words = WORDS[visit.language];
  const code = error instanceof ApiError ? error.code : undefined;
  switch (code) {
    case 'account_frozen':
      return page(words.send, <Notice tone="bad">{words.frozen}</Notice>, 403);
    case 'idempotency_key_reuse':
      return formPage(visit, fields, {}, { status: 422, notice: words.reused });
    case 'invalid_request':
      return (error as ApiError).about.param === 'to_username'
        ? formPage(visit, fields, { to_username: words.self }, { status: 422 })
        : formPage(visit, fields, { amount: words.recipient_full }, { status: 422 });
    case 'rate_limited': {
      const { headers } = error as ApiError;
      visit.ctx.set(headers);
      const minutes = String(Math.ceil(Number(headers['Retry-After']) / 60));
      const fault = words.unknown_limit(minutes);
      return formPage(visit, fields, { to_username: fault }, { status: 429 });
    }
    case 'unavailable':
    case 'idempotency_in_progress':
      return unknownPage(visit, order, key);
    default:
      if (isDatabaseUnavailable(error)) return unknownPage(visit, order, key);
      throw error;
  }
}

function unknownPage({ language, ctx }: MemberVisit, order: Order, key: string): Answer {
  const words = WORDS[language];
  ctx.set('Retry-After', '1');
  const { to_username, currency, amount } = order;
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{to_username}</bdi> },
          { term: words.amount, value: <Money minor={amount} currency={currency} /> },
        ]}
      />
      <SendForm order={order} idempotency_key={key} label={words.ask_again} />
      <p>
        <Link to="/transactions?type=transfer_out">{words.history}</Link>
      </p>
    </>,
    503,
  );
}

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

async function showTransfer(
  { db }: DashboardDependencies,
  { account, session, language, params }: MemberVisit,
): Promise<Answer> {
  const reference = params['reference'] ?? '';
  const row = REFERENCE.test(reference)
    ? await findTransfer(db, account.user_id, session.environment, reference)
    : undefined;
  if (!row) return troublePage(language, { kind: 'unknown' });
  return page(WORDS[language].transfer, <Transfer row={row} />);
}

function Transfer({ row }: { readonly row: TransferRow }): JSX.Element {
  const words = WORDS[useFrame().language];
  const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
  const isOut = row.direction === 'out';
  const party = (username: string, is_you: boolean) => (
    <>
      <bdi>{username}</bdi>
      {is_you ? ` (${words.you})` : ''}
    </>
  );
  const status = row.status as 'completed' | 'reversed' | 'simulated';
  return (
    <>
      <p class="big">{money(row.amount_minor)}</p>
      {row.simulated && <Notice>{words.simulated_note}</Notice>}
      <Details
        rows={[
          {
            term: words.status,
            value: <Tag tone={status === 'completed' ? 'good' : 'quiet'}>{words[status]}</Tag>,
          },
          { term: words.from, value: party(row.from_username, isOut) },
          { term: words.recipient, value: party(row.to_username, !isOut) },
          { term: words.fee, value: money(row.fee_minor) },
          { term: words.recipient_gets, value: money(row.amount_minor - row.fee_minor) },
          { term: words.at, value: <Time at={row.created_at} /> },
          { term: words.reference, value: <code>{row.reference}</code> },
        ]}
      />
      <p class="actions">
        <Link to="/transactions">{words.history}</Link>
        <Link to="/transfers/new">{words.another}</Link>
      </p>
    </>
  );
}

/** Where a form was answered, and where the switch of environments leads. */
function toForm(): Answer {
  return seeOther('/transfers/new');
}

export const TRANSFER_ROUTES = [
  pageRoute('/transfers/new', 'money', showForm),
  pageRoute('/transfers/preview', 'money', toForm),
  formRoute('/transfers/preview', 'money', null, preview),
  pageRoute('/transfers', 'money', toForm),
  formRoute('/transfers', 'money', 'transfers.send', send),
  pageRoute('/transfers/:reference', 'read', showTransfer),
];

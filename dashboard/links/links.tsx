// Payment links: a list, one of them, and cancelling it.

import type { JSX } from 'preact';
import { Refusal } from '../../domain/refusal';
import { cancelLink, findLink } from '../../use-cases/payment-intents/cancel';
import { isDatabaseUnavailable } from '../../db/errors';
import {
  listEndOfTimeline,
  listIntents,
  type IntentQuery,
} from '../../db/payment-intents/intent-views';
import { CURRENCIES } from '../../domain/currency';
import { parseInstant } from '../../domain/instant';
import {
  INTENT_STATUSES,
  payUrl,
  type IntentStatus,
  type IntentView,
  type TimelineEntry,
  paidMinor,
} from '../../domain/intent';
import { mayDo } from '../../domain/members';
import type { RefundView } from '../../domain/refund';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Filters, Form, Select } from '../forms';
import { useFrame } from '../frame';
import {
  Copyable,
  Details,
  Link,
  Money,
  Notice,
  Pager,
  Table,
  Tag,
  Time,
  type Tone,
} from '../parts';
import { QrCode } from '../../pages/qr';
import { troublePage } from '../trouble';
import { NEW_LINK_ROUTES } from './new-link';
import { leftOf, readRefunds, REFUND_ROUTES, Refunds } from './refund';
import { REFUND_WORDS } from './refund-words';
import { Timeline } from './timeline';
import { STATUS_WORDS, WORDS } from './words';

const PAGE_ROWS = 50;
const TIMELINE_ROWS = 100;

async function showLinks(
  { db }: DashboardDependencies,
  { account, session, language, query }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const read = readFilters(query);
  if (!read.ok)
    return page(words.links, <LinkFilters query={query} fault={words.wrong_choice} />, 422);
  const found = await listIntents(db, {
    user_id: account.user_id,
    environment: session.environment,
    before: parseInstant(query.get('cursor') ?? ''),
    limit: PAGE_ROWS + 1,
    filters: read.filters,
  });
  const rows = found.slice(0, PAGE_ROWS);
  const next_cursor = found.length > PAGE_ROWS ? rows.at(-1)!.created_at : null;
  return page(
    words.links,
    <>
      <p class="lead">{words.lead}</p>
      {mayDo(account.role, 'links', session.environment) && (
        <Link to="/links/new" class="button">
          {words.make}
        </Link>
      )}
      <LinkFilters query={query} />
      <LinkTable rows={rows} />
      <Pager path="/links" query={query} next_cursor={next_cursor} />
    </>,
  );
}

type ReadFilters =
  { readonly ok: true; readonly filters: IntentQuery['filters'] } | { readonly ok: false };

const LONGEST = { reference: 64, customer_email: 254 } as const;

function readFilters(query: URLSearchParams): ReadFilters {
  const text = (name: string): string => (query.get(name) ?? '').trim();
  const status = INTENT_STATUSES.find((one) => one === text('status'));
  const currency = CURRENCIES.find((one) => one === text('currency'));
  const reference = text('reference');
  const customer_email = text('customer_email');
  const isRight =
    (status !== undefined || text('status') === '') &&
    (currency !== undefined || text('currency') === '') &&
    reference.length <= LONGEST.reference &&
    customer_email.length <= LONGEST.customer_email;
  if (!isRight) return { ok: false };
  return {
    ok: true,
    filters: {
      status,
      currency,
      reference: reference === '' ? undefined : reference,
      customer_email: customer_email === '' ? undefined : customer_email,
    },
  };
}

function LinkFilters({
  query,
  fault,
}: {
  readonly query: URLSearchParams;
  readonly fault?: string;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const all = { value: '', label: words.all };
  const value = (name: string): string => query.get(name) ?? '';
  return (
    <>
      {fault && <Notice tone="bad">{fault}</Notice>}
      <Filters action="/links">
        <Select
          name="status"
          label={words.status}
          value={value('status')}
          options={[
            all,
            ...INTENT_STATUSES.map((one) => ({ value: one, label: STATUS_WORDS[language][one] })),
          ]}
        />
        <Select
          name="currency"
          label={words.currency}
          value={value('currency')}
          options={[all, ...CURRENCIES.map((one) => ({ value: one, label: one }))]}
        />
        <Field
          name="reference"
          label={words.reference}
          value={value('reference')}
          maxLength={LONGEST.reference}
        />
        <Field
          name="customer_email"
          label={words.email}
          value={value('customer_email')}
          maxLength={LONGEST.customer_email}
        />
        <div class="actions">
          <button type="submit" class="button plain">
            {words.filter}
          </button>
          <Link to="/links">{words.clear}</Link>
        </div>
      </Filters>
    </>
  );
}

function LinkTable({ rows }: { readonly rows: readonly IntentView[] }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <Table
      caption={words.caption}
      columns={[
        words.at,
        words.amount,
        words.description,
        words.customer,
        words.status,
        words.ends,
      ]}
      rows={rows.map((row) => [
        <Time at={row.created_at} />,
        <Link to={`/links/${row.id}`}>
          <Money minor={row.amount_minor} currency={row.currency} />
        </Link>,
        <bdi>{row.description ?? row.reference}</bdi>,
        row.customer_email ?? '—',
        <StatusTag status={row.status} />,
        <Time at={row.expires_at} />,
      ])}
    />
  );
}

const TONES: Readonly<Record<IntentStatus, Tone>> = {
  open: 'warn',
  processing: 'warn',
  succeeded: 'good',
  failed: 'bad',
  expired: 'quiet',
  canceled: 'quiet',
};

function StatusTag({ status }: { readonly status: IntentStatus }): JSX.Element {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{STATUS_WORDS[language][status]}</Tag>;
}

async function showLink(
  { db, config }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, params } = visit;
  const { user_id } = account;
  const { environment } = session;
  const view = await findLink(db, { user_id, environment }, params['id'] ?? '');
  if (!view) return troublePage(language, { kind: 'unknown' });
  const entries = await listEndOfTimeline(db, view.id, TIMELINE_ROWS);
  const pay_url = payUrl(config.pay_url_base, view.short_code);
  const may_move = mayDo(account.role, 'money', environment);
  const refunds = view.status === 'succeeded' ? await readRefunds({ db }, visit, view) : [];
  const is_cancelable = view.status === 'open' && may_move;
  const is_refundable = leftOf(view) > 0n && may_move;
  const shown = { view, entries, pay_url, refunds, is_cancelable, is_refundable };
  return page(WORDS[language].link, <PaymentLink {...shown} />);
}

function PaymentLink({
  view,
  entries,
  pay_url,
  refunds,
  is_cancelable,
  is_refundable,
}: {
  readonly view: IntentView;
  readonly entries: readonly TimelineEntry[];
  readonly pay_url: string;
  readonly refunds: readonly RefundView[];
  readonly is_cancelable: boolean;
  readonly is_refundable: boolean;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <>
      <p class="big">
        <Money minor={view.amount_minor} currency={view.currency} />{' '}
        <StatusTag status={view.status} />
      </p>
      {view.description !== null && (
        <p>
          <bdi>{view.description}</bdi>
        </p>
      )}
      <section class="card link" aria-labelledby="pay-url">
        <h2 id="pay-url">{words.pay_url}</h2>
        <Copyable value={pay_url} label={words.pay_url} />
        {view.status === 'open' && (
          <>
            <QrCode class="qr" text={pay_url} label={words.qr} />
            <p class="hint screen">{words.print}</p>
          </>
        )}
      </section>
      <LinkDetails view={view} />
      {is_cancelable && (
        <p class="screen">
          <Link to={`/links/${view.id}/cancel`} class="button danger">
            {words.cancel}
          </Link>
        </p>
      )}
      {is_refundable && (
        <p class="screen">
          <Link to={`/links/${view.id}/refund`} class="button">
            {REFUND_WORDS[language].refund}
          </Link>
        </p>
      )}
      <Refunds rows={refunds} />
      <section class="screen">
        <h2>{words.timeline}</h2>
        <Timeline entries={entries} currency={view.currency} />
      </section>
    </>
  );
}

function LinkDetails({ view }: { readonly view: IntentView }): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  const optional = (term: string, value: string | null) =>
    value === null ? [] : [{ term, value: <bdi>{value}</bdi> }];
  return (
    <Details
      rows={[
        { term: words.reference, value: <code>{view.reference}</code> },
        { term: words.at, value: <Time at={view.created_at} /> },
        { term: words.ends, value: <Time at={view.expires_at} /> },
        ...optional(words.email, view.customer_email),
        ...optional(words.phone, view.customer_phone),
        ...optional(words.return_url, view.return_url),
        ...optional(words.cancel_url, view.cancel_url),
        ...(view.status === 'succeeded'
          ? [
              { term: words.fee, value: money(view.fee_minor) },
              { term: words.net, value: money(paidMinor(view) - view.fee_minor) },
              { term: REFUND_WORDS[language].refunded, value: money(view.refunded_minor) },
            ]
          : []),
        ...optional(words.last_error, view.last_payment_error?.message ?? null),
        ...(view.transaction_id === null
          ? []
          : [
              {
                term: words.transaction,
                value: (
                  <Link to={`/transactions/${view.transaction_id}`}>{words.open_transaction}</Link>
                ),
              },
            ]),
        ...Object.entries(view.metadata).map(([name, value]) => ({
          term: name,
          value: <bdi>{String(value)}</bdi>,
        })),
        { term: words.id, value: <code>{view.id}</code> },
      ]}
    />
  );
}

async function askToCancel({ db }: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const view = await findOwn({ db }, visit);
  if (!view) return troublePage(visit.language, { kind: 'unknown' });
  return cancelPage(visit, view);
}

function findOwn(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<IntentView | undefined> {
  const { environment } = session;
  return findLink(db, { user_id: account.user_id, environment }, params['id'] ?? '');
}

function cancelPage(
  { account, language }: MemberVisit,
  view: IntentView,
  { notice, status = 200 }: { readonly notice?: string; readonly status?: number } = {},
): Answer {
  const words = WORDS[language];
  const refusal = account.is_frozen ? words.frozen : notice;
  return page(
    words.cancel_title,
    <>
      {refusal && <Notice tone="bad">{refusal}</Notice>}
      <p class="lead">{words.cancel_text}</p>
      <Details
        rows={[
          {
            term: words.amount,
            value: <Money minor={view.amount_minor} currency={view.currency} />,
          },
          { term: words.status, value: <StatusTag status={view.status} /> },
          { term: words.reference, value: <code>{view.reference}</code> },
        ]}
      />
      {view.status === 'open' && !account.is_frozen && (
        <Form action={`/links/${view.id}/cancel`}>
          <Button look="danger">{words.cancel}</Button>
        </Form>
      )}
      <p>
        <Link to={`/links/${view.id}`}>{words.keep}</Link>
      </p>
    </>,
    status,
  );
}

async function cancel(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language } = visit;
  const words = WORDS[language];
  const view = await findOwn(dependencies, visit);
  if (!view) return troublePage(language, { kind: 'unknown' });
  if (account.is_frozen) return cancelPage(visit, view, { status: 403 });
  const { environment } = session;
  try {
    await cancelLink(dependencies, { user_id: account.user_id, environment }, view);
    return seeOther(`/links/${view.id}`, { flash: { notice: words.canceled }, subject: view.id });
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined;
    if (code === 'intent_not_cancelable') {
      const now = (await findOwn(dependencies, visit)) ?? view;
      const notice = words.not_cancelable(STATUS_WORDS[language][now.status]);
      return cancelPage(visit, now, { notice, status: 422 });
    }
    const isAway = ['unavailable', 'gateway_error', 'gateway_timeout'].includes(code ?? '');
    if (!isAway && !isDatabaseUnavailable(error)) throw error;
    return cancelPage(visit, view, { notice: words.not_canceled, status: 503 });
  }
}

export const LINK_ROUTES = [
  pageRoute('/links', 'read', showLinks),
  ...NEW_LINK_ROUTES,
  pageRoute('/links/:id', 'read', showLink),
  pageRoute('/links/:id/cancel', 'cancel', askToCancel),
  formRoute('/links/:id/cancel', 'cancel', 'links.cancel', cancel),
  ...REFUND_ROUTES,
];

// Payment links: a list, one of them, and cancelling it.

import type { JSX } from 'preact';
import { Refusal } from '../../domain/refusal';
import { cancelLink, findLink } from '../../use-cases/payment-intents/cancel';
import { isDatabaseUnavailable } from '../../db/errors';
import { CURRENCIES } from '../../domain/currency';
import {
  INTENT_STATUSES,
  type IntentStatus,
  type IntentView,
  paidMinor,
} from '../../domain/intent';
import { mayDo } from '../../domain/members';
import type { PaymentLinkView } from '../../domain/payment-link';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Filters, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { versionOf } from '../live';
import { LiveNote, livePath } from '../live-parts';
import {
  Details,
  Link,
  Money,
  Notice,
  Pager,
  Reference,
  Table,
  Tag,
  Time,
  type Tone,
} from '../parts';
import { translateFailure } from '../../pages/failures';
import { CURRENCY_LABELS, formatMoney } from '../../pages/formats';
import { troublePage } from '../trouble';
import { linkProps, LONGEST, readLink, readLinkFilters, readLinkPage, type LinkPage } from './read';
import { leftOf, Refunds } from './refund';
import { REFUND_WORDS } from './refund-words';
import { Share } from './share';
import { Timeline } from './timeline';
import { Disputes } from './disputes';
import { LinkTabs } from './tabs';
import { STATUS_WORDS, WORDS } from './words';

export async function showLinks(
  dependencies: DashboardDependencies,
  { account, session, language, query }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const { environment } = session;
  const read = readLinkFilters(query);
  if (!read.ok)
    return page(words.links, <LinkFilters query={query} fault={words.wrong_choice} />, 422);
  const links = await readLinkPage(dependencies, { user_id: account.user_id, environment }, read);
  return page(
    words.links,
    <>
      <LinkTabs current="/links" />
      <p class="lead">{words.lead}</p>
      {mayDo(account.role, 'links', environment) && (
        <Link to="/links/new" class="button">
          {words.make}
        </Link>
      )}
      <LinkFilters query={query} />
      <LiveNote
        source={livePath('/links', query)}
        version={versionOf(links)}
        path="/links"
        query={query}
      />
      <div data-live-part="links">
        <LinkRows {...links} query={query} />
      </div>
    </>,
  );
}

export function LinkRows({
  rows,
  next_cursor,
  query,
}: LinkPage & { readonly query: URLSearchParams }): JSX.Element {
  return (
    <>
      <LinkTable rows={rows} />
      <Pager path="/links" query={query} next_cursor={next_cursor} />
    </>
  );
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
          options={[all, ...CURRENCIES.map((one) => ({ value: one, label: CURRENCY_LABELS[one] }))]}
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
        { label: words.at, as: 'when' },
        { label: words.description, as: 'what' },
        { label: words.customer, as: 'who' },
        { label: words.amount, as: 'amount' },
        { label: words.status, as: 'state' },
        words.ends,
      ]}
      rows={rows.map((row) => [
        <Time at={row.created_at} />,
        <Link to={`/links/${row.id}`}>
          {row.description === null ? <code>{row.reference}</code> : <bdi>{row.description}</bdi>}
        </Link>,
        row.customer_email ?? '—',
        <Money minor={row.amount_minor} currency={row.currency} />,
        <StatusTag of={row} />,
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

/** A payment that was refunded says so: what is left of it is what counts. */
export function StatusTag({ of: view }: { readonly of: IntentView }): JSX.Element {
  const { language } = useFrame();
  const words = REFUND_WORDS[language];
  const { status, currency, refunded_minor } = view;
  if (status !== 'succeeded' || refunded_minor === 0n) {
    return (
      <Tag tone={TONES[status]}>
        {STATUS_WORDS[language][status]}
        {status === 'succeeded' && <Tick />}
      </Tag>
    );
  }
  const left = leftOf(view);
  if (left === 0n) return <Tag>{words.in_full}</Tag>;
  return <Tag tone="good">{words.in_part(formatMoney(language, left, currency))}</Tag>;
}

function Tick(): JSX.Element {
  return <span aria-hidden="true"> ✓</span>;
}

export async function showLink(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { language } = visit;
  const found = await readLink(dependencies, visit);
  if (!found) return troublePage(language, { kind: 'unknown' });
  const path = `/links/${found.view.id}`;
  const props = await linkProps(dependencies, visit, found);
  return page(
    WORDS[language].link,
    <>
      {/* Said aloud when it changes: the customer has paid. */}
      <div class="screen" role="status" data-live-part="state">
        <LinkState view={found.view} />
      </div>
      <div data-live-part="link">
        <LinkPart {...props} />
      </div>
      <div class="screen">
        <LiveNote
          source={`${path}/live`}
          version={versionOf(found)}
          path={path}
          query={new URLSearchParams()}
        />
      </div>
    </>,
  );
}

export function LinkState({ view }: { readonly view: IntentView }): JSX.Element {
  const { language } = useFrame();
  if (view.status === 'succeeded' && view.refunded_minor === 0n) {
    return (
      <p class="big gain">
        {STATUS_WORDS[language].succeeded}
        <Tick /> <Money minor={paidMinor(view)} currency={view.currency} />
      </p>
    );
  }
  return (
    <p class="big">
      <Money minor={view.amount_minor} currency={view.currency} /> <StatusTag of={view} />
    </p>
  );
}

export function LinkPart({
  view,
  entries,
  pay_url,
  merchant,
  reusable,
  refunds,
  disputes,
  may_move,
}: Awaited<ReturnType<typeof linkProps>>): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const is_open = view.status === 'open';
  return (
    <>
      {view.description !== null && (
        <p class={is_open ? 'screen' : undefined}>
          <bdi>{view.description}</bdi>
        </p>
      )}
      <Share
        amount={formatMoney(language, view.amount_minor, view.currency)}
        about={view.description}
        phone={view.customer_phone}
        note={words.print}
        pay_url={pay_url}
        merchant={merchant}
      />
      <div class={is_open ? 'screen' : undefined}>
        <LinkDetails view={view} reusable={reusable} />
      </div>
      {is_open && may_move && (
        <p class="screen">
          <Link to={`/links/${view.id}/cancel`} class="button danger">
            {words.cancel}
          </Link>
        </p>
      )}
      {/* A refund of what the bank takes back would pay the customer twice. */}
      {leftOf(view) > 0n && may_move && disputes.every(({ status }) => status === 'won') && (
        <p class="screen">
          <Link to={`/links/${view.id}/refund`} class="button">
            {REFUND_WORDS[language].refund}
          </Link>
        </p>
      )}
      <Refunds rows={refunds} />
      <Disputes rows={disputes} />
      <section class="screen">
        <h2>{words.timeline}</h2>
        <Timeline entries={entries} currency={view.currency} />
      </section>
    </>
  );
}

function LinkDetails({
  view,
  reusable,
}: Pick<Awaited<ReturnType<typeof linkProps>>, 'view' | 'reusable'>): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  const optional = (term: string, value: string | null) =>
    value === null ? [] : [{ term, value: <bdi>{value}</bdi> }];
  return (
    <Details
      rows={[
        {
          term: words.reference,
          value: <Reference value={view.reference} label={words.reference} />,
        },
        ...(reusable === undefined
          ? []
          : [
              {
                term: words.reusable,
                value: <Link to={`/reusable-links/${reusable.id}`}>{reusable.title}</Link>,
              },
              ...(reusable.quantity_minimum === null
                ? []
                : [{ term: words.quantity, value: String(view.quantity) }]),
              ...answersOf(view, reusable).map(([term, value]) => ({
                term,
                value: <bdi>{value}</bdi>,
              })),
            ]),
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
        ...optional(
          words.last_error,
          view.last_payment_error && translateFailure(language, view.last_payment_error),
        ),
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
        { term: words.id, value: <Reference value={view.id} label={words.id} /> },
      ]}
    />
  );
}

/** What the customer answered, by what was asked. */
export function answersOf(
  { collected }: IntentView,
  { collect }: PaymentLinkView,
): (readonly [label: string, answer: string])[] {
  return collect.flatMap(({ key, label }) => {
    const answer = collected?.[key] ?? '';
    return answer === '' ? [] : [[label, answer] as const];
  });
}

export async function askToCancel(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const view = await findOwn(dependencies, visit);
  if (!view) return troublePage(visit.language, { kind: 'unknown' });
  return cancelPage(visit, view);
}

function findOwn(
  dependencies: DashboardDependencies,
  { account, session, params }: MemberVisit,
): Promise<IntentView | undefined> {
  const { environment } = session;
  return findLink(dependencies, { user_id: account.user_id, environment }, params['id'] ?? '');
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
          { term: words.status, value: <StatusTag of={view} /> },
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

export async function cancel(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
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

// Refunding a paid link: the same path as POST /payment-intents/{id_or_code}/refunds. The form carries the
// idempotency key, so that a second click and a reload make one refund.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { ApiError } from '../../api/api-error';
import { findLink } from '../../api/payment-intents/cancel';
import { orderRefund } from '../../api/refunds/create';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/idempotency';
import { listRefunds } from '../../db/refunds';
import { isUuid } from '../../domain/ids';
import { paidMinor, refundableMinor, type IntentView } from '../../domain/intent';
import type { Minor } from '../../domain/money';
import type { RefundStatus, RefundView } from '../../domain/refund';
import { formatMoney } from '../../pages/formats';
import { typedAmount } from '../amounts';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Question } from '../forms';
import { useFrame } from '../frame';
import {
  GiveBackControls,
  GiveBackForm,
  isGiveBack,
  readGiveBack,
  readGiveBackFields,
  type GiveBack,
  type GiveBackFaults,
  type GiveBackFields,
} from '../give-back';
import { Details, Link, Money, Notice, Table, Tag, Time, type Tone } from '../parts';
import { troublePage } from '../trouble';
import { REFUND_FAILURE_WORDS, REFUND_STATUS_WORDS, REFUND_WORDS } from './refund-words';

/** Of one payment, newest first; the API lists all. */
const SHOWN_REFUNDS = 50;

const TONES: Readonly<Record<RefundStatus, Tone>> = {
  pending: 'warn',
  succeeded: 'good',
  failed: 'bad',
};

export function readRefunds(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session }: MemberVisit,
  view: IntentView,
): Promise<RefundView[]> {
  return listRefunds(db, {
    user_id: account.user_id,
    environment: session.environment,
    before: undefined,
    limit: SHOWN_REFUNDS,
    filters: { payment_intent_id: view.id },
  });
}

/** Of a payment link's page; nothing while there are none. */
export function Refunds({ rows }: { readonly rows: readonly RefundView[] }): JSX.Element | null {
  const { language } = useFrame();
  const words = REFUND_WORDS[language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.refunds}</h2>
      <Table
        caption={words.caption}
        columns={[words.at, words.amount, words.status, words.reason, words.reference]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <>
            <Tag tone={TONES[row.status]}>{REFUND_STATUS_WORDS[language][row.status]}</Tag>
            {row.failure && (
              <>
                {' '}
                {REFUND_FAILURE_WORDS[language][row.failure.code]}{' '}
                <bdi lang="en">{row.failure.message}</bdi>
              </>
            )}
          </>,
          <bdi>{row.reason ?? '—'}</bdi>,
          <code>{row.reference}</code>,
        ])}
      />
    </section>
  );
}

/** What can be refunded still; 0 before it is paid. */
export function leftOf(view: IntentView): Minor {
  return refundableMinor(view) as Minor;
}

function actionOf({ id }: IntentView): string {
  return `/links/${id}/refund`;
}

function readOrder(
  { language }: MemberVisit,
  { currency }: IntentView,
  left: Minor,
  fields: GiveBackFields,
): GiveBack | GiveBackFaults {
  const { fault_reason } = REFUND_WORDS[language];
  return readGiveBack(language, fields, { currency, left, fault_reason });
}

/** The form, and with an amount in the query its confirmation. Nothing is reserved before that is sent. */
async function showRefund(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const view = await findOwn(dependencies, visit);
  if (!view) return troublePage(visit.language, { kind: 'unknown' });
  const fields = readGiveBackFields(visit.query);
  if (fields.amount === '') {
    return formPage(visit, view, { ...fields, amount: typedAmount(leftOf(view), view.currency) });
  }
  if (visit.query.has('change')) return formPage(visit, view, fields);
  const refusal = refusalOf(visit, view);
  const order = refusal ? undefined : readOrder(visit, view, leftOf(view), fields);
  if (order && isGiveBack(order)) return confirmPage(visit, view, order);
  return formPage(visit, view, fields, { faults: order ?? {}, status: refusal ? 200 : 422 });
}

function findOwn(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<IntentView | undefined> {
  const { environment } = session;
  return findLink(db, { user_id: account.user_id, environment }, params['id'] ?? '');
}

function refusalOf({ account, language }: MemberVisit, view: IntentView): string | undefined {
  const words = REFUND_WORDS[language];
  if (account.is_frozen) return words.frozen;
  if (view.status !== 'succeeded') return words.not_paid;
  return leftOf(view) === 0n ? words.nothing_left : undefined;
}

interface FormState {
  readonly faults?: GiveBackFaults;
  readonly notice?: string;
  readonly status?: number;
}

function formPage(
  visit: MemberVisit,
  view: IntentView,
  fields: GiveBackFields,
  { faults = {}, notice, status = 200 }: FormState = {},
): Answer {
  const words = REFUND_WORDS[visit.language];
  const refusal = refusalOf(visit, view);
  const said = refusal ?? notice;
  return page(
    words.title,
    <>
      {said && <Notice tone="bad">{said}</Notice>}
      {!refusal && <p class="lead">{words.lead}</p>}
      {view.status === 'succeeded' && <Figures view={view} />}
      {!refusal && (
        <Question action={actionOf(view)}>
          <GiveBackControls
            currency={view.currency}
            fields={fields}
            faults={faults}
            words={words}
          />
        </Question>
      )}
      <Back view={view} />
    </>,
    status,
  );
}

function Figures({ view }: { readonly view: IntentView }): JSX.Element {
  const words = REFUND_WORDS[useFrame().language];
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  return (
    <Details
      rows={[
        { term: words.paid, value: money(paidMinor(view)) },
        { term: words.refunded, value: money(view.refunded_minor) },
        { term: words.left, value: money(leftOf(view)) },
      ]}
    />
  );
}

function Back({ view }: { readonly view: IntentView }): JSX.Element {
  const words = REFUND_WORDS[useFrame().language];
  return (
    <p>
      <Link to={`/links/${view.id}`}>{words.back}</Link>
    </p>
  );
}

function confirmPage({ language }: MemberVisit, view: IntentView, order: GiveBack): Answer {
  const words = REFUND_WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  const change = new URLSearchParams({ amount: order.amount_text, reason: order.reason ?? '' });
  return page(
    words.confirm_title,
    <>
      <p class="lead">{words.lead}</p>
      <Details
        rows={[
          { term: words.amount, value: money(order.amount) },
          { term: words.after, value: money(leftOf(view) - order.amount) },
          { term: words.reason, value: <bdi>{order.reason ?? '—'}</bdi> },
        ]}
      />
      <GiveBackForm
        action={actionOf(view)}
        order={order}
        idempotency_key={randomUUID()}
        label={words.refund_now(formatMoney(language, order.amount, view.currency))}
      />
      <p class="hint">{words.once}</p>
      <p>
        <Link to={`${actionOf(view)}?${change}&change=`}>{words.change}</Link>
      </p>
      <Back view={view} />
    </>,
  );
}

async function refund(dependencies: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const view = await findOwn(dependencies, visit);
  if (!view) return troublePage(language, { kind: 'unknown' });
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const fields = readGiveBackFields(form);
  const { user_id } = account;
  const { environment } = session;
  // What is left may be less by now, because this very form has been sent before: the database decides.
  const order = readOrder(visit, view, leftOf({ ...view, refunded_minor: 0n }), fields);
  if (!isGiveBack(order)) return formPage(visit, view, fields, { faults: order, status: 422 });
  try {
    const scope = { user_id, environment, operation: 'refund', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { status } = await orderRefund(dependencies, {
      caller: { user_id, environment, ...before },
      intent: view,
      amount_text: order.amount_text,
      reason: order.reason,
      metadata: {},
      numbers: new Map(),
      key,
      request_id: ctx.state.request_id,
    });
    const words = REFUND_WORDS[language];
    if (status === 201) {
      return seeOther(`/links/${view.id}`, { flash: { notice: words.done }, subject: view.id });
    }
    return formPage(visit, view, fields, { notice: words.insufficient, status: 422 });
  } catch (error) {
    return afterError(dependencies, visit, { view, fields, order, key }, error);
  }
}

interface SentForm {
  readonly view: IntentView;
  readonly fields: GiveBackFields;
  readonly order: GiveBack;
  readonly key: string;
}

/** What is not stored. Whatever is not known for certain is asked again with the same key. */
async function afterError(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  { view, fields, order, key }: SentForm,
  error: unknown,
): Promise<Answer> {
  const words = REFUND_WORDS[visit.language];
  const code = error instanceof ApiError ? error.code : undefined;
  if (code === 'unavailable' || isDatabaseUnavailable(error)) {
    return unknownPage(visit, { view, fields, order, key });
  }
  // As it is by now.
  const now = (await findOwn(dependencies, visit)) ?? view;
  switch (code) {
    case 'account_frozen':
      return formPage(visit, now, fields, { notice: words.frozen, status: 403 });
    case 'payment_intent_not_refundable':
      return formPage(visit, now, fields, { notice: words.not_paid, status: 422 });
    case 'refund_exceeds_payment': {
      const left = formatMoney(visit.language, leftOf(now), now.currency);
      return formPage(visit, now, fields, {
        faults: { amount: words.too_much(left) },
        status: 422,
      });
    }
    case 'idempotency_key_reuse':
      return formPage(visit, now, fields, { notice: words.reused, status: 422 });
    default:
      throw error;
  }
}

function unknownPage({ language, ctx }: MemberVisit, { view, order, key }: SentForm): Answer {
  const words = REFUND_WORDS[language];
  ctx.set('Retry-After', '1');
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <GiveBackForm
        action={actionOf(view)}
        order={order}
        idempotency_key={key}
        label={words.ask_again}
      />
      <Back view={view} />
    </>,
    503,
  );
}

export const REFUND_ROUTES = [
  pageRoute('/links/:id/refund', 'money', showRefund),
  formRoute('/links/:id/refund', 'money', 'links.refund', refund),
];

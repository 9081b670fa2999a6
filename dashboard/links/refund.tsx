// Refunding a paid link: the same path as POST /payment-intents/{id_or_code}/refunds.

import type { JSX } from 'preact';
import { findLink } from '../../use-cases/payment-intents/cancel';
import { orderRefund } from '../../use-cases/refunds/order';
import { readBeforeOperation } from '../../db/requests/idempotency';
import { listRefunds } from '../../db/refunds/refunds';
import { MAX_REFUNDS, paidMinor, refundableMinor, type IntentView } from '../../domain/intent';
import type { Minor } from '../../domain/money';
import type { RefundStatus, RefundView } from '../../domain/refund';
import { formRoute, pageRoute, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { giveBackPages, type GiveBackCourse } from '../give-back';
import { Money, Table, Tag, Time, type Tone } from '../parts';
import { REFUND_FAILURE_WORDS, REFUND_STATUS_WORDS, REFUND_WORDS } from './refund-words';

const TONES: Readonly<Record<RefundStatus, Tone>> = {
  pending: 'warn',
  succeeded: 'good',
  failed: 'bad',
};

export function readRefunds(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session }: MemberVisit,
  payment_intent_id: string,
): Promise<RefundView[]> {
  return listRefunds(db, {
    user_id: account.user_id,
    environment: session.environment,
    before: undefined,
    limit: MAX_REFUNDS,
    filters: { payment_intent_id },
  });
}

export function RefundTag({ of: { status } }: { readonly of: RefundView }): JSX.Element {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{REFUND_STATUS_WORDS[language][status]}</Tag>;
}

/** The refunds of a payment, on its link's and its transaction's pages. */
export function Refunds({ rows }: { readonly rows: readonly RefundView[] }): JSX.Element | null {
  const { language } = useFrame();
  const words = REFUND_WORDS[language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.refunds}</h2>
      <Table
        caption={words.caption}
        columns={[
          words.at,
          { label: words.amount, as: 'number' },
          words.status,
          words.reason,
          words.reference,
        ]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <>
            <RefundTag of={row} />
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

/** The amount that can still be refunded; 0 before the link is paid. */
export function leftOf(view: IntentView): Minor {
  return refundableMinor(view) as Minor;
}

const COURSE: GiveBackCourse<IntentView, (typeof REFUND_WORDS)['en']> = {
  words: REFUND_WORDS,
  path: 'refund',
  find: (dependencies, { account, session, params }) =>
    findLink(
      dependencies,
      { user_id: account.user_id, environment: session.environment },
      params['id'] ?? '',
    ),
  givenOf: (view) => ({
    currency: view.currency,
    whole: leftOf({ ...view, refunded_minor: 0n }),
    left: leftOf(view),
    page: `/links/${view.id}`,
    subject: view.id,
  }),
  refusalOf: ({ account }, view, words) => {
    if (account.is_frozen) return words.frozen;
    if (view.status !== 'succeeded') return words.not_paid;
    return leftOf(view) === 0n ? words.nothing_left : undefined;
  },
  figuresOf: (view, words) => {
    if (view.status !== 'succeeded') return [];
    const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
    return [
      { term: words.paid, value: money(paidMinor(view)) },
      { term: words.refunded, value: money(view.refunded_minor) },
      { term: words.left, value: money(leftOf(view)) },
    ];
  },
  orderDetailsOf: (view, { amount, reason }, words) => {
    const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
    return [
      { term: words.amount, value: money(amount) },
      { term: words.after, value: money(leftOf(view) - amount) },
      { term: words.reason, value: <bdi>{reason ?? '—'}</bdi> },
    ];
  },
  labelOf: (words, amount) => words.refund_now(amount),
  doneOf: (_, words) => words.done,
  send: async (dependencies, { account, session, ctx }, { of: view, order, key }) => {
    const { user_id } = account;
    const { environment } = session;
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
    return status === 201;
  },
  explain: (code, words, left) => {
    switch (code) {
      case 'account_frozen':
        return { notice: words.frozen, status: 403 };
      case 'payment_intent_not_refundable':
        return { notice: words.not_paid, status: 422 };
      case 'too_many_refunds':
        return { notice: words.too_many, status: 422 };
      case 'refund_exceeds_payment':
        return { fault: words.too_much(left), status: 422 };
      default:
        return undefined;
    }
  },
};

const { show, send } = giveBackPages(COURSE);

export const REFUND_ROUTES = [
  pageRoute('/links/:id/refund', 'money', show),
  formRoute('/links/:id/refund', 'money', 'links.refund', send, 'in_live'),
];

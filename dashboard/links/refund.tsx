// Refunding a paid link: the same path as POST /payment-intents/{id_or_code}/refunds.

import { createRefundBody } from '../../api/refunds/schema';
import type { IntentView } from '../../db/payment-intents/intent-views';
import { formatMoney } from '../../pages/formats';
import { orderRefund } from '../../use-cases/refunds/order';
import { listRefunds, type RefundView } from '../../db/refunds/refunds';
import { MAX_REFUNDS, paidMinor, refundableMinor } from '../../domain/intent';
import type { Language } from '../../domain/language';
import type { Minor } from '../../domain/money';
import type { RefundStatus } from '../../domain/refund';
import { seeOther, ownerOf, type DashboardDependencies, type MemberVisit } from '../context';
import { draftOrder } from '../drafts';
import { formRoutes } from '../form-page';
import { useFrame } from '../frame';
import { giveBackShapes } from '../give-back';
import { Details, Money, Table, Tag, Time, type Tone } from '../parts';
import { findLink } from '../../use-cases/payment-intents/cancel';
import { REFUND_FAILURE_WORDS, REFUND_STATUS_WORDS, REFUND_WORDS } from './refund-words';

const TONES: Readonly<Record<RefundStatus, Tone>> = {
  pending: 'warn',
  succeeded: 'good',
  failed: 'bad',
};

/** The link that the path names, of this account and environment. */
export const findOwn = (
  dependencies: Pick<DashboardDependencies, 'db' | 'config'>,
  visit: MemberVisit,
) => findLink(dependencies, ownerOf(visit), visit.params['id'] ?? '');

export function readRefunds(
  { db }: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
  payment_intent_id: string,
): Promise<RefundView[]> {
  return listRefunds(db, {
    ...ownerOf(visit),
    before: undefined,
    limit: MAX_REFUNDS,
    filters: { payment_intent_id },
  });
}

export function RefundTag({ of: { status } }: { readonly of: RefundView }) {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{REFUND_STATUS_WORDS[language][status]}</Tag>;
}

/** The refunds of a payment, on its link's and its transaction's pages. */
export function Refunds({ rows }: { readonly rows: readonly RefundView[] }) {
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

function leadOf(language: Language, { fee_minor }: IntentView): string {
  const { lead, fee_kept } = REFUND_WORDS[language];
  return fee_minor === 0n ? lead : `${lead} ${fee_kept}`;
}

const { amount, reason } = createRefundBody.properties;

export const REFUND_ROUTES = formRoutes({
  path: '/links/:id/refund',
  access: 'money',
  action: 'links.refund',
  confirmed: 'in_live',
  operation: 'refund',
  find: findOwn,
  words: (language, view) => {
    const { title, refund, once, back } = REFUND_WORDS[language];
    const { id } = view;
    const lead = leadOf(language, view);
    const links = [{ to: `/links/${id}`, label: back }];
    return { title, lead, button: refund, look: 'danger', note: once, links };
  },
  above: ({ language }, view) => {
    if (view.status !== 'succeeded') return null;
    const words = REFUND_WORDS[language];
    const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
    return (
      <Details
        rows={[
          [words.paid, money(paidMinor(view))],
          [words.refunded, money(view.refunded_minor)],
          [words.left, money(leftOf(view))],
        ]}
      />
    );
  },
  body: { type: 'object', required: ['amount'], properties: { amount, reason } } as const,
  fields: (_, visit, view) => {
    const words = REFUND_WORDS[visit.language];
    const left = leftOf(view);
    if (view.status !== 'succeeded') return words.payment_intent_not_refundable;
    if (left === 0n && visit.ctx.method === 'GET') return words.nothing_left;
    const whole = leftOf({ ...view, refunded_minor: 0n });
    return giveBackShapes(visit, words, { currency: view.currency, whole, left });
  },
  check: {
    path: '/links/:id/refund/check',
    show: async (_, { language }, { found, amounts, body }) => {
      const words = REFUND_WORDS[language];
      const { currency } = found;
      const minor = amounts['amount']!;
      const left = leftOf(found) - minor;
      return {
        title: words.confirm_title,
        content: (
          <>
            <p class="lead">{leadOf(language, found)}</p>
            <Details
              rows={[
                [words.amount, <Money minor={minor} currency={currency} />],
                [words.after, <Money minor={left} currency={currency} />],
                [words.reason, <bdi>{body.reason ?? '—'}</bdi>],
              ]}
            />
          </>
        ),
        button: words.refund_now(formatMoney(language, minor, currency)),
      };
    },
  },
  send: async (dependencies, visit, { found: intent, body, numbers }) => {
    const words = REFUND_WORDS[visit.language];
    const { status } = await orderRefund(dependencies, {
      ...draftOrder(visit),
      intent,
      amount_text: numbers.get('/amount')!,
      reason: body.reason ?? null,
      metadata: {},
      numbers: new Map(),
    });
    if (status !== 201) return { notice: words.insufficient };
    return seeOther(`/links/${intent.id}`, { flash: { notice: words.done }, subject: intent.id });
  },
  refused: ({ code }, { language }, view) => {
    if (code !== 'refund_exceeds_payment') return undefined;
    const left = formatMoney(language, leftOf(view), view.currency);
    return { faults: { amount: REFUND_WORDS[language].too_much(left) } };
  },
});

// Payment links: a list, one of them, and cancelling it.

import type { IntentView } from '../../db/payment-intents/intent-views';
import type { PaymentLinkView } from '../../db/payment-links/payment-links';
import { cancelLink } from '../../use-cases/payment-intents/cancel';
import { paidMinor, type IntentStatus } from '../../domain/intent';
import { translateFailure } from '../../pages/failures';
import { formatMoney, formatPayer } from '../../pages/formats';
import { page, seeOther, pageRoute, ownerOf } from '../context';
import { formRoutes } from '../form-page';
import { useFrame } from '../frame';
import { LiveNote } from '../live-note';
import {
  Details,
  Link,
  Money,
  Reference,
  Tag,
  Technical,
  Time,
  ownText,
  type Tone,
  type Detail,
} from '../parts';
import { readLink, type LinkProps } from './read';
import { leftOf, Refunds, findOwn } from './refund';
import { REFUND_WORDS } from './refund-words';
import { Receipt, Share } from './share';
import { Timeline } from './timeline';
import { Disputes } from './disputes';
import { STATUS_WORDS, WORDS } from './words';

const TONES: Readonly<Record<IntentStatus, Tone>> = {
  open: 'warn',
  processing: 'warn',
  succeeded: 'good',
  failed: 'bad',
  expired: 'quiet',
  canceled: 'quiet',
};

/** A payment that was refunded says so: what is left of it is what counts. */
export function StatusTag({ of: view }: { readonly of: IntentView }) {
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

function Tick() {
  return <span aria-hidden="true"> ✓</span>;
}

export const LINK_PAGE = pageRoute('/links/:id', 'sales', async (dependencies, visit) => {
  const { language } = visit;
  const props = await readLink(dependencies, visit);
  if (!props) return undefined;
  return page(
    WORDS[language].link,
    <>
      {/* Said aloud when it changes: the customer has paid. */}
      <div role="status" data-live-part="state">
        <LinkState {...props} />
      </div>
      <div data-live-part="link">
        <LinkPart {...props} />
      </div>
      <div class="screen">
        <LiveNote />
      </div>
    </>,
  );
});

function LinkState({ view }: Pick<LinkProps, 'view'>) {
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

function LinkPart({
  view,
  entries,
  pay_url,
  merchant,
  reusable,
  payer,
  refunds,
  disputes,
  may_move,
  may_read,
}: LinkProps) {
  const { language } = useFrame();
  const words = WORDS[language];
  const is_open = view.status === 'open';
  return (
    <>
      {view.description !== null && (
        <p>
          <bdi>{view.description}</bdi>
        </p>
      )}
      {view.status === 'succeeded' ? (
        <Receipt
          url={`${pay_url}/receipt`}
          amount={formatMoney(language, paidMinor(view), view.currency)}
          shop={merchant!.merchant_name}
          phone={view.customer_phone}
        />
      ) : (
        <Share
          amount={formatMoney(language, view.amount_minor, view.currency)}
          about={view.description}
          phone={view.customer_phone}
          pay_url={pay_url}
          merchant={merchant}
        />
      )}
      <LinkDetails {...{ view, reusable, payer, may_read }} />
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
          <Link to={`/links/${view.id}/refund`}>{REFUND_WORDS[language].refund}</Link>
        </p>
      )}
      <Refunds rows={refunds} />
      <Disputes rows={disputes} />
      <section class="screen">
        <h2>{words.timeline}</h2>
        <Timeline entries={entries} currency={view.currency} />
        <Technical>
          <Details rows={[[words.id, <Reference value={view.id} label={words.id} />]]} />
        </Technical>
      </section>
    </>
  );
}

function LinkDetails({
  view,
  reusable,
  payer,
  may_read,
}: Pick<LinkProps, 'view' | 'reusable' | 'payer' | 'may_read'>) {
  const { language } = useFrame();
  const words = WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  const isPaid = view.status === 'succeeded';
  const kept = paidMinor(view) - view.fee_minor - view.refunded_minor;
  return (
    <Details
      rows={[
        [words.reference, <Reference value={view.reference} label={words.reference} />],
        [
          words.reusable,
          reusable && <Link to={`/reusable-links/${reusable.id}`}>{reusable.title}</Link>,
        ],
        [words.quantity, reusable && reusable.quantity_minimum !== null && String(view.quantity)],
        ...(reusable ? answersOf(view, reusable) : []).map(([term, answer]): Detail => [
          term,
          ownText(answer),
        ]),
        [words.at, <Time at={view.created_at} />],
        [words.ends, <Time at={view.expires_at} />],
        [words.email, ownText(view.customer_email)],
        [words.phone, ownText(view.customer_phone)],
        [words.return_url, ownText(view.return_url)],
        [words.cancel_url, ownText(view.cancel_url)],
        [words.paid_with, payer && formatPayer(payer)],
        [words.fee, isPaid && money(view.fee_minor)],
        [words.tax, view.tax_minor > 0n && money(view.tax_minor)],
        [REFUND_WORDS[language].refunded, isPaid && money(view.refunded_minor)],
        [view.refunded_minor === 0n ? words.net : words.kept, isPaid && money(kept)],
        [
          words.last_error,
          ownText(view.last_payment_error && translateFailure(language, view.last_payment_error)),
        ],
        [
          words.transaction,
          may_read && view.transaction_id !== null && (
            <Link to={`/transactions/${view.transaction_id}`}>{words.open_transaction}</Link>
          ),
        ],
        ...Object.entries(view.metadata).map(([name, value]): Detail => [
          name,
          <bdi>{String(value)}</bdi>,
        ]),
      ]}
    />
  );
}

/** The customer's answers, by the question. */
export function answersOf(
  { collected }: IntentView,
  { collect }: PaymentLinkView,
): (readonly [label: string, answer: string])[] {
  return collect.flatMap(({ key, label }) => {
    const answer = collected?.[key] ?? '';
    return answer === '' ? [] : [[label, answer] as const];
  });
}

export const CANCEL_ROUTES = formRoutes({
  path: '/links/:id/cancel',
  access: 'cancel',
  action: 'links.cancel',
  find: findOwn,
  words: (language, { id }) => {
    const { cancel_title: title, cancel_text: lead, cancel: button, keep } = WORDS[language];
    const links = [{ to: `/links/${id}`, label: keep }];
    return { title, lead, button, look: 'danger', links };
  },
  above: ({ language }, view) => {
    const words = WORDS[language];
    const { amount_minor, currency, reference } = view;
    return (
      <Details
        rows={[
          [words.amount, <Money minor={amount_minor} currency={currency} />],
          [words.status, <StatusTag of={view} />],
          [words.reference, <code>{reference}</code>],
        ]}
      />
    );
  },
  fields: (_, { account, language, ctx }, { status }) => {
    const words = WORDS[language];
    if (account.is_frozen) return words.frozen;
    const isOver = status !== 'open' && ctx.method === 'GET';
    return isOver ? words.not_cancelable(STATUS_WORDS[language][status]) : {};
  },
  send: async (dependencies, visit, { found }) => {
    await cancelLink(dependencies, ownerOf(visit), found);
    const flash = { notice: WORDS[visit.language].canceled };
    return seeOther(`/links/${found.id}`, { flash, subject: found.id });
  },
  refused: ({ code }, { language }, { status }) => {
    const words = WORDS[language];
    if (code === 'intent_not_cancelable') {
      return { notice: words.not_cancelable(STATUS_WORDS[language][status]) };
    }
    const isAway = ['unavailable', 'gateway_error', 'gateway_timeout'].includes(code);
    return isAway ? { notice: words.not_canceled, status: 503 } : undefined;
  },
});

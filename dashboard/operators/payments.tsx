// A payment for operators: all that has happened to it, and the way to all that belongs to it.

import type { JSX } from 'preact';
import { listDisputes } from '../../db/disputes/disputes';
import { listAttempts, type AttemptView } from '../../db/payment-attempts/payment-attempts';
import { listEndOfTimeline } from '../../db/payment-intents/intent-views';
import {
  findOperatorIntent,
  listUnappliedNotifications,
  type OperatorIntent,
} from '../../db/payment-intents/operator-intents';
import { listOperatorRefunds, type OperatorRefund } from '../../db/refunds/operator-refunds';
import { findSuspenseOf, type SuspenseItem } from '../../db/suspense/suspense';
import { listTransferEntries } from '../../db/transfers/operator-transfers';
import { intentWorkflowId, pursuitWorkflowId } from '../../domain/ids';
import { paidMinor } from '../../domain/intent';
import { labelled } from '../../domain/language';
import { ATTEMPTS, translateFailure } from '../../pages/failures';
import { page } from '../context';
import { disputeColumns } from '../links/disputes';
import { RefundTag } from '../links/refund';
import { Timeline } from '../links/timeline';
import { Rows } from '../list-page';
import { Details, Link, Money, ownText, Reference, Table, Tag, Time, type Column } from '../parts';
import { useFrame } from '../frame';
import {
  AccountLink,
  EnvironmentTag,
  operatorPage,
  WorkflowLink,
  type OperatorDependencies,
} from './frame';
import { PAYMENT_WORDS, stateWords } from './payment-words';
import { WORDS } from './words';

/** Of each noun that belongs to a payment: it has few. */
const LIMIT = 100;

type Config = OperatorDependencies['config'];

export const PAYMENT_ROUTES = [
  operatorPage('/operators/payments/:id', async ({ operator_db: db, config }, visit) => {
    const { language, params } = visit;
    const words = PAYMENT_WORDS[language];
    const intent = await findOperatorIntent(db, params['id'] ?? '', config.pay_url_base);
    if (!intent) return undefined;
    const { id, user_id, environment } = intent;
    const filters = { payment_intent_id: id };
    const [entries, refunds, attempts, disputes, unapplied] = await Promise.all([
      listEndOfTimeline(db, id, LIMIT),
      listOperatorRefunds(db, { intent_id: id }, LIMIT),
      listAttempts(db, id),
      listDisputes(db, { user_id, environment, before: undefined, filters, limit: LIMIT }),
      listUnappliedNotifications(db, intent),
    ]);
    const held = entries.filter(({ kind }) => kind === 'held_in_suspense');
    const found = await Promise.all(
      held.map(({ detail }) => findSuspenseOf(db, String(detail['reference']))),
    );
    const items = found.filter((item) => item !== undefined);
    const booked = [intent, ...items, ...refunds, ...disputes].map(({ reference }) => reference);
    const postings = await Promise.all(
      booked.map(async (reference) =>
        (await listTransferEntries(db, reference)).map((entry) => ({ ...entry, reference })),
      ),
    );
    return page(
      labelled(language, words.payment, intent.reference),
      <>
        <Payment intent={intent} config={config} />
        <Attempts attempts={attempts} config={config} />
        <Refunds refunds={refunds} config={config} />
        <Items items={items} />
        {disputes.length > 0 && (
          <>
            <h2>{words.disputes}</h2>
            <Rows caption={words.disputes} columns={disputeColumns(language)} rows={disputes} />
            <p>
              <Link to="/operators/disputes">{words.all_disputes}</Link>
            </p>
          </>
        )}
        <Part
          title={words.unapplied}
          columns={[words.received, words.type, words.outcome]}
          rows={unapplied.map(({ received_at, type, tries, last_error }) => [
            <Time at={received_at} />,
            <code>{type}</code>,
            [words.tries(tries), last_error].filter(Boolean).join(' · '),
          ])}
        />
        <Postings entries={postings.flat()} />
        <h2>{WORDS[language].history}</h2>
        <Timeline entries={entries} currency={intent.currency} />
      </>,
    );
  }),
];

/** A payment has not what it has none of. */
function Part({
  title,
  columns,
  rows,
}: {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (JSX.Element | string)[])[];
}): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Table caption={title} columns={columns} rows={rows} />
    </>
  );
}

function Payment({
  intent,
  config,
}: {
  readonly intent: OperatorIntent;
  readonly config: Config;
}): JSX.Element {
  const { language } = useFrame();
  const [words, shared] = [PAYMENT_WORDS[language], WORDS[language]];
  const { id, currency, environment, status, last_payment_error: error } = intent;
  const money = (minor: bigint): JSX.Element => <Money minor={minor} currency={currency} />;
  const is_paid = status === 'succeeded';
  return (
    <Details
      rows={[
        [words.state, <IntentState status={status} />],
        [words.amount, money(intent.amount_minor)],
        [words.received, intent.received_minor !== null && money(intent.received_minor)],
        [words.fee, is_paid && money(intent.fee_minor)],
        [words.net, is_paid && money(paidMinor(intent) - intent.fee_minor)],
        [words.refunded, intent.refunded_minor > 0n && money(intent.refunded_minor)],
        [words.environment, <EnvironmentTag environment={environment} />],
        [shared.merchant, <AccountLink username={intent.username} />],
        [words.description, ownText(intent.description)],
        [
          words.customer,
          ownText([intent.customer_email, intent.customer_phone].filter(Boolean).join(' · ')),
        ],
        [words.created, <Time at={intent.created_at} />],
        [shared.link_ends, <Time at={intent.expires_at} />],
        [shared.last_failure, ownText(error && translateFailure(language, error))],
        [shared.gateway, intent.gateway],
        [words.reference, <Reference value={intent.reference} label={words.reference} />],
        [words.id, <Reference value={id} label={words.id} />],
        [words.request, <code>{intent.request_id}</code>],
        [shared.workflow, <WorkflowLink config={config} id={intentWorkflowId(environment, id)} />],
      ]}
    />
  );
}

export function IntentState({ status }: { readonly status: string }): JSX.Element {
  const { language } = useFrame();
  const tone = status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'quiet';
  return <Tag tone={tone}>{stateWords(language, { kind: 'intent', status })}</Tag>;
}

function Attempts({
  attempts,
  config,
}: {
  readonly attempts: readonly AttemptView[];
  readonly config: Config;
}): JSX.Element {
  const { language } = useFrame();
  const words = PAYMENT_WORDS[language];
  return (
    <Part
      title={words.attempts}
      columns={[words.time, words.operator, words.phone, words.state, WORDS[language].workflow]}
      rows={attempts.map(({ id, environment, created_at, status, failure, ...attempt }) => [
        <Time at={created_at} exact />,
        attempt.operator_name,
        <span class="money">{attempt.phone}</span>,
        <>
          <Tag tone={status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'warn'}>
            {words.attempt_statuses[status]}
          </Tag>{' '}
          {failure && <span class="hint">{ATTEMPTS[language][failure.code]}</span>}
        </>,
        <WorkflowLink config={config} id={pursuitWorkflowId('payment-attempt', environment, id)} />,
      ])}
    />
  );
}

function Refunds({
  refunds,
  config,
}: {
  readonly refunds: readonly OperatorRefund[];
  readonly config: Config;
}): JSX.Element {
  const { language } = useFrame();
  const words = PAYMENT_WORDS[language];
  return (
    <Part
      title={words.refunds}
      columns={[
        words.time,
        { label: words.amount, as: 'number' },
        words.state,
        words.reference,
        WORDS[language].workflow,
      ]}
      rows={refunds.map((refund) => [
        <Time at={refund.created_at} />,
        <Money minor={refund.amount_minor} currency={refund.currency} />,
        <>
          <RefundTag of={refund} /> {refund.detail && <span class="hint">{refund.detail}</span>}
        </>,
        <code>{refund.reference}</code>,
        <WorkflowLink
          config={config}
          id={pursuitWorkflowId('refund', refund.environment, refund.id)}
        />,
      ])}
    />
  );
}

function Items({ items }: { readonly items: readonly SuspenseItem[] }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <Part
      title={words.suspense}
      columns={[
        words.received,
        { label: words.amount, as: 'number' },
        words.reason,
        words.state,
        words.reference,
      ]}
      rows={items.map(({ id, created_at, amount_minor, currency, reason, status, reference }) => [
        <Time at={created_at} />,
        <Money minor={amount_minor} currency={currency} />,
        words.reasons[reason],
        <Tag>{words.statuses[status]}</Tag>,
        <Link to={`/operators/suspense/${id}`}>{reference}</Link>,
      ])}
    />
  );
}

type Posting = Awaited<ReturnType<typeof listTransferEntries>>[number] & {
  readonly reference: string;
};

function Postings({ entries }: { readonly entries: readonly Posting[] }): JSX.Element {
  const words = PAYMENT_WORDS[useFrame().language];
  const own: Readonly<Record<string, string>> = words.ledger_accounts;
  return (
    <Part
      title={words.postings}
      columns={[
        words.reference,
        words.account,
        { label: words.amount, as: 'number' },
        { label: words.posting_balance, as: 'number' },
      ]}
      rows={entries.map(({ reference, account, currency, ...entry }) => [
        <code>{reference}</code>,
        own[account] ?? <AccountLink username={account} />,
        <Money minor={entry.amount_minor} currency={currency} />,
        <Money minor={entry.balance_after_minor} currency={currency} />,
      ])}
    />
  );
}

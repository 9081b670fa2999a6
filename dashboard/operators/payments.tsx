// A payment for operators: all that has happened to it, and the way to all that belongs to it.

import { listDisputes } from '../../db/disputes/disputes';
import { listAttempts } from '../../db/payment-attempts/payment-attempts';
import { listEndOfTimeline } from '../../db/payment-intents/intent-views';
import {
  findOperatorIntent,
  listUnappliedNotifications,
  type OperatorIntent,
} from '../../db/payment-intents/operator-intents';
import { listOperatorRefunds } from '../../db/refunds/operator-refunds';
import { listSuspenseOf } from '../../db/suspense/suspense';
import { listTransferEntries } from '../../db/transfers/operator-transfers';
import { intentWorkflowId, pursuitWorkflowId } from '../../domain/ids';
import { paidMinor } from '../../domain/intent';
import { labelled } from '../../domain/language';
import { ATTEMPTS, translateFailure } from '../../pages/failures';
import { page } from '../context';
import { disputeColumns } from '../links/disputes';
import { RefundTag } from '../links/refund';
import { Timeline } from '../links/timeline';
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

/** Rows of each noun that belongs to a payment: it has few. */
const LIMIT = 100;

export const PAYMENT_ROUTES = [
  operatorPage('/operators/payments/:id', async ({ operator_db: db, config }, visit) => {
    const { language, params } = visit;
    const [words, shared] = [PAYMENT_WORDS[language], WORDS[language]];
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
    const items = await listSuspenseOf(
      db,
      held.map(({ detail }) => String(detail['reference'])),
    );
    const booked = [intent, ...items, ...refunds, ...disputes].map(({ reference }) => reference);
    const postings = await listTransferEntries(db, booked);
    const ledger: Readonly<Record<string, string>> = words.ledger_accounts;
    const amount: Column = { label: words.amount, as: 'number' };
    const workflow = (kind: 'payment-attempt' | 'refund', of: string) => (
      <WorkflowLink config={config} id={pursuitWorkflowId(kind, environment, of)} />
    );
    return page(
      labelled(language, words.payment, intent.reference),
      <>
        <Payment intent={intent} config={config} />
        <Part
          title={words.attempts}
          columns={[words.time, words.operator, words.phone, words.state, shared.workflow]}
          rows={attempts.map(({ created_at, status, failure, ...attempt }) => [
            <Time at={created_at} exact />,
            attempt.operator_name,
            <span class="money">{attempt.phone}</span>,
            <>
              <Tag tone={toneOf(status)}>{words.attempt_statuses[status]}</Tag>{' '}
              {failure && <span class="hint">{ATTEMPTS[language][failure.code]}</span>}
            </>,
            workflow('payment-attempt', attempt.id),
          ])}
        />
        <Part
          title={words.refunds}
          columns={[words.time, amount, words.state, words.reference, shared.workflow]}
          rows={refunds.map((refund) => [
            <Time at={refund.created_at} />,
            <Money minor={refund.amount_minor} currency={refund.currency} />,
            <>
              <RefundTag of={refund} /> <span class="hint">{refund.detail}</span>
            </>,
            <code>{refund.reference}</code>,
            workflow('refund', refund.id),
          ])}
        />
        <Part
          title={shared.suspense}
          columns={[words.received, amount, words.reason, words.state, words.reference]}
          rows={items.map((item) => [
            <Time at={item.created_at} />,
            <Money minor={item.amount_minor} currency={item.currency} />,
            shared.reasons[item.reason],
            <Tag>{shared.statuses[item.status]}</Tag>,
            <Link to={`/operators/suspense/${item.id}`}>{item.reference}</Link>,
          ])}
        />
        <Part
          title={words.disputes}
          columns={disputeColumns(language)}
          rows={disputes.map((row) => disputeColumns(language).map(({ cell }) => cell(row)))}
        />
        <Part
          title={words.unapplied}
          columns={[words.received, words.type, words.outcome]}
          rows={unapplied.map(({ received_at, type, tries, last_error }) => [
            <Time at={received_at} />,
            <code>{type}</code>,
            [words.tries(tries), last_error].filter(Boolean).join(' · '),
          ])}
        />
        <Part
          title={words.postings}
          columns={[
            words.reference,
            words.account,
            amount,
            { label: words.posting_balance, as: 'number' },
          ]}
          rows={postings.map(({ reference, account, currency, ...of }) => [
            <code>{reference}</code>,
            ledger[account] ?? <AccountLink username={account} />,
            <Money minor={of.amount_minor} currency={currency} />,
            <Money minor={of.balance_after_minor} currency={currency} />,
          ])}
        />
        <h2>{shared.history}</h2>
        <Timeline entries={entries} currency={intent.currency} />
      </>,
    );
  }),
];

/** A payment has not what it has none of. */
function Part({
  title,
  ...table
}: { readonly title: string } & Omit<Parameters<typeof Table>[0], 'caption'>) {
  if (table.rows.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Table caption={title} {...table} />
    </>
  );
}

function Payment({
  intent,
  config,
}: {
  readonly intent: OperatorIntent;
  readonly config: OperatorDependencies['config'];
}) {
  const { language } = useFrame();
  const [words, shared] = [PAYMENT_WORDS[language], WORDS[language]];
  const { id, currency, environment, status, last_payment_error: error } = intent;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const is_paid = status === 'succeeded';
  return (
    <Details
      rows={[
        [words.state, <IntentState status={status} />],
        [words.amount, money(intent.amount_minor)],
        [words.received, intent.received_minor !== null && money(intent.received_minor)],
        [words.fee, is_paid && money(intent.fee_minor)],
        [words.tax, intent.tax_minor > 0n && money(intent.tax_minor)],
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

const toneOf = (status: string): 'good' | 'bad' | 'quiet' =>
  status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'quiet';

export function IntentState({ status }: { readonly status: string }) {
  const { language } = useFrame();
  return <Tag tone={toneOf(status)}>{stateWords(language, { kind: 'intent', status })}</Tag>;
}

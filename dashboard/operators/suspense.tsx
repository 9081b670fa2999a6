// Money that no payment link could take: what waits, and the three decisions about it.

import { findWaitingApproval, type Approval } from '../../db/operators/approvals';
import { findOperatorIntent, type OperatorIntent } from '../../db/payment-intents/operator-intents';
import { listEndOfTimeline } from '../../db/payment-intents/intent-views';
import {
  findSuspense,
  listSuspense,
  type RefundOrder,
  type SuspenseItem,
} from '../../db/suspense/suspense';
import { intentWorkflowId, isUuid, pursuitWorkflowId } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { formatMoney } from '../../pages/formats';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { acceptItem, closeItem, refundItem } from '../../use-cases/suspense';
import {
  page,
  seeOther,
  type Answer,
  type Flash,
  type SignedInVisit,
  type Faults,
} from '../context';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { LIMIT_WORDS } from '../limits/words';
import { Timeline } from '../links/timeline';
import { Details, Link, Money, Notice, Table, Tag, Time, type Detail } from '../parts';
import { troublePage } from '../trouble';
import {
  AccountLink,
  areYouSure,
  asOperator,
  EnvironmentTag,
  MAX_REASON,
  personOf,
  ReasonForm,
  WorkflowLink,
  operatorPage,
  operatorForm,
  AllOrWaiting,
  type OperatorDependencies,
  type OperatorWords,
} from './frame';
import { IntentState } from './payments';
import { WORDS } from './words';

const SHOWN = 200;
const MAX_REFERENCE = 200;
const MAX_ENTRIES = 100;

export const SUSPENSE_ROUTES = [
  operatorPage('/operators/suspense', async ({ operator_db }, visit) => {
    const words = WORDS[visit.language];
    const all = visit.query.get('all') === '1';
    const items = await listSuspense(operator_db, all, SHOWN);
    return page(
      words.suspense,
      <>
        <AllOrWaiting path="/operators/suspense" all={all} />
        <Table
          caption={words.suspense}
          columns={[
            words.received,
            { label: words.amount, as: 'number' },
            words.environment,
            words.merchant,
            words.reason,
            words.state,
            words.decision,
          ]}
          rows={items.map((item) => [
            <Time at={item.created_at} />,
            <Money minor={item.amount_minor} currency={item.currency} />,
            <EnvironmentTag environment={item.environment} />,
            <AccountLink username={item.username} />,
            words.reasons[item.reason],
            <StatusTag item={item} />,
            <Link to={`/operators/suspense/${item.id}`}>
              {isOpen(item) ? words.decide : words.see}
            </Link>,
          ])}
        />
      </>,
    );
  }),
  operatorPage('/operators/suspense/:id', itemPage),
  operatorForm('/operators/suspense/:id/decide', async (dependencies, visit) => {
    const item = await findItem(dependencies, visit);
    if (!item) return undefined;
    const words = WORDS[visit.language];
    const reason = (visit.form.get('reason') ?? '').trim();
    if (reason.length > MAX_REASON) {
      return itemPage(dependencies, visit, { reason: words.reason_missing });
    }
    const deciding = { ...asOperator(dependencies, visit), reason };
    const decision = visit.form.get('decision');
    // Only a button that was pressed moves money.
    if (decision !== 'accept' && decision !== 'accept_closing' && decision !== 'refund') {
      return troublePage(visit.language, { kind: 'form' });
    }
    if (!visit.form.has('sure')) return sureOf(visit, item, decision);
    if (decision !== 'refund') {
      const { pay_url_base } = dependencies.config;
      const closes_intent = decision === 'accept_closing' ? { pay_url_base } : undefined;
      const accepted = await acceptItem({ ...deciding, closes_intent }, item.id);
      return backTo(
        item,
        accepted.ok ? words.done_accept : refusalOf(accepted, words),
        toneOf(accepted),
      );
    }
    const refunded = await refundItem(
      {
        ...deciding,
        // If this fails, the sweeper wakes the workflow: the order is there.
        pursue: (kind, ids) => dependencies.pursue(kind, ids).catch(() => undefined),
        // The page shows what the gateway says whenever it is looked at.
        waitFor: (look) => look(),
      },
      item.id,
    );
    const notice = refunded.ok ? words.done_refund : refusalOf(refunded, words);
    return backTo(item, notice, toneOf(refunded));
  }),
  operatorForm('/operators/suspense/:id/close', async (dependencies, visit) => {
    const item = await findItem(dependencies, visit);
    if (!item) return undefined;
    const words = WORDS[visit.language];
    const { form } = visit;
    const reason = (form.get('close_reason') ?? '').trim();
    const reference = (form.get('reference') ?? '').trim();
    const isMissing = (text: string, limit: number): boolean => text === '' || text.length > limit;
    const faults: Faults = {
      ...(isMissing(reason, MAX_REASON) ? { close_reason: words.reason_missing } : {}),
      ...(isMissing(reference, MAX_REFERENCE) ? { reference: words.reason_missing } : {}),
    };
    if (Object.keys(faults).length > 0) return itemPage(dependencies, visit, faults);
    const { db, actor } = asOperator(dependencies, visit);
    const order = /^[1-9][0-9]{0,8}$/.exec(form.get('unmade_order') ?? '');
    const closed = await closeItem({ db }, item.id, {
      reason,
      reference,
      unmade_order: order && Number(order[0]),
      gateway_refund: form.get('gateway_refund'),
      actor,
    });
    const notice = closed.ok ? words.done_close : refusalOf(closed, words);
    return backTo(item, notice, toneOf(closed));
  }),
];

function sureOf(
  visit: SignedInVisit,
  { id, amount_minor, currency, username, reference }: SuspenseItem,
  decision: 'accept' | 'accept_closing' | 'refund',
): Answer {
  const words = WORDS[visit.language];
  const amount = formatMoney(visit.language, amount_minor, currency);
  return areYouSure(visit, {
    title: words.decide_sure[decision](amount, username ?? reference),
    lead: words[`${decision}_lead`],
    button: decision === 'refund' ? words.sure_refund(amount) : words.sure_accept(amount),
    back: `/operators/suspense/${id}`,
  });
}

function isOpen({ status }: SuspenseItem): boolean {
  return status === 'held' || status === 'refunding';
}

function StatusTag({ item }: { readonly item: SuspenseItem }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={isOpen(item) ? 'warn' : 'good'}>{words.statuses[item.status]}</Tag>;
}

async function findItem(
  { operator_db }: OperatorDependencies,
  { params }: SignedInVisit,
): Promise<SuspenseItem | undefined> {
  const id = params['id'] ?? '';
  return isUuid(id) ? findSuspense(operator_db, id) : undefined;
}

async function itemPage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const item = await findItem(dependencies, visit);
  if (!item) return undefined;
  const { language } = visit;
  const words = WORDS[language];
  const { operator_db, config } = dependencies;
  const [intent, entries, waiting] = await Promise.all([
    item.intent_id === null
      ? undefined
      : findOperatorIntent(operator_db, item.intent_id, config.pay_url_base),
    item.intent_id === null ? [] : listEndOfTimeline(operator_db, item.intent_id, MAX_ENTRIES),
    isOpen(item) ? findWaitingApproval(operator_db, `suspense/${item.id}`) : undefined,
  ]);
  return page(
    labelled(language, words.suspense, item.reference),
    <>
      <ItemDetails item={item} intent={intent} config={config} />
      {waiting && <WaitingNotice approval={waiting} />}
      {!waiting && isOpen(item) && <Decisions item={item} />}
      {intent && (
        <>
          <h2>{words.history}</h2>
          <Timeline entries={entries} currency={intent.currency} />
        </>
      )}
    </>,
    faults,
  );
}

/** The decision about the item is another operator's now. */
export function WaitingNotice({
  approval: { id, action, requested_by, requested_at },
}: {
  readonly approval: Approval;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <Notice>
      <p>{words.waits_for_approval}</p>
      <p>
        {words.actions[action]} · {personOf(language, requested_by)} · <Time at={requested_at} /> ·{' '}
        <Link to={`/operators/approvals/${id}`}>{words.to_approval}</Link>
      </p>
    </Notice>
  );
}

function ItemDetails({
  item,
  intent,
  config,
}: {
  readonly item: SuspenseItem;
  readonly intent: OperatorIntent | undefined;
  readonly config: OperatorDependencies['config'];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  const { amount_minor, currency, environment, refund } = item;
  const status = refund && words.refund_statuses[refund.status];
  const more = intent?.currency === currency ? amount_minor - intent.amount_minor : 0n;
  return (
    <Details
      rows={[
        [
          words.expected,
          intent && <Money minor={intent.amount_minor} currency={intent.currency} />,
        ],
        [words.arrived, <Money minor={amount_minor} currency={currency} />],
        [
          words.difference,
          more !== 0n && (
            <>
              {more > 0n && '+'}
              <Money minor={more} currency={currency} />
            </>
          ),
        ],
        [words.state, <StatusTag item={item} />],
        [words.environment, <EnvironmentTag environment={environment} />],
        [words.merchant, <AccountLink username={item.username} />],
        [
          words.reason,
          item.limit === null
            ? words.reasons[item.reason]
            : labelled(
                language,
                words.reasons[item.reason],
                LIMIT_WORDS[language].names[item.limit],
              ),
        ],
        [words.received, <Time at={item.created_at} />],
        [words.gateway, item.gateway],
        [words.payment, <code>{item.provider_payment_id}</code>],
        ...(intent ? intentRows(intent, words, config) : []),
        [
          words.refund,
          refund && status && (
            <>
              {refund.detail === null ? status : labelled(language, status, refund.detail)}
              {` (${personOf(language, refund.ordered_by)}) `}
              <WorkflowLink
                config={config}
                id={pursuitWorkflowId('suspense-refund', environment, item.id)}
              />
            </>
          ),
        ],
        [
          words.close,
          item.closed_reason !== null && `${item.closed_reason} (${item.closed_reference})`,
        ],
      ]}
    />
  );
}

function intentRows(
  intent: OperatorIntent,
  words: OperatorWords,
  config: OperatorDependencies['config'],
): Detail[] {
  const { id, environment, reference, description, customer_email, customer_phone } = intent;
  const customer = [customer_email, customer_phone].filter((one) => one !== null).join(' · ');
  return [
    [
      words.intent,
      <>
        <Link to={`/operators/payments/${id}`}>{reference}</Link> ·{' '}
        <WorkflowLink config={config} id={intentWorkflowId(environment, id)} />
      </>,
    ],
    [words.link_state, <IntentState status={intent.status} />],
    [words.link_ends, <Time at={intent.expires_at} />],
    [words.description, description ?? '–'],
    [words.customer, customer === '' ? '–' : customer],
  ];
}

/** One form, whose buttons decide: the reason is the same field for each. */
function Decisions({ item }: { readonly item: SuspenseItem }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const isHeld = item.status === 'held';
  return (
    <>
      {isHeld && (
        <>
          <h2>{words.decision}</h2>
          {item.username !== null && (
            <p class="hint">{labelled(language, words.accept, words.accept_lead)}</p>
          )}
          {item.is_closable && (
            <p class="hint">
              {labelled(language, words.accept_closing, words.accept_closing_lead)}
            </p>
          )}
          <p class="hint">{labelled(language, words.refund_do, words.refund_lead)}</p>
          <ReasonForm
            action={`/operators/suspense/${item.id}/decide`}
            hint={words.reason_second}
            isRequired={false}
          >
            <p class="actions">
              {item.username !== null && (
                <Button name="decision" value="accept">
                  {words.accept}
                </Button>
              )}
              {item.is_closable && (
                <Button name="decision" value="accept_closing" look="plain">
                  {words.accept_closing}
                </Button>
              )}
              <Button name="decision" value="refund" look="plain">
                {words.refund_do}
              </Button>
            </p>
          </ReasonForm>
        </>
      )}
      <h2>{words.close}</h2>
      <p class="hint">{words.close_lead}</p>
      <Form action={`/operators/suspense/${item.id}/close`} class="card">
        <Field name="close_reason" label={words.reason} maxLength={MAX_REASON} required />
        <Field name="reference" label={words.close_reference} maxLength={MAX_REFERENCE} required />
        {!isHeld && item.refund !== null && <UnmadeOrder order={item.refund} />}
        <Button look="danger">{words.close}</Button>
      </Form>
    </>
  );
}

/**
 * States that the order on this page has led to no refund, and nothing of an order that came later.
 */
function UnmadeOrder({ order: { number, refund_id } }: { readonly order: RefundOrder }) {
  const words = WORDS[useFrame().language];
  return (
    <p class="field">
      {refund_id !== null && <input type="hidden" name="gateway_refund" value={refund_id} />}
      <label>
        <input type="checkbox" name="unmade_order" value={number} required />
        {refund_id === null ? words.gateway_made_none : words.gateway_has(refund_id)}
      </label>
    </p>
  );
}

function refusalOf(
  refusal: ApprovalNeeded | { readonly error: keyof OperatorWords['refused'] | 'unanswered' },
  words: OperatorWords,
): string {
  if (refusal.error === 'approval_required') return words.awaits;
  if (refusal.error === 'other_approval_waits') return words.other_awaits;
  return refusal.error === 'unanswered' ? words.done_refund : words.refused[refusal.error];
}

/** An order that was requested, or made and not answered yet, is no refusal. */
function toneOf(
  outcome: { readonly ok: true } | { readonly ok: false; readonly error: string },
): NonNullable<Flash['tone']> {
  if (outcome.ok || outcome.error === 'unanswered') return 'good';
  return outcome.error === 'approval_required' ? 'quiet' : 'bad';
}

function backTo({ id }: SuspenseItem, notice: string, tone: NonNullable<Flash['tone']>): Answer {
  const flash: Flash = { notice, tone };
  return seeOther(`/operators/suspense/${id}`, { flash });
}

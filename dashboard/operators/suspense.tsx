// Money that no payment link could take: what waits, and the three decisions about it.

import type { JSX } from 'preact';
import {
  findSuspense,
  listSuspense,
  type RefundOrder,
  type SuspenseItem,
} from '../../db/suspense/suspense';
import { intentWorkflowId, isUuid, suspenseRefundWorkflowId } from '../../domain/ids';
import { labelled } from '../../domain/language';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { acceptItem, closeItem, refundItem } from '../../use-cases/suspense';
import {
  formRoute,
  pageRoute,
  seeOther,
  type Answer,
  type Flash,
  type SignedInVisit,
} from '../context';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Details, Link, Money, Table, Tag, Time } from '../parts';
import { troublePage } from '../trouble';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  MAX_REASON,
  operatorPage,
  ReasonForm,
  WorkflowLink,
  type OperatorDependencies,
  type OperatorWords,
} from './frame';
import { WORDS } from './words';

const SHOWN = 200;
const MAX_REFERENCE = 200;

async function showItems(
  { operator_db }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const all = visit.query.get('all') === '1';
  const items = await listSuspense(operator_db, all, SHOWN);
  return operatorPage(
    visit,
    words.suspense,
    <>
      <p>
        {all ? (
          <Link to="/operators/suspense">{words.show_waiting}</Link>
        ) : (
          <Link to="/operators/suspense?all=1">{words.show_all}</Link>
        )}
      </p>
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
          <EnvironmentTag environment={item.environment} words={words} />,
          item.username === null ? words.no_merchant : <AccountLink username={item.username} />,
          words.reasons[item.reason],
          <StatusTag item={item} words={words} />,
          <Link to={`/operators/suspense/${item.id}`}>{words.decide}</Link>,
        ])}
      />
    </>,
  );
}

function StatusTag({
  item: { status },
  words,
}: {
  readonly item: SuspenseItem;
  readonly words: OperatorWords;
}): JSX.Element {
  const isOpen = status === 'held' || status === 'refunding';
  return <Tag tone={isOpen ? 'warn' : 'good'}>{words.statuses[status]}</Tag>;
}

async function findItem(
  { operator_db }: OperatorDependencies,
  { params }: SignedInVisit,
): Promise<SuspenseItem | undefined> {
  const id = params['id'] ?? '';
  return isUuid(id) ? findSuspense(operator_db, id) : undefined;
}

async function showItem(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  return itemPage(dependencies, visit);
}

interface Faults {
  readonly reason?: string;
  readonly reference?: string;
}

async function itemPage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults?: Faults,
): Promise<Answer> {
  const item = await findItem(dependencies, visit);
  if (!item) return troublePage(visit.language, { kind: 'unknown' });
  const { language } = visit;
  const words = WORDS[language];
  return operatorPage(
    visit,
    labelled(language, words.suspense, item.reference),
    <>
      <ItemDetails item={item} words={words} config={dependencies.config} />
      {(item.status === 'held' || item.status === 'refunding') && (
        <Decisions item={item} visit={visit} faults={faults ?? {}} />
      )}
    </>,
    faults === undefined ? 200 : 422,
  );
}

function ItemDetails({
  item,
  words,
  config,
}: {
  readonly item: SuspenseItem;
  readonly words: OperatorWords;
  readonly config: OperatorDependencies['config'];
}): JSX.Element {
  const { language } = useFrame();
  const { refund } = item;
  const rows = [
    { term: words.amount, value: <Money minor={item.amount_minor} currency={item.currency} /> },
    { term: words.state, value: <StatusTag item={item} words={words} /> },
    {
      term: words.environment,
      value: <EnvironmentTag environment={item.environment} words={words} />,
    },
    {
      term: words.merchant,
      value: item.username === null ? words.no_merchant : <AccountLink username={item.username} />,
    },
    { term: words.reason, value: words.reasons[item.reason] },
    { term: words.received, value: <Time at={item.created_at} /> },
    { term: words.gateway, value: item.gateway },
    { term: words.payment, value: <code>{item.provider_payment_id}</code> },
  ];
  if (item.intent_id !== null) {
    const id = intentWorkflowId(item.environment, item.intent_id);
    rows.push({ term: words.intent, value: <WorkflowLink config={config} id={id} /> });
  }
  if (refund !== null) {
    const status = words.refund_statuses[refund.status];
    const said = refund.detail === null ? status : labelled(language, status, refund.detail);
    rows.push({
      term: words.refund,
      value: (
        <>
          {`${said} (${refund.ordered_by}) `}
          <WorkflowLink config={config} id={suspenseRefundWorkflowId(item.id)} />
        </>
      ),
    });
  }
  if (item.closed_reason !== null) {
    const closed = `${item.closed_reason} (${item.closed_reference})`;
    rows.push({ term: words.close, value: closed });
  }
  return <Details rows={rows} />;
}

/** One form, whose buttons decide: the reason is the same field for each. */
function Decisions({
  item,
  visit: { form, language },
  faults,
}: {
  readonly item: SuspenseItem;
  readonly visit: SignedInVisit;
  readonly faults: Faults;
}): JSX.Element {
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
            words={words}
            hint={words.reason_second}
            value={form.get('reason') ?? ''}
            fault={form.has('decision') ? faults.reason : undefined}
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
        <Field
          name="close_reason"
          label={words.reason}
          value={form.get('close_reason') ?? ''}
          fault={form.has('decision') ? undefined : faults.reason}
          maxLength={MAX_REASON}
          required
        />
        <Field
          name="reference"
          label={words.close_reference}
          value={form.get('reference') ?? ''}
          fault={faults.reference}
          maxLength={MAX_REFERENCE}
          required
        />
        {!isHeld && item.refund !== null && <UnmadeOrder order={item.refund} words={words} />}
        <Button look="danger">{words.close}</Button>
      </Form>
    </>
  );
}

/**
 * States that the order on this page has led to no refund, and nothing of an order that came later.
 */
function UnmadeOrder({
  order: { number, refund_id },
  words,
}: {
  readonly order: RefundOrder;
  readonly words: OperatorWords;
}): JSX.Element {
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

async function decideItem(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const item = await findItem(dependencies, visit);
  if (!item) return troublePage(visit.language, { kind: 'unknown' });
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
  if (decision !== 'refund') {
    const { pay_url_base } = dependencies.config;
    const closes_intent = decision === 'accept_closing' ? { pay_url_base } : undefined;
    const accepted = await acceptItem({ ...deciding, closes_intent }, item.id);
    if (accepted.ok) dependencies.waker.wake(accepted.wake);
    return backTo(item, accepted.ok ? words.done_accept : refusalOf(accepted, words), accepted.ok);
  }
  const refunded = await refundItem(
    {
      ...deciding,
      // If this fails, the sweeper wakes the workflow: the order is there.
      wakeRefund: (id) => dependencies.wakeRefund(id).catch(() => undefined),
      // The page shows what the gateway says whenever it is looked at.
      waitFor: (look) => look(),
    },
    item.id,
  );
  const isOrdered = refunded.ok || refunded.error === 'unanswered';
  return backTo(item, isOrdered ? words.done_refund : refusalOf(refunded, words), isOrdered);
}

async function close(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  const item = await findItem(dependencies, visit);
  if (!item) return troublePage(visit.language, { kind: 'unknown' });
  const words = WORDS[visit.language];
  const { form } = visit;
  const reason = (form.get('close_reason') ?? '').trim();
  const reference = (form.get('reference') ?? '').trim();
  const isMissing = (text: string, limit: number): boolean => text === '' || text.length > limit;
  const faults: Faults = {
    ...(isMissing(reason, MAX_REASON) ? { reason: words.reason_missing } : {}),
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
  return backTo(item, closed.ok ? words.done_close : refusalOf(closed, words), closed.ok);
}

function refusalOf(
  refusal: ApprovalNeeded | { readonly error: keyof OperatorWords['refused'] | 'unanswered' },
  words: OperatorWords,
): string {
  if (refusal.error === 'approval_required') return words.awaits;
  if (refusal.error === 'other_approval_waits') return words.other_awaits;
  return refusal.error === 'unanswered' ? words.done_refund : words.refused[refusal.error];
}

function backTo({ id }: SuspenseItem, notice: string, isDone: boolean): Answer {
  const flash: Flash = { notice, tone: isDone ? 'good' : 'bad' };
  return seeOther(`/operators/suspense/${id}`, { flash });
}

export const SUSPENSE_ROUTES = [
  pageRoute('/operators/suspense', 'operator', showItems),
  pageRoute('/operators/suspense/:id', 'operator', showItem),
  formRoute('/operators/suspense/:id/decide', 'operator', null, decideItem, 'always'),
  formRoute('/operators/suspense/:id/close', 'operator', null, close, 'always'),
];

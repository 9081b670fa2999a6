// Decisions about money that wait for a second operator.

import type { JSX } from 'preact';
import {
  findApproval,
  listApprovalLimits,
  listApprovals,
  type Approval,
} from '../../db/operators/approvals';
import { isUuid } from '../../domain/ids';
import { formatMoney } from '../../pages/formats';
import { approveDecision, rejectDecision } from '../../use-cases/approvals';
import { operatorName } from '../../use-cases/operators';
import { formRoute, page, pageRoute, seeOther, type Answer, type SignedInVisit } from '../context';
import { Button, Form } from '../forms';
import { Details, Link, Money, Table, Tag, Time, type Tone } from '../parts';
import { troublePage } from '../trouble';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  ReasonForm,
  type OperatorDependencies,
  type OperatorWords,
} from './frame';
import { WORDS } from './words';

const LIMIT = 100;

const SHOWN_ABOVE: ReadonlySet<string> = new Set(['user_id', 'environment', 'currency', 'reason']);

const TONES: Readonly<Record<Approval['status'], Tone>> = {
  waiting: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'quiet',
};

async function showApprovals(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const all = visit.query.get('all') === '1';
  const { operator_db } = dependencies;
  const [approvals, limits] = await Promise.all([
    listApprovals(operator_db, all, LIMIT),
    listApprovalLimits(operator_db),
  ]);
  return page(
    words.approvals,
    <>
      <p>{words.limits_lead}</p>
      <Details
        rows={limits.map(({ currency, above_minor }) => ({
          term: currency,
          value:
            above_minor === null ? (
              words.no_limit
            ) : (
              <>
                {words.above} <Money minor={above_minor} currency={currency} />
              </>
            ),
        }))}
      />
      <p>
        {all ? (
          <Link to="/operators/approvals">{words.show_waiting}</Link>
        ) : (
          <Link to="/operators/approvals?all=1">{words.show_all}</Link>
        )}
      </p>
      <Table
        caption={words.approvals}
        columns={[words.requested, words.action, words.amount, words.account, words.status]}
        rows={approvals.map((one) => [
          <Time at={one.requested_at} />,
          <Link to={`/operators/approvals/${one.id}`}>{words.actions[one.action]}</Link>,
          <>
            <Money minor={one.amount_minor} currency={one.currency} />{' '}
            <EnvironmentTag environment={one.environment} words={words} />
          </>,
          one.username === null ? words.no_merchant : <AccountLink username={one.username} />,
          <Status approval={one} words={words} />,
        ])}
      />
    </>,
  );
}

function Status({
  approval: { status },
  words,
}: {
  readonly approval: Approval;
  readonly words: OperatorWords;
}): JSX.Element {
  return <Tag tone={TONES[status]}>{words.approval_statuses[status]}</Tag>;
}

async function showApproval(
  { operator_db }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const id = visit.params['id'] ?? '';
  const approval = isUuid(id) ? await findApproval(operator_db, id) : undefined;
  if (!approval) return troublePage(visit.language, { kind: 'unknown' });
  const words = WORDS[visit.language];
  return page(
    words.actions[approval.action],
    <>
      <Request approval={approval} words={words} />
      {approval.status === 'waiting' && <Decision approval={approval} visit={visit} />}
    </>,
  );
}

function Request({
  approval,
  words,
}: {
  readonly approval: Approval;
  readonly words: OperatorWords;
}): JSX.Element {
  const { amount_minor, currency, environment, username, reason, subject } = approval;
  const rows = [
    { term: words.status, value: <Status approval={approval} words={words} /> },
    { term: words.amount, value: <Money minor={amount_minor} currency={currency} /> },
    { term: words.environment, value: <EnvironmentTag environment={environment} words={words} /> },
    {
      term: words.merchant,
      value: username === null ? words.no_merchant : <AccountLink username={username} />,
    },
    {
      term: words.subject,
      value: subject.startsWith('suspense/') ? (
        <Link to={`/operators/${subject}`}>{words.suspense}</Link>
      ) : (
        <code>{subject}</code>
      ),
    },
    { term: words.reason, value: reason === '' ? '–' : reason },
    { term: words.requested_by, value: approval.requested_by },
    { term: words.requested, value: <Time at={approval.requested_at} /> },
    { term: words.expires, value: <Time at={approval.expires_at} /> },
    // A credit's source, a closing's payment outside, a refund's order.
    {
      term: words.details,
      value: Object.entries(approval.arguments)
        // The rows above say of which account and currency it is.
        .filter(([name, value]) => value !== null && !SHOWN_ABOVE.has(name))
        .map(([name, value]) => (
          <p>
            {name.endsWith('_minor') && (typeof value === 'string' || typeof value === 'number') ? (
              <>
                <code>{name.slice(0, -'_minor'.length)}</code>{' '}
                <Money minor={BigInt(value)} currency={currency} />
              </>
            ) : (
              <code>
                {name}={typeof value === 'string' ? value : JSON.stringify(value)}
              </code>
            )}
          </p>
        )),
    },
  ];
  if (approval.decided_by !== null && approval.decided_at !== null) {
    rows.push(
      { term: words.decided_by, value: approval.decided_by },
      { term: words.decided, value: <Time at={approval.decided_at} /> },
    );
  }
  if (approval.decision_reason) {
    rows.push({ term: words.reject_reason, value: approval.decision_reason });
  }
  return <Details rows={rows} />;
}

function Decision({
  approval: { id, amount_minor, currency, requested_by },
  visit: { language, session },
}: {
  readonly approval: Approval;
  readonly visit: SignedInVisit;
}): JSX.Element {
  const words = WORDS[language];
  const isOwn = requested_by.toLowerCase() === operatorName(session.email).toLowerCase();
  return (
    <>
      <h2>{words.decision}</h2>
      {isOwn ? (
        <p class="hint">{words.own}</p>
      ) : (
        <Form action={`/operators/approvals/${id}/approve`} class="card">
          <p>{words.approve_lead}</p>
          <Button>{words.approve_amount(formatMoney(language, amount_minor, currency))}</Button>
        </Form>
      )}
      <ReasonForm
        action={`/operators/approvals/${id}/reject`}
        words={words}
        hint={words.reason_hint}
        value=""
        isRequired={false}
      >
        <Button look="danger">{words.reject}</Button>
      </ReasonForm>
    </>
  );
}

async function approve(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  const words = WORDS[visit.language];
  const { pursue, config } = dependencies;
  const approving = {
    ...asOperator(dependencies, visit),
    pursue,
    pay_url_base: config.pay_url_base,
  };
  const id = visit.params['id'] ?? '';
  const approved = await approveDecision(approving, id);
  const flash = approved.ok
    ? { notice: words.approved_now }
    : { notice: words.approval_refused[approved.error], tone: 'bad' as const };
  return seeOther(`/operators/approvals/${id}`, { flash });
}

async function reject(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  const words = WORDS[visit.language];
  const deciding = asOperator(dependencies, visit);
  const id = visit.params['id'] ?? '';
  const reason = (visit.form.get('reason') ?? '').trim();
  const rejected = await rejectDecision(deciding, id, reason);
  const flash = rejected.ok
    ? { notice: words.rejected_now }
    : { notice: words.approval_refused[rejected.error], tone: 'bad' as const };
  return seeOther(`/operators/approvals/${id}`, { flash });
}

export const APPROVAL_ROUTES = [
  pageRoute('/operators/approvals', 'operator', showApprovals),
  pageRoute('/operators/approvals/:id', 'operator', showApproval),
  formRoute('/operators/approvals/:id/approve', 'operator', null, approve, 'always'),
  formRoute('/operators/approvals/:id/reject', 'operator', null, reject, 'always'),
];

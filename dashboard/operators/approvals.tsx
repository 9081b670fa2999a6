// Decisions about money that wait for a second operator.

import type { JSX } from 'preact';
import { listApprovals, type Approval } from '../../db/operators/approvals';
import { approveDecision, rejectDecision } from '../../use-cases/approvals';
import { formRoute, pageRoute, seeOther, type Answer, type SignedInVisit } from '../context';
import { ActionButton } from '../forms';
import { Link, Money, Table, Tag, Time, type Tone } from '../parts';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  operatorPage,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

const LIMIT = 100;

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
  const approvals = await listApprovals(dependencies.operator_db, all, LIMIT);
  const { actor } = asOperator(dependencies, visit);
  return operatorPage(
    visit,
    words.approvals,
    <>
      <p>
        {all ? (
          <Link to="/operators/approvals">{words.show_waiting}</Link>
        ) : (
          <Link to="/operators/approvals?all=1">{words.show_all}</Link>
        )}
      </p>
      <Table
        caption={words.approvals}
        columns={[
          words.requested,
          words.action,
          words.amount,
          words.account,
          words.reason,
          words.decision,
        ]}
        rows={approvals.map((one) => [
          <>
            <Time at={one.requested_at} /> <p>{one.requested_by}</p>
          </>,
          <Action approval={one} label={words.actions[one.action]} />,
          <>
            <Money minor={one.amount_minor} currency={one.currency} />{' '}
            <EnvironmentTag environment={one.environment} words={words} />
          </>,
          one.username === null ? words.no_merchant : <AccountLink username={one.username} />,
          one.reason,
          <Decision approval={one} visit={visit} actor={actor} />,
        ])}
      />
    </>,
  );
}

function Action({
  approval: { subject },
  label,
}: {
  readonly approval: Approval;
  readonly label: string;
}): JSX.Element {
  return subject.startsWith('suspense/') ? (
    <Link to={`/operators/${subject}`}>{label}</Link>
  ) : (
    <>
      {label} <code>{subject}</code>
    </>
  );
}

function Decision({
  approval: { id, status, requested_by, decided_by },
  visit: { language },
  actor,
}: {
  readonly approval: Approval;
  readonly visit: SignedInVisit;
  readonly actor: string;
}): JSX.Element {
  const words = WORDS[language];
  if (status !== 'waiting') {
    return (
      <>
        <Tag tone={TONES[status]}>{status}</Tag> {decided_by}
      </>
    );
  }
  const isOwn = requested_by.toLowerCase() === actor.toLowerCase();
  return (
    <div class="actions">
      {isOwn ? (
        <span class="hint">{words.own}</span>
      ) : (
        <ActionButton action={`/operators/approvals/${id}/approve`}>{words.approve}</ActionButton>
      )}
      <ActionButton action={`/operators/approvals/${id}/reject`} look="danger">
        {words.reject}
      </ActionButton>
    </div>
  );
}

async function approve(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  const words = WORDS[visit.language];
  const { wakeRefund, wakePaymentRefund, waker, config } = dependencies;
  const approving = {
    ...asOperator(dependencies, visit),
    wakeRefund,
    wakePaymentRefund,
    pay_url_base: config.pay_url_base,
    wakeEndpoints: (ids: readonly string[]) => waker.wake(ids),
  };
  const approved = await approveDecision(approving, visit.params['id'] ?? '');
  const flash = approved.ok
    ? { notice: words.approved_now }
    : { notice: words.approval_refused[approved.error], tone: 'bad' as const };
  return seeOther('/operators/approvals', { flash });
}

async function reject(dependencies: OperatorDependencies, visit: SignedInVisit): Promise<Answer> {
  const words = WORDS[visit.language];
  const deciding = asOperator(dependencies, visit);
  const rejected = await rejectDecision(deciding, visit.params['id'] ?? '', '');
  const flash = rejected.ok
    ? { notice: words.rejected_now }
    : { notice: words.approval_refused[rejected.error], tone: 'bad' as const };
  return seeOther('/operators/approvals', { flash });
}

export const APPROVAL_ROUTES = [
  pageRoute('/operators/approvals', 'operator', showApprovals),
  formRoute('/operators/approvals/:id/approve', 'operator', null, approve, 'always'),
  formRoute('/operators/approvals/:id/reject', 'operator', null, reject, 'always'),
];

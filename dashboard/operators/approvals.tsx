// Decisions about money that wait for a second operator.

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
import { page, seeOther, type SignedInVisit, type Answer, type Flash } from '../context';
import { Button, Form } from '../forms';
import { Details, Link, Money, Table, Tag, Time, type Tone } from '../parts';
import { useFrame } from '../frame';
import { argumentRows, subjectRow } from './approval-details';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  personOf,
  ReasonForm,
  operatorPage,
  operatorForm,
  AllOrWaiting,
} from './frame';
import { ApprovalLimits } from './credits';
import { WORDS } from './words';

const LIMIT = 100;

const TONES: Readonly<Record<Approval['status'], Tone>> = {
  waiting: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'quiet',
};

export const APPROVAL_ROUTES = [
  operatorPage('/operators/approvals', async (dependencies, visit) => {
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
        <ApprovalLimits limits={limits} />
        <AllOrWaiting path="/operators/approvals" all={all} />
        <Table
          caption={words.approvals}
          columns={[words.requested, words.action, words.amount, words.account, words.status]}
          rows={approvals.map((one) => [
            <Time at={one.requested_at} />,
            <Link to={`/operators/approvals/${one.id}`}>{words.actions[one.action]}</Link>,
            <>
              <Amount approval={one} />{' '}
              {one.environment && <EnvironmentTag environment={one.environment} />}
            </>,
            (one.username !== null || one.amount_minor !== null) && (
              <AccountLink username={one.username} />
            ),
            <Status approval={one} />,
          ])}
        />
      </>,
    );
  }),
  operatorPage('/operators/approvals/:id', async ({ operator_db }, visit) => {
    const id = visit.params['id'] ?? '';
    const approval = isUuid(id) ? await findApproval(operator_db, id) : undefined;
    if (!approval) return undefined;
    const words = WORDS[visit.language];
    return page(
      words.actions[approval.action],
      <>
        <Request approval={approval} />
        {approval.status === 'waiting' && <Decision approval={approval} visit={visit} />}
      </>,
    );
  }),
  operatorForm('/operators/approvals/:id/approve', (dependencies, visit) => {
    const { pursue, config } = dependencies;
    const { pay_url_base } = config;
    const approving = { ...asOperator(dependencies, visit), pursue, pay_url_base };
    return decide(visit, 'approved_now', (id) => approveDecision(approving, id));
  }),
  operatorForm('/operators/approvals/:id/reject', (dependencies, visit) => {
    const reason = (visit.form.get('reason') ?? '').trim();
    const deciding = asOperator(dependencies, visit);
    return decide(visit, 'rejected_now', (id) => rejectDecision(deciding, id, reason));
  }),
];

async function decide(
  { params, language }: SignedInVisit,
  done: 'approved_now' | 'rejected_now',
  by: (id: string) => ReturnType<typeof approveDecision | typeof rejectDecision>,
): Promise<Answer> {
  const words = WORDS[language];
  const id = params['id'] ?? '';
  const decided = await by(id);
  const flash: Flash = decided.ok
    ? { notice: words[done] }
    : { notice: words.approval_refused[decided.error], tone: 'bad' };
  return seeOther(`/operators/approvals/${id}`, { flash });
}

function Status({ approval: { status } }: { readonly approval: Approval }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.approval_statuses[status]}</Tag>;
}

function Amount({ approval: { amount_minor, currency } }: { readonly approval: Approval }) {
  if (currency === null) return null;
  return amount_minor === null ? (
    <>{currency}</>
  ) : (
    <Money minor={amount_minor} currency={currency} />
  );
}

function Request({ approval }: { readonly approval: Approval }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const { amount_minor, currency, environment, username, reason } = approval;
  const { decided_by, decided_at } = approval;
  return (
    <Details
      rows={[
        [words.status, <Status approval={approval} />],
        [
          amount_minor === null ? words.currency : words.amount,
          currency && <Amount approval={approval} />,
        ],
        [words.environment, environment && <EnvironmentTag environment={environment} />],
        [
          words.merchant,
          (username !== null || amount_minor !== null) && <AccountLink username={username} />,
        ],
        subjectRow(language, approval),
        [words.reason, reason === '' ? '–' : reason],
        ...argumentRows(language, approval),
        [words.requested_by, personOf(language, approval.requested_by)],
        [words.requested, <Time at={approval.requested_at} />],
        [words.expires, <Time at={approval.expires_at} />],
        [words.decided_by, decided_at !== null && decided_by && personOf(language, decided_by)],
        [words.decided, decided_by !== null && decided_at !== null && <Time at={decided_at} />],
        [words.reject_reason, approval.decision_reason],
      ]}
    />
  );
}

function Decision({
  approval: { id, amount_minor, currency, requested_by },
  visit: { language, session },
}: {
  readonly approval: Approval;
  readonly visit: SignedInVisit;
}) {
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
          <Button>
            {amount_minor === null || currency === null
              ? words.approve
              : words.approve_amount(formatMoney(language, amount_minor, currency))}
          </Button>
        </Form>
      )}
      <ReasonForm
        action={`/operators/approvals/${id}/reject`}
        hint={words.reason_hint}
        isRequired={false}
      >
        <Button look="danger">{words.reject}</Button>
      </ReasonForm>
    </>
  );
}

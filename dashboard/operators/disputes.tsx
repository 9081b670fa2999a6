// Disputes of all accounts: those that are open or owed first, and those that could not be booked.

import {
  DISPUTE_PROBLEMS,
  listOperatorDisputes,
  listTroubledDisputes,
  settleDispute,
  type TroubledDispute,
} from '../../db/disputes/disputes';
import { ENVIRONMENTS } from '../../domain/environment';
import { page, seeOther, type Answer, type SignedInVisit } from '../context';
import { Button, Form } from '../forms';
import { reasonWords } from '../links/dispute-words';
import { DisputeState, EvidenceDue } from '../links/disputes';
import { Link, Money, Table, Time } from '../parts';
import { useFrame } from '../frame';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  MAX_REASON,
  readReason,
  operatorPage,
  operatorForm,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

const SHOWN = 200;
const VERDICTS = ['won', 'lost'] as const;

async function showDisputes(
  { operator_db }: OperatorDependencies,
  { language }: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const [disputes, troubled] = await Promise.all([
    listOperatorDisputes(operator_db, SHOWN),
    listTroubledDisputes(operator_db, SHOWN),
  ]);
  return page(
    words.disputes,
    <>
      <p class="lead">{words.disputes_lead}</p>
      {troubled.length > 0 && <Troubles rows={troubled} />}
      <Table
        caption={words.disputes}
        columns={[
          words.opened,
          { label: words.amount, as: 'number' },
          words.account,
          words.reason,
          words.evidence_due,
          words.state,
          words.at_gateway,
        ]}
        rows={disputes.map((row) => [
          <Time at={row.created_at} />,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <div>
            <AccountLink username={row.username} /> <EnvironmentTag environment={row.environment} />
            <p class="hint">
              <Link to={`/operators/payments/${row.payment_reference}`}>
                {row.payment_reference}
              </Link>
            </p>
          </div>,
          reasonWords(language, row.reason),
          <EvidenceDue of={row} />,
          <DisputeState of={row} />,
          <div>
            {row.gateway} <code>{row.provider_dispute_id}</code>
            <p class="hint">{row.reference}</p>
          </div>,
        ])}
      />
    </>,
  );
}

function Troubles({ rows }: { readonly rows: readonly TroubledDispute[] }) {
  const words = WORDS[useFrame().language];
  return (
    <section>
      <h2>{words.dispute_troubles}</h2>
      <p>{words.dispute_troubles_lead}</p>
      <Table
        caption={words.dispute_troubles}
        columns={[
          words.noticed,
          words.environment,
          words.at_gateway,
          words.problem,
          words.decision,
        ]}
        rows={rows.map((row) => {
          const problem = DISPUTE_PROBLEMS.find((one) => one === row.problem);
          return [
            <Time at={row.noted_at} />,
            <EnvironmentTag environment={row.environment} />,
            <>
              {row.gateway} <code>{row.dispute_id}</code>
            </>,
            problem === undefined ? row.problem : words.dispute_problems[problem],
            problem === undefined ? words.dispute_asked_again : <SettleForm dispute={row} />,
          ];
        })}
      />
      <h2>{words.disputes}</h2>
    </section>
  );
}

function SettleForm({
  dispute: { gateway, environment, dispute_id, is_open },
}: {
  readonly dispute: TroubledDispute;
}) {
  const words = WORDS[useFrame().language];
  return (
    <Form action="/operators/disputes/settle">
      <input type="hidden" name="gateway" value={gateway} />
      <input type="hidden" name="environment" value={environment} />
      <input type="hidden" name="dispute" value={dispute_id} />
      <div class="field">
        <input
          name="reason"
          aria-label={words.dispute_how}
          placeholder={words.dispute_how}
          maxLength={MAX_REASON}
          required
        />
      </div>
      {is_open ? (
        <>
          <Button look="plain" name="verdict" value="won">
            {words.dispute_won}
          </Button>
          <Button look="plain" name="verdict" value="lost">
            {words.dispute_lost}
          </Button>
        </>
      ) : (
        <Button look="plain">{words.dispute_settle}</Button>
      )}
    </Form>
  );
}

export const OPERATOR_DISPUTE_ROUTES = [
  operatorPage('/operators/disputes', showDisputes),
  operatorForm('/operators/disputes/settle', async (dependencies, visit) => {
    const { form, language } = visit;
    const environment = ENVIRONMENTS.find((one) => one === form.get('environment'));
    const reason = readReason(visit);
    if (environment === undefined || reason === undefined) return showDisputes(dependencies, visit);
    const gateway = form.get('gateway') ?? '';
    const dispute_id = form.get('dispute') ?? '';
    const { db, actor } = asOperator(dependencies, visit);
    const verdict = VERDICTS.find((one) => one === form.get('verdict')) ?? null;
    const settlement = { gateway, environment, dispute_id, verdict, reason };
    const outcome = await settleDispute(db, settlement, actor);
    if (outcome === 'not_found') return undefined;
    const words = WORDS[language];
    const flash =
      outcome === 'done'
        ? { notice: words.dispute_settled }
        : {
            notice:
              outcome === 'verdict_due'
                ? words.dispute_verdict_due
                : words.dispute_problems.limit_exceeded,
            tone: 'bad' as const,
          };
    return seeOther('/operators/disputes', { flash });
  }),
];

// Disputes of all accounts: those that are open or owed first, and those that could not be booked.

import type { JSX } from 'preact';
import {
  listOperatorDisputes,
  listTroubledDisputes,
  type DisputeProblem,
  type TroubledDispute,
} from '../../db/disputes/disputes';
import { page, pageRoute, type Answer, type SignedInVisit } from '../context';
import { reasonWords } from '../links/dispute-words';
import { DisputeState, EvidenceDue } from '../links/disputes';
import { Money, Table, Time } from '../parts';
import {
  AccountLink,
  EnvironmentTag,
  type OperatorDependencies,
  type OperatorWords,
} from './frame';
import { WORDS } from './words';

const SHOWN = 200;

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
      {troubled.length > 0 && <Troubles rows={troubled} words={words} />}
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
            <AccountLink username={row.username} />{' '}
            <EnvironmentTag environment={row.environment} words={words} />
            <p class="hint">{row.payment_reference}</p>
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

function Troubles({
  rows,
  words,
}: {
  readonly rows: readonly TroubledDispute[];
  readonly words: OperatorWords;
}): JSX.Element {
  const problems: Readonly<Record<DisputeProblem, string>> = words.dispute_problems;
  return (
    <section>
      <h2>{words.dispute_troubles}</h2>
      <p>{words.dispute_troubles_lead}</p>
      <Table
        caption={words.dispute_troubles}
        columns={[words.noticed, words.environment, words.at_gateway, words.problem]}
        rows={rows.map(({ noted_at, environment, gateway, dispute_id, problem }) => [
          <Time at={noted_at} />,
          <EnvironmentTag environment={environment} words={words} />,
          <>
            {gateway} <code>{dispute_id}</code>
          </>,
          Object.hasOwn(problems, problem) ? problems[problem as DisputeProblem] : problem,
        ])}
      />
      <h2>{words.disputes}</h2>
    </section>
  );
}

export const OPERATOR_DISPUTE_ROUTES = [pageRoute('/operators/disputes', 'operator', showDisputes)];

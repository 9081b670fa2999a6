// Lists the items that wait for operators, with their age.

import type { JSX } from 'preact';
import { listSeals } from '../../db/ledger/ledger-seals';
import { readLatestChecks } from '../../db/reconciliation/reconciliations';
import { countWaitingWork, type Waiting } from '../../db/operators/operators';
import { page } from '../context';
import { Link, Table, Tag, Time } from '../parts';
import { operatorPage } from './frame';
import { WORDS } from './words';

export const HOME_ROUTES = [
  operatorPage('/operators', async ({ operator_db }, visit) => {
    const words = WORDS[visit.language];
    const [work, checks, [seal]] = await Promise.all([
      countWaitingWork(operator_db),
      readLatestChecks(operator_db),
      listSeals(operator_db, { limit: 1 }),
    ]);
    const findings = checks.reduce(
      (sum, { found, is_checked }) => sum + Number(found) + (is_checked ? 0 : 1),
      0,
    );
    const books = checks.find(({ name, is_checked }) => name === 'books' && is_checked);
    const holds = books?.found === 0n;
    const checked = holds ? words.books_hold : words.books_broken;
    const state = books ? checked : words.never_checked;
    const row = (path: string, label: string, { count, oldest_at }: Waiting): JSX.Element[] => [
      <Link to={path}>{label}</Link>,
      count === 0 ? <Tag tone="good">{words.nothing_waits}</Tag> : <Tag tone="warn">{count}</Tag>,
      oldest_at === null ? <span>–</span> : <Time at={oldest_at} />,
    ];
    return page(
      words.operators,
      <>
        <p class="lead">{words.lead}</p>
        <p>
          {words.books} · <Tag tone={holds ? 'good' : books ? 'bad' : 'quiet'}>{state}</Tag>{' '}
          {seal && <Time at={seal.sealed_at} />}
        </p>
        <Table
          caption={words.waiting}
          columns={[words.what, words.waiting, words.oldest]}
          rows={[
            row('/operators/identity-checks', words.checks, work.checks),
            row('/operators/suspense', words.suspense, work.suspense),
            row('/operators/disputes', words.disputes, work.disputes),
            row('/operators/payouts', words.payouts_in_doubt, work.payouts),
            row('/operators/approvals', words.approvals, work.approvals),
            row('/operators/deliveries', words.deliveries, work.endpoints),
            checks.length === 0
              ? [
                  <Link to="/operators/reconciliations">{words.reconciliation_findings}</Link>,
                  <Tag>{words.never_ran}</Tag>,
                  <span>–</span>,
                ]
              : row('/operators/reconciliations', words.reconciliation_findings, {
                  count: findings,
                  oldest_at: null,
                }),
          ]}
        />
      </>,
    );
  }),
];

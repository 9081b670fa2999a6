// Lists the items that wait for operators, with their age, and what was booked in the last hours.

import type { JSX } from 'preact';
import { listSeals } from '../../db/ledger/ledger-seals';
import { readLatestChecks } from '../../db/reconciliation/reconciliations';
import { countWaitingWork, type Waiting } from '../../db/operators/operators';
import { countHours, type HourFigures } from '../../db/operators/hours';
import { formatCount } from '../../domain/language';
import { formatDay } from '../../pages/formats';
import { BarTable, Bars } from '../bars';
import { page } from '../context';
import { useFrame } from '../frame';
import { Link, Table, Tag, Time } from '../parts';
import { operatorPage } from './frame';
import { WORDS } from './words';

const FIGURES = ['transfers', 'payments', 'payouts', 'failures'] as const;

function Hours({ of }: { readonly of: readonly HourFigures[] }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const count = (figure: number, is_more: boolean): string =>
    `${formatCount(language, figure)}${is_more ? '+' : ''}`;
  const is_more = of.some((one) => one.is_more);
  return (
    <>
      <h2>{words.hours}</h2>
      <p class="hint">{words.hours_hint}</p>
      <div class="cards pictures">
        {FIGURES.map((name) => {
          const total = of.reduce((sum, hour) => sum + hour[name], 0);
          const most = Math.max(...of.map((hour) => hour[name]));
          const all = count(total, is_more);
          return (
            <div class="card">
              <p class="hint">{words.figures[name]}</p>
              <p class="big">{all}</p>
              <Bars
                values={of.map((hour) => BigInt(hour[name]))}
                label={words.hours_chart(words.figures[name], all, count(most, is_more))}
                axis={[clock(of[0]!), words.this_hour]}
              />
            </div>
          );
        })}
      </div>
      <BarTable
        summary={words.hour_by_hour}
        caption={words.hours}
        columns={[
          words.hour,
          ...FIGURES.map((name) => ({ label: words.figures[name], as: 'number' as const })),
        ]}
        rows={of.map((hour) => [
          `${formatDay(language, hour.hour)}, ${clock(hour)}`,
          ...FIGURES.map((name) => count(hour[name], hour.is_more)),
        ])}
        newest={words.this_hour}
      />
    </>
  );
}

/** `14:00`, of UTC. */
function clock({ hour }: HourFigures): string {
  return hour.slice(11, 16);
}

export const HOME_ROUTES = [
  operatorPage('/operators', async ({ operator_db }, visit) => {
    const words = WORDS[visit.language];
    const [work, checks, [seal], hours] = await Promise.all([
      countWaitingWork(operator_db),
      readLatestChecks(operator_db),
      listSeals(operator_db, { limit: 1 }),
      countHours(operator_db),
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
            row('/operators/risk', words.risk, work.risk),
            row('/operators/disputes', words.disputes, work.disputes),
            row('/operators/payouts', words.payouts_in_doubt, work.payouts),
            row('/operators/treasury', words.treasury, work.breaks),
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
        <Hours of={hours} />
      </>,
    );
  }),
];

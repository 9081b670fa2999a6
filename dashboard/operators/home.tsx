// What waits for operators, with its age.

import type { JSX } from 'preact';
import { countWaitingWork, type Waiting } from '../../db/operators';
import { pageRoute, type Answer, type SignedInVisit } from '../context';
import { Link, Table, Tag, Time } from '../parts';
import { operatorPage, type OperatorDependencies } from './frame';
import { WORDS } from './words';

async function showHome(
  { operator_db }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const work = await countWaitingWork(operator_db);
  const row = (path: string, label: string, { count, oldest_at }: Waiting): JSX.Element[] => [
    <Link to={path}>{label}</Link>,
    count === 0 ? <Tag tone="good">{words.nothing_waits}</Tag> : <Tag tone="warn">{count}</Tag>,
    oldest_at === null ? <span>–</span> : <Time at={oldest_at} />,
  ];
  return operatorPage(
    visit,
    words.operators,
    <>
      <p class="lead">{words.lead}</p>
      <Table
        caption={words.waiting}
        columns={[words.what, words.waiting, words.oldest]}
        rows={[
          row('/operators/identity-checks', words.checks, work.checks),
          row('/operators/suspense', words.suspense, work.suspense),
          row('/operators/approvals', words.approvals, work.approvals),
          row('/operators/deliveries', words.deliveries, work.endpoints),
        ]}
      />
    </>,
  );
}

export const HOME_ROUTES = [pageRoute('/operators', 'operator', showHome)];

// Webhook endpoints that fail: since when, and how much waits for them.

import { listFailingEndpoints } from '../../db/operators/operators';
import { webhookWorkflowId } from '../../domain/ids';
import { pageRoute, type Answer, type SignedInVisit } from '../context';
import { Table, Tag, Time } from '../parts';
import {
  AccountLink,
  EnvironmentTag,
  operatorPage,
  WorkflowLink,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

const LIMIT = 50;

async function showDeliveries(
  { operator_db, config }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const endpoints = await listFailingEndpoints(operator_db, LIMIT);
  return operatorPage(
    visit,
    words.deliveries,
    <Table
      caption={words.deliveries}
      columns={[words.account, words.url, words.since, words.failures, words.deliveries_wait]}
      rows={endpoints.map((one) => [
        <>
          <AccountLink username={one.username} />{' '}
          <EnvironmentTag environment={one.environment} words={words} />
        </>,
        <>
          {one.url} {one.status === 'disabled' && <Tag tone="bad">{words.disabled}</Tag>}
          <p>
            <WorkflowLink config={config} id={webhookWorkflowId(one.id)} />
          </p>
        </>,
        <Time at={one.failing_since} />,
        one.consecutive_failures,
        one.oldest_at === null ? (
          '0'
        ) : (
          <>
            {one.waiting}, {words.since.toLowerCase()} <Time at={one.oldest_at} />
          </>
        ),
      ])}
    />,
  );
}

export const DELIVERY_ROUTES = [pageRoute('/operators/deliveries', 'operator', showDeliveries)];

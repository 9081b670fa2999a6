// Webhook endpoints that fail: since when, and how much waits for them.

import { listFailingEndpoints } from '../../db/operators/operators';
import { findOperatorEndpoint } from '../../db/webhooks/operator-webhooks';
import { isUuid } from '../../domain/ids';
import { changeEndpoint } from '../../use-cases/webhook-endpoints';
import { page, seeOther } from '../context';
import { ActionButton } from '../forms';
import { Table, Tag, Time } from '../parts';
import { describeOutcome } from '../webhooks/state';
import { WORDS as WEBHOOK_WORDS } from '../webhooks/words';
import { AccountLink, asOperator, EnvironmentTag, operatorPage, operatorForm } from './frame';
import { WORDS } from './words';

const LIMIT = 50;

export const DELIVERY_ROUTES = [
  operatorPage('/operators/deliveries', async ({ operator_db }, visit) => {
    const words = WORDS[visit.language];
    const endpoints = await listFailingEndpoints(operator_db, LIMIT);
    return page(
      words.deliveries,
      <Table
        caption={words.deliveries}
        columns={[
          words.account,
          words.url,
          words.failing_since,
          words.last_failure,
          words.deliveries_wait,
          words.decision,
        ]}
        rows={endpoints.map((one) => [
          <div>
            <AccountLink username={one.username} /> <EnvironmentTag environment={one.environment} />
          </div>,
          <div>
            {one.url} {one.status === 'disabled' && <Tag tone="bad">{words.disabled}</Tag>}
          </div>,
          <Time at={one.failing_since} />,
          <div>
            {one.last_failure && (
              <p>
                {describeOutcome(WEBHOOK_WORDS[visit.language], one.last_failure)} ·{' '}
                <Time at={one.last_failure.at} />
              </p>
            )}
            <p class="hint">
              {words.failures} · {one.consecutive_failures}
            </p>
          </div>,
          one.oldest_at === null ? (
            '0'
          ) : (
            <div>
              {one.waiting} · <Time at={one.oldest_at} />
            </div>
          ),
          one.status === 'enabled' && (
            <ActionButton action={`/operators/deliveries/${one.id}/disable`} look="danger">
              {words.disable}
            </ActionButton>
          ),
        ])}
      />,
    );
  }),
  /** Disables as the merchant's own switch does: deliveries are held, and none is lost. */
  operatorForm('/operators/deliveries/:id/disable', async (dependencies, visit) => {
    const words = WORDS[visit.language];
    const { webhook_policy: policy } = dependencies;
    const { db, actor } = asOperator(dependencies, visit);
    const id = visit.params['id'] ?? '';
    const endpoint = isUuid(id) ? await findOperatorEndpoint(db, id) : undefined;
    if (!endpoint) return undefined;
    const { username, environment, url } = endpoint;
    const details = { username, environment, changes: ['status'], status: 'disabled' };
    const audit = { actor, action: 'webhooks.update', details };
    const changed = await changeEndpoint({ db, policy, audit }, endpoint, id, {
      status: 'disabled',
    });
    if (!changed.ok) return undefined;
    return seeOther('/operators/deliveries', { flash: { notice: words.now_disabled(url) } });
  }),
];

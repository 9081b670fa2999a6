// The endpoints of the environment that is shown.

import { listWebhookEndpoints, type EndpointView } from '../../db/webhooks/webhook-endpoints';
import { readEndpointHealth, type EndpointHealth } from '../../db/webhooks/webhook-health';
import { MAX_ENDPOINTS } from '../../domain/webhook';
import { page, ownerOf, pageRoute } from '../context';
import { useFrame } from '../frame';
import { Link, Table } from '../parts';
import { EndpointStatusTag, Health } from './state';
import { WORDS } from './words';

export const ENDPOINTS_PAGE = pageRoute('/webhooks', 'webhooks', async ({ db }, visit) => {
  const { language } = visit;
  const { user_id, environment } = ownerOf(visit);
  const words = WORDS[language];
  const endpoints = await listWebhookEndpoints(db, user_id, environment);
  const health = await readEndpointHealth(
    db,
    endpoints.map(({ id }) => id),
  );
  return page(
    words.webhooks,
    <>
      <p class="lead">{words.lead}</p>
      {endpoints.length < MAX_ENDPOINTS && (
        <p>
          <Link to="/webhooks/new" class="button">
            {words.add}
          </Link>
        </p>
      )}
      <EndpointTable endpoints={endpoints} health={health} />
    </>,
  );
});

function EndpointTable({
  endpoints,
  health,
}: {
  readonly endpoints: readonly EndpointView[];
  readonly health: ReadonlyMap<string, EndpointHealth>;
}) {
  const words = WORDS[useFrame().language];
  return (
    <Table
      caption={words.endpoints}
      columns={[words.endpoint, words.status, words.health]}
      rows={endpoints.map((endpoint) => [
        <span>
          <Link to={`/webhooks/${endpoint.id}`}>{endpoint.url}</Link>
          {endpoint.description && (
            <>
              <br />
              <span class="hint">{endpoint.description}</span>
            </>
          )}
        </span>,
        <EndpointStatusTag of={endpoint} />,
        <Health of={endpoint} health={health.get(endpoint.id)} />,
      ])}
    />
  );
}

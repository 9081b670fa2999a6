// Who may see and change which webhooks: two merchants, each in two environments. What belongs to another
// answers the same bytes as what does not exist.

import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { ENVIRONMENTS } from '../../domain/environment';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { refusal } from './support/contract';
import { call, essence, listDeliveries, createEndpoint, type Merchant } from './support/webhooks';

let database: TestDatabase;
let service: TestService;

interface Owned {
  readonly merchant: Merchant;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly delivery_id: string;
  readonly resend_id: string;
}

let owners: Record<string, Owned>;

const NAMES = ['first', 'second'] as const;
const VIEWS = NAMES.flatMap((name) => ENVIRONMENTS.map((environment) => `${name} ${environment}`));
const STRANGERS = VIEWS.flatMap((viewer) =>
  VIEWS.filter((owner) => owner !== viewer).map((owner) => [viewer, owner] as const),
);

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owners = {};
  for (const name of NAMES) {
    const account = await buildAccount(database);
    for (const environment of ENVIRONMENTS) {
      const merchant = { service, key: account[environment] };
      const { id: endpoint_id } = await createEndpoint(merchant);
      const path = `/webhook-endpoints/${endpoint_id}`;
      const { event_id, delivery_id } = (await call(merchant, 'POST', `${path}/test`)).json;
      const resend_id = (await call(merchant, 'POST', `${path}/resend`)).json.id;
      owners[`${name} ${environment}`] = {
        ...{ merchant, endpoint_id, event_id, delivery_id, resend_id },
      };
    }
  }
});

const NAMED = ROUTES.filter(({ path }) =>
  /^\/(webhook-endpoints|events|webhook-deliveries|webhook-resends)\/\{id\}/.test(path),
).map((route) => [`${route.method} ${route.path}`, route] as const);

/** What a path names, and the error code when there is no such thing. */
function resourceOf(path: string) {
  const things = {
    'webhook-endpoints': ['endpoint_id', 'webhook_endpoint_not_found'],
    events: ['event_id', 'event_not_found'],
    'webhook-deliveries': ['delivery_id', 'webhook_delivery_not_found'],
    'webhook-resends': ['resend_id', 'webhook_resend_not_found'],
  } as const;
  return things[path.split('/')[1] as keyof typeof things];
}

describe.each(NAMED)('%s', (_name, { method, path, body }) => {
  const callAs = (viewer: string, id: string) => {
    const sent = method === 'PATCH' ? { description: 'mine now' } : body && {};
    return call(owners[viewer]!.merchant, method, path.replace('{id}', id), sent);
  };

  it.each(STRANGERS)('shows %s nothing that belongs to %s', async (viewer, owner) => {
    const [name_of_id, code] = resourceOf(path);
    const response = await callAs(viewer, randomUUID());
    expect(response).toMatchObject(refusal(code));
    const unknown = essence(response);
    const id = owners[owner]![name_of_id];
    for (const name of [id, id.toUpperCase(), 'x', '%00', `${id}0`]) {
      expect(essence(await callAs(viewer, name))).toEqual(unknown);
    }
  });
});

describe('lists', () => {
  it.each(VIEWS)('of the %s account hold its own and nothing of anybody else', async (view) => {
    const { merchant, endpoint_id, delivery_id } = owners[view]!;
    const { json } = await call(merchant, 'GET', '/webhook-endpoints');
    expect(json.webhook_endpoints).toMatchObject([{ id: endpoint_id, description: null }]);
    expect(await listDeliveries(merchant)).toMatchObject([{ id: delivery_id }]);
    for (const other of VIEWS.filter((name) => name !== view)) {
      const foreign = owners[other]!;
      expect(await listDeliveries(merchant, `?endpoint_id=${foreign.endpoint_id}`)).toEqual([]);
      expect(await listDeliveries(merchant, `?event_id=${foreign.event_id}`)).toEqual([]);
    }
  });
});

describe('POST /events/{id}/resend', () => {
  it.each(STRANGERS)('of %s does not send to the endpoint of %s', async (viewer, owner) => {
    const { merchant, event_id } = owners[viewer]!;
    const path = `/events/${event_id}/resend`;
    const unknown = await call(merchant, 'POST', path, { endpoint_id: randomUUID() });
    const { endpoint_id } = owners[owner]!;
    const foreign = await call(merchant, 'POST', path, { endpoint_id });
    expect(essence(foreign)).toEqual(essence(unknown));
    expect(foreign).toMatchObject(refusal('webhook_endpoint_not_found'));
    const { rows } = await database.owner.raw(
      'select count(*)::int from webhook_deliveries where event_id = ?',
      [event_id],
    );
    expect(rows[0].count).toBe(1);
  });
});

// The demo merchant's webhook endpoints, one per environment, at the webhook sink of `npm start`.

import { findUserByName } from '../db/accounts/users';
import { listWebhookEndpoints } from '../db/webhooks/webhook-endpoints';
import { ENVIRONMENTS } from '../domain/environment';
import { EVENT_TYPES } from '../domain/event';
import {
  changeEndpoint,
  createEndpoint,
  type EndpointDependencies,
} from '../use-cases/webhook-endpoints';

const DEMO_HOOK = '/hooks/demo';
const DEMO_URL = /^http:\/\/127\.0\.0\.1:[0-9]+\/hooks\/demo$/;

/** Creates the endpoints, or moves them when the sink has another port. Returns their URL. */
export async function seedDemoEndpoints(
  dependencies: EndpointDependencies,
  merchant: string,
  sink: string,
): Promise<string> {
  const url = new URL(DEMO_HOOK, sink).href;
  const user_id = (await findUserByName(dependencies.db, merchant))!.id;
  for (const environment of ENVIRONMENTS) {
    const owner = { user_id, environment };
    const all = await listWebhookEndpoints(dependencies.db, user_id, environment);
    const known = all.find((endpoint) => DEMO_URL.test(endpoint.url));
    if (known?.url === url) continue;
    const description = 'The sink of npm start';
    const result = known
      ? await changeEndpoint(dependencies, owner, known.id, { url })
      : await createEndpoint(dependencies, owner, { url, description, types: EVENT_TYPES });
    // At the limit of endpoints the merchant already has others to try with.
    if (!result.ok && result.error !== 'limit') {
      throw new Error(`the endpoint of the webhook sink was refused: ${result.error}`);
    }
  }
  return url;
}

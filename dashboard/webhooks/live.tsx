// The streams behind an endpoint's and a delivery's page.

import { findEvent } from '../../db/webhooks/events';
import { listAttempts } from '../../db/webhooks/webhook-attempts';
import { findDelivery, type DeliveryView } from '../../db/webhooks/webhook-deliveries';
import { findWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { readEndpointHealth } from '../../db/webhooks/webhook-health';
import { findLastResend } from '../../db/webhooks/webhook-resends';
import type { Answer, DashboardDependencies, MemberVisit } from '../context';
import { watchLive } from '../live-answer';
import type { LiveTopic } from '../live';
import { renderPart } from '../page';
import { troublePage } from '../trouble';
import { DeliveryList, deliveryQuery, readDeliveryPage } from './deliveries';
import { Attempts, DeliveryDetails, MAX_ATTEMPTS } from './delivery';
import { EndpointDetails, type EndpointState } from './endpoint';
import { findEndpoint, idOf, ownerOf } from './find';

export async function watchEndpoint(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { db } = dependencies;
  const endpoint = await findEndpoint(dependencies, visit);
  if (!endpoint) return troublePage(visit.language, { kind: 'unknown' });
  const { id } = endpoint;
  const owner = ownerOf(visit);
  const query = deliveryQuery(owner, id, visit.query);
  // The topic has only what the page's query means, so that a client cannot make many of one page.
  const { before, filters } = query;
  const shown = new URLSearchParams();
  for (const name of ['status', 'type'] as const) {
    const value = filters[name];
    if (value !== undefined) shown.set(name, value);
  }
  if (before !== undefined) shown.set('cursor', before);
  const topic: LiveTopic<EndpointState> = {
    key: `endpoint/${owner.user_id}/${owner.environment}/${id}?${shown.toString()}`,
    async read() {
      const deliveries = await readDeliveryPage(db, query);
      const resend = await findLastResend(db, owner.user_id, owner.environment, id);
      return { deliveries, resend: resend ?? null };
    },
    async render({ deliveries, resend }, language) {
      const now = await findWebhookEndpoint(db, owner.user_id, owner.environment, id);
      const health = await readEndpointHealth(db, [id]);
      const path = `/webhooks/${id}`;
      return {
        deliveries: renderPart(
          language,
          <DeliveryList path={path} query={shown} deliveries={deliveries} />,
        ),
        health: renderPart(
          language,
          <EndpointDetails of={now ?? endpoint} health={health.get(id)} resend={resend} />,
        ),
      };
    },
  };
  return watchLive(dependencies, visit, topic);
}

export async function watchDelivery(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { db } = dependencies;
  const { user_id, environment } = ownerOf(visit);
  const id = idOf(visit);
  const find = async (): Promise<DeliveryView | undefined> =>
    id === undefined ? undefined : findDelivery(db, user_id, environment, id);
  const found = await find();
  if (!found) return troublePage(visit.language, { kind: 'unknown' });
  const topic: LiveTopic<DeliveryView> = {
    key: `delivery/${user_id}/${environment}/${found.id}`,
    // A delivery is never deleted.
    read: async () => (await find()) ?? found,
    async render(delivery, language) {
      const endpoint = await findWebhookEndpoint(db, user_id, environment, delivery.endpoint_id);
      const event = await findEvent(db, user_id, environment, delivery.event_id);
      const attempts = await listAttempts(db, {
        delivery_id: delivery.id,
        before: undefined,
        limit: MAX_ATTEMPTS,
      });
      const isTest = event?.sequence === 0n;
      return {
        delivery: renderPart(
          language,
          <DeliveryDetails of={delivery} endpoint={endpoint} isTest={isTest} />,
        ),
        attempts: renderPart(language, <Attempts of={attempts} made={delivery.attempts} />),
      };
    },
  };
  return watchLive(dependencies, visit, topic);
}

// The endpoint that a path names, if it is of the account and the environment that are shown.

import { findWebhookEndpoint, type EndpointView } from '../../db/webhooks/webhook-endpoints';
import { isUuid } from '../../domain/ids';
import type { EndpointDependencies } from '../../use-cases/webhook-endpoints';
import { ownerOf, type DashboardDependencies, type MemberVisit } from '../context';

export async function findEndpoint(
  { db }: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
): Promise<EndpointView | undefined> {
  const { user_id, environment } = ownerOf(visit);
  const id = idOf(visit);
  return id === undefined ? undefined : findWebhookEndpoint(db, user_id, environment, id);
}

/** Returns undefined for a path without an id. */
export function idOf({ params }: MemberVisit): string | undefined {
  const id = params['id'] ?? '';
  return isUuid(id) ? id : undefined;
}

export function endpointTools({
  db,
  sealer,
  webhook_policy: policy,
}: DashboardDependencies): EndpointDependencies {
  return { db, sealer, policy };
}

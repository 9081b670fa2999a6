// Faults of deliveries to an endpoint of the sandbox: ordered, listed and taken back.

import type { Db } from '../../db/connect';
import {
  dropFaults,
  listFaults,
  operationOfEndpoint,
  orderFault,
  type OrderedFault,
} from '../../db/sandbox/faults';
import { findWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import type { WebhookFault } from '../../domain/fault';

export type EndpointFault = Omit<OrderedFault, 'operation'>;

interface Refused<Code extends 'not_found' | 'limit'> {
  readonly ok: false;
  readonly error: Code;
}

const NOT_FOUND = { ok: false, error: 'not_found' } as const;

/** Undefined: the account has no such endpoint in its sandbox. */
async function findOperation(db: Db, user_id: string, id: string): Promise<string | undefined> {
  const endpoint = await findWebhookEndpoint(db, user_id, 'sandbox', id);
  return endpoint && operationOfEndpoint(endpoint.id);
}

const withoutOperation = ({ id, fault, times, left }: OrderedFault): EndpointFault => ({
  id,
  fault,
  times,
  left,
});

export async function orderEndpointFault(
  db: Db,
  user_id: string,
  id: string,
  { fault, times }: { readonly fault: WebhookFault; readonly times: number },
): Promise<{ readonly ok: true; readonly fault: EndpointFault } | Refused<'not_found' | 'limit'>> {
  const operation = await findOperation(db, user_id, id);
  if (operation === undefined) return NOT_FOUND;
  const ordered = await orderFault(db, user_id, { operation, fault, times });
  return ordered ? { ok: true, fault: withoutOperation(ordered) } : { ok: false, error: 'limit' };
}

/** In the order in which they are used up. */
export async function listEndpointFaults(
  db: Db,
  user_id: string,
  id: string,
): Promise<
  { readonly ok: true; readonly faults: readonly EndpointFault[] } | Refused<'not_found'>
> {
  const operation = await findOperation(db, user_id, id);
  if (operation === undefined) return NOT_FOUND;
  const faults = await listFaults(db, user_id, operation);
  return { ok: true, faults: faults.map(withoutOperation) };
}

export async function dropEndpointFaults(
  db: Db,
  user_id: string,
  id: string,
): Promise<{ readonly ok: true; readonly deleted: number } | Refused<'not_found'>> {
  const operation = await findOperation(db, user_id, id);
  if (operation === undefined) return NOT_FOUND;
  return { ok: true, deleted: await dropFaults(db, user_id, operation) };
}

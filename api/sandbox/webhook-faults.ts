// Faults of deliveries to a webhook endpoint of the sandbox.

import { MAX_FAULTS } from '../../db/sandbox/faults';
import { isWebhookFault, WEBHOOK_FAULT_FORMS } from '../../domain/fault';
import { invalidRequest, Refusal } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import {
  dropEndpointFaults,
  listEndpointFaults,
  orderEndpointFault,
} from '../../use-cases/sandbox/webhook-faults';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { success } from '../success';
import { MAY_BE_DROPPED, MAY_BE_ORDERED } from './faults';
import {
  droppedFaultsResponse,
  orderedWebhookFaultResponse,
  orderWebhookFaultBody,
  webhookFaultsResponse,
} from './schema';

const path = '/webhook-endpoints/{id}/faults';
const path_parameters = { id: "The endpoint's id." };

const on = routesOf('Sandbox');

export const SANDBOX_WEBHOOK_FAULT_ROUTES = [
  on.post(path, {
    path_parameters,
    summary: 'Order a fault for the next deliveries to an endpoint',
    description:
      'Each attempt uses up one, in their order; test events, retries and resends are attempts as any other. `duplicate` sends the event twice. `swap` lets it wait for the next event and go after it, or alone after five minutes. `bad-signature` spoils all signatures of the attempt. `late=S` puts it off by S seconds of the clock of the sandbox.',
    scope: 'sandbox',
    sandbox_only: true,
    body: orderWebhookFaultBody,
    status: 201,
    response: orderedWebhookFaultResponse,
    errors: ['webhook_endpoint_not_found'],
    handler: async function createWebhookFault({ db }, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const { fault, times } = request.body;
      if (!isWebhookFault(fault)) {
        throw invalidRequest('fault', `fault must be one of ${WEBHOOK_FAULT_FORMS}.`);
      }
      const ordered = await orUnknown(MAY_BE_ORDERED, () =>
        orderEndpointFault(db, request.caller.user_id, id, { fault, times }),
      );
      if (ordered.ok) return success({ ...ordered.fault }, 201);
      if (ordered.error === 'not_found') throw new Refusal('webhook_endpoint_not_found');
      throw invalidRequest(
        'fault',
        `An account has at most ${MAX_FAULTS} faults at once: delete them first.`,
      );
    },
  }),
  on.get(path, {
    path_parameters,
    summary: "The faults that are left for an endpoint's deliveries, in their order",
    description: 'One that is used up is not listed any more.',
    sandbox_only: true,
    response: webhookFaultsResponse,
    errors: ['webhook_endpoint_not_found'],
    handler: async function listWebhookFaults({ db }, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const listed = await listEndpointFaults(db, request.caller.user_id, id);
      if (!listed.ok) throw new Refusal('webhook_endpoint_not_found');
      return success({ faults: listed.faults.map((one) => ({ ...one })) });
    },
  }),
  on.del(path, {
    path_parameters,
    summary: "Delete all faults that are left for an endpoint's deliveries",
    description: 'What was put off already stays so; `resend` sends it at once.',
    scope: 'sandbox',
    sandbox_only: true,
    response: droppedFaultsResponse,
    errors: ['webhook_endpoint_not_found'],
    handler: async function deleteWebhookFaults({ db }, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const dropped = await orUnknown(MAY_BE_DROPPED, () =>
        dropEndpointFaults(db, request.caller.user_id, id),
      );
      if (!dropped.ok) throw new Refusal('webhook_endpoint_not_found');
      return success({ deleted: dropped.deleted });
    },
  }),
];

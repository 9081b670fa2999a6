// Creates, shows, changes, deletes and tests a merchant's webhook endpoints.

import {
  findWebhookEndpoint,
  listWebhookEndpoints as readEndpoints,
  type EndpointView,
} from '../../db/webhooks/webhook-endpoints';
import { type JsonValue, renderJson } from '../../domain/json';
import { Refusal, invalidRequest } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import {
  type EndpointDependencies,
  type EndpointOwner,
  type Refused,
  type RefusedUrl,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
  sendTestEvent,
} from '../../use-cases/webhook-endpoints';
import type { ApiDependencies, ApiRequest, ApiResponse } from '../context';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { success } from '../success';
import {
  changeEndpointBody,
  createEndpointBody,
  createdEndpointResponse,
  deletedEndpointResponse,
  endpointsResponse,
  rotateSecretBody,
  rotatedSecretResponse,
  sendTestBody,
  sentTestResponse,
  webhookEndpoint,
} from './schema';

const MAY_BE_CREATED =
  'The webhook endpoint may have been created. List the endpoints before you retry.';
const MAY_BE_CHANGED = 'The webhook endpoint may have been changed. Retry the request.';
const MAY_BE_ROTATED =
  'The secret may have been rotated. Retry the request: the response shows the valid secret, and the old one still signs during the overlap.';
const MAY_BE_SENT =
  'The test event may have been sent. List the deliveries before you send another.';

function endpointDependencies({
  db,
  sealer,
  webhook_policy: policy,
}: ApiDependencies): EndpointDependencies {
  return { db, sealer, policy };
}

function ownerOf({ user_id, environment }: ApiRequest['caller']): EndpointOwner {
  return { user_id, environment };
}

function show(view: EndpointView): ApiResponse {
  return success({ ...presentEndpoint(view) });
}

function presentEndpoint(view: EndpointView): Record<string, JsonValue> {
  return { ...view, last_failure: view.last_failure && { ...view.last_failure } };
}

function refusal(refused: RefusedUrl | Refused<'limit' | 'not_found' | 'disabled'>): Refusal {
  switch (refused.error) {
    case 'invalid_url':
      return invalidRequest('url', refused.fault);
    case 'limit':
      return new Refusal('webhook_endpoint_limit');
    case 'not_found':
      return new Refusal('webhook_endpoint_not_found');
    case 'disabled':
      return new Refusal('webhook_endpoint_disabled');
  }
}

const on = routesOf('Webhook endpoints');

export const webhookEndpointRoutes = [
  on.post('/webhook-endpoints', {
    scope: 'webhooks:write',
    summary: 'Have events delivered to an address; answers the secret that signs them, once',
    description:
      'Events that happen from now on are delivered to it. Keep the `secret`: it verifies the signatures and is shown this once.',
    body: createEndpointBody,
    status: 201,
    response: createdEndpointResponse,
    errors: ['webhook_endpoint_limit'],
    handler: async function createWebhookEndpoint(dependencies, { caller, body }) {
      const created = await orUnknown(MAY_BE_CREATED, () =>
        createEndpoint(endpointDependencies(dependencies), ownerOf(caller), body),
      );
      if (!created.ok) throw refusal(created);
      const { endpoint, secret } = created;
      return success({ ...presentEndpoint(endpoint), secret }, 201);
    },
  }),
  on.get('/webhook-endpoints', {
    summary: 'Webhook endpoints, newest first',
    description: 'All on one page: there are never many.',
    response: endpointsResponse,
    handler: async function listWebhookEndpoints({ db }, { caller }) {
      const rows = await readEndpoints(db, caller.user_id, caller.environment);
      return success({
        webhook_endpoints: rows.map(presentEndpoint),
        next_cursor: null,
        has_more: false,
      });
    },
  }),
  on.get('/webhook-endpoints/{id}', {
    path_parameters: { id: "The endpoint's id." },
    summary: 'One webhook endpoint, and how it does',
    description: 'Whether it is enabled, why not, and when it last failed.',
    response: webhookEndpoint,
    errors: ['webhook_endpoint_not_found'],
    handler: async function getWebhookEndpoint({ db }, request) {
      const { user_id, environment } = request.caller;
      const id = readId(request, 'webhook_endpoint_not_found');
      const view = await findWebhookEndpoint(db, user_id, environment, id);
      if (!view) throw new Refusal('webhook_endpoint_not_found');
      return show(view);
    },
  }),
  on.patch('/webhook-endpoints/{id}', {
    scope: 'webhooks:write',
    path_parameters: { id: "The endpoint's id." },
    summary: 'Change what is named; disable it, which holds its deliveries, or enable it again',
    description:
      'Only the fields that are given change. What happens while it is disabled is held, and sent once it is enabled again.',
    body: changeEndpointBody,
    response: webhookEndpoint,
    errors: ['webhook_endpoint_not_found'],
    handler: async function changeWebhookEndpoint(dependencies, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const changed = await orUnknown(MAY_BE_CHANGED, () =>
        changeEndpoint(
          endpointDependencies(dependencies),
          ownerOf(request.caller),
          id,
          request.body,
        ),
      );
      if (!changed.ok) throw refusal(changed);
      return show(changed.endpoint);
    },
  }),
  on.del('/webhook-endpoints/{id}', {
    scope: 'webhooks:write',
    path_parameters: { id: "The endpoint's id." },
    summary: 'Delete an endpoint and discard what waits for it',
    description: 'What waits for it is discarded; its past deliveries stay in the lists.',
    response: deletedEndpointResponse,
    errors: ['webhook_endpoint_not_found'],
    handler: async function deleteWebhookEndpoint(dependencies, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const deleted = await orUnknown(MAY_BE_CHANGED, () =>
        deleteEndpoint(dependencies, ownerOf(request.caller), id),
      );
      if (!deleted.ok) throw refusal(deleted);
      return success({ id: deleted.id, deleted: true });
    },
  }),
  on.post('/webhook-endpoints/{id}/rotate-secret', {
    scope: 'webhooks:write',
    path_parameters: { id: "The endpoint's id." },
    summary: 'A new secret; the old one signs beside it until the overlap ends',
    description:
      'Give your receiver the new secret during the overlap and let it accept either. With `overlap_seconds` 0 the old one ends at once: for a secret that has leaked.',
    body: rotateSecretBody,
    may_omit_body: true,
    response: rotatedSecretResponse,
    errors: ['webhook_endpoint_not_found'],
    handler: async function rotateWebhookSecret(dependencies, request) {
      const id = readId(request, 'webhook_endpoint_not_found');
      const { overlap_seconds } = request.body;
      const rotated = await orUnknown(MAY_BE_ROTATED, () =>
        rotateSecret(dependencies, ownerOf(request.caller), id, overlap_seconds),
      );
      if (!rotated.ok) throw refusal(rotated);
      return { status: 200, body: renderJson({ ...rotated }) };
    },
  }),
  on.post('/webhook-endpoints/{id}/test', {
    scope: 'webhooks:write',
    path_parameters: { id: "The endpoint's id." },
    summary: 'Send a test event to this endpoint alone',
    description:
      'The event is marked `test: true`, has the sequence 0, and is signed like any other. Ask for its delivery to see whether it arrived.',
    body: sendTestBody,
    may_omit_body: true,
    status: 202,
    response: sentTestResponse,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: async function sendTestWebhook(dependencies, request) {
      const { db, config } = dependencies;
      const id = readId(request, 'webhook_endpoint_not_found');
      const tools = { db, pay_url_base: config.pay_url_base };
      const sent = await orUnknown(MAY_BE_SENT, () =>
        sendTestEvent(tools, ownerOf(request.caller), id, request.body.type),
      );
      if (!sent.ok) throw refusal(sent);
      const { event_id, delivery_id } = sent;
      return success({ event_id, delivery_id }, 202);
    },
  }),
];

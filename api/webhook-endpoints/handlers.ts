// Creates, shows, changes, deletes and tests a merchant's webhook endpoints.

import {
  findWebhookEndpoint,
  listWebhookEndpoints as readEndpoints,
} from '../../db/webhook-endpoints';
import { renderJson, type JsonValue } from '../../domain/json';
import type { EndpointView } from '../../domain/webhook';
import { ApiError, invalidRequest } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { success } from '../success';
import { orUnknown } from '../failures';
import { readId } from '../path-id';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
  sendTestEvent,
  type EndpointDependencies,
  type EndpointOwner,
  type Refused,
  type RefusedUrl,
} from '../../use-cases/webhook-endpoints';
import type {
  ChangeEndpointBody,
  CreateEndpointBody,
  RotateSecretBody,
  SendTestBody,
} from './schema';

const MAY_BE_CREATED =
  'The webhook endpoint may have been created. List the endpoints before you retry.';
const MAY_BE_CHANGED = 'The webhook endpoint may have been changed. Retry the request.';
const MAY_BE_ROTATED =
  'The secret may have been rotated. Retry the request: the response shows the valid secret, and the old one still signs during the overlap.';
const MAY_BE_SENT =
  'The test event may have been sent. List the deliveries before you send another.';

export const createWebhookEndpoint: Handler<unknown, CreateEndpointBody> = async (
  dependencies,
  { caller, body },
) => {
  const created = await orUnknown(MAY_BE_CREATED, () =>
    createEndpoint(endpointDependencies(dependencies), ownerOf(caller), body),
  );
  if (!created.ok) throw refusal(created);
  const { endpoint, secret } = created;
  return success({ ...presentEndpoint(endpoint), secret }, 201);
};

export const listWebhookEndpoints: Handler = async ({ db }, { caller }) => {
  const rows = await readEndpoints(db, caller.user_id, caller.environment);
  return success({
    webhook_endpoints: rows.map(presentEndpoint),
    next_cursor: null,
    has_more: false,
  });
};

export const getWebhookEndpoint: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_endpoint_not_found');
  const view = await findWebhookEndpoint(db, user_id, environment, id);
  if (!view) throw new ApiError('webhook_endpoint_not_found');
  return show(view);
};

export const changeWebhookEndpoint: Handler<unknown, ChangeEndpointBody> = async (
  dependencies,
  request,
) => {
  const id = readId(request, 'webhook_endpoint_not_found');
  const changed = await orUnknown(MAY_BE_CHANGED, () =>
    changeEndpoint(endpointDependencies(dependencies), ownerOf(request.caller), id, request.body),
  );
  if (!changed.ok) throw refusal(changed);
  dependencies.waker.wake(changed.wake);
  return show(changed.endpoint);
};

export const deleteWebhookEndpoint: Handler = async (dependencies, request) => {
  const id = readId(request, 'webhook_endpoint_not_found');
  const deleted = await orUnknown(MAY_BE_CHANGED, () =>
    deleteEndpoint(dependencies, ownerOf(request.caller), id),
  );
  if (!deleted.ok) throw refusal(deleted);
  dependencies.waker.wake(deleted.wake);
  return success({ id: deleted.id, deleted: true });
};

export const rotateWebhookSecret: Handler<unknown, RotateSecretBody> = async (
  dependencies,
  request,
) => {
  const id = readId(request, 'webhook_endpoint_not_found');
  const { overlap_seconds } = request.body;
  const rotated = await orUnknown(MAY_BE_ROTATED, () =>
    rotateSecret(dependencies, ownerOf(request.caller), id, overlap_seconds),
  );
  if (!rotated.ok) throw refusal(rotated);
  return { status: 200, body: renderJson({ ...rotated }) };
};

export const sendTestWebhook: Handler<unknown, SendTestBody> = async (dependencies, request) => {
  const { db, config, waker } = dependencies;
  const id = readId(request, 'webhook_endpoint_not_found');
  const tools = { db, pay_url_base: config.pay_url_base };
  const sent = await orUnknown(MAY_BE_SENT, () =>
    sendTestEvent(tools, ownerOf(request.caller), id, request.body.type),
  );
  if (!sent.ok) throw refusal(sent);
  const { event_id, delivery_id, wake } = sent;
  waker.wake(wake);
  return success({ event_id, delivery_id }, 202);
};

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

function refusal(refused: RefusedUrl | Refused<'limit' | 'not_found' | 'disabled'>): ApiError {
  switch (refused.error) {
    case 'invalid_url':
      return invalidRequest('url', refused.fault);
    case 'limit':
      return new ApiError('webhook_endpoint_limit');
    case 'not_found':
      return new ApiError('webhook_endpoint_not_found');
    case 'disabled':
      return new ApiError('webhook_endpoint_disabled');
  }
}

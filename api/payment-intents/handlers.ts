// Payment links: made, listed, shown, cancelled, and told how they came to where they are.

import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { IntentStep } from '../../activities/payment-intents';
import {
  createIntent,
  findIntent,
  getIntent,
  listIntents,
  listTimeline,
  type NewIntent,
} from '../../db/intents';
import { intentWorkflowId, SHORT_CODE_PATTERN, UUID_PATTERN } from '../../domain/ids';
import {
  presentIntent,
  presentTimelineEntry,
  type IntentView,
  type Metadata,
} from '../../domain/intent';
import { renderJson } from '../../domain/json';
import { formatAmount, type Minor } from '../../domain/money';
import { fingerprintFields, uuidOf } from '../../secrets/hash';
import { makeIntentReference, makeShortCode } from '../../secrets/random';
import type { Gateway } from '../../gateway/port';
import { cancelIntent as cancelUpdate } from '../../workflows/messages';
import { readAmount, invalidAmount } from '../amounts';
import { ApiError } from '../api-error';
import type { ApiResponse, ApiDependencies, ApiRequest } from '../context';
import { inProgress, orUnknown, unavailable } from '../middleware/error-response';
import { refuseOtherBody, replay } from '../middleware/idempotency';
import { pageOf, readInstant } from '../paging';
import { within } from '../../temporal/ask';
import { findOpened, gatewayFault, openIntent, OPEN_WITHIN_MS } from './open';
import type { CreateIntentBody, ListIntentsQuery } from './schema';

export async function createPaymentIntent(
  dependencies: ApiDependencies,
  request: ApiRequest<unknown, CreateIntentBody>,
): Promise<ApiResponse> {
  const { db, gate } = dependencies;
  const { caller } = request;
  const gateway = dependencies.gateways[caller.environment];
  const intent = readIntent(dependencies, request, gateway);
  // Answered before: served from the row, also when the gateway is gone meanwhile.
  if (caller.stored) return replay(caller.stored, intent.fingerprint);
  if (!gateway) throw new ApiError('gateway_not_configured');
  if (!gate.isOpen()) throw unavailable();
  const deadline = Date.now() + OPEN_WITHIN_MS;
  for (;;) {
    const created = await createIntent(db, intent);
    // Before anything is waited for or started for another body.
    refuseOtherBody(created.fingerprint, intent.fingerprint);
    if (created.status !== 'creating') {
      // Another request with this key was faster.
      const stored = await findOpened(db, intent);
      if (!stored) throw inProgress();
      return replay(stored, intent.fingerprint);
    }
    const { reference, short_code, is_new } = created;
    const answer = await openIntent(dependencies, {
      intent: { ...intent, reference, short_code },
      created,
      username: caller.username,
      deadline,
    });
    if (answer !== 'given_up') {
      const replayed = replay(answer, intent.fingerprint);
      return is_new ? { status: answer.status, body: answer.body } : replayed;
    }
    // Its workflow is over in a moment.
    await delay(GIVEN_UP_PAUSE_MS);
  }
}

const GIVEN_UP_PAUSE_MS = 50;
const LIVE_MINIMUM_SECONDS = 900;

function readIntent(
  { config }: ApiDependencies,
  { body, numbers, caller, request_id, idempotency_key }: ApiRequest<unknown, CreateIntentBody>,
  gateway: Gateway | undefined,
): NewIntent {
  const { currency, expires_in } = body;
  const maximum = config.max_payment[currency];
  const amount = readAmount(numbers.get('/amount') ?? '', currency, maximum);
  if (gateway) holdToBounds(gateway, amount, currency);
  if (caller.environment === 'live' && expires_in < LIVE_MINIMUM_SECONDS) {
    throw new ApiError('invalid_request', {
      param: 'expires_in',
      message: `expires_in must be at least ${LIVE_MINIMUM_SECONDS} with a live key.`,
    });
  }
  const metadata = readMetadata(body.metadata ?? {}, numbers);
  const fields = {
    amount_minor: amount.toString(),
    currency,
    country: body.country ?? null,
    description: body.description ?? null,
    customer_email: body.customer_email ?? null,
    customer_phone: body.customer_phone ?? null,
    metadata,
    expires_in_seconds: expires_in,
  };
  const { user_id, environment } = caller;
  // One key is one intent, one workflow and one checkout.
  const id = uuidOf(`${environment}/${user_id}/payment_intent/${idempotency_key}`);
  return {
    ...fields,
    id,
    environment,
    user_id,
    short_code: makeShortCode(),
    reference: makeIntentReference(),
    gateway: gateway?.name ?? '',
    idempotency_key: idempotency_key!,
    fingerprint: fingerprintOf(fields),
    request_id,
  };
}

function holdToBounds({ bounds }: Gateway, amount: Minor, currency: NewIntent['currency']): void {
  if (!bounds.currencies.includes(currency)) {
    throw new ApiError('invalid_request', {
      param: 'currency',
      message: `currency must be one of ${bounds.currencies.join(', ')}: the gateway takes no other.`,
    });
  }
  const minimum = bounds.minimum[currency];
  if (minimum !== undefined && amount < minimum) {
    throw invalidAmount(`amount must be at least ${formatAmount(minimum)} ${currency}.`);
  }
}

// Beyond 15 digits a number would come back as another one.
const FAITHFUL_NUMBER = /^-?(?=(?:\D*\d){1,15}\D*$)\d+(\.\d+)?$/;

function readMetadata(metadata: Metadata, numbers: ReadonlyMap<string, string>): Metadata {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'number') continue;
    const pointer = `/metadata/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (FAITHFUL_NUMBER.test(numbers.get(pointer) ?? '')) continue;
    throw new ApiError('invalid_request', {
      param: `metadata/${name}`,
      message: 'A number in metadata has at most 15 digits and no exponent; write it as text.',
    });
  }
  return metadata;
}

function fingerprintOf(
  fields: Pick<
    NewIntent,
    | 'amount_minor'
    | 'currency'
    | 'country'
    | 'description'
    | 'customer_email'
    | 'customer_phone'
    | 'metadata'
    | 'expires_in_seconds'
  >,
): NewIntent['fingerprint'] {
  const { amount_minor, metadata, expires_in_seconds, ...texts } = fields;
  const sorted = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const named = Object.entries(texts).map(([name, value]) => [name, JSON.stringify(value)]);
  return fingerprintFields({
    ...(Object.fromEntries(named) as Record<string, string>),
    amount: amount_minor,
    metadata: JSON.stringify(sorted),
    expires_in: String(expires_in_seconds),
  });
}

export async function listPaymentIntents(
  { db, config }: ApiDependencies,
  { caller, query }: ApiRequest<ListIntentsQuery>,
): Promise<ApiResponse> {
  const { limit, cursor, created_from, created_to, ...filters } = query;
  const found = await listIntents(db, {
    user_id: caller.user_id,
    environment: caller.environment,
    before: readInstant('cursor', cursor),
    limit: limit + 1,
    filters: {
      ...filters,
      created_from: readInstant('created_from', created_from),
      created_to: readInstant('created_to', created_to),
    },
  });
  const { rows, next_cursor, has_more } = pageOf(found, limit);
  return {
    status: 200,
    body: renderJson({
      ok: true,
      payment_intents: rows.map((row) => presentIntent(row, config.pay_url_base)),
      next_cursor,
      has_more,
    }),
  };
}

export async function getPaymentIntent(
  dependencies: ApiDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  return show(dependencies, await findNamed(dependencies, request));
}

function show({ config }: ApiDependencies, view: IntentView): ApiResponse {
  return {
    status: 200,
    body: renderJson({ ok: true, ...presentIntent(view, config.pay_url_base) }),
  };
}

const UUID = new RegExp(UUID_PATTERN);
const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

async function findNamed(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<IntentView> {
  const name = params['id_or_code'] ?? '';
  const { user_id, environment } = caller;
  const find = (by: Parameters<typeof findIntent>[3]) => findIntent(db, user_id, environment, by);
  const view = UUID.test(name)
    ? await find({ id: name })
    : SHORT_CODE.test(name)
      ? await find({ short_code: name })
      : undefined;
  if (!view) throw new ApiError('payment_intent_not_found');
  return view;
}

const MAY_BE_CANCELED = 'The payment intent may yet be cancelled. Repeat the request.';

export async function cancelPaymentIntent(
  dependencies: ApiDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { temporal, db } = dependencies;
  const view = await findNamed(dependencies, request);
  if (view.status === 'canceled') return show(dependencies, view);
  if (view.status !== 'open') throw notCancelable(view.status);
  const { id, environment } = view;
  const deadline = Date.now() + OPEN_WITHIN_MS;
  const handle = temporal.workflow.getHandle(intentWorkflowId(environment, id));
  let step: IntentStep | undefined;
  try {
    const asking = temporal.connection.withDeadline(deadline, () =>
      handle.executeUpdate(cancelUpdate),
    );
    step = await within(deadline - Date.now(), asking);
  } catch (error) {
    // Over meanwhile: the row tells how it ended.
    if (!(error instanceof WorkflowNotFoundError)) {
      throw unavailable(MAY_BE_CANCELED);
    }
  }
  const { status } = await orUnknown(MAY_BE_CANCELED, () => getIntent(db, id));
  if (status === 'open') {
    if (step?.fault !== undefined) throw gatewayFault(step.fault);
    throw new ApiError('gateway_timeout');
  }
  if (status !== 'canceled') throw notCancelable(status);
  const canceled = await orUnknown(MAY_BE_CANCELED, () => findNamed(dependencies, request));
  return show(dependencies, canceled);
}

function notCancelable(status: string): ApiError {
  return new ApiError('intent_not_cancelable', {
    message: `This payment intent is ${status} and cannot be cancelled.`,
  });
}

export async function getPaymentIntentTimeline(
  dependencies: ApiDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id } = await findNamed(dependencies, request);
  const entries = await listTimeline(dependencies.db, id);
  const timeline = entries.map(presentTimelineEntry);
  return { status: 200, body: renderJson({ ok: true, timeline }) };
}

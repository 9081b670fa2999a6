// Payment links: listed, shown and cancelled, and the timeline of each.

import { listIntents, listTimeline, type IntentView } from '../../db/payment-intents/intent-views';
import { presentTimelineEntry } from '../../domain/intent';
import { Refusal } from '../../domain/refusal';
import { cancelLink, findLink } from '../../use-cases/payment-intents/cancel';
import { createLink } from '../../use-cases/payment-intents/create';
import type { ApiDependencies, ApiRequest } from '../context';
import { orderOf, orderResponse } from '../order';
import { readPage } from '../paging';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import {
  createIntentBody,
  intentsResponse,
  listIntentsQuery,
  paymentIntent,
  timelineResponse,
} from './schema';

export async function findNamed(
  dependencies: ApiDependencies,
  { caller, params }: Pick<ApiRequest, 'caller' | 'params'>,
): Promise<IntentView> {
  const name = params['id_or_code'] ?? '';
  const view = await findLink(dependencies, caller, name);
  if (view) return view;
  throw new Refusal('payment_intent_not_found', await hintOf(dependencies, caller, name));
}

const OTHER_KEYS = {
  live: {
    environment: 'sandbox',
    message: 'No such payment intent with a live key: it is in the sandbox. Use a test key.',
  },
  sandbox: {
    environment: 'live',
    message: 'No such payment intent with a test key: it is a live one. Use a live key.',
  },
} as const;

/** Shows an intent to its owner only: no caller learns what others have. */
async function hintOf(
  dependencies: ApiDependencies,
  { user_id, environment }: ApiRequest['caller'],
  name: string,
): Promise<{ readonly message?: string }> {
  const other = OTHER_KEYS[environment];
  const found = await findLink(dependencies, { user_id, environment: other.environment }, name);
  return found ? { message: other.message } : {};
}

const on = routesOf('Payment links');

export const paymentIntentRoutes = [
  on.post('/payment-intents', {
    scope: 'payment_intents:write',
    summary: 'Make a payment link',
    description:
      'Give `pay_url` to the customer, who pays at the gateway. What became of it comes as a webhook, and can be read here. Without an answer, repeat the request with the same `Idempotency-Key`: there is one link then.',
    idempotent: 'payment_intent',
    gateway: 'created',
    body: createIntentBody,
    status: 201,
    response: paymentIntent,
    errors: [
      'gateway_error',
      'gateway_timeout',
      'gateway_not_configured',
      'kyc_required',
      'limit_exceeded',
    ],
    handler: async function createPaymentIntent(dependencies, request) {
      const { body, numbers } = request;
      return orderResponse(await createLink(dependencies, { ...orderOf(request), body, numbers }));
    },
  }),
  on.get('/payment-intents', {
    summary: 'Payment links, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list.',
    query: listIntentsQuery,
    response: intentsResponse,
    handler: async function listPaymentIntents({ db, config }, request) {
      const { pay_url_base } = config;
      const { rows, ...end } = await readPage(request, (query) =>
        listIntents(db, { ...query, pay_url_base }),
      );
      return success({ payment_intents: shownList(rows), ...end });
    },
  }),
  on.get('/payment-intents/{id_or_code}', {
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    summary: 'One payment link, by its id or its short code',
    description:
      '`status` is `open` until the customer pays, the link expires or you cancel it. `processing` means that the gateway has the payment and does not know its outcome yet.',
    response: paymentIntent,
    errors: ['payment_intent_not_found'],
    handler: async function getPaymentIntent(dependencies, request) {
      return shown(await findNamed(dependencies, request));
    },
  }),
  on.post('/payment-intents/{id_or_code}/cancel', {
    scope: 'payment_intents:write',
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    summary: 'Cancel an open payment link; cancelling it again changes nothing',
    description:
      'Nobody can pay it any more. A link that is paid, failed or expired cannot be cancelled, nor one that is being paid: the gateway has the payment, or a customer is asked on a phone.',
    gateway: 'payment_intent',
    response: paymentIntent,
    errors: [
      'payment_intent_not_found',
      'intent_not_cancelable',
      'gateway_error',
      'gateway_timeout',
    ],
    handler: async function cancelPaymentIntent(dependencies, request) {
      const view = await findNamed(dependencies, request);
      return shown(await cancelLink(dependencies, request.caller, view));
    },
  }),
  on.get('/payment-intents/{id_or_code}/timeline', {
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    summary: 'What happened to a payment link, in order',
    description:
      'Creation, what the gateway notified, the posting to the ledger and each delivery of a webhook, oldest first.',
    response: timelineResponse,
    errors: ['payment_intent_not_found'],
    handler: async function getPaymentIntentTimeline(dependencies, request) {
      const { id } = await findNamed(dependencies, request);
      const entries = await listTimeline(dependencies.db, id);
      const timeline = entries.map(presentTimelineEntry);
      return success({ timeline });
    },
  }),
];

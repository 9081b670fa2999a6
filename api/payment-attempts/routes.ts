// Paying by phone, for shops with pages of their own.

import {
  findAttempt,
  listAttempts,
  type AttemptView,
} from '../../db/payment-attempts/payment-attempts';
import { isUuid } from '../../domain/ids';
import { amountJson } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { beginAttempt, giveOtp } from '../../use-cases/payment-attempts/begin';
import { listMethods } from '../../use-cases/payment-attempts/methods';
import type { ApiDependencies, ApiRequest } from '../context';
import { orderOf, orderResponse } from '../order';
import { findNamed } from '../payment-intents/routes';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import {
  attemptsResponse,
  createAttemptBody,
  giveOtpBody,
  listMethodsQuery,
  methodsResponse,
  paymentAttempt,
} from './schema';

async function find(
  dependencies: ApiDependencies,
  request: ApiRequest<unknown, unknown>,
): Promise<AttemptView> {
  const { id } = await findNamed(dependencies, request);
  const name = request.params['attempt_id'] ?? '';
  const found = isUuid(name) ? await findAttempt(dependencies.db, request.caller, name) : undefined;
  if (found?.intent_id !== id) throw new Refusal('attempt_not_found');
  return found;
}

const OF_LINK = { id_or_code: 'The id or the short code of the link.' };
const NAMED = { ...OF_LINK, attempt_id: 'The id of the attempt.' };

const on = routesOf('Payments by phone');

export const paymentAttemptRoutes = [
  on.get('/payment-methods', {
    summary: 'The operators through which customers pay by phone',
    description:
      'As they are now, give or take a quarter of a minute. Propose the one whose `prefixes` the phone has.',
    query: listMethodsQuery,
    response: methodsResponse,
    handler: async function listPaymentMethods(dependencies, request) {
      const methods = await listMethods(dependencies, request.caller.environment, request.query);
      return success({
        payment_methods: methods.map(
          ({ operator, name, country, currency, prefixes, minimum, maximum, step, state }) => ({
            operator,
            name,
            country,
            currency,
            prefixes,
            minimum: amountJson(minimum),
            maximum: amountJson(maximum),
            step,
            state,
          }),
        ),
      });
    },
  }),
  on.post('/payment-intents/{id_or_code}/attempts', {
    scope: 'payment_intents:write',
    path_parameters: OF_LINK,
    summary: 'Ask a phone to pay a payment intent',
    description:
      'Show the customer `next_step`, and read the attempt until it has ended; webhooks tell of the payment intent. It answers once the operator was asked. A failed attempt leaves the payment intent open, with `last_payment_error`. A payment intent has one waiting attempt at a time, and a phone is asked five times an hour, and eight times a day without paying. Without an answer, repeat the request with the same `Idempotency-Key`; a new try needs a new key.',
    idempotent: 'payment_attempt',
    gateway: 'created',
    body: createAttemptBody,
    status: 201,
    response: paymentAttempt,
    errors: [
      'payment_intent_not_found',
      'payment_intent_not_payable',
      'attempt_in_progress',
      'amount_out_of_bounds',
      'kyc_required',
      'provider_unavailable',
      'gateway_not_configured',
      'gateway_timeout',
    ],
    handler: async function createPaymentAttempt(dependencies, request) {
      const intent = await findNamed(dependencies, request);
      const order = { ...orderOf(request), intent, fields: request.body };
      return orderResponse(await beginAttempt(dependencies, order));
    },
  }),
  on.get('/payment-intents/{id_or_code}/attempts', {
    path_parameters: OF_LINK,
    summary: 'The attempts to pay a payment intent by phone',
    description: 'Newest first, the last hundred.',
    response: attemptsResponse,
    errors: ['payment_intent_not_found'],
    handler: async function listPaymentAttempts(dependencies, request) {
      const { id } = await findNamed(dependencies, request);
      return success({ attempts: shownList(await listAttempts(dependencies.db, id)) });
    },
  }),
  on.get('/payment-intents/{id_or_code}/attempts/{attempt_id}', {
    path_parameters: NAMED,
    summary: 'One attempt to pay by phone',
    description: '`waiting` until the customer has paid, has declined, or has let the time pass.',
    response: paymentAttempt,
    errors: ['payment_intent_not_found', 'attempt_not_found'],
    handler: async function getPaymentAttempt(dependencies, request) {
      return shown(await find(dependencies, request));
    },
  }),
  on.post('/payment-intents/{id_or_code}/attempts/{attempt_id}/otp', {
    scope: 'payment_intents:write',
    path_parameters: NAMED,
    summary: 'Give the one-time code that an attempt waits for',
    description:
      'It answers with the attempt once the operator was asked. A wrong code fails the attempt: begin a new one.',
    gateway: 'payment_attempt',
    body: giveOtpBody,
    response: paymentAttempt,
    errors: [
      'payment_intent_not_found',
      'attempt_not_found',
      'otp_not_expected',
      'gateway_timeout',
    ],
    handler: async function givePaymentOtp(dependencies, request) {
      const { caller, body } = request;
      const { id } = await find(dependencies, request);
      return shown(await giveOtp(dependencies, { caller, attempt_id: id, otp: body.otp }));
    },
  }),
];

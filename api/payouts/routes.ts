// Payouts: ordered, decided about, listed and shown.

import {
  findKeyPerson,
  listPayouts as readPayouts,
  listPayoutTimeline,
} from '../../db/payouts/payouts';
import { presentTimelineEntry } from '../../domain/intent';
import { amountJson } from '../../domain/money';
import { checkDestination } from '../../use-cases/payouts/check';
import { decidePayout, findOwnPayout, type PayoutDecision } from '../../use-cases/payouts/decide';
import { exportPayouts } from '../../use-cases/payouts/export';
import { orderPayout } from '../../use-cases/payouts/order';
import type { ApiDependencies, ApiRequest, ApiResponse } from '../context';
import { sendFile } from '../file';
import { orderOf, orderResponse } from '../order';
import { readFilters, readPage } from '../paging';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import {
  checkDestinationBody,
  createPayoutBody,
  destinationCheck,
  listPayoutsQuery,
  payout,
  payoutsResponse,
  rejectPayoutBody,
  timelineResponse,
} from './schema';

const find = (dependencies: ApiDependencies, { caller, params }: ApiRequest<unknown, unknown>) =>
  findOwnPayout(dependencies, caller, params['id_or_reference'] ?? '');

async function decide(
  dependencies: ApiDependencies,
  request: ApiRequest<unknown, unknown>,
  decision: PayoutDecision,
): Promise<ApiResponse> {
  const found = await find(dependencies, request);
  const { request_id, caller } = request;
  const options = { request_id, by: { key_id: caller.key_id } };
  return shown(await decidePayout(dependencies, found, decision, options));
}

const personOf = ({ db }: ApiDependencies, { caller }: ApiRequest<unknown, unknown>) =>
  findKeyPerson(db, caller.key_id);

const NAMED = { id_or_reference: 'The id or the reference of the payout.' };
const AGAIN = 'A second call answers 200 with the payout as it is.';

const on = routesOf('Payouts');

export const payoutRoutes = [
  on.post('/payouts', {
    scope: 'payouts:write',
    summary: 'Pay a phone or a bank account',
    description:
      'The money leaves your wallet at once and is sent in a moment: `payout.succeeded` or `payout.failed` says how it ended, and what fails comes back with its fee. An operator that does not answer makes the payout `unknown`, never `failed`: it is asked until it says. Without an answer, repeat the request with the same `Idempotency-Key`: there is one payout then. A key answers for ever with the first outcome; a new try needs a new key.',
    idempotent: 'payout',
    gateway: 'created',
    body: createPayoutBody,
    status: 201,
    response: payout,
    errors: [
      'kyc_required',
      'insufficient_funds',
      'unsupported_destination',
      'amount_out_of_bounds',
      'limit_exceeded',
      'risk_refused',
      'name_mismatch',
      'provider_unavailable',
      'payouts_not_configured',
    ],
    handler: async function createPayout(dependencies, request) {
      const { body, numbers } = request;
      return orderResponse(await orderPayout(dependencies, { ...orderOf(request), body, numbers }));
    },
  }),
  on.get('/payouts', {
    summary: 'Payouts, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list. With `Accept: text/csv` all that match come as one file.',
    query: listPayoutsQuery,
    also: ['csv'],
    response: payoutsResponse,
    handler: async function listPayouts(dependencies, request) {
      const { db, log } = dependencies;
      if (request.form === 'csv') {
        const { caller, request_id } = request;
        return sendFile(caller.user_id, () => {
          const onError = (error: Error) => log({ request_id, error: String(error) });
          const body = exportPayouts(db, readFilters(request), { onError });
          return Promise.resolve({ status: 200, type: 'text/csv; charset=utf-8', body });
        });
      }
      const { rows, ...end } = await readPage(request, (query) => readPayouts(db, query));
      return success({ payouts: shownList(rows), ...end });
    },
  }),
  on.get('/payouts/{id_or_reference}', {
    path_parameters: NAMED,
    summary: 'One payout',
    description: '`conclusive` says whether its outcome is known.',
    response: payout,
    errors: ['payout_not_found'],
    handler: async function getPayout(dependencies, request) {
      return shown(await find(dependencies, request));
    },
  }),
  on.post('/payouts/{id_or_reference}/confirm', {
    scope: 'payouts:write',
    path_parameters: NAMED,
    summary: 'Confirm a payout',
    description: `Has a payout sent that waits for it, once you have seen the name that was found. ${AGAIN}`,
    gateway: 'payout',
    response: payout,
    errors: ['payout_not_found', 'payout_not_confirmable', 'kyc_required'],
    handler: function confirmPayout(dependencies, request) {
      return decide(dependencies, request, { kind: 'confirm' });
    },
  }),
  on.post('/payouts/{id_or_reference}/cancel', {
    scope: 'payouts:write',
    path_parameters: NAMED,
    summary: 'Cancel a payout',
    description: `Before the operator has sent it. The money and the fee come back. ${AGAIN}`,
    gateway: 'payout',
    response: payout,
    errors: ['payout_not_found', 'payout_not_cancelable'],
    handler: function cancelPayout(dependencies, request) {
      return decide(dependencies, request, { kind: 'cancel' });
    },
  }),
  on.post('/payouts/{id_or_reference}/approve', {
    scope: 'payouts:approve',
    path_parameters: NAMED,
    summary: 'Approve a payout',
    description: `As the person who made your key: an owner of the account, in the sandbox a developer too, and never the person who ordered the payout. ${AGAIN}`,
    response: payout,
    errors: ['payout_not_found', 'payout_not_approvable', 'approval_by_creator'],
    handler: async function approvePayout(dependencies, request) {
      const login_id = await personOf(dependencies, request);
      return decide(dependencies, request, { kind: 'approve', login_id });
    },
  }),
  on.post('/payouts/{id_or_reference}/reject', {
    scope: 'payouts:approve',
    path_parameters: NAMED,
    summary: 'Reject a payout',
    description: `Instead of an approval: the payout is canceled, and the money is back. ${AGAIN}`,
    body: rejectPayoutBody,
    may_omit_body: true,
    response: payout,
    errors: ['payout_not_found', 'payout_not_approvable'],
    handler: async function rejectPayout(dependencies, request) {
      const login_id = await personOf(dependencies, request);
      const reason = request.body.reason ?? null;
      return decide(dependencies, request, { kind: 'reject', login_id, reason });
    },
  }),
  on.get('/payouts/{id_or_reference}/timeline', {
    path_parameters: NAMED,
    summary: 'What happened to a payout, in order',
    description:
      'The order, decisions of people, what the operator said, the postings and each delivery of a webhook, oldest first.',
    response: timelineResponse,
    errors: ['payout_not_found'],
    handler: async function getPayoutTimeline(dependencies, request) {
      const { id } = await find(dependencies, request);
      const entries = await listPayoutTimeline(dependencies.db, id);
      return success({ timeline: entries.map(presentTimelineEntry) });
    },
  }),
  on.post('/payout-destinations/check', {
    scope: 'payouts:write',
    summary: 'Look at a destination',
    description:
      'Whether it can be paid, by which operator, whose name it has and what it would cost. Nothing moves. An account may look at a number of destinations that do not exist in an hour.',
    body: checkDestinationBody,
    response: destinationCheck,
    errors: [
      'kyc_required',
      'unsupported_destination',
      'amount_out_of_bounds',
      'payouts_not_configured',
    ],
    handler: async function checkPayoutDestination(dependencies, { caller, body, numbers }) {
      const check = await checkDestination(dependencies, caller, body, numbers.get('/amount'));
      const { bounds, fee } = check;
      return success({
        ...check,
        bounds: { minimum: amountJson(bounds.minimum), maximum: amountJson(bounds.maximum) },
        fee: fee && amountJson(fee.fee_minor),
        tax: fee && amountJson(fee.tax_minor),
      });
    },
  }),
];

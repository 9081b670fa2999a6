// Payout batches: ordered, decided about, listed, and shown with their payouts.

import {
  listPayoutBatches as readBatches,
  listPayoutItems,
} from '../../db/payout-batches/payout-batches';
import { findKeyPerson } from '../../db/payouts/payouts';
import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import {
  decidePayoutBatch,
  findOwnPayoutBatch,
  type PayoutBatchDecision,
} from '../../use-cases/payout-batches/decide';
import { exportPayoutItems } from '../../use-cases/payout-batches/export';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import { showItems } from '../batches/show';
import type { ApiDependencies, ApiRequest, ApiResponse } from '../context';
import { orderOf, orderResponse } from '../order';
import { readPage } from '../paging';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import { presentPayoutItem, readPayoutItems } from './items';
import {
  confirmPayoutBatchBody,
  createPayoutBatchBody,
  createPayoutBatchEnvelope,
  listItemsQuery,
  listPayoutBatchesQuery,
  payoutBatch,
  payoutBatchesResponse,
  payoutItemsResponse,
  rejectPayoutBody,
} from './schema';

const find = (dependencies: ApiDependencies, { caller, params }: ApiRequest<unknown, unknown>) =>
  findOwnPayoutBatch(dependencies, caller, params['id'] ?? '');

async function decide(
  dependencies: ApiDependencies,
  request: ApiRequest<unknown, unknown>,
  decision: PayoutBatchDecision,
): Promise<ApiResponse> {
  const batch = await find(dependencies, request);
  const { request_id, caller } = request;
  const options = { request_id, by: { key_id: caller.key_id } };
  return shown(await decidePayoutBatch(dependencies, batch, decision, options));
}

const personOf = ({ db }: ApiDependencies, { caller }: ApiRequest<unknown, unknown>) =>
  findKeyPerson(db, caller.key_id);

const NAMED = { id: 'The id that the order returned.' };
const AGAIN = 'A second call answers 200 with the batch as it is.';

const on = routesOf('Payout batches');

export const payoutBatchRoutes = [
  on.post('/payout-batches', {
    scope: 'payouts:write',
    summary: 'Order up to 10,000 payouts',
    description:
      'The order is stored, and nothing is reserved: each destination is looked at first, and the batch waits until you confirm it, unless the order does so with `confirm: true`. Then each payout is ordered by itself, in the order given. One that is refused holds up no other. With `dry_run` each payout tells what would become of it. Above the account’s limit its owners approve the batch as a whole. A fault of a single payout refuses all of them, and `param` names it (`payouts/17/amount`). Batches of an account follow one another. The body may have 4 MiB.',
    idempotent: 'payout_batch',
    body: createPayoutBatchEnvelope,
    documented_body: createPayoutBatchBody,
    max_body_bytes: MAX_BATCH_BYTES,
    status: 202,
    response: payoutBatch,
    errors: ['batch_limit', 'kyc_required', 'payouts_not_configured'],
    handler: async function createPayoutBatch(dependencies, request) {
      const { confirm, dry_run } = request.body;
      const items = await readPayoutItems(request);
      const order = { ...orderOf(request), items, confirm, dry_run };
      return orderResponse(await orderPayoutBatch(dependencies, order));
    },
  }),
  on.get('/payout-batches', {
    summary: 'Payout batches, newest first',
    description: 'Those of the environment of the key.',
    query: listPayoutBatchesQuery,
    response: payoutBatchesResponse,
    handler: async function listPayoutBatches({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => readBatches(db, query));
      return success({ payout_batches: shownList(rows), ...end });
    },
  }),
  on.get('/payout-batches/{id}', {
    path_parameters: NAMED,
    summary: 'One payout batch: how far it has come',
    description: 'Ask again while `status` is `processing`.',
    response: payoutBatch,
    errors: ['payout_batch_not_found'],
    handler: async function getPayoutBatch(dependencies, request) {
      return shown(await find(dependencies, request));
    },
  }),
  on.get('/payout-batches/{id}/payouts', {
    path_parameters: NAMED,
    summary: 'The payouts of a batch, in the order given; all of them as CSV',
    description:
      'With `Accept: text/csv` all of them come as a file. One is `completed` when its payout has succeeded, and `failed` when it failed, was canceled or excluded, or was refused before it became a payout.',
    query: listItemsQuery,
    response: payoutItemsResponse,
    also: ['csv'],
    errors: ['payout_batch_not_found'],
    handler: async function listBatchPayouts(dependencies, request) {
      const { id } = await find(dependencies, request);
      return showItems(dependencies, request, id, {
        name: 'payouts',
        list: listPayoutItems,
        present: presentPayoutItem,
        file: exportPayoutItems,
      });
    },
  }),
  on.post('/payout-batches/{id}/confirm', {
    scope: 'payouts:write',
    path_parameters: NAMED,
    summary: 'Confirm a payout batch',
    description: `Has the batch sent, without the payouts that you exclude by what was found. ${AGAIN} One with another \`exclude\` is refused.`,
    body: confirmPayoutBatchBody,
    may_omit_body: true,
    response: payoutBatch,
    errors: ['payout_batch_not_found', 'payout_batch_not_confirmable', 'kyc_required'],
    handler: function confirmPayoutBatch(dependencies, request) {
      return decide(dependencies, request, {
        kind: 'confirm',
        exclude: request.body.exclude ?? [],
      });
    },
  }),
  on.post('/payout-batches/{id}/cancel', {
    scope: 'payouts:write',
    path_parameters: NAMED,
    summary: 'Stop what is not ordered yet',
    description: `A payout that was ordered goes on. ${AGAIN}`,
    response: payoutBatch,
    errors: ['payout_batch_not_found', 'payout_batch_not_cancelable'],
    handler: function cancelPayoutBatch(dependencies, request) {
      return decide(dependencies, request, { kind: 'cancel' });
    },
  }),
  on.post('/payout-batches/{id}/approve', {
    scope: 'payouts:approve',
    path_parameters: NAMED,
    summary: 'Approve a payout batch',
    description: `As a whole, by the people who may approve a payout. ${AGAIN}`,
    response: payoutBatch,
    errors: ['payout_batch_not_found', 'payout_batch_not_approvable', 'approval_by_creator'],
    handler: async function approvePayoutBatch(dependencies, request) {
      const login_id = await personOf(dependencies, request);
      return decide(dependencies, request, { kind: 'approve', login_id });
    },
  }),
  on.post('/payout-batches/{id}/reject', {
    scope: 'payouts:approve',
    path_parameters: NAMED,
    summary: 'Reject a payout batch',
    description: `Instead of an approval: the batch is canceled. ${AGAIN}`,
    body: rejectPayoutBody,
    may_omit_body: true,
    response: payoutBatch,
    errors: ['payout_batch_not_found', 'payout_batch_not_approvable'],
    handler: async function rejectPayoutBatch(dependencies, request) {
      const login_id = await personOf(dependencies, request);
      const reason = request.body.reason ?? null;
      return decide(dependencies, request, { kind: 'reject', login_id, reason });
    },
  }),
];

// Sends money to another user, and shows what became of it.

import { findTransfer, type TransferView } from '../../db/transfers/transfers';
import { plainReference, TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import { Refusal } from '../../domain/refusal';
import { readMetadata } from '../../use-cases/requests/metadata';
import { reverseTransfer } from '../../use-cases/transfers/reverse';
import { sendTransfer } from '../../use-cases/transfers/send';
import type { ApiDependencies, ApiRequest } from '../context';
import { orderOf, orderResponse } from '../order';
import { routesOf } from '../route';
import { shown } from '../success';
import {
  createReversalBody,
  createTransferBody,
  createTransferResponse,
  reversalResponse,
  transfer,
} from './schema';

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

async function findNamed(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<TransferView> {
  const reference = plainReference(params['reference'] ?? '');
  const row = REFERENCE.test(reference)
    ? await findTransfer(db, caller.user_id, caller.environment, reference)
    : undefined;
  if (!row) throw new Refusal('transfer_not_found');
  return row;
}

const on = routesOf('Transfers');

export const transferRoutes = [
  on.post('/transfers', {
    scope: 'transfers:write',
    summary: 'Send money to another user; simulated with a test key',
    description:
      'The recipient gets the amount less the fee, at once. The money moves exactly once: repeat a request whose response you did not get with the same `Idempotency-Key`. With a test key the request is checked in the same way and answers `simulated`, and nothing is moved.',
    idempotent: 'transfer',
    body: createTransferBody,
    response: createTransferResponse,
    also_status: {
      status: 202,
      description:
        'Held: the money has left the wallet and waits for a check by the operator of the service; the recipient has nothing yet. A repetition gets this response whatever became of it: `GET /transfers/{reference}` tells.',
    },
    errors: [
      'insufficient_funds',
      'recipient_not_found',
      'kyc_required',
      'limit_exceeded',
      'risk_refused',
    ],
    handler: async function createTransfer(dependencies, request) {
      const { body, numbers } = request;
      const sent = await sendTransfer(dependencies, {
        ...orderOf(request),
        to_username: body.to_username,
        currency: body.currency,
        amount_text: numbers.get('/amount') ?? '',
        description: body.description,
        metadata: body.metadata && readMetadata(body.metadata, numbers),
      });
      return orderResponse(sent);
    },
  }),
  on.get('/transfers/{reference}', {
    path_parameters: { reference: "The transfer's reference, TRF-…." },
    summary: 'One transfer, for its sender and its recipient',
    description:
      'For its sender and its recipient. `direction` says which of them the key belongs to.',
    response: transfer,
    errors: ['transfer_not_found'],
    handler: async function getTransfer(dependencies, request) {
      return shown(await findNamed(dependencies, request));
    },
  }),
  on.post('/transfers/{reference}/reversals', {
    scope: 'refunds:write',
    path_parameters: { reference: "The transfer's reference, TRF-…." },
    summary: 'Give a received transfer back, whole or in part',
    description:
      'For its recipient. The sender gets the amount at once, from your wallet; the fee of the transfer is not given back. Repeat a request whose response you did not get with the same `Idempotency-Key`: there is one reversal then. With a test key nothing is moved.',
    idempotent: 'reversal',
    body: createReversalBody,
    may_omit_body: true,
    status: 201,
    response: reversalResponse,
    errors: [
      'transfer_not_found',
      'reversal_exceeds_transfer',
      'insufficient_funds',
      'kyc_required',
      'limit_exceeded',
    ],
    handler: async function createReversal(dependencies, request) {
      const { body, numbers } = request;
      const reversed = await reverseTransfer(dependencies, {
        ...orderOf(request),
        transfer: await findNamed(dependencies, request),
        amount_text: numbers.get('/amount'),
        reason: body.reason ?? null,
      });
      return orderResponse(reversed);
    },
  }),
];

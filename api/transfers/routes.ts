// Money sent to another user.

import { route } from '../route';
import { createReversal, createTransfer, getTransfer } from './handlers';
import {
  createReversalBody,
  createTransferBody,
  createTransferResponse,
  reversalResponse,
  transfer,
} from './schema';

export const transferRoutes = [
  route({
    method: 'POST',
    path: '/transfers',
    tag: 'Transfers',
    summary: 'Send money to another user; simulated with a test key',
    description:
      'The recipient gets the amount less the fee, at once. The money moves exactly once: repeat a request whose response you did not get with the same `Idempotency-Key`. With a test key the request is checked in the same way and answers `simulated`, and nothing is moved.',
    rate: 'write',
    idempotent: 'transfer',
    body: createTransferBody,
    response: createTransferResponse,
    errors: ['insufficient_funds', 'recipient_not_found'],
    handler: createTransfer,
  }),
  route({
    method: 'GET',
    path: '/transfers/{reference}',
    path_parameters: { reference: "The transfer's reference, TRF-…." },
    tag: 'Transfers',
    summary: 'One transfer, for its sender and its recipient',
    description:
      'For its sender and its recipient. `direction` says which of them the key belongs to.',
    rate: 'read',
    response: transfer,
    errors: ['transfer_not_found'],
    handler: getTransfer,
  }),
  route({
    method: 'POST',
    path: '/transfers/{reference}/reversals',
    path_parameters: { reference: "The transfer's reference, TRF-…." },
    tag: 'Transfers',
    summary: 'Give a received transfer back, whole or in part',
    description:
      'For its recipient. The sender gets the amount at once, from your wallet; the fee of the transfer is not given back. Repeat a request whose response you did not get with the same `Idempotency-Key`: there is one reversal then. With a test key nothing is moved.',
    rate: 'write',
    idempotent: 'reversal',
    body: createReversalBody,
    may_omit_body: true,
    status: 201,
    response: reversalResponse,
    errors: ['transfer_not_found', 'reversal_exceeds_transfer', 'insufficient_funds'],
    handler: createReversal,
  }),
];

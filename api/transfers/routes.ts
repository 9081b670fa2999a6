// Money sent to another user.

import { route } from '../route';
import { createTransfer, getTransfer } from './handlers';
import { createTransferBody, createTransferResponse, transferResponse } from './schema';

export const transferRoutes = [
  route({
    method: 'POST',
    path: '/transfers',
    summary: 'Send money to another user; simulated with a test key',
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
    summary: 'One transfer, for its sender and its recipient',
    rate: 'read',
    response: transferResponse,
    errors: ['transfer_not_found'],
    handler: getTransfer,
  }),
];

// Money sent to another user.

import { route } from '../route';
import { pathName } from '../schemas';
import { createTransfer, getTransfer } from './handlers';
import { createTransferBody, createTransferResponse, transferResponse } from './schema';

export const transferRoutes = [
  route({
    operation_id: 'createTransfer',
    method: 'POST',
    path: '/transfers',
    summary: 'Send money to another user; simulated with a test key',
    rate: 'write',
    idempotent: 'transfer',
    body: createTransferBody,
    response: { status: 200, schema: createTransferResponse },
    errors: ['insufficient_funds', 'recipient_not_found'],
    handler: createTransfer,
  }),
  route({
    operation_id: 'getTransfer',
    method: 'GET',
    path: '/transfers/{reference}',
    summary: 'One transfer, for its sender and its recipient',
    rate: 'read',
    params: { reference: pathName },
    response: { status: 200, schema: transferResponse },
    errors: ['transfer_not_found'],
    handler: getTransfer,
  }),
];

// Balances.

import { route } from '../route';
import { listWallets } from './handler';
import { walletsResponse } from './schema';

export const walletRoutes = [
  route({
    operation_id: 'listWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'Balances, one wallet per currency',
    rate: 'read',
    response: { status: 200, schema: walletsResponse },
    errors: [],
    handler: listWallets,
  }),
];

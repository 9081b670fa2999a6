// Balances.

import { route } from '../route';
import { listWallets } from './handler';
import { walletsResponse } from './schema';

export const walletRoutes = [
  route({
    method: 'GET',
    path: '/wallets',
    summary: 'Balances, one wallet per currency',
    rate: 'read',
    response: walletsResponse,
    handler: listWallets,
  }),
];

// Balances.

import { route } from '../route';
import { listWallets } from './handler';
import { walletsResponse } from './schema';

export const walletRoutes = [
  route({
    method: 'GET',
    path: '/wallets',
    tag: 'Account',
    summary: 'Balances, one wallet per currency',
    description:
      'In the environment of the key: sandbox balances are for trying and are worth nothing.',
    rate: 'read',
    response: walletsResponse,
    handler: listWallets,
  }),
];

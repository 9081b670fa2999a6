// Lists the caller's wallets, one per currency.

import { listWallets as readWallets } from '../../db/ledger/wallets';
import { amountJson } from '../../domain/money';
import type { Handler } from '../context';
import { route } from '../route';
import { success } from '../success';
import { walletsResponse } from './schema';

const listWallets: Handler = async ({ db }, { caller }) => {
  const { user_id, environment } = caller;
  const rows = await readWallets(db, user_id, environment);
  const wallets = rows.map(({ id, currency, balance_minor }) => ({
    id,
    currency,
    balance: amountJson(balance_minor),
  }));
  return success({ environment, wallets });
};

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

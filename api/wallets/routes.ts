// Lists the caller's wallets, one per currency.

import { listWallets as readWallets } from '../../db/ledger/wallets';
import { amountJson } from '../../domain/money';
import { routesOf } from '../route';
import { success } from '../success';
import { walletsResponse } from './schema';

const on = routesOf('Account');

export const walletRoutes = [
  on.get('/wallets', {
    summary: 'Balances, one wallet per currency',
    description:
      'In the environment of the key: sandbox balances are for trying and are worth nothing.',
    response: walletsResponse,
    handler: async function listWallets({ db }, { caller }) {
      const { user_id, environment } = caller;
      const rows = await readWallets(db, user_id, environment);
      const wallets = rows.map(({ id, currency, balance_minor }) => ({
        id,
        currency,
        balance: amountJson(balance_minor),
      }));
      return success({ environment, wallets });
    },
  }),
];

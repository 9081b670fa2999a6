// Lists the caller's wallets, one per currency.

import { listWallets as readWallets } from '../../db/wallets';
import { amountJson } from '../../domain/money';
import type { Handler } from '../context';
import { success } from '../success';

export const listWallets: Handler = async ({ db }, { caller }) => {
  const { user_id, environment } = caller;
  const rows = await readWallets(db, user_id, environment);
  const wallets = rows.map(({ id, currency, balance_minor }) => ({
    id,
    currency,
    balance: amountJson(balance_minor),
  }));
  return success({ environment, wallets });
};

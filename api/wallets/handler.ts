// Lists the caller's wallets, one per currency.

import { listWallets as readWallets } from '../../db/wallets';
import { renderJson } from '../../domain/json';
import { amountJson } from '../../domain/money';
import type { ApiResponse, ApiDependencies, ApiRequest } from '../context';

export async function listWallets(
  { db }: ApiDependencies,
  { caller }: ApiRequest,
): Promise<ApiResponse> {
  const { user_id, environment } = caller;
  const rows = await readWallets(db, user_id, environment);
  const wallets = rows.map(({ id, currency, balance_minor }) => ({
    id,
    currency,
    balance: amountJson(balance_minor),
  }));
  return { status: 200, body: renderJson({ ok: true, environment, wallets }) };
}

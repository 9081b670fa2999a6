import type { Db } from '../../db/connect';
import { listWallets } from '../../db/ledger/wallets';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { TestUser } from './users';

export async function balanceOf(
  db: Db,
  user: TestUser,
  currency: Currency = 'XOF',
  environment: Environment = 'live',
): Promise<bigint> {
  const wallets = await listWallets(db, user.id, environment);
  return wallets.find((wallet) => wallet.currency === currency)!.balance_minor;
}

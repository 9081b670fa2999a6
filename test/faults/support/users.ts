// The users of one experiment: no other experiment touches their wallets, so that every unit in them is
// accounted for by the experiment's own requests.

import type { Db } from '../../../db/connect';
import { isDatabaseUnavailable } from '../../../db/errors';
import { CURRENCIES, type Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import { buildApiKey, buildUser, type TestUser } from '../../support/users';
import { waitFor } from '../../support/wait';

export interface FundedUser extends TestUser {
  readonly keys: Readonly<Record<Environment, string>>;
  /** Minor units at the start, the same in both environments. */
  readonly funds: Readonly<Record<Currency, bigint>>;
}

/** Far from empty after any run, and together less than the largest transfer allowed. */
export const USUAL_FUNDS = { XOF: 1_000_000n, EUR: 1_000_000n, USD: 1_000_000n } as const;

/** Keys have limits that no load reaches; the limiter works all the same. */
export async function buildUsers(
  db: Db,
  count: number,
  funds: FundedUser['funds'] = USUAL_FUNDS,
): Promise<FundedUser[]> {
  const users: FundedUser[] = [];
  for (let i = 0; i < count; i += 1) users.push(await buildFundedUser(db, funds));
  return users;
}

async function buildFundedUser(db: Db, funds: FundedUser['funds']): Promise<FundedUser> {
  const given = Object.fromEntries(
    CURRENCIES.filter((currency) => funds[currency] > 0n).map((name) => [name, funds[name]]),
  );
  const user = await buildUser(db, { funds: { live: given, sandbox: given } });
  const live = await buildApiKey(db, { user, environment: 'live' });
  const sandbox = await buildApiKey(db, { user, environment: 'sandbox' });
  return { ...user, keys: { live: live.key, sandbox: sandbox.key }, funds };
}

const BUILT_WITHIN_MS = 120_000;

/** The database may need a while after a fault. Users of a failed try stay, and do nothing. */
export function atLast<Built>(build: () => Promise<Built>): Promise<Built> {
  return waitFor(
    () =>
      build().catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) return undefined;
        throw error;
      }),
    BUILT_WITHIN_MS,
  );
}

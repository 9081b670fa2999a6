// Limits as operators set them, and what is used of them.

import type { Db } from '../../db/connect';
import { readLimits } from '../../db/limits/limits';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { Tier } from '../../domain/limits';
import { setAccountLimits, setTier, type GivenLimits } from '../../use-cases/tiers';
import type { TestDatabase } from './database';
import { ACTOR, type TestUser } from './users';

export async function limitTier(
  { operator: db }: Pick<TestDatabase, 'operator'>,
  tier: Tier,
  limits: GivenLimits,
  currency: Currency = 'XOF',
): Promise<void> {
  await setTier({ db, actor: ACTOR }, tier, currency, limits);
}

/** Limits one wallet. */
export async function limitAccount(
  { operator: db }: Pick<TestDatabase, 'operator'>,
  { username }: TestUser,
  limits: GivenLimits,
  environment: Environment = 'live',
  currency: Currency = 'XOF',
): Promise<void> {
  await setAccountLimits({ db, actor: ACTOR }, { username, environment, currency }, limits);
}

/** Minor units by the names of the limits that hold, in XOF. */
export async function usedOf(
  db: Db,
  { id }: TestUser,
  environment: Environment = 'live',
): Promise<Readonly<Record<string, bigint>>> {
  const { limits } = await readLimits(db, id, environment);
  const held = limits.filter(({ currency }) => currency === 'XOF');
  return Object.fromEntries(held.map(({ limit_name, used_minor }) => [limit_name, used_minor]));
}

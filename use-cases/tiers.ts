// Tiers and limits that operators set. The database decides, and asks for a second operator where one is needed.

import { markWallets, type AccountTier, type TierEntry } from '../db/limits/limits';
import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { LimitName, Tier } from '../domain/limits';
import type { TierProfile } from '../domain/tier-profiles';
import type { Requesting } from './approvals';
import { changeOrRequest, type SettingChange } from './settings';

/** A decimal text, `off` for no limit, or `tier` for that of the tier; what is left out stays as it is. */
export type GivenLimits = { readonly [name in LimitName]?: string };

const hasAmount = (limits: GivenLimits): boolean =>
  Object.values(limits).some((text) => text !== 'off' && text !== 'tier');

export async function setTier(
  requesting: Requesting,
  tier: Tier,
  currency: Currency,
  limits: GivenLimits,
): Promise<SettingChange<TierEntry, never>> {
  if (hasAmount(limits)) await markWallets(requesting.db, currency);
  const given = { tier, currency, ...limits };
  return changeOrRequest(requesting, { action: 'tiers.set', arguments: given, reason: '' });
}

export async function applyProfile(
  requesting: Requesting,
  name: string,
  { currency, tiers }: TierProfile,
): Promise<SettingChange<readonly TierEntry[], never>> {
  await markWallets(requesting.db, currency);
  const given = { profile: name, currency, tiers: { ...tiers } };
  return changeOrRequest(requesting, { action: 'tiers.profile', arguments: given, reason: '' });
}

/** `auto`: by the identity check. */
export function setAccountTier(
  requesting: Requesting,
  username: string,
  tier: Tier | 'auto',
  reason = '',
): Promise<SettingChange<AccountTier, never>> {
  return changeOrRequest(requesting, {
    action: 'users.tier',
    arguments: { username, tier },
    reason,
  });
}

export function setAccountLimits(
  requesting: Requesting,
  wallet: {
    readonly username: string;
    readonly environment: Environment;
    readonly currency: Currency;
  },
  limits: GivenLimits,
  reason = '',
): Promise<SettingChange<GivenLimits, never>> {
  const given = { ...wallet, ...limits };
  return changeOrRequest(requesting, { action: 'users.limits', arguments: given, reason });
}

// Figures of a region's rules for the limits of tiers, and what about them is not certain.

import type { Currency } from './currency';
import type { LimitName, Tier } from './limits';

export interface TierProfile {
  readonly currency: Currency;
  /** Decimal texts. What is not named here has no limit. */
  readonly tiers: { readonly [tier in Tier]?: { readonly [name in LimitName]?: string } };
  readonly notes: readonly string[];
}

const PERSON = { balance: '2000000.00', monthly_in: '10000000.00' };

export const TIER_PROFILES = {
  /** Instruction 008-05-2015 of the BCEAO, art. 31. */
  uemoa: {
    currency: 'XOF',
    tiers: { none: PERSON, identified: PERSON },
    notes: [
      'BCEAO instruction 008-05-2015, article 31, as the press quotes it; the Journal officiel was not at hand: "deux millions … sauf autorisation expresse"; "cumul des rechargements … au cours d\'un mois … dix millions".',
      'A lower ceiling of clients who are not identified was found in no source: the tier none has the same figures, and its own ceiling is at most these.',
      'merchant and agent have no limit: the ceilings "ne s\'appliquent pas aux distributeurs et aux accepteurs".',
      'Whether a transfer that is received is a "rechargement" is not certain: it is counted, which is the stricter reading.',
      'Whether a later instruction has changed the figures is not certain. There are none for EUR and USD.',
      'The balance counts each wallet for itself, and not the accounts of a person together.',
    ],
  },
} as const satisfies Readonly<Record<string, TierProfile>>;

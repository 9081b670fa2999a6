// Tiers: what their accounts may hold, receive and send.

import { listTiers, type TierEntry } from '../../db/limits/limits';
import { LIMITS, TIERS } from '../../domain/limits';
import { TIER_PROFILES } from '../../domain/tier-profiles';
import { applyProfile, setTier } from '../../use-cases/tiers';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { limitsJson, limitsOf, withLimitOptions } from '../limit-options';
import { currencyOption, wordOption } from '../options';
import { settled } from '../settings';
import { table } from '../table';

const tiersSet = withLimitOptions(
  command('set', 'Set limits of a tier in a currency, from the next posting on')
    .addOption(wordOption('--tier <tier>', 'which', TIERS).makeOptionMandatory())
    .addOption(currencyOption),
  'an amount, or off',
).action(
  run(async ({ db, actor }, options) => {
    const { tier, currency } = options;
    const limits = limitsOf(options, currency, ['off']);
    const { after, changed } = settled(await setTier({ db, actor }, tier, currency, limits));
    return { json: { ...present(after), changed }, text: tableOf([after]) };
  }),
);

function present({ tier, currency, ...limits }: TierEntry) {
  return { tier, currency, ...limitsJson(limits) };
}

function tableOf(entries: readonly TierEntry[]): string {
  return table([
    ['TIER', 'CURRENCY', ...LIMITS.map((name) => name.toUpperCase())],
    ...entries.map((entry) => [
      entry.tier,
      entry.currency,
      ...LIMITS.map((name) => entry[name] ?? '–'),
    ]),
  ]);
}

export const tiers = group([
  command('show', 'Show the limits of all tiers').action(
    run(async ({ db }) => {
      const tiers = await listTiers(db);
      return { json: { tiers: tiers.map(present) }, text: tableOf(tiers) };
    }),
  ),
  tiersSet,
  command('profile', 'Set the limits of all tiers by the rules of a region')
    .argument('<profile>', Object.keys(TIER_PROFILES).join(', '))
    .action(
      run(async ({ db, actor }, name) => {
        const profile = Object.entries(TIER_PROFILES).find(([one]) => one === name)?.[1];
        if (profile === undefined) {
          throw new CommandError(
            'usage',
            `the profile must be ${Object.keys(TIER_PROFILES).join(', ')}`,
          );
        }
        const { after, changed } = settled(await applyProfile({ db, actor }, name, profile));
        return {
          json: { profile: name, tiers: after.map(present), notes: [...profile.notes], changed },
          text: [tableOf(after), ...profile.notes].join('\n'),
        };
      }),
    ),
]);

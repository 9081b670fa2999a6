// `users tier` and `users limits`: which limits hold for an account.

import { readLimits } from '../../db/limits/limits';
import { limitJson, TIERS } from '../../domain/limits';
import { formatAmount } from '../../domain/money';
import { setAccountLimits, setAccountTier } from '../../use-cases/tiers';
import { command, run } from '../command';
import { limitsOf, withLimitOptions } from '../limit-options';
import { requireUser } from '../lookups';
import { currencyOption, environmentFilter, wordOption } from '../options';
import { settled } from '../settings';
import { table } from '../table';

export const usersTier = command('tier', 'Show and set the tier of an account')
  .argument('<username>', 'the account')
  .addOption(
    wordOption('--tier <tier>', 'the tier, or auto: by the identity check', [
      ...TIERS,
      'auto',
    ] as const),
  )
  .action(
    run(async ({ db, actor }, name, { tier }) => {
      const { id, username } = await requireUser(db, name);
      const { after, changed } =
        tier === undefined
          ? { after: await readLimits(db, id, 'live'), changed: false }
          : settled(await setAccountTier({ db, actor }, username, tier));
      return {
        json: { username, tier: after.tier, set_by: after.set_by, changed },
        text: `${username} is in the tier ${after.tier}, by ${after.set_by === 'identity' ? 'the identity check' : 'an operator'}.`,
      };
    }),
  );

export const usersLimits = withLimitOptions(
  command('limits', 'Show and set the limits of an account in a currency')
    .argument('<username>', 'the account')
    .addOption(currencyOption)
    .addOption(environmentFilter),
  "an amount, off, or tier: the tier's",
).action(
  run(async ({ db, actor }, name, options) => {
    const { currency, environment = 'live' } = options;
    const { id, username } = await requireUser(db, name);
    const given = limitsOf(options, currency, ['off', 'tier']);
    if (Object.keys(given).length > 0) {
      settled(await setAccountLimits({ db, actor }, { username, environment, currency }, given));
    }
    const { tier, limits } = await readLimits(db, id, environment);
    const shown = limits.filter((limit) => limit.currency === currency);
    return {
      json: {
        username,
        currency,
        environment,
        tier,
        limits: shown.map((limit) => ({
          ...limitJson(limit),
          from: limit.from_account ? 'account' : 'tier',
        })),
      },
      text:
        shown.length === 0
          ? 'No limit holds.'
          : table(
              shown.map(({ limit_name, maximum_minor, used_minor, from_account }) => [
                limit_name,
                `${formatAmount(maximum_minor)} ${currency}`,
                `${formatAmount(used_minor)} used`,
                from_account ? 'of the account' : `of the tier ${tier}`,
              ]),
            ),
    };
  }),
);

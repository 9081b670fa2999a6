// `users limits`: the most that an account may pay out, as operators allow it.

import { setPayoutLimits, type PayoutLimits } from '../../db/payouts/operator-payouts';
import { amountJson, formatAmount } from '../../domain/money';
import { command, run } from '../command';
import { requireUser } from '../lookups';
import { currencyOption, readAmount } from '../options';
import { table } from '../table';

const KINDS = ['single', 'daily', 'monthly'] as const;

export const usersLimits = command(
  'limits',
  'Show and set the most that an account may pay out in a currency, whatever its owner allows; off is no limit',
)
  .argument('<username>', 'the account')
  .addOption(currencyOption)
  .option('--payout-single <amount>', 'of one payout, or off')
  .option('--payout-daily <amount>', 'of a day (UTC), or off')
  .option('--payout-monthly <amount>', 'of a month (UTC), or off')
  .action(
    run(async ({ db, actor }, username, options) => {
      const { currency } = options;
      const given = {
        single: options.payoutSingle,
        daily: options.payoutDaily,
        monthly: options.payoutMonthly,
      };
      const most = KINDS.flatMap((kind) => {
        const text = given[kind];
        if (text === undefined) return [];
        const minor =
          text === 'off' ? null : readAmount(text, currency, `payout-${kind}`).toString();
        return [[`most_${kind}_minor`, minor] as const];
      });
      const { id: user_id } = await requireUser(db, username);
      const limits = await setPayoutLimits(
        db,
        { user_id, currency },
        Object.fromEntries(most),
        actor,
      );
      return {
        json: { username, currency, ...jsonOf(limits) },
        text: table(
          KINDS.map((kind) => {
            const minor = limits[`${kind}_minor`];
            return [kind, minor === null ? 'no limit' : `${formatAmount(minor)} ${currency}`];
          }),
        ),
      };
    }),
  );

function jsonOf({ single_minor, daily_minor, monthly_minor }: PayoutLimits) {
  const shown = (minor: bigint | null) => (minor === null ? null : amountJson(minor));
  return {
    payout_single: shown(single_minor),
    payout_daily: shown(daily_minor),
    payout_monthly: shown(monthly_minor),
  };
}

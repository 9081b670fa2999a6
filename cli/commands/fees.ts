// The fees of transfers and payments: shown, and set for what is posted from then on.

import { Option } from '@commander-js/extra-typings';
import { FEE_KINDS, listFees, setFee, type Fee, type FeeKind } from '../../db/ledger/fees';
import type { Currency } from '../../domain/currency';
import { Decimal, type JsonValue } from '../../domain/json';
import { amountJson, formatAmount } from '../../domain/money';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { currencyOption, readAmount, wordOption } from '../options';
import { table } from '../table';

const feesShow = command('show', 'Show the fees, and what waits for a second operator').action(
  run(async ({ db }) => {
    const policies = await listFees(db);
    const rows = policies.map(({ kind, currency, requested, ...fee }) => [
      kind,
      currency,
      percentOf(fee),
      amountText(fee.fixed_minor, currency),
      requested ? `${describe(requested, currency)}, asked for by ${requested.by}` : '',
    ]);
    return {
      json: {
        fees: policies.map(({ kind, currency, requested, ...fee }) => ({
          kind,
          currency,
          ...present(fee),
          requested: requested && { ...present(requested), by: requested.by, at: requested.at },
        })),
      },
      text: table([['KIND', 'CURRENCY', 'PERCENT', 'FIXED', 'WAITS'], ...rows]),
    };
  }),
);

const feesSet = command(
  'set',
  'Set a fee: the recipient gets what is left; from the next posting on',
)
  .addOption(wordOption('--kind <kind>', 'of what', FEE_KINDS).makeOptionMandatory())
  .addOption(currencyOption)
  .addOption(
    new Option('--percent <percent>', 'of the amount, such as 1.5')
      .argParser(readBasisPoints)
      .makeOptionMandatory(),
  )
  .requiredOption('--fixed <amount>', 'for each one, such as 100, or 0')
  .action(
    run(async ({ db, actor }, { kind, currency, percent: basis_points, fixed }) => {
      const fixed_minor = /^0+(\.0+)?$/.test(fixed) ? 0n : readAmount(fixed, currency, 'fixed');
      const fee = { basis_points, fixed_minor };
      const { outcome, requested_by } = await setFee(db, { kind, currency, ...fee }, actor);
      if (outcome !== 'set' && outcome !== 'unchanged') throw refusal(outcome, kind);
      const what = `The fee of ${NAMES[kind]} in ${currency} is ${describe(fee, currency)}`;
      const by = requested_by === null ? '' : ` ${requested_by} has asked for it.`;
      return {
        json: {
          kind,
          currency,
          ...present(fee),
          changed: outcome === 'set',
          requested_by,
        },
        text: outcome === 'set' ? `${what} from now on.${by}` : `${what} already.`,
      };
    }),
  );

const NAMES: Readonly<Record<FeeKind, string>> = {
  transfer: 'transfers',
  payment_intent: 'payments',
  payout: 'payouts',
};

function readBasisPoints(text: string): number {
  const [, whole = '', decimals = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const points = whole === '' ? Infinity : Number(whole + decimals.padEnd(2, '0'));
  if (points <= 10_000) return points;
  throw new CommandError('usage', '--percent must be from 0 to 100, with at most two decimals');
}

function percentOf({ basis_points }: Fee): string {
  return formatAmount(BigInt(basis_points));
}

function describe(fee: Fee, currency: Currency): string {
  return `${percentOf(fee)} % and ${amountText(fee.fixed_minor, currency)}`;
}

function present(fee: Fee): Record<string, JsonValue> {
  return { percent: new Decimal(percentOf(fee)), fixed: amountJson(fee.fixed_minor) };
}

function refusal(outcome: 'requested' | 'same_person' | 'not_found', kind: FeeKind): CommandError {
  switch (outcome) {
    case 'requested':
      return new CommandError(
        'approval_required',
        'A fee needs a second operator, and nothing was changed yet. It is set when another operator gives the same command within 7 days',
      );
    case 'same_person':
      return new CommandError(
        'same_operator',
        'You have asked for it: another operator has to give the same command (--actor names who acts)',
      );
    case 'not_found':
      return new CommandError('fee_not_found', `There is no fee of ${kind} in this currency`);
  }
}

export const fees = group([feesShow, feesSet]);

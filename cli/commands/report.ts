// Reports for those who watch over the house.

import type { JsonValue } from '../../domain/json';
import { parseInstant } from '../../domain/instant';
import { amountJson } from '../../domain/money';
import { reportSafeguarding, type SafeguardingOf } from '../../use-cases/treasury/safeguarding';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { environmentFilter } from '../options';
import { table } from '../table';

function readAt(text: string): string {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  throw new CommandError('usage', '--at must be an ISO 8601 date or instant');
}

function present({ currency, customers, own, held, unbacked, shortfall }: SafeguardingOf) {
  const amounts = (sums: Readonly<Record<string, bigint>>): Record<string, JsonValue> =>
    Object.fromEntries(Object.entries(sums).map(([name, minor]) => [name, amountJson(minor)]));
  return {
    currency,
    customers: amounts(customers),
    own: amounts(own),
    held: {
      banks: held.banks.map((one) => ({ ...one, balance: amountJson(one.balance) })),
      in_transit: held.in_transit.map((one) => ({ ...one, balance: amountJson(one.balance) })),
      total: amountJson(held.total),
    },
    unbacked: amountJson(unbacked),
    shortfall: amountJson(shortfall),
  };
}

export const report = group([
  command(
    'safeguarding',
    'Show what customers have and what is held for it, at a moment: the same figures for ever',
  )
    .option('--at <instant>', 'now when left out', readAt)
    .addOption(environmentFilter)
    .action(
      run(async ({ db }, { at = null, environment = 'live' }) => {
        const report = await reportSafeguarding(db, environment, at);
        if (!report.ok) throw new CommandError('usage', '--at must not be in the future');
        const rows = report.currencies.map(
          ({ currency, customers, own, held, unbacked, shortfall }) =>
            [customers.total, own.total, held.total, unbacked, shortfall].map((minor) =>
              amountText(minor, currency),
            ),
        );
        return {
          json: { at: report.at, environment, currencies: report.currencies.map(present) },
          text: table([['CUSTOMERS', 'OWN', 'HELD', 'UNBACKED', 'SHORTFALL'], ...rows]),
        };
      }),
    ),
]);

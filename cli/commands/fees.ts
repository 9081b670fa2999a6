// Fees and taxes: the rules that hold, set and ended for what is posted from then on, and what a movement would be
// charged.

import { Option } from '@commander-js/extra-typings';
import { FEE_KINDS, listFeeRules, previewFee, type FeeRule } from '../../db/ledger/fees';
import {
  issueFeeInvoices,
  issueMonth,
  listAllFeeInvoices,
  type MonthInvoice,
} from '../../db/ledger/fee-invoices';
import { findUserByName } from '../../db/accounts/users';
import type { Currency } from '../../domain/currency';
import { isUuid } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import { Decimal, JsonText, type JsonValue } from '../../domain/json';
import { pageOf } from '../../domain/page';
import { amountJson } from '../../domain/money';
import { endOfLastMonth, issuerOf, sumsOf } from '../../use-cases/fees';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import type { CommandResult } from '../context';
import {
  currencyOption,
  environmentFilter,
  limitOption,
  otherCurrency,
  readAmount,
  userFilter,
  wordOption,
} from '../options';
import { change } from '../settings';
import { table } from '../table';

const kindOption = wordOption('--kind <kind>', 'of what', FEE_KINDS).makeOptionMandatory();
const methodOption = new Option(
  '--method <method>',
  'of payments and payouts: the word of an operator, such as orange_sn, or card, or bank',
).argParser(readMethod);
const readAt = (name: string) => (text: string) => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new CommandError('usage', `--${name} must be an ISO 8601 date or instant`);
};

const BEARERS = ['recipient', 'payer', 'merchant'] as const;
const BASES = ['amount', 'fee'] as const;

const REFUSALS = {
  user_not_found: 'There is no account with this username',
  in_the_past: ['usage', 'What was posted is not charged anew: give a moment that is not past'],
  general_fee: [
    'usage',
    'The general fee of a kind and currency always holds: it has no end, and another one replaces it',
  ],
  fee_overlaps:
    'Another rule for the same has a band of amounts or a time that this one would overlap: see fees show',
  fee_not_found: 'There is no such rule: see fees show --all',
} as const;

/** The first moment after a month that is over; the database's clock decides, too. */
function endOf(month: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new CommandError('usage', '--month must be a year and a month, such as 2026-11');
  const end = new Date(`${month}-01T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + 1);
  if (end.toISOString() > `${endOfLastMonth().slice(0, -1)}.000Z`)
    throw new CommandError('month_open', 'The month is not over: give --user and --environment');
  return end.toISOString();
}

function invoiced(issued: readonly MonthInvoice[]): CommandResult {
  const invoices = issued.map(({ number, currency, period_from, period_to, total }) => ({
    number,
    currency,
    period_from,
    period_to,
    total: new Decimal(total.toFixed(2)),
  }));
  return {
    json: { invoices },
    text:
      invoices.length === 0
        ? 'Nothing was charged since the last invoice.'
        : invoices
            .map(({ number, currency, total }) => `${number}: ${total.text} ${currency}`)
            .join('\n'),
  };
}

const OPTIONS = {
  fixed: 'fixed',
  minimum: 'minimum',
  maximum: 'maximum',
  amountFrom: 'amount-from',
  amountBelow: 'amount-below',
} as const;

interface Given {
  readonly tax: boolean;
  readonly kind: FeeRule['kind'];
  readonly method?: string | undefined;
  readonly bearer?: FeeRule['bearer'] | undefined;
  readonly of?: FeeRule['of'] | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** A rule that cannot be, in words; the database refuses it too. */
function refuseNonsense({ tax, kind, method, bearer, of, from, until }: Given): void {
  const faults = [
    method !== undefined && kind === 'transfer' && '--method is for payments and payouts',
    of === 'fee' && !tax && '--of fee is for a tax',
    bearer && tax && 'A tax is borne with the fee: leave --bearer out',
    bearer &&
      (bearer === 'merchant') === (kind === 'transfer') &&
      (kind === 'transfer' ? '--bearer must be recipient or payer' : '--bearer must be merchant'),
    from !== undefined && until !== undefined && until <= from && '--until must be after --from',
  ];
  const fault = faults.find((one) => typeof one === 'string');
  if (typeof fault === 'string') throw new CommandError('usage', fault);
}

function percentOf(text: string): string {
  if (/^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/.test(text)) return text;
  throw new CommandError('usage', '--percent must be from 0 to 100, with at most four decimals');
}

function readMethod(text: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(text)) return text;
  throw new CommandError('usage', '--method must be the word of an operator, card or bank');
}

/** Minor units as text. */
function readZeroOrAmount(text: string, currency: Currency, name: string): string {
  return /^0+(\.0+)?$/.test(text) ? '0' : readAmount(text, currency, name).toString();
}

function changeRule(
  context: Parameters<typeof change>[0],
  action: 'fees.set' | 'fees.end',
  given: Readonly<Record<string, JsonValue>>,
) {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const request = { action, arguments: known, reason: '' };
  return change<FeeRule, keyof typeof REFUSALS>(context, request, REFUSALS);
}

function present(rule: FeeRule): Record<string, JsonValue> {
  const number = (text: string | null) => text && new Decimal(text);
  const { amount_from, amount_below, percent, fixed, minimum, maximum } = rule;
  return {
    ...rule,
    amount_from: number(amount_from),
    amount_below: number(amount_below),
    percent: number(percent),
    fixed: number(fixed),
    minimum: number(minimum),
    maximum: number(maximum),
  };
}

function whom({ user, method, amount_from, amount_below }: FeeRule): string {
  const band = amount_from !== '0.00' || amount_below !== null;
  return [user, method, band && `${amount_from} to below ${amount_below ?? 'any'}`]
    .filter(Boolean)
    .join(', ');
}

function rate({ percent, of, fixed, minimum, maximum }: FeeRule): string {
  return [
    `${percent} %${of === 'fee' ? ' of the fee' : ''} and ${fixed}`,
    minimum !== null && `at least ${minimum}`,
    maximum !== null && `at most ${maximum}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function describe(rule: FeeRule): string {
  const of = whom(rule);
  const begins = rule.from === null ? '' : `, from ${rule.from}`;
  return `The ${rule.tax ? 'tax' : 'fee'} of ${rule.kind} in ${rule.currency}${of && ` (${of})`} is ${rate(rule)}${begins}`;
}

export const fees = group([
  command('show', 'Show the fees and taxes that hold or will; general fees first')
    .option('--all', 'those that have ended too')
    .addOption(userFilter)
    .action(
      run(async ({ db }, { all, user }) => {
        const rules = await listFeeRules(db, all === true, user);
        const header = ['ID', 'OF', 'CURRENCY', 'FOR', 'RATE', 'BORNE BY', 'FROM', 'UNTIL'];
        const rows = rules.map((rule) => [
          rule.id,
          `${rule.tax ? 'tax of ' : ''}${rule.kind}`,
          rule.currency,
          whom(rule),
          rate(rule),
          rule.bearer ?? '',
          rule.from ?? '',
          rule.until ?? '',
        ]);
        return {
          json: { fees: rules.map(present) },
          text: rules.length === 0 ? 'There are no such rules.' : table([header, ...rows]),
        };
      }),
    ),
  command('set', 'Set a fee or a tax, from the next posting on')
    .option('--tax', 'a tax: the part of the fee that goes to the state')
    .addOption(kindOption)
    .addOption(currencyOption)
    .addOption(
      new Option('--percent <percent>', 'such as 1.5').argParser(percentOf).makeOptionMandatory(),
    )
    .requiredOption('--fixed <amount>', 'for each one, such as 100, or 0')
    .option('--minimum <amount>', 'at least')
    .option('--maximum <amount>', 'at most')
    .option('--user <username>', 'the account that bears it')
    .addOption(methodOption)
    .option('--amount-from <amount>', 'for amounts from here on')
    .option('--amount-below <amount>', 'for amounts below')
    .addOption(
      wordOption(
        '--bearer <bearer>',
        'of transfers: the recipient, from the amount, or the payer, on top of it',
        BEARERS,
      ),
    )
    .addOption(wordOption('--of <base>', 'the percentage of a tax is taken of it', BASES))
    .addOption(
      new Option('--from <instant>', 'begins then; now without it').argParser(readAt('from')),
    )
    .addOption(new Option('--until <instant>', 'ends then').argParser(readAt('until')))
    .action(
      run(async (context, { tax = false, kind, currency, percent, user, method, ...given }) => {
        refuseNonsense({ tax, kind, method, ...given });
        const amount = (name: 'fixed' | 'minimum' | 'maximum' | 'amountFrom' | 'amountBelow') =>
          given[name] === undefined ? null : readZeroOrAmount(given[name], currency, OPTIONS[name]);
        const { changed, after } = await changeRule(context, 'fees.set', {
          tax,
          kind,
          currency,
          percent,
          fixed_minor: amount('fixed'),
          minimum_minor: amount('minimum'),
          maximum_minor: amount('maximum'),
          username: user ?? null,
          method: method ?? null,
          amount_from_minor: amount('amountFrom'),
          amount_below_minor: amount('amountBelow'),
          bearer: given.bearer ?? null,
          base: given.of ?? null,
          valid_from: given.from ?? null,
          valid_until: given.until ?? null,
        });
        return {
          json: { ...present(after), changed },
          text: `${describe(after)}${changed ? '' : ' already'}.`,
        };
      }),
    ),
  command('end', 'End a fee or a tax; the general fee is replaced by fees set')
    .argument('<id>', 'of the rule')
    .addOption(new Option('--at <instant>', 'then; now without it').argParser(readAt('at')))
    .action(
      run(async (context, id, { at }) => {
        if (!isUuid(id)) throw new CommandError('fee_not_found', REFUSALS.fee_not_found);
        const { changed, after } = await changeRule(context, 'fees.end', { id, at: at ?? null });
        return {
          json: { ...present(after), changed },
          text: `${describe(after)}, until ${after.until}${changed ? '' : ' already'}.`,
        };
      }),
    ),
  command('preview', 'Show what a movement would be charged')
    .addOption(kindOption)
    .addOption(currencyOption)
    .requiredOption('--amount <amount>', 'the amount')
    .option('--user <username>', 'the sender of a transfer, or the merchant')
    .addOption(methodOption)
    .addOption(new Option('--at <instant>', 'at that moment').argParser(readAt('at')))
    .action(
      run(async ({ db }, { kind, currency, amount: text, user, method, at }) => {
        const amount = readAmount(text, currency);
        const account = user === undefined ? undefined : await findUserByName(db, user);
        if (user !== undefined && !account)
          throw new CommandError('user_not_found', REFUSALS.user_not_found);
        const figures = await previewFee(db, {
          kind,
          currency,
          amount_minor: amount,
          user_id: account?.id,
          method,
          at,
        });
        const { fee_minor, tax_minor, bearer } = figures;
        const { total_minor, net_minor } = sumsOf(kind, amount, figures);
        return {
          json: {
            kind,
            currency,
            amount: amountJson(amount),
            method: method ?? null,
            fee: amountJson(fee_minor),
            tax: amountJson(tax_minor),
            total: amountJson(total_minor),
            net_amount: amountJson(net_minor),
            bearer,
          },
          text: `Fee ${amountText(fee_minor, currency)}, of which tax ${amountText(tax_minor, currency)}, borne by the ${bearer}. Taken from the payer: ${amountText(total_minor, currency)}; arriving: ${amountText(net_minor, currency)}.`,
        };
      }),
    ),
  command(
    'invoice',
    'Issue invoices of what was charged: an account’s until now, or all of a month that is over',
  )
    .addOption(new Option('--user <username>', 'the account'))
    .addOption(environmentFilter)
    .addOption(otherCurrency)
    .option('--month <month>', 'such as 2026-11, for all accounts')
    .action(
      run(async ({ db, actor, system }, { user, environment, currency, month }) => {
        const issuer = issuerOf(system.pay_url_base);
        if (month !== undefined) {
          if (user !== undefined || environment !== undefined || currency !== undefined)
            throw new CommandError('usage', '--month is for all accounts: leave the others out');
          return invoiced(await issueMonth(db, endOf(month), issuer));
        }
        if (user === undefined || environment === undefined)
          throw new CommandError('usage', 'Give --user and --environment, or --month');
        const account = await findUserByName(db, user);
        if (!account) throw new CommandError('user_not_found', REFUSALS.user_not_found);
        const issued = await issueFeeInvoices(
          db,
          { user_id: account.id, environment, currency },
          issuer,
          actor,
        );
        return invoiced(issued.map(({ json }) => JSON.parse(json) as MonthInvoice));
      }),
    ),
  command('invoices', 'List the invoices of fees, newest first')
    .addOption(userFilter)
    .addOption(environmentFilter)
    .addOption(limitOption)
    .addOption(new Option('--cursor <cursor>', 'the next page').argParser(readAt('cursor')))
    .action(
      run(async ({ db }, { user, environment, limit, cursor: before }) => {
        const found = await listAllFeeInvoices(db, user, environment, { before, limit: limit + 1 });
        const { rows, next_cursor } = pageOf(found, limit, ({ created_at }) => created_at);
        return {
          json: { invoices: rows.map(({ json }) => new JsonText(json)), next_cursor },
          text: table([
            ['NUMBER', 'USER', 'FROM', 'TO', 'FEES', 'TAX'],
            ...rows.map((one) => [
              one.number,
              one.username,
              one.period_from,
              one.period_to,
              amountText(one.fee_minor, one.currency),
              amountText(one.tax_minor, one.currency),
            ]),
          ]),
        };
      }),
    ),
]);

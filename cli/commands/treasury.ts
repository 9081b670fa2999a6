// The treasury: banks and providers' accounts, what moves between them, settlement files and their breaks.

import { readFileSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import {
  BREAK_KINDS,
  BREAK_STATUSES,
  findFile,
  listBanks,
  listBreaks,
  listClearing,
  listFiles,
  resolveBreaks,
  type TreasuryBreak,
  type TreasuryFile,
} from '../../db/treasury/treasury';
import { readAccount } from '../../domain/bank-account';
import type { Currency } from '../../domain/currency';
import type { JsonValue } from '../../domain/json';
import { counted } from '../../domain/language';
import { amountJson } from '../../domain/money';
import { byNumber } from '../../domain/page';
import { isShipped, readFormat } from '../../domain/settlement-format';
import { FILE_FAULTS } from '../../domain/settlement-words';
import { importSettlement, listFormats } from '../../use-cases/treasury/files';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import {
  currencyOption,
  cursorOption,
  environmentFilter,
  environmentOption,
  limitOption,
  oneOf,
  readAmount,
  readNeededReason,
  readReason,
  shortText,
  wordOption,
} from '../options';
import { listedPage } from '../page';
import { change } from '../settings';
import { table } from '../table';

const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;
/** Approvals keep no longer arguments. */
const MAX_FORMAT_BYTES = 12_288;

const readName = (text: string): string => {
  if (NAME.test(text)) return text;
  throw new CommandError(
    'usage',
    '--name must be 1 to 64 letters, digits, blanks, dots, dashes and underscores, and begin with a letter or digit',
  );
};

function readIban(text: string): string {
  const read = readAccount(text);
  if (read.ok && /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(read.account)) return read.account.slice(-4);
  throw new CommandError('usage', '--iban must be an IBAN: its check digits do not fit');
}

const presentBank = ({
  balance_minor,
  iban_end,
  ...bank
}: Awaited<ReturnType<typeof listBanks>>[number]) => ({
  ...bank,
  iban: iban_end === null ? null : `…${iban_end}`,
  balance: amountJson(balance_minor),
});

const amountOrNull = (minor: bigint | null): JsonValue =>
  minor === null ? null : amountJson(minor);

/** Whether a kind names a provider. */
const KINDS = {
  settlement: true,
  provider_fee: true,
  bank_fee: false,
  fees_withdrawn: false,
  taxes_paid: false,
  float_topped_up: true,
  credit_funded: false,
} as const;
type Kind = keyof typeof KINDS;

const NOT_FOUND = {
  bank_not_found: 'There is no bank of this name: see treasury accounts',
  provider_not_found: 'No provider of this name is configured, and nothing was booked of one',
} as const;

function readReference(text: string): string {
  if (REFERENCE.test(text)) return text;
  throw new CommandError(
    'usage',
    '--reference must be 8 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit',
  );
}

const readDay =
  (name: string) =>
  (text: string): string => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
    if (isDay && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)) return text;
    throw new CommandError('usage', `--${name} must be a day such as 2026-11-30`);
  };

const NO_FORMAT = 'There is no format of this name: see treasury formats';

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError('file_unreadable', `${path}: ${(error as Error).message}`);
  }
}

function presentFile(file: TreasuryFile): Record<string, JsonValue> {
  const { fees_minor, settled_minor, closing_minor, breaks, ...rest } = file;
  return {
    ...rest,
    breaks: Object.fromEntries(BREAK_KINDS.map((kind) => [kind, breaks[kind] ?? 0])),
    fees: amountJson(fees_minor),
    settled: amountJson(settled_minor),
    closing_balance: amountOrNull(closing_minor),
  };
}

function shown(file: TreasuryFile, repeated?: boolean) {
  const found = BREAK_KINDS.filter((kind) => file.breaks[kind]);
  const { id, lines, matched, repeated_lines, from, to, currency } = file;
  const money = (minor: bigint): string => amountText(minor, currency);
  return {
    json: { ...presentFile(file), ...(repeated === undefined ? {} : { repeated }) },
    text: [
      `${id}: ${from} to ${to}, ${counted('en', lines, 'line', 'lines')}, of which matched: ${matched}, repeated: ${repeated_lines}.`,
      `Fees ${money(file.fees_minor)}, settled ${money(file.settled_minor)}${file.closing_minor === null ? '' : `, held at the end ${money(file.closing_minor)}`}.`,
      found.length === 0
        ? 'No break.'
        : `Breaks: ${found.map((kind) => `${kind} ${file.breaks[kind]}`).join(', ')}. See treasury breaks --file ${id}`,
    ].join('\n'),
  };
}

async function requireFile({ db }: CommandContext, id: string): Promise<TreasuryFile> {
  const file = await findFile(db, id);
  if (file) return file;
  throw new CommandError('file_not_found', NO_FILE);
}

const NO_FILE = 'There is no such file: see treasury files';

function readJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readFree(text: string | undefined, currency: Currency, name: string): bigint {
  if (text === undefined || /^0+(\.0+)?$/.test(text)) return 0n;
  return readAmount(text, currency, name);
}

function readPercent(text: string): string {
  if (/^\d{1,3}(\.\d{1,4})?$/.test(text) && Number(text) <= 100) return text;
  throw new CommandError('usage', '--percent must be from 0 to 100, with at most four decimals');
}

const STATUSES = [...BREAK_STATUSES, 'all'] as const;

function figureText(one: TreasuryBreak, side: 'expected' | 'found'): string {
  const minor = one[`${side}_minor`];
  return one[`${side}_day`] ?? (minor === null ? '' : amountText(minor, one.currency));
}

function presentBreak(one: TreasuryBreak): Record<string, JsonValue> {
  const { id, expected_minor, found_minor, difference_minor, expected_day, found_day, ...rest } =
    one;
  return {
    id: Number(id),
    ...rest,
    expected: expected_day ?? amountOrNull(expected_minor),
    found: found_day ?? amountOrNull(found_minor),
    difference: amountOrNull(difference_minor),
  };
}

function readId(text: string): string {
  if (/^[1-9]\d{0,17}$/.test(text)) return text;
  throw new CommandError('usage', 'The id must be that of treasury breaks');
}

export const treasury = group([
  command('open', 'Open the account of a bank')
    .requiredOption('--name <name>', 'a name of its own', readName)
    .addOption(currencyOption)
    .addOption(environmentOption)
    .option('--iban <iban>', 'its last four characters are kept', readIban)
    .action(
      run(async (context, { name, currency, environment, iban }) => {
        const { changed } = await change<unknown, 'name_taken'>(
          context,
          {
            action: 'treasury.open',
            arguments: { name, currency, environment, iban_end: iban ?? null },
            reason: '',
          },
          { name_taken: 'Another bank has this name: see treasury accounts' },
        );
        const bank = (await listBanks(context.db)).find((one) => one.name === name)!;
        return {
          json: { ...presentBank(bank), changed },
          text: changed ? `Opened ${name} (${currency}, ${environment}).` : `${name} is open.`,
        };
      }),
    ),
  command('accounts', 'List what is held at banks and providers, and what the latest files say')
    .addOption(environmentFilter)
    .action(
      run(async ({ db }, { environment }) => {
        const isShown = (one: { readonly environment: string }): boolean =>
          environment === undefined || one.environment === environment;
        const banks = (await listBanks(db)).filter(isShown);
        const clearing = (await listClearing(db)).filter(isShown);
        const rows = [
          ...banks.map(({ name, environment: world, currency, balance_minor }) => [
            'bank',
            name,
            world,
            amountText(balance_minor, currency),
            '',
          ]),
          ...clearing.map(
            ({ provider, environment: world, currency, balance_minor, file_minor, file_at }) => [
              'provider',
              provider,
              world,
              amountText(balance_minor, currency),
              file_minor === null
                ? ''
                : `${amountText(file_minor, currency)} at the end of ${file_at}`,
            ],
          ),
        ];
        return {
          json: {
            banks: banks.map(presentBank),
            clearing: clearing.map(({ balance_minor, file_minor, ...one }) => ({
              ...one,
              balance: amountJson(balance_minor),
              file_balance: amountOrNull(file_minor),
            })),
          },
          text: table([['WHAT', 'NAME', 'ENVIRONMENT', 'HELD', 'BY ITS FILE'], ...rows]),
        };
      }),
    ),
  command(
    'book',
    'Book what moved between a bank, a provider and the house; the same again with its --reference books nothing twice',
  )
    .addOption(
      wordOption(
        '--kind <kind>',
        'what it was',
        Object.keys(KINDS) as Kind[],
      ).makeOptionMandatory(),
    )
    .requiredOption('--bank <name>', 'whose environment and currency count')
    .option('--provider <name>', 'of a settlement, a provider_fee and float_topped_up')
    .requiredOption('--amount <amount>', 'such as 25000')
    .requiredOption('--reference <reference>', "the bank's or one of your own", readReference)
    .option('--reason <reason>', 'why: for the audit log', readReason)
    .action(
      run(async (context, { kind, bank: name, provider, amount, reference, reason }) => {
        if (KINDS[kind] !== (provider !== undefined)) {
          throw new CommandError(
            'usage',
            KINDS[kind] ? `--provider is required for ${kind}` : `${kind} has no --provider`,
          );
        }
        const bank = (await listBanks(context.db)).find((one) => one.name === name);
        if (!bank) throw new CommandError('bank_not_found', NOT_FOUND.bank_not_found);
        const { currency } = bank;
        const amount_minor = readAmount(amount, currency);
        const given = { kind, bank: name, provider: provider ?? null, reference };
        const { changed } = await change<
          unknown,
          'bank_not_found' | 'provider_not_found' | 'reference_used' | 'insufficient_funds'
        >(
          context,
          {
            action: 'treasury.book',
            arguments: { ...given, amount_minor: String(amount_minor) },
            reason: reason ?? '',
          },
          {
            ...NOT_FOUND,
            reference_used: 'This reference stands for another posting: give each one of its own',
            insufficient_funds: 'There is not as much to withdraw: see report safeguarding',
          },
        );
        return {
          json: { ...given, currency, amount: amountJson(amount_minor), repeated: !changed },
          text: `${changed ? 'Booked' : 'Booked before'}: ${kind} of ${amountText(amount_minor, currency)}. ${reference}`,
        };
      }),
    ),
  command(
    'import',
    'Compare a settlement file of a provider or a bank with what is booked; nothing is posted',
  )
    .argument('<file>', 'a CSV file')
    .option('--provider <name>', 'whose file it is')
    .option('--bank <name>', 'whose file it is')
    .addOption(environmentOption)
    .option('--format <format>', "the provider's name, else generic")
    .option('--from <day>', 'the first day that it is complete for', readDay('from'))
    .option('--to <day>', 'the last day', readDay('to'))
    .action(
      run(
        async (
          context,
          path,
          { provider = null, bank = null, environment, format = null, from = null, to = null },
        ) => {
          if ((provider === null) === (bank === null)) {
            throw new CommandError('usage', 'Give either --provider or --bank');
          }
          if ((from === null) !== (to === null) || (from !== null && to !== null && from > to)) {
            throw new CommandError('usage', '--from and --to go together, in this order');
          }
          const bytes = readBytes(path);
          const order = { bytes, provider, bank, environment, format, from, to };
          const done = await importSettlement(context, order);
          if (!done.ok) {
            if (done.error !== 'invalid_file') {
              throw new CommandError(
                done.error,
                { ...NOT_FOUND, format_not_found: NO_FORMAT }[done.error],
              );
            }
            const { line, column, fault } = done;
            const place = `${path}:${line}${column === null ? '' : `: ${column}`}`;
            throw new CommandError(
              'invalid_file',
              `${place}: ${FILE_FAULTS.en[fault]}. Nothing was stored`,
            );
          }
          return shown(done.file, done.repeated);
        },
      ),
    ),
  command(
    'post',
    'Book the fees of the matched lines of a file and its settlements, those of each line once',
  )
    .argument('<file>', 'STM-…')
    .option('--bank <name>', 'that received the settlements')
    .action(
      run(async (context, id, { bank }) => {
        const { changed } = await change<
          unknown,
          'file_not_found' | 'bank_file' | 'bank_required' | 'bank_not_found' | 'bank_mismatch'
        >(
          context,
          { action: 'treasury.post', arguments: { file: id, bank: bank ?? null }, reason: '' },
          {
            file_not_found: NO_FILE,
            bank_file: "A bank's file is compared only: book what it shows with treasury book",
            bank_required: 'The file has settlements: --bank names the bank that received them',
            bank_not_found: NOT_FOUND.bank_not_found,
            bank_mismatch:
              'The bank is of another environment, or no settlement is in its currency',
          },
        );
        return shown(await requireFile(context, id), !changed);
      }),
    ),
  command('files', 'List settlement files, newest first')
    .addOption(limitOption)
    .option('--cursor <cursor>', 'the next page', shortText('cursor', 64))
    .action(
      run(async ({ db }, { limit, cursor: before }) => {
        const found = await listFiles(db, { before, limit: limit + 1 });
        const { rows, next_cursor, more } = listedPage(found, limit, ({ id }) => id);
        const lines = rows.map(
          ({ id, provider, bank, environment, from, to, lines: count, posted_at }) => [
            id,
            provider ?? bank!,
            environment,
            `${from} to ${to}`,
            String(count),
            posted_at === null ? '' : 'posted',
          ],
        );
        return {
          json: { files: rows.map(presentFile), next_cursor },
          text: table([['FILE', 'OF', 'ENVIRONMENT', 'DAYS', 'LINES', ''], ...lines]) + more,
        };
      }),
    ),
  command('show', 'Show a settlement file')
    .argument('<file>', 'STM-…')
    .action(run(async (context, id) => shown(await requireFile(context, id)))),
  command('formats', 'List the formats of settlement files').action(
    run(async ({ db }) => {
      const formats = await listFormats(db);
      const rows = formats.map(({ name, verified, source }) => [
        name,
        verified ? 'yes' : 'no',
        source,
      ]);
      return {
        json: { formats: formats as unknown as JsonValue },
        text: table([['FORMAT', 'VERIFIED', 'SOURCE'], ...rows]),
      };
    }),
  ),
  command('format', 'Add or replace a format of settlement files')
    .argument('<file>', 'a JSON file: treasury formats --json shows the fields')
    .action(
      run(async (context, path) => {
        const bytes = readBytes(path);
        const value =
          bytes.length > MAX_FORMAT_BYTES ? undefined : readJson(bytes.toString('utf8'));
        const read = readFormat(value ?? null);
        if (!read.ok) {
          throw new CommandError('usage', `${path}: ${read.field} is missing or wrong`);
        }
        const { format } = read;
        if (isShipped(format.name)) {
          throw new CommandError('format_shipped', 'A format that is shipped is not replaced');
        }
        const { changed } = await change(
          context,
          {
            action: 'treasury.format',
            arguments: { name: format.name, format: format as unknown as JsonValue },
            reason: '',
          },
          {},
        );
        return {
          json: { ...(format as unknown as Record<string, JsonValue>), changed },
          text: changed ? `${format.name} holds from now on.` : `${format.name} is the same.`,
        };
      }),
    ),
  command('terms', 'Say what fee a provider may take')
    .requiredOption('--provider <name>', 'whose')
    .addOption(currencyOption)
    .addOption(
      wordOption('--type <type>', 'of what', ['payment', 'payout', 'refund']).makeOptionMandatory(),
    )
    .addOption(new Option('--percent <percent>', 'of the amount').argParser(readPercent))
    .option('--fixed <amount>', 'for each one, or 0')
    .option('--tolerance <amount>', 'how far off it may be, or 0')
    .option('--off', 'no fee is wrong from now on')
    .action(
      run(async (context, { provider, currency, type, percent, fixed, tolerance, off }) => {
        const figures = [percent, fixed, tolerance];
        if (off ? figures.some((one) => one !== undefined) : figures.includes(undefined)) {
          throw new CommandError('usage', 'Give --percent, --fixed and --tolerance, or --off');
        }
        const fixed_minor = readFree(fixed, currency, 'fixed');
        const tolerance_minor = readFree(tolerance, currency, 'tolerance');
        const { changed } = await change<unknown, 'provider_not_found'>(
          context,
          {
            action: 'treasury.terms',
            arguments: off
              ? { provider, currency, type, off: true }
              : {
                  provider,
                  currency,
                  type,
                  percent: percent!,
                  fixed_minor: String(fixed_minor),
                  tolerance_minor: String(tolerance_minor),
                },
            reason: '',
          },
          NOT_FOUND,
        );
        return {
          json: {
            provider,
            currency,
            type,
            percent: off ? null : Number(percent),
            fixed: off ? null : amountJson(fixed_minor),
            tolerance: off ? null : amountJson(tolerance_minor),
            changed,
          },
          text: changed ? 'Files are compared by this from now on.' : 'It is so already.',
        };
      }),
    ),
  command('breaks', 'List what files and books do not agree about')
    .option('--file <file>', 'STM-…')
    .addOption(wordOption('--kind <kind>', 'of one kind', BREAK_KINDS))
    .addOption(wordOption('--status <status>', 'which ones', STATUSES).default('open' as const))
    .addOption(limitOption)
    .addOption(cursorOption)
    .action(
      run(async (context, { file, kind, status, limit, cursor: after }) => {
        const { db } = context;
        if (file !== undefined) await requireFile(context, file);
        await resolveBreaks(db);
        const filter = { file, kind, status: status === 'all' ? undefined : status, after };
        const found = await listBreaks(db, { ...filter, limit: limit + 1 });
        const { rows, next_cursor, more } = listedPage(found, limit, byNumber);
        const lines = rows.map((one) => [
          String(one.id),
          one.kind,
          one.status,
          one.type,
          one.provider_id ?? one.reference ?? '',
          figureText(one, 'expected'),
          figureText(one, 'found'),
          one.file,
        ]);
        const header = ['ID', 'KIND', 'STATUS', 'TYPE', 'OF', 'EXPECTED', 'FOUND', 'FILE'];
        return {
          json: { breaks: rows.map(presentBreak), next_cursor },
          text: (rows.length === 0 ? 'No break.' : table([header, ...lines])) + more,
        };
      }),
    ),
  command(
    'settle',
    'Settle a break: explained leaves the books, adjust books the difference as a cost or gain',
  )
    .argument('<id>', 'of the break', readId)
    .addOption(
      new Option('--as <decision>', 'explained or adjust')
        .argParser(oneOf('as', ['explained', 'adjust']))
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <reason>', 'why: for the audit log', readNeededReason)
    .action(
      run(async (context, id, { as, reason }) => {
        await change<unknown, 'break_not_found' | 'break_settled' | 'not_adjustable'>(
          context,
          { action: 'treasury.settle', arguments: { id, as }, reason },
          {
            break_not_found: 'There is no such break: see treasury breaks',
            break_settled: 'It is settled, or has been explained by a later file or booking',
            not_adjustable: 'It has no difference that could be booked: settle it as explained',
          },
        );
        const [one] = await listBreaks(context.db, { after: BigInt(id) - 1n, limit: 1 });
        return { json: presentBreak(one!), text: `Settled ${id}.` };
      }),
    ),
]);

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditOf } from '../support/audit';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, limitOperators, setUp } from '../support/database';
import {
  bookPayments,
  paymentLine,
  shippedFormat,
  today,
  withBalances,
  writeFile,
  type WrittenLine,
} from '../support/treasury';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));
const folder = mkdtempSync(join(tmpdir(), 'treasury-'));

afterEach(() => expectBooksHold(database.operator));

function fileOf(name: string, lines: readonly WrittenLine[]): string {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, writeFile(shippedFormat('generic'), withBalances(lines)));
  return path;
}

const open = (name: string, ...more: string[]) =>
  cli.json(
    'treasury',
    'open',
    '--name',
    name,
    '--currency',
    'XOF',
    '--environment',
    'live',
    ...more,
  );

const book = (kind: string, amount: number, reference: string, ...more: string[]) => [
  'treasury',
  'book',
  '--kind',
  kind,
  '--bank',
  'Ecobank',
  '--amount',
  String(amount),
  '--reference',
  reference,
  ...more,
];

const importing = (path: string, provider = 'wave') => [
  'treasury',
  'import',
  path,
  '--provider',
  provider,
  '--environment',
  'live',
  '--format',
  'generic',
];

const held = async () => {
  const { banks, clearing } = await cli.json('treasury', 'accounts', '--environment', 'live');
  const all = [...banks, ...clearing] as { name?: string; provider?: string; balance: number }[];
  return Object.fromEntries(all.map((one) => [one.name ?? one.provider, one.balance]));
};

describe('treasury open', () => {
  it('opens a bank once, and keeps the end of its IBAN', async () => {
    const bank = { name: 'Ecobank', currency: 'XOF', environment: 'live', iban: '…3000' };
    const iban = ['--iban', 'DE89 3704 0044 0532 0130 00'];
    expect(await open('Ecobank', ...iban)).toEqual({ ...bank, balance: 0, changed: true });
    expect(await open('Ecobank', ...iban)).toEqual({ ...bank, balance: 0, changed: false });
    expect(
      await cli.fail('treasury open --name Ecobank --currency EUR --environment live'),
    ).toMatchObject({
      code: 'name_taken',
    });
    expect(
      await cli.fail(
        'treasury open --name B --currency EUR --environment live --iban DE88370400440532013000',
      ),
    ).toMatchObject({ code: 'usage' });
    expect(await auditOf(database, 'treasury/bank/Ecobank')).toHaveLength(1);
  });
});

describe('treasury book', () => {
  it('moves what each kind moves, once for each reference', async () => {
    await bookPayments(database, 'wave', 3);
    expect(await held()).toEqual({ Ecobank: 0, wave: 3_006 });
    const settled = book('settlement', 1_000, 'VIR-00001', '--provider', 'wave');
    expect(await cli.json(...settled)).toEqual({
      reference: 'VIR-00001',
      kind: 'settlement',
      bank: 'Ecobank',
      provider: 'wave',
      currency: 'XOF',
      amount: 1_000,
      repeated: false,
    });
    expect((await cli.json(...settled)).repeated).toBe(true);
    expect(await held()).toEqual({ Ecobank: 1_000, wave: 2_006 });
    await cli.json(...book('provider_fee', 6, 'FEE-00001', '--provider', 'wave'));
    await cli.json(...book('bank_fee', 50, 'FEE-00002'));
    await cli.json(...book('float_topped_up', 500, 'TOP-00001', '--provider', 'wave'));
    await cli.json(...book('credit_funded', 10_000, 'CRE-00001'));
    expect(await held()).toEqual({ Ecobank: 10_450, wave: 2_500 });
  });

  it('refuses other figures under a reference, what is not there, and unknown names', async () => {
    const fail = async (...words: string[]) => (await cli.fail(...words)).code;
    expect(await fail(...book('settlement', 999, 'VIR-00001', '--provider', 'wave'))).toBe(
      'reference_used',
    );
    expect(await fail(...book('fees_withdrawn', 1, 'OUT-00001'))).toBe('insufficient_funds');
    expect(await fail(...book('settlement', 1, 'VIR-00002', '--provider', 'wawe'))).toBe(
      'provider_not_found',
    );
    expect(await fail(...book('settlement', 1, 'VIR-00002'))).toBe('usage');
    expect(
      await fail(...book('bank_fee', 1, 'VIR-00002').map((one) => (one === 'Ecobank' ? 'X' : one))),
    ).toBe('bank_not_found');
    expect(await fail(...book('bank_fee', 0.5, 'VIR-00002'))).toBe('invalid_amount');
  });

  it('needs a second operator above the amount, and a setting at any', async () => {
    await limitOperators(database, 1_000_000n);
    const words = book('bank_fee', 10_001, 'BIG-00001', '--actor', 'awa');
    expect((await cli.fail(...words)).code).toBe('approval_required');
    expect((await cli.json(...book('bank_fee', 10_000, 'BIG-00002'))).repeated).toBe(false);
    const { approvals } = await cli.json('approvals', 'list');
    await cli.json('approvals', 'approve', approvals[0].id, '--actor', 'binta');
    expect((await cli.json(...words)).repeated).toBe(true);
    const terms =
      'treasury terms --provider wave --currency XOF --type payment --percent 1 --fixed 0 --tolerance 0';
    expect((await cli.fail(terms)).code).toBe('approval_required');
    await limitOperators(database, null);
    expect(await cli.json(terms)).toMatchObject({ percent: 1, changed: true });
    expect(await cli.json(terms)).toMatchObject({ changed: false });
    expect(
      await cli.json('treasury terms --provider wave --currency XOF --type payment --off'),
    ).toMatchObject({ percent: null, changed: true });
  });
});

describe('treasury import, post, breaks and settle', () => {
  const lines = (): WrittenLine[] => [
    paymentLine(1),
    paymentLine(2, { amount: 100_900n }),
    paymentLine(4, { fee: 0n }),
    {
      ...paymentLine(9),
      id: 'set_1',
      type: 'settlement',
      moves: 'settlement',
      amount: 50_000n,
      fee: 0n,
    },
    { ...paymentLine(9), id: 'fee_1', type: 'fee', moves: 'fee', amount: 700n, fee: 0n },
  ];

  it('compares, and posts nothing', async () => {
    const before = await held();
    const file = await cli.json(...importing(fileOf('first', lines())));
    expect(file).toMatchObject({
      id: expect.stringMatching(/^STM-[0-9A-F]{20}$/) as string,
      provider: 'wave',
      bank: null,
      format: 'generic',
      environment: 'live',
      currency: 'XOF',
      from: today(),
      to: today(),
      lines: 5,
      matched: 1,
      repeated_lines: 0,
      breaks: {
        missing_here: 1,
        missing_there: 1,
        amount: 1,
        fee: 0,
        duplicate: 0,
        date: 0,
        unknown: 0,
      },
      fees: 27,
      settled: 500,
      closing_balance: 2_487,
      repeated: false,
    });
    expect(await held()).toEqual(before);
    expect(await cli.json(...importing(fileOf('first', lines())))).toEqual({
      ...file,
      repeated: true,
    });
    expect((await cli.json('treasury', 'files')).files).toHaveLength(1);
  });

  it('books fees and settlements once, and the rest as it is settled', async () => {
    const [{ id }] = (await cli.json('treasury', 'files')).files;
    expect((await cli.fail('treasury', 'post', id)).code).toBe('bank_required');
    const before = await held();
    expect(await cli.json('treasury', 'post', id, '--bank', 'Ecobank')).toMatchObject({
      id,
      repeated: false,
    });
    expect(await cli.json('treasury', 'post', id)).toMatchObject({ id, repeated: true });
    // The fee of the line that is not booked here is not in it.
    expect(await held()).toEqual({
      Ecobank: before['Ecobank']! + 500,
      wave: before['wave']! - 500 - 27,
    });
  });

  it('does not book a settlement again that was booked by hand meanwhile', async () => {
    const settlement = {
      ...paymentLine(1),
      id: 'set_9',
      type: 'settlement',
      moves: 'settlement',
    } as const;
    const lines = [{ ...settlement, amount: 30_000n, fee: 0n }];
    const { id } = await cli.json(...importing(fileOf('second', lines)));
    await cli.json(...book('settlement', 300, 'VIR-00009', '--provider', 'wave'));
    const before = await held();
    await cli.json('treasury', 'post', id, '--bank', 'Ecobank');
    expect(await held()).toEqual(before);
  });

  it('settles a break as explained, and adjusts where there is a difference', async () => {
    const { breaks } = await cli.json('treasury', 'breaks');
    const of = (kind: string) =>
      (breaks as { id: number; kind: string }[]).find((one) => one.kind === kind)!;
    expect(of('amount')).toMatchObject({
      expected: 1_002,
      found: 1_009,
      difference: 7,
      action: null,
      line: 3,
    });
    const before = await held();
    const settle = (kind: string, as: string) =>
      cli.json('treasury', 'settle', String(of(kind).id), '--as', as, '--reason', 'seen');
    expect(await settle('amount', 'adjust')).toMatchObject({ status: 'settled', action: 'adjust' });
    await settle('missing_there', 'explained');
    expect(await held()).toEqual({ ...before, wave: before['wave']! + 7 });
    const again = [
      'treasury',
      'settle',
      String(of('amount').id),
      '--as',
      'explained',
      '--reason',
      'x',
    ];
    expect((await cli.fail(...again)).code).toBe('break_settled');
    expect((await cli.fail('treasury settle 999 --as explained --reason x')).code).toBe(
      'break_not_found',
    );
    expect((await cli.json('treasury', 'breaks', '--status', 'settled')).breaks).toHaveLength(2);
  });

  it('refuses a file that cannot be read, with its place, and unknown names', async () => {
    const path = join(folder, 'spoilt.csv');
    const good = readFileSync(fileOf('good', [paymentLine(1)]), 'utf8');
    for (const [from, to, place] of [
      ['1001.00', '10 01', ':2: amount'],
      [today(), '2026-02-30', ':2: date'],
      ['XOF', 'GBP', ':2: currency'],
      ['pay_1', '', ':2: id'],
      ['reference', 'ref', ':1: reference'],
    ] as const) {
      writeFileSync(path, good.replace(from, to));
      const { code, message } = await cli.fail(...importing(path));
      expect([code, message]).toEqual(['invalid_file', expect.stringContaining(place)]);
    }
    expect((await cli.fail(...importing(fileOf('good', []), 'wawe'))).code).toBe(
      'provider_not_found',
    );
    expect((await cli.fail('treasury show STM-NONE')).code).toBe('file_not_found');
    expect((await cli.json('treasury', 'files')).files).toHaveLength(2);
  });

  it('takes a format of one’s own, and replaces none that is shipped', async () => {
    const { formats } = await cli.json('treasury', 'formats');
    const names = (formats as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['generic', 'wave', 'orange_money', 'mtn_momo', 'stripe_balance']);
    const path = join(folder, 'format.json');
    const write = (fields: object) =>
      writeFileSync(path, JSON.stringify({ ...formats[0], name: 'mine', ...fields }));
    write({ delimiter: ';' });
    expect(await cli.json('treasury', 'format', path)).toMatchObject({
      name: 'mine',
      changed: true,
    });
    expect(await cli.json('treasury', 'format', path)).toMatchObject({ changed: false });
    write({ name: 'wave' });
    expect((await cli.fail('treasury', 'format', path)).code).toBe('format_shipped');
    for (const [field, value] of Object.entries({
      date: 'MM/YYYY',
      timezone: 'Mars',
      columns: {},
      types: { x: [] },
    })) {
      write({ [field]: value });
      expect((await cli.fail('treasury', 'format', path)).message).toContain(
        `${field} is missing or wrong`,
      );
    }
  });
});

it('report safeguarding prints the report, and refuses the future', async () => {
  const made = await cli.json('report', 'safeguarding');
  expect(made).toMatchObject({
    environment: 'live',
    currencies: [{ currency: 'XOF', customers: { suspense: 3_006 } }, {}, {}],
  });
  expect((await cli.fail('report safeguarding --at 2999-01-01')).code).toBe('usage');
});

// Settlement files of every format against two thousand payments: each seeded fault is found, as what it is, and no other.

import { changeSetting } from '../../db/operators/settings';
import { importFile, listBreaks, listClearing, type BreakKind } from '../../db/treasury/treasury';
import { SHIPPED_FORMATS, type SettlementFormat } from '../../domain/settlement-format';
import type { JsonValue } from '../../domain/json';
import { importSettlement, type FileOrder } from '../../use-cases/treasury/files';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { answerPayout, orderedPayout } from '../support/payouts';
import { answer, ordered, payIntent } from '../support/refunds';
import {
  bookPayments,
  openBank,
  paymentLine,
  shippedFormat,
  today,
  withBalances,
  writeFile,
  type WrittenLine,
} from '../support/treasury';
import { buildUser } from '../support/users';

const PROVIDER = 'acme';
const PAYMENTS = 2_000;
const FEE = 1_000n;
/** Booked after its file has come. */
const LATE = paymentLine(1, { id: 'late_1' });

const database = setUp(createTestDatabase);

/** Lines of all that is booked. */
let booked: readonly WrittenLine[];

beforeAll(async () => {
  const { db, owner, operator } = database;
  const merchant = await buildUser(db, { funds: { live: { XOF: 100_000_000n } } });
  for (let n = 0; n < 5; n += 1) {
    const payout = await orderedPayout(db, merchant, { environment: 'live', provider: PROVIDER });
    await answerPayout(db, payout, { status: 'succeeded' });
    const intent = await payIntent(db, merchant, { environment: 'live' }, PROVIDER);
    await answer(db, await ordered(db, intent), 'succeeded');
  }
  await bookPayments(database, PROVIDER, PAYMENTS - 15);
  const { rows } = (await owner.raw(`
    select p.provider_payment_id as id, 'payment' as type, p.amount_minor as amount from gateway_payments p
    union all select p.provider_payment_id, 'payout', p.amount_minor from payouts p
    union all select r.gateway_refund_id, 'refund', r.amount_minor from refunds r order by 2, 1`)) as {
    rows: { id: string; type: 'payment' | 'payout' | 'refund'; amount: bigint }[];
  };
  booked = rows.map(({ id, type, amount }) =>
    paymentLine(0, { id, type, moves: type, amount, fee: type === 'payment' ? FEE : 0n }),
  );
  expect(booked).toHaveLength(PAYMENTS);
  await owner.raw('analyze');
  const terms = { provider: PROVIDER, currency: 'XOF', type: 'payment', percent: '0' };
  const figures = { fixed_minor: String(FEE), tolerance_minor: '0' };
  await changeSetting(operator, 'treasury.terms', { ...terms, ...figures }, 'tests');
  await openBank(operator, 'Bank');
}, 300_000);

/** Each file is the first one. */
beforeEach(async () => {
  await database.owner.raw(
    'delete from treasury_breaks; delete from treasury_lines; delete from treasury_files',
  );
});

/** French as spreadsheets write it. */
const FRENCH: SettlementFormat = {
  ...shippedFormat('generic'),
  name: 'releve',
  encoding: 'windows-1252',
  delimiter: ';',
  decimal: ',',
  thousands: ' ',
  date: 'DD/MM/YYYY',
  header: 3,
  columns: {
    id: 'Opération',
    reference: 'Référence',
    type: 'Nature',
    date: 'Date d’effet',
    currency: 'Devise',
    amount: 'Montant',
    fee: 'Frais',
    balance: 'Solde',
  },
  types: {
    payment: ['Encaissement'],
    payout: ['Envoi'],
    refund: ['Remboursé'],
    settlement: ['Virement'],
  },
};
const FORMATS = [...SHIPPED_FORMATS, FRENCH];

/** Those of the types that the format has. */
const linesOf = ({ types }: SettlementFormat): WrittenLine[] =>
  booked.filter(({ moves }) => types[moves] !== undefined);

function importing(
  format: SettlementFormat,
  lines: readonly WrittenLine[],
  more: Partial<FileOrder> = {},
) {
  const order = {
    provider: PROVIDER,
    bank: null,
    environment: 'live',
    from: null,
    to: null,
  } as const;
  const bytes = writeFile(format, withBalances(lines));
  const acting = { db: database.operator, actor: 'tests' };
  return importSettlement(acting, { ...order, bytes, format: format.name, ...more });
}

async function imported(...given: Parameters<typeof importing>) {
  const done = await importing(...given);
  if (!done.ok) throw new Error(JSON.stringify(done));
  return done.file;
}

const openBreaks = () =>
  listBreaks(database.operator, { status: 'open', after: undefined, limit: 1_000 });

type Fault = readonly [kind: BreakKind, id: string];

/** Seeds forty faults in payments that lie apart. */
function seed(lines: readonly WrittenLine[]): { lines: WrittenLine[]; faults: Fault[] } {
  const given = lines.map((line) => ({ ...line }));
  const places = given.flatMap(({ type }, at) => (type === 'payment' && at % 47 === 5 ? [at] : []));
  const faults: Fault[] = [];
  const added: WrittenLine[] = [];
  const dropped = new Set<WrittenLine>();
  const kinds: readonly (readonly [BreakKind, number, (line: WrittenLine) => unknown])[] = [
    ['missing_there', 6, (line) => dropped.add(line)],
    ['amount', 6, (line) => (line.amount += 100n)],
    ['fee', 6, (line) => (line.fee += 500n)],
    ['duplicate', 6, (line) => added.push({ ...line })],
    ['date', 5, (line) => (line.day = today(-5))],
    ['unknown', 5, (line) => (line.type = 'Mystery')],
  ];
  for (const [kind, count, spoil] of kinds) {
    for (let n = 0; n < count; n += 1) {
      const line = given[places.shift()!]!;
      spoil(line);
      faults.push([kind, line.id]);
    }
  }
  for (let n = 0; n < 6; n += 1) {
    added.push({ ...paymentLine(n), id: `ghost_${n}` });
    faults.push(['missing_here', `ghost_${n}`]);
  }
  return { lines: [...given.filter((line) => !dropped.has(line)), ...added], faults };
}

const sorted = (faults: readonly Fault[]): string[] =>
  faults.map(([kind, id]) => `${kind} ${id.replace(/^txn_/, '')}`).sort();

const found = async (): Promise<string[]> =>
  sorted((await openBreaks()).map(({ kind, provider_id }) => [kind, provider_id!]));

/** In an order that is the same in each run. */
const shuffled = (lines: readonly WrittenLine[]): WrittenLine[] =>
  lines
    .map((line, at) => [(at * 7_919) % 10_007, line] as const)
    .sort(([one], [two]) => one - two)
    .map(([, line]) => line);

beforeAll(async () => {
  const given = { name: FRENCH.name, format: FRENCH as unknown as JsonValue };
  await changeSetting(database.operator, 'treasury.format', given, 'tests');
});

describe('a file', () => {
  it.each(FORMATS.map((format) => [format.name, format] as const))(
    'has exactly the forty faults that it was given: %s',
    async (_, format) => {
      const { lines, faults } = seed(linesOf(format));
      expect(faults).toHaveLength(40);
      const file = await imported(format, lines);
      expect(await found()).toEqual(sorted(faults));
      expect(file).toMatchObject({ lines: lines.length, from: today(), to: today() });
    },
    120_000,
  );

  it('has none when it is clean, and the same ones in any order, with the balance at its end', async () => {
    const generic = shippedFormat('generic');
    const clean = await imported(generic, booked);
    expect(clean).toMatchObject({ lines: PAYMENTS, matched: PAYMENTS });
    expect(await found()).toEqual([]);
    await database.owner.raw('delete from treasury_lines; delete from treasury_files');
    const { lines, faults } = seed(booked);
    const bytes = writeFile(generic, shuffled(withBalances(lines)));
    const mixed = await imported(generic, [], { bytes });
    expect(await found()).toEqual(sorted(faults));
    expect(mixed.closing_minor).toBe(withBalances(lines).at(-1)!.balance);
  }, 180_000);
});

describe('an import', () => {
  it('of the same file by two operators at once is one', async () => {
    const lines = booked.slice(0, 50);
    const done = await Promise.all([1, 2, 3].map(() => importing(shippedFormat('generic'), lines)));
    expect(new Set(done.map((one) => one.ok && one.file.id)).size).toBe(1);
    expect(done.filter((one) => one.ok && !one.repeated)).toHaveLength(1);
    expect(await database.owner('treasury_files')).toHaveLength(1);
    expect(await database.owner('treasury_lines')).toHaveLength(50);
  });

  it.each(['treasury_lines', 'treasury_breaks', 'audit_log'])(
    'that is killed before it writes %s stores nothing',
    async (table) => {
      const { lines } = seed(booked.slice(0, 1_600));
      const holder = await openSession(database.owner_url);
      await holder.query(`begin; lock table ${table} in share mode`);
      const outcome = importing(shippedFormat('generic'), lines).catch((error: unknown) => error);
      await untilLocked(database, 'import_treasury_file');
      await database.owner.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%import_treasury_file%' and wait_event_type = 'Lock'`,
      );
      expect(await outcome).toBeInstanceOf(Error);
      await holder.query('rollback');
      for (const stored of ['treasury_files', 'treasury_lines', 'treasury_breaks']) {
        expect(await database.owner(stored)).toEqual([]);
      }
      expect((await importing(shippedFormat('generic'), lines)).ok).toBe(true);
    },
    60_000,
  );
});

describe('a later file or booking', () => {
  const generic = shippedFormat('generic');

  it('resolves what is missing, and repeats lines without a word', async () => {
    const [first, second, third] = [
      booked.slice(20, 40),
      booked.slice(40, 60),
      booked.slice(60, 61),
    ];
    await imported(generic, [...first, LATE], { from: today(), to: today() });
    const missing = await openBreaks();
    expect(missing.filter(({ kind }) => kind === 'missing_here')).toHaveLength(1);
    const changed = { ...first[0]!, amount: first[0]!.amount + 100n };
    const file = await imported(generic, [...first.slice(1), ...second, changed, ...third]);
    expect(file).toMatchObject({ repeated_lines: 19, breaks: { duplicate: 1 } });
    const still = new Set((await openBreaks()).map(({ provider_id }) => provider_id));
    expect(second.filter(({ id }) => still.has(id))).toEqual([]);
    await bookPayments(database, PROVIDER, 1, 'late');
    await importFile(database.operator, { ...EMPTY, lines: [LINE] }, 'tests');
    expect((await openBreaks()).filter(({ kind }) => kind === 'missing_here')).toEqual([]);
    expect(still.has('late_1')).toBe(true);
  });

  /** A process stores it so. */
  const EMPTY = {
    environment: 'live',
    provider: PROVIDER,
    bank: null,
    format: 'generic',
    timezone: 'UTC',
    sha256: 'a'.repeat(64),
    from: null,
    to: null,
    closing_minor: null,
  };
  const LINE = [2, 'x_1', [], 'fee', 'fee', today(), null, 'XOF', '100', '0', false];
});

// The last one: what it books refers to its file.
describe('a file that is posted', () => {
  it('is in the books when it is posted and its breaks are settled', async () => {
    const { operator } = database;
    const { lines, faults } = seed([...booked, LATE]);
    const more: WrittenLine[] = [
      paymentLine(0, {
        id: 'set_1',
        type: 'settlement',
        moves: 'settlement',
        amount: 300_000n,
        fee: 500n,
      }),
      paymentLine(0, {
        id: 'set_2',
        type: 'settlement',
        moves: 'settlement',
        amount: 200_000n,
        fee: 0n,
      }),
      paymentLine(0, { id: 'fee_1', type: 'fee', moves: 'fee', amount: 70_000n, fee: 0n }),
    ];
    const file = await imported(shippedFormat('generic'), [...lines, ...more]);
    const open = await openBreaks();
    expect(open).toHaveLength(faults.length);
    const settle = ({ id, difference_minor }: (typeof open)[number]) =>
      changeSetting(
        operator,
        'treasury.settle',
        { id: String(id), as: difference_minor ? 'adjust' : 'explained', reason: 'seen' },
        'tests',
      );
    // It does not matter which comes first.
    for (const one of open.slice(0, 20)) await settle(one);
    const post = { file: file.id, bank: 'Bank' };
    const posted = () => changeSetting(operator, 'treasury.post', post, 'tests');
    const both = await Promise.all([posted(), posted()]);
    expect(both.filter(({ changed }) => changed)).toHaveLength(1);
    for (const one of open.slice(20)) await settle(one);
    const [account] = await listClearing(operator);
    expect(account).toMatchObject({
      file_minor: file.closing_minor,
      balance_minor: file.closing_minor,
    });
    expect(await settle(open[0]!)).toMatchObject({ refusal: 'break_settled', changed: false });
    await expectBooksHold(operator);
    // A bank's file names the settlements by the provider's id, or by what was moved.
    const at_bank = [
      { ...more[1]!, fee: 0n, id: 'set_2' },
      { ...more[0]!, fee: 0n, id: 'bank_7' },
      { ...more[0]!, fee: 0n, id: 'bank_8' },
    ];
    const bank_file = await imported(shippedFormat('generic'), at_bank, {
      provider: null,
      bank: 'Bank',
    });
    expect(bank_file).toMatchObject({ matched: 2, breaks: { missing_here: 1 } });
  }, 180_000);
});

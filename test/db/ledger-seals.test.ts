// Seals (docs/decisions/ledger.md): what they cover, that nothing waits for them, and that a later
// change is found.

import type { Client } from 'pg';
import type { Tx } from '../../db/connect';
import { countUnsealedEntries, listSeals, sealLedger } from '../../db/ledger/ledger-seals';
import { verifyLedger, type Violation } from '../../db/verify/verify';
import { violationsIn } from '../support/books';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { buildTransferRequest, insist, post, postingValues } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';

let database: TestDatabase;
let alice: TestUser;
let bob: TestUser;

async function setScene(): Promise<void> {
  database = await createTestDatabase();
  alice = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
  bob = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
}

/** The two users have an entry on each side of both credits, and three rows of the audit log each. */
const BUILT = 10n;

const transfer = (from = alice, to = bob) => buildTransferRequest({ from, to, amount: 100n });
const postOnce = () => insist(() => post(database.db, [transfer()]));
const seal = () => sealLedger(database.db);
const verify = (head?: string) => verifyLedger(database.db, head);
const session = (): Promise<Client> => openSession(database.app_url);

async function rowsOf<Row>(sql: string): Promise<Row[]> {
  return (await database.owner.raw(sql)).rows as Row[];
}

const walletOf = ({ id }: TestUser): string =>
  `(select id from ledger_accounts where user_id = '${id}' and environment = 'live' and currency = 'XOF')`;

async function publicId(user: TestUser): Promise<string> {
  const [row] = await rowsOf<{ public_id: string }>(
    `select public_id from ledger_accounts where id = ${walletOf(user)}`,
  );
  return row!.public_id;
}

/** Acts as a superuser who switches the triggers and foreign keys off. */
async function damageIn(tx: Tx, statements: readonly string[]): Promise<void> {
  await tx.raw('set local session_replication_role = replica');
  for (const sql of statements) {
    const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
    expect(rowCount).not.toBe(0);
  }
}

const damage = (...statements: string[]): Promise<void> =>
  database.owner.transaction((tx) => damageIn(tx, statements));

/** The entries of each account without a seal, and those with more than one. */
const badlyCovered = () =>
  rowsOf(
    `select e.account_id, e.account_version, count(r.seal_id)::int as seals
       from ledger_entries e left join ledger_seal_ranges r
         on r.account_id = e.account_id and e.account_version between r.from_version and r.to_version
      group by e.account_id, e.account_version having count(r.seal_id) <> 1`,
  );

const ofSeals = (violations: readonly Violation[]): Omit<Violation, 'invariant'>[] =>
  violations
    .filter(({ invariant }) => invariant === 'I15')
    .map(({ what, reference }) => ({ what, reference }));

describe('sealing', () => {
  beforeEach(setScene);
  afterEach(() => database.close());

  it('covers each entry once, in a chain that verifies, whatever the texts contain', async () => {
    expect(await seal()).toBe(BUILT);
    expect(await seal()).toBe(0n);
    const odd = [
      'two\nlines, a\ttab, "quotes", a \\backslash',
      '\u0001\u001f\u007f\u2028 é 漢 😀 </script>',
    ];
    await insist(() =>
      post(
        database.db,
        odd.map((description) => ({ ...transfer(), description })),
      ),
    );
    for (const text of odd) {
      // An operator's reason stands in the journal.
      await database.operator.raw(
        `select credit_wallet('ADJ-' || gen_random_uuid(), ?, 'live', 'XOF', 'operator', 100, ?, 'awa')`,
        [alice.id, text],
      );
    }
    // Four transfers' entries, four credits' entries, and two rows of the audit log.
    expect(await countUnsealedEntries(database.db)).toBe(10n);
    expect(await seal()).toBe(10n);
    expect(await badlyCovered()).toEqual([]);
    expect(await verify()).toEqual([]);
    const [newest, first, ...others] = await listSeals(database.db, { limit: 10 });
    expect(others).toEqual([]);
    expect(first).toMatchObject({ id: 1n, entries: BUILT });
    expect(newest).toMatchObject({
      id: 2n,
      entries: 10n,
      database_role: new URL(database.app_url).username,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('is done in calls of at most 5,000 entries, each with a seal of its own', async () => {
    // The entries of one account are not all in one seal.
    await fillLedger(2_500);
    await addAuditRows(5_200);
    expect(await seal()).toBe(10_200n + BUILT);
    const seals = await listSeals(database.db, { limit: 10 });
    expect(seals.map(({ entries }) => Number(entries))).toEqual([210, 5_000, 5_000]);
    expect(await badlyCovered()).toEqual([]);
    expect(await verify()).toEqual([]);
  });

  it('leaves to a later seal what commits meanwhile, and keeps no posting waiting', async () => {
    const [posting, sealer] = await Promise.all([session(), session()]);
    const carol = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
    const dave = await buildUser(database.db);
    await posting.query('begin');
    await posting.query('select * from post_transfer_batch($1, $2)', postingValues([transfer()]));
    await sealer.query('begin');
    const { rows } = await sealer.query('select * from seal_ledger(-1)');
    expect(rows).toEqual([{ sealed: '17', next_account: null }]);
    // The sealer is still at it: other postings and the one under way go on, also of sealed accounts.
    await insist(() => post(database.db, [transfer(carol, dave)]));
    await posting.query('commit');
    await sealer.query('commit');
    expect(await seal()).toBe(4n);
    expect(await badlyCovered()).toEqual([]);
    expect(await verify()).toEqual([]);
  });

  it('goes on after a sealer that died as if it had never begun', async () => {
    const sealer = await session();
    await sealer.query('begin');
    await sealer.query('select * from seal_ledger(-1)');
    const { rows } = await sealer.query('select pg_backend_pid() as pid');
    await database.owner.raw(`select pg_terminate_backend(${rows[0].pid})`);
    await waitFor(async () => (await seal()) === BUILT);
    expect((await listSeals(database.db, { limit: 10 })).map(({ id }) => id)).toEqual([1n]);
    expect(await verify()).toEqual([]);
  });

  it('is done by one process at a time, and the others skip', async () => {
    const [first, second] = await Promise.all([session(), session()]);
    await first.query('begin');
    expect((await first.query('select * from seal_ledger(-1)')).rowCount).toBe(1);
    expect((await second.query('select * from seal_ledger(-1)')).rowCount).toBe(0);
    await first.query('commit');
    expect((await second.query('select * from seal_ledger(-1)')).rows).toEqual([
      { sealed: '0', next_account: null },
    ]);
  });

  it('covers each entry once, also when many seal and post at once', async () => {
    let is_done = false;
    const sealer = async (): Promise<void> => {
      while (!is_done) await insist(seal);
    };
    const sealers = [sealer(), sealer(), sealer()];
    for (let i = 0; i < 15; i += 1) {
      await insist(() => post(database.db, [transfer(), transfer(bob, alice)]));
      await Promise.all([postOnce(), postOnce()]);
    }
    is_done = true;
    await Promise.all(sealers);
    await insist(seal);
    expect(await badlyCovered()).toEqual([]);
    expect(await verify()).toEqual([]);
    const [newest] = await listSeals(database.db, { limit: 1 });
    const [{ seals }] = (await rowsOf('select count(*)::int as seals from ledger_seals')) as [
      { seals: number },
    ];
    expect(Number(newest!.id)).toBe(seals);
  });

  it('is done by the processes of the service and nobody else', async () => {
    const call = 'select * from seal_ledger(-1)';
    await expect(database.operator.raw(call)).rejects.toMatchObject({ code: '42501' });
    const lock = 'do $$ begin lock table ledger_seals in share mode; end $$';
    await expect(database.db.raw(lock)).rejects.toMatchObject({ code: '42501' });
    expect((await database.db.raw(call)).rows).toEqual([{ sealed: BUILT, next_account: null }]);
  });

  it('does not end by an account whose version counts entries that are not there', async () => {
    await damage(
      `update ledger_accounts set version = version + 1000000 where id = ${walletOf(bob)}`,
    );
    expect(await seal()).toBe(BUILT);
    expect(await seal()).toBe(0n);
  });
});

/** Credits alice's wallet so often. */
async function fillLedger(postings: number): Promise<void> {
  for (let left = postings; left > 0; left -= 500) {
    await database.owner.raw(
      `select post_adjustment('ADJ-' || gen_random_uuid(), ?, 'live', 'XOF', 'operator', 100, 'x')
         from generate_series(1, 500)`,
      [alice.id],
    );
  }
}

async function addAuditRows(rows: number): Promise<void> {
  await database.owner.raw(
    `select add_audit_row('awa', 'kyc.approve', 'user/é ' || n,
                          jsonb_build_object('n', n, 'said', e'line\nbreak "'))
       from generate_series(1, ${rows}) n`,
  );
}

describe('the tables of seals', () => {
  beforeAll(async () => {
    await setScene();
    await seal();
  });

  it.each([
    'update ledger_seals set entries = 1',
    'delete from ledger_seals',
    'truncate ledger_seals',
    'update ledger_seal_ranges set to_version = 1',
    'delete from ledger_seal_ranges',
    'truncate ledger_seal_ranges',
  ])('refuse their owner, and all others: %s', async (sql) => {
    await expect(database.owner.raw(sql)).rejects.toMatchObject({ code: '23001' });
    await expect(database.db.raw(sql)).rejects.toMatchObject({ code: '42501' });
    await expect(database.operator.raw(sql)).rejects.toMatchObject({ code: '42501' });
  });
});

/** Three seals. Each account has versions 1 to 3 in the first (the credit and two transfers), 4 and 5, 6 and 7. */
async function setSealedScene(): Promise<void> {
  await setScene();
  for (let i = 0; i < 3; i += 1) {
    await insist(() => post(database.db, [transfer(), transfer(bob, alice)]));
    await seal();
  }
}

const EDITED = 'entries are not what was sealed';
const GONE = 'sealed entries are gone';
const HASHED = 'its content is not what was hashed';
const entry = (version: number): string =>
  `account_id = ${walletOf(bob)} and account_version = ${version}`;

describe('ledger verify, of seals', () => {
  beforeAll(async () => {
    await setSealedScene();
    // A fourth one, of the audit log alone.
    await addAuditRows(3);
    await seal();
    expect(await verify()).toEqual([]);
  });

  /** All that is found while the rows are so; then they are as before. */
  async function violationsWith(...statements: string[]): Promise<Violation[]> {
    let found: Violation[] = [];
    const undone = new Error('undone');
    const damaged = database.owner.transaction(async (tx) => {
      await damageIn(tx, statements);
      found = await violationsIn(tx);
      throw undone;
    });
    await expect(damaged).rejects.toBe(undone);
    return found;
  }

  const faultsWith = async (...statements: string[]) =>
    ofSeals(await violationsWith(...statements));
  const second = async (user = bob) => ({
    what: EDITED,
    reference: `seal 2, account ${await publicId(user)}, versions 4 to 5`,
  });

  it.each([
    ['amount_minor', 'amount_minor + 100'],
    ['balance_after_minor', 'balance_after_minor + 100'],
    ['transaction_id', 'gen_random_uuid()'],
    ['currency', `'EUR'`],
    ['environment', `'sandbox'`],
  ])('names the seal and the account of an entry whose %s was changed', async (column, value) => {
    const edited = `update ledger_entries set ${column} = ${value} where ${entry(4)}`;
    expect(await faultsWith(edited)).toEqual([await second()]);
  });

  it('names them when an entry was edited so that every sum stays right', async () => {
    // Two transfers change places: I1 to I3 and I5 see the same sums.
    const violations = await violationsWith(
      `update ledger_transactions set created_at = created_at - interval '1 millisecond'
        where id = (select transaction_id from ledger_entries where ${entry(4)})`,
    );
    expect(violations.map(({ invariant }) => invariant)).toEqual(['I15', 'I15']);
    expect(ofSeals(violations)).toEqual(
      expect.arrayContaining([await second(alice), await second(bob)]),
    );
  });

  it.each([
    ['reference', `'TRF-ANOTHER-ONE'`],
    ['kind', `'adjustment'`],
    ['description', `'another'`],
    ['environment', `'sandbox'`],
    ['created_at', `created_at + interval '1 microsecond'`],
  ])('names the seal of a journal transaction whose %s was changed', async (column, value) => {
    const faults = await faultsWith(
      `update ledger_transactions set ${column} = ${value}
        where id = (select transaction_id from ledger_entries where ${entry(5)})`,
    );
    expect(faults).toHaveLength(2);
    expect(faults).toEqual(expect.arrayContaining([await second(alice), await second(bob)]));
  });

  it('names the seals of an account that was given to somebody else', async () => {
    const faults = await faultsWith(
      `alter table ledger_accounts drop constraint
         ledger_accounts_user_id_environment_currency_kind_name_key`,
      `update ledger_accounts set user_id = case user_id when '${alice.id}'::uuid then '${bob.id}'::uuid
         else '${alice.id}'::uuid end where user_id in ('${alice.id}', '${bob.id}')`,
    );
    expect(faults).toHaveLength(6);
    expect(faults[0]!.reference).toMatch(/^seal 1, /);
    for (const id of [await publicId(alice), await publicId(bob)]) {
      expect(faults).toContainEqual({
        what: EDITED,
        reference: `seal 3, account ${id}, versions 6 to 7`,
      });
    }
  });

  it('names the seal of an entry that was deleted, and of a whole range', async () => {
    const [one, other] = [4, 5].map(
      (version) => `delete from ledger_entries where ${entry(version)}`,
    );
    const gone = [{ ...(await second()), what: GONE }];
    expect(await faultsWith(one!)).toEqual(gone);
    expect(await faultsWith(one!, other!)).toEqual(gone);
  });

  const OF_AUDIT = 'seal 4, audit log, rows 7 to 9';

  it.each([
    ['actor', `'mallory'`],
    ['at', `at - interval '1 microsecond'`],
    ['database_role', `'other'`],
    ['action', `'kyc.reject'`],
    ['subject', `'user/other'`],
    ['details', `details || '{"n": 4}'`],
  ])('names the seal of a row of the audit log whose %s was changed', async (column, value) => {
    const edited = `update audit_log set ${column} = ${value} where id = 8`;
    expect(await faultsWith(edited)).toEqual([{ what: EDITED, reference: OF_AUDIT }]);
  });

  it('names the seal of a row of the audit log that was removed or moved', async () => {
    const moved = await faultsWith(
      'update audit_log set id = 99 where id = 8',
      'update audit_log set id = 8 where id = 9',
      'update audit_log set id = 9 where id = 99',
    );
    expect(moved).toEqual([{ what: EDITED, reference: OF_AUDIT }]);
    const removed = await faultsWith('delete from audit_log where id = 8');
    expect(removed).toEqual([{ what: GONE, reference: OF_AUDIT }]);
  });

  it('names the seal into which an entry was inserted', async () => {
    // All later entries make room for it.
    const [first, ...others] = await faultsWith(
      `update ledger_entries set account_version = account_version + 1000
        where account_id = ${walletOf(bob)} and account_version >= 4`,
      `insert into ledger_entries select transaction_id, account_id, environment, currency, 100,
         balance_after_minor, 4 from ledger_entries where ${entry(3)}`,
      `update ledger_entries set account_version = account_version - 999
        where account_id = ${walletOf(bob)} and account_version > 1000`,
    );
    expect(first).toEqual(await second());
    expect(others).toHaveLength(1);
  });

  it.each([
    ['entries', 'entries + 1'],
    ['sealed_at', `sealed_at + interval '1 microsecond'`],
    ['database_role', `'other'`],
  ])('names a seal whose %s was changed', async (column, value) => {
    const edited = `update ledger_seals set ${column} = ${value} where id = 2`;
    expect(await faultsWith(edited)).toEqual([{ what: HASHED, reference: 'seal 2' }]);
  });

  it('names a seal whose ranges were changed, also to those of an edited entry', async () => {
    const changed = [
      `update ledger_entries set amount_minor = amount_minor + 100 where ${entry(4)}`,
      `update ledger_seal_ranges set digest = sha256('anything')
        where seal_id = 2 and account_id = ${walletOf(bob)}`,
    ];
    const hashed = { what: HASHED, reference: 'seal 2' };
    expect(await faultsWith(...changed)).toContainEqual(hashed);
    const left_out = {
      what: 'seals leave entries of an account out',
      reference: `seal 3, account ${await publicId(bob)}`,
    };
    const removed = 'delete from ledger_seal_ranges where seal_id = 2';
    expect(await faultsWith(...changed, removed)).toEqual(
      expect.arrayContaining([hashed, left_out]),
    );
  });

  it('names a seal with a new hash by the next one, which has the old one', async () => {
    const edited = `update ledger_seals set hash = sha256('anything') where id = 2`;
    expect(await faultsWith(edited)).toEqual([
      { what: HASHED, reference: 'seal 2' },
      { what: 'the seal before it is another one', reference: 'seal 3' },
    ]);
  });

  it('finds that a seal was removed, and what it covered with it', async () => {
    expect(await faultsWith('delete from ledger_seals where id = 2')).toEqual(
      expect.arrayContaining([
        { what: 'seal is gone, and what it covered is still listed', reference: 'seal 2' },
        { what: 'seals between 1 and 3 are missing', reference: 'seal 3' },
      ]),
    );
  });
});

describe('ledger verify, of seals that were made after the damage', () => {
  beforeEach(setSealedScene);
  afterEach(() => database.close());

  it('names that of a row of the audit log that was missing before it was sealed', async () => {
    await addAuditRows(3);
    await damage('delete from audit_log where id = 8');
    await seal();
    expect(ofSeals(await verify())).toEqual([
      { what: GONE, reference: 'seal 4, audit log, rows 7 to 9' },
    ]);
  });

  it('finds by a head noted before that the newest seals were removed and made again', async () => {
    const [noted] = await listSeals(database.db, { limit: 1 });
    expect(await verify(noted!.hash)).toEqual([]);
    await damage(
      'delete from ledger_seals where id = 3',
      'delete from ledger_seal_ranges where seal_id = 3',
      `update ledger_transactions set description = 'another'
        where id = (select transaction_id from ledger_entries where ${entry(6)})`,
    );
    await seal();
    // No check can see this without a head.
    expect(await verify()).toEqual([]);
    const lost = { what: 'the given head is not the hash of a seal', reference: noted!.hash };
    expect(ofSeals(await verify(noted!.hash))).toEqual([lost]);
  });
});

// The data of identity checks: sealed again after a rotation of keys, and deleted when they are old.

import { purgeIdentityData } from '../../db/accounts/identity-checks';
import { listPictureSides } from '../../db/accounts/identity-pictures';
import { setKycStatus } from '../../db/accounts/users';
import { NIL_UUID } from '../../domain/ids';
import { makeSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';
import {
  decideIdentityCheck,
  resealIdentities,
  viewIdentity,
} from '../../use-cases/identity-checks';
import { sendPicture, viewPicture } from '../../use-cases/identity-pictures';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildPng } from '../support/pictures';
import { countTableReads } from '../support/plans';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildUser, type TestUser } from '../support/users';
import { buildIdentityCheck, IDENTITY } from '../dashboard/operators';

const ACTOR = 'somebody@example.com';
const DAY_MS = 86_400_000;

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

async function decide({ username }: TestUser, decision: 'approved' | 'rejected'): Promise<void> {
  const deciding = { db: database.operator, actor: ACTOR };
  expect(await decideIdentityCheck(deciding, username, { decision })).toMatchObject({ ok: true });
}

const PICTURE = buildPng(4, 3);

async function sendFront(check_id: string): Promise<void> {
  const { rows } = await database.owner.raw(
    'select submitted_by from identity_checks where id = ?',
    [check_id],
  );
  const [{ submitted_by: login_id }] = rows as [{ submitted_by: string }];
  const sending = { db: database.db, sealer: createSealer([TEST_SECRETS_KEY]) };
  expect(await sendPicture(sending, { check_id, login_id }, 'front', PICTURE)).toBe('kept');
  expect(await listPictureSides(database.db, check_id)).toEqual(['front']);
}

/** Moves the decision so many days back. */
async function age(check: string, days: number): Promise<void> {
  await database.owner.raw('update identity_checks set decided_at = ? where id = ?', [
    new Date(Date.now() - days * DAY_MS),
    check,
  ]);
}

async function kept(): Promise<string[]> {
  const { rows } = await database.owner.raw('select check_id from identity_data order by check_id');
  return (rows as { check_id: string }[]).map(({ check_id }) => check_id);
}

async function auditRows(action: string): Promise<unknown[]> {
  const { rows } = await database.owner.raw(
    'select actor, details from audit_log where action = ? order by id',
    [action],
  );
  return rows as unknown[];
}

describe('sealing it again', () => {
  it('needs no older key from then on, and leaves a row for who was given it', async () => {
    const [old_key, new_key] = [TEST_SECRETS_KEY, makeSealingKey()];
    const check = await buildIdentityCheck(
      database,
      await buildUser(database.db, { kyc: 'not_started' }),
    );
    await sendFront(check);
    const { operator: db } = database;
    const [before, rotated, after] = [[old_key], [new_key, old_key], [new_key]].map(createSealer);
    expect(await resealIdentities({ db, actor: ACTOR, sealer: before! })).toEqual({
      resealed: 0,
      already: 2,
      unreadable: 0,
    });
    const wrong = await resealIdentities({ db, actor: ACTOR, sealer: after! });
    expect(wrong).toEqual({ resealed: 0, already: 0, unreadable: 2 });
    const done = await resealIdentities({ db, actor: ACTOR, sealer: rotated! });
    expect(done).toEqual({ resealed: 2, already: 0, unreadable: 0 });
    expect(await viewIdentity({ db, actor: ACTOR, sealer: after! }, check)).toEqual(IDENTITY);
    const looking = { db, actor: ACTOR, sealer: after! };
    expect((await viewPicture(looking, check, 'front'))?.image).toEqual(PICTURE);
    const listed = [{ checks: 1 }, { pictures: 1 }];
    expect(await auditRows('kyc.reseal')).toEqual(
      [...listed, ...listed, ...listed].map((details) => ({
        actor: ACTOR,
        details: expect.objectContaining(details) as unknown,
      })),
    );
  });
});

describe('when it is old', () => {
  it('is deleted, but what the account’s approval rests on, and what waits', async () => {
    const { db } = database;
    const user = await buildUser(db, { kyc: 'not_started' });
    const rejected = await buildIdentityCheck(database, user);
    await sendFront(rejected);
    await decide(user, 'rejected');
    const approved = await buildIdentityCheck(database, user);
    await decide(user, 'approved');
    const other = await buildUser(db, { kyc: 'not_started' });
    const waiting = await buildIdentityCheck(database, other);
    for (const check of [rejected, approved]) await age(check, 400);
    expect(await purgeIdentityData(db, 401, 10)).toBe(0);
    expect(await purgeIdentityData(db, 399, 10)).toBe(1);
    expect(await kept()).toEqual([approved, waiting].sort());
    expect(await listPictureSides(db, rejected)).toEqual([]);
    expect(await auditRows('kyc.purge')).toEqual([
      { actor: 'service', details: { checks: 1, days: 399 } },
    ]);
    // An approval that was withdrawn rests on nothing.
    await setKycStatus(database.operator, user.username, 'rejected', ACTOR);
    expect(await purgeIdentityData(db, 399, 10)).toBe(1);
    expect(await kept()).toEqual([waiting]);
  });

  it('is never younger than a month, whatever is asked for', async () => {
    const user = await buildUser(database.db, { kyc: 'not_started' });
    const check = await buildIdentityCheck(database, user);
    await decide(user, 'rejected');
    await age(check, 29);
    expect(await purgeIdentityData(database.db, 0, 10)).toBe(0);
    await age(check, 31);
    expect(await purgeIdentityData(database.db, 0, 10)).toBe(1);
  });

  it('is found behind the approvals that stand, a page at a time', async () => {
    const APPROVED = 1_000;
    const PAGE = 100;
    const { db, owner } = database;
    await owner.transaction(async (tx) => {
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(
        `with u as (insert into users (id, username, email, password_hash, country, kyc_status)
           select gen_random_uuid(), 'merchant' || n, n || '@example.com', '-', 'SN',
                  case when n <= 2 then 'rejected' else 'approved' end
             from generate_series(1, ?::integer) n returning id, kyc_status),
         c as (insert into identity_checks (id, user_id, status, decided_at, decided_by)
           select -- Those that are due come last.
                  overlay(gen_random_uuid()::text
                    placing case u.kyc_status when 'rejected' then 'f' else '0' end from 1 for 1)::uuid,
                  u.id, u.kyc_status, now() - interval '400 days', 'tests' from u returning id)
         insert into identity_data select c.id, '' from c`,
        [APPROVED + 2],
      );
    });
    const tables = ['users', 'identity_checks', 'identity_data'];
    for (const table of tables) await owner.raw(`analyze ${table}`);
    const reading = await owner.transaction();
    const read = await countTableReads(reading, tables, () =>
      reading.raw('select from purge_identity_data(399, ?::uuid, ?::integer)', [NIL_UUID, PAGE]),
    );
    await reading.rollback();
    // Six of each: its account, and data and check as themselves and as what the approval rests on.
    expect(Object.values(read).reduce((sum, rows) => sum + rows, 0)).toBeLessThan(APPROVED);
    expect(await purgeIdentityData(db, 399, PAGE)).toBe(2);
    expect(await kept()).toHaveLength(APPROVED);
    expect(await purgeIdentityData(db, 399, PAGE)).toBe(0);
  });

  it('is left for later when the process stops', async () => {
    const user = await buildUser(database.db, { kyc: 'not_started' });
    const check = await buildIdentityCheck(database, user);
    await decide(user, 'rejected');
    await age(check, 400);
    expect(await purgeIdentityData(database.db, 399, 10, AbortSignal.abort())).toBe(0);
    expect(await kept()).toEqual([check]);
  });
});

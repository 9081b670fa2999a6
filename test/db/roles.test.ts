// The rights of every role on every table and every function in the database, by the list in db/schema/grants.ts; and
// the things that must stay closed, whatever that list says.

import { randomBytes } from 'node:crypto';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { APPLICATION, OPERATOR } from '../../db/schema/grants';
import { readStack } from '../support/stack';
import { buildUser } from '../support/users';

type Role = 'application' | 'operator' | 'stranger';

const database = setUp(createTestDatabase);
let roles: Readonly<Record<Role, string>>;

beforeAll(async () => {
  const { app_role, operator_role } = readStack();
  // A role without any grant shows what PUBLIC may do.
  const stranger = `stranger_${randomBytes(6).toString('hex')}`;
  await database.owner.raw(`create role ${stranger} login`);
  roles = { application: app_role, operator: operator_role, stranger };
});

/** The tables that the application may write. Both roles read every table and write no other. */
const WRITTEN_BY_APPLICATION: Readonly<Record<string, readonly string[]>> = {
  rate_windows: ['insert', 'update'],
};
/** Read by functions only, which leave a row in the audit log. */
const HIDDEN: readonly string[] = ['identity_data', 'identity_pictures'];
const RIGHTS: string[] = [
  'select',
  'insert',
  'update',
  'delete',
  'truncate',
  'references',
  'trigger',
  'maintain',
];

function expectedRights(role: Role, table: string): readonly string[] {
  if (role === 'stranger' || HIDDEN.includes(table)) return [];
  return ['select', ...((role === 'application' && WRITTEN_BY_APPLICATION[table]) || [])];
}

describe('every table', () => {
  it.each(['application', 'operator', 'stranger'] as const)('for the %s', async (role) => {
    const { rows } = await database.owner.raw(
      `select c.relname as table,
              array(select r from unnest(?::text[]) r
                     where has_table_privilege(?, c.oid, r)) as rights,
              array(select a.attname::text from pg_attribute a
                     where a.attrelid = c.oid and a.attnum > 0 and a.attacl is not null) as columns
         from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
          -- A day of the access log, or a month of attempts, is reached through its table only.
          and not c.relispartition`,
      [RIGHTS, roles[role]],
    );
    const found = rows as { table: string; rights: string[]; columns: string[] }[];
    expect(found.length).toBeGreaterThan(25);
    const wanted = found.map(({ table }) => ({
      table,
      rights: expectedRights(role, table),
      columns: [],
    }));
    expect(found).toEqual(wanted);
  });
});

interface FoundFunction {
  readonly signature: string;
  readonly callers: readonly Role[];
  readonly is_definer: boolean;
  readonly has_search_path: boolean;
}

async function readFunctions(): Promise<FoundFunction[]> {
  const { rows } = await database.owner.raw(
    `select p.oid::regprocedure::text as signature, p.prosecdef as is_definer,
            'search_path=public, pg_temp' = any (p.proconfig) as has_search_path,
            array(select r.key from jsonb_each_text(?::jsonb) r
                   where has_function_privilege(r.value, p.oid, 'execute') order by 1) as callers
       from pg_proc p where p.pronamespace = 'public'::regnamespace`,
    [JSON.stringify(roles)],
  );
  return rows as FoundFunction[];
}

describe('every function', () => {
  it('is closed, but to the roles that need it', async () => {
    const signatures = { application: APPLICATION.functions, operator: OPERATOR.functions };
    // Postgres writes the types of a signature in its own way.
    const { rows } = await database.owner.raw(
      `select r.key as role, f.signature::regprocedure::text as signature from jsonb_each(?::jsonb) r
        cross join lateral jsonb_array_elements_text(r.value) f (signature)`,
      [JSON.stringify(signatures)],
    );
    const given = rows as { role: Role; signature: string }[];
    for (const { signature, callers } of await readFunctions()) {
      const wanted = given.filter((one) => one.signature === signature).map(({ role }) => role);
      expect({ signature, callers }).toEqual({ signature, callers: wanted.toSorted() });
    }
  });

  it('that runs with the rights of its owner looks for its tables in one place', async () => {
    const definers = (await readFunctions()).filter(({ is_definer }) => is_definer);
    expect(definers.length).toBeGreaterThan(30);
    expect(definers.filter(({ has_search_path }) => !has_search_path)).toEqual([]);
  });

  it('is closed from the moment when it is made', async () => {
    await database.owner.raw(
      `create function made_later() returns integer language sql security definer as 'select 1'`,
    );
    const { rows } = await database.owner.raw(
      `select has_function_privilege(?, 'made_later()', 'execute') as stranger,
              has_function_privilege(?, 'made_later()', 'execute') as application`,
      [roles.stranger, roles.application],
    );
    await database.owner.raw('drop function made_later()');
    expect(rows).toEqual([{ stranger: false, application: false }]);
  });
});

const PERMISSION_DENIED = '42501';

describe("the operators' role", () => {
  it.each([
    'select sealed from identity_data',
    'select sealed from identity_pictures',
    'update approval_limits set above_minor = null',
    `update approvals set status = 'approved'`,
    `select credit_wallet_as('REFERENCE-1', gen_random_uuid(), 'live', 'XOF', 'operator', 100, '', 'eve', '{}')`,
    `select accept_suspense_as(gen_random_uuid(), 'eve', '{}')`,
    `select order_suspense_refund_as(gen_random_uuid(), 'eve', '{}', 'eve')`,
    `select close_suspense_as('{}', 'eve', '{}')`,
    `select fail_refund_as('{}', 'eve', '{}')`,
    `select decide_payout_as('{}', 'eve', '{}')`,
    `select perform_approved(a, null, 'eve') from approvals a`,
    `select accept_suspense_closing_as(gen_random_uuid(), '{}', 'eve', '{}')`,
    `select accept_for_intent(gen_random_uuid(), '{}')`,
  ])('may not: %s', async (sql) => {
    const operator = await openSession(database.operator_url);
    await expect(operator.query(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });
});

describe("the application's role", () => {
  it.each([
    `select credit_wallet('REFERENCE-1', gen_random_uuid(), 'live', 'XOF', 'operator', 100, '', 'eve')`,
    `select post_adjustment('REFERENCE-1', gen_random_uuid(), 'live', 'XOF', 'operator', 100, '')`,
    `select set_kyc_status('eve', 'approved', 'eve')`,
    `select accept_suspense(gen_random_uuid())`,
    `select accept_suspense(gen_random_uuid(), 'eve')`,
    `select accept_suspense_closing(gen_random_uuid(), '{}', 'eve')`,
    `select add_audit_row('eve', 'kyc.approve', 'user/eve', '{}')`,
    `select close_suspense('{}', 'eve')`,
    `select order_suspense_refund(gen_random_uuid(), 'eve')`,
    `select change_setting('fees.set', '{}', 'eve')`,
    `select settle_dispute('stripe', 'live', 'dp_1', 'won', '', 'eve')`,
    `select settle_loss('RFD-1', 100, '', 'eve')`,
    `select unfreeze_account(gen_random_uuid(), '', 'eve')`,
    `select create_api_key('{}', '{}', 'eve')`,
    `select insert_api_key('{}', '{}', 100000000, 100000000)`,
    `select update_api_key(gen_random_uuid(), '{}', 'eve')`,
    `select change_api_key(gen_random_uuid(), '{}')`,
    `select set_operator('eve', true, 'eve')`,
    `select decide_identity_check('eve', null, 'approved', null, 'eve')`,
    `select view_identity_check(gen_random_uuid(), 'eve')`,
    `select view_identity_picture(gen_random_uuid(), 'front', 'eve')`,
    `select sealed from identity_pictures`,
    `select sealed from identity_data`,
    `select request_approval('wallets.credit', '{}', '', 'eve')`,
    `select approve_request_with(gen_random_uuid(), null, 'eve')`,
    `update approval_limits set above_minor = null`,
    `set role payments_operator`,
    `alter role payments_app superuser`,
  ])('may not: %s', async (sql) => {
    const app = await openSession(database.app_url);
    await expect(app.query(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });

  it('signs a user up without an identity check, and with sandbox money only', async () => {
    const fields = {
      username: 'eve',
      email: 'eve@example.com',
      password_hash: '-',
      first_name: '',
      last_name: '',
      country: 'SN',
      kyc_status: 'approved',
    };
    const funds = [{ reference: 'ADJ-EVE-00001', currency: 'XOF', amount_minor: 100 }];
    const { rows } = await database.db.raw(
      'select kyc_status, id from create_user(?::jsonb, ?::jsonb)',
      [JSON.stringify(fields), JSON.stringify(funds)],
    );
    const [{ kyc_status, id }] = rows as [{ kyc_status: string; id: string }];
    expect(kyc_status).toBe('not_started');
    const { rows: wallets } = await database.db.raw(
      'select environment from ledger_accounts where user_id = ? and balance_minor <> 0',
      [id],
    );
    expect(wallets).toEqual([{ environment: 'sandbox' }]);
  });

  it('gives a key no other limits than the usual, and touches no key of another user', async () => {
    const [user, other] = [await buildUser(database.db), await buildUser(database.db)];
    const material = (n: number): string =>
      JSON.stringify({ key_hash: `${n}`.repeat(64), key_prefix: 'pay_live', last_four: 'abcd' });
    const call = async (sql: string, values: string[]): Promise<Record<string, unknown>[]> =>
      (await database.db.raw(sql, values)).rows as Record<string, unknown>[];
    const options = {
      user_id: user.id,
      environment: 'live',
      name: 'till',
      scopes: ['read'],
      requests_per_minute: 100_000,
      writes_per_minute: 100_000,
    };
    const [made] = await call('select create_api_key(?::jsonb, ?::jsonb) as id', [
      JSON.stringify(options),
      material(1),
    ]);
    const id = made!['id'] as string;
    const [row] = await call('select * from api_keys where id = ?', [id]);
    expect(row).toMatchObject({ user_id: user.id, requests_per_minute: 60, writes_per_minute: 30 });
    expect(
      await call('select outcome from rotate_api_key(?::uuid, ?::uuid, ?::jsonb, 0)', [
        id,
        other.id,
        material(2),
      ]),
    ).toEqual([{ outcome: 'not_found' }]);
    expect(await call('select id from revoke_api_key(?::uuid, ?::uuid)', [id, other.id])).toEqual(
      [],
    );
    const change = `select id from update_api_key(?::uuid, ?::uuid, '{"name": "eve"}')`;
    expect(await call(change, [id, other.id])).toEqual([]);
    expect(
      await call('select outcome from rotate_api_key(?::uuid, ?::uuid, ?::jsonb, 0)', [
        id,
        user.id,
        material(3),
      ]),
    ).toEqual([{ outcome: 'rotated' }]);
  });
});

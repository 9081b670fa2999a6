// Who may do what in the database, as a whole: every table and every function for every role. A new
// table or function fails here until somebody has decided about it.

import { randomBytes } from 'node:crypto';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { readStack } from '../support/stack';
import { buildUser } from '../support/users';

type Role = 'application' | 'operator' | 'stranger';

let database: TestDatabase;
let roles: Readonly<Record<Role, string>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const { app_role, operator_role } = readStack();
  // A role that nobody has given anything: what PUBLIC may do.
  const stranger = `stranger_${randomBytes(6).toString('hex')}`;
  await database.owner.raw(`create role ${stranger} login`);
  roles = { application: app_role, operator: operator_role, stranger };
});

/** What the application may write. Both roles read every table and write no other. */
const WRITTEN_BY_APPLICATION: Readonly<Record<string, readonly string[]>> = {
  access_log: ['insert'],
  rate_windows: ['insert', 'update'],
};
/** Read by functions only, which leave a row in the audit log. */
const HIDDEN: readonly string[] = ['identity_data'];
const RIGHTS: string[] = [
  ...['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'maintain'],
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

  it('means what it says: the application changes nothing of users and keys', async () => {
    for (const sql of [
      `insert into users (username, email, password_hash, country) values ('eve', 'e@x.y', '-', 'SN')`,
      `update users set kyc_status = 'approved'`,
      `update api_keys set user_id = gen_random_uuid()`,
      'update api_keys set requests_per_minute = 100000000',
      'delete from api_keys',
    ]) {
      await expect(database.db.raw(sql)).rejects.toMatchObject({ code: '42501' });
      await expect(database.operator.raw(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

// Each function once, by whom it may be called besides its owner.

/** Parts of other functions, and functions of triggers. */
const NOBODY = [
  'reconciliation_readings()',
  'take_readings()',
  'give_back_to_window(bytea)',
  'accept_suspense(uuid)',
  'accept_suspense_as(uuid,text,jsonb)',
  'approval_audit(uuid)',
  'approval_subject(text,jsonb)',
  'close_suspense_as(uuid,text,text,boolean,text,jsonb)',
  'credit_wallet_as(text,uuid,text,text,text,bigint,text,text,jsonb)',
  'end_identity_check(uuid,text,text,text)',
  'kyc_edge_cause(text,text)',
  'needs_approval(text,bigint)',
  'operator_name(text)',
  'operator_person(text)',
  'order_suspense_refund_as(uuid,text,jsonb,text)',
  'accept_for_intent(uuid,jsonb)',
  'accept_suspense_closing_as(uuid,jsonb,text,jsonb)',
  'note_arrival(payment_intents,text,text,bigint,timestamp with time zone)',
  'order_receipt(payment_intents)',
  'perform_approved(approvals,jsonb,text)',
  'post_accepted(suspense_items,text,uuid,text,text)',
  'refuse_own_account(text,uuid)',
  'refuse_without_approval(text,bigint)',
  'add_deliveries(uuid,uuid[])',
  'add_transfer_events(transfer_posting[])',
  'transfer_event_body(transfer_event,transfer_posting)',
  'wake_workflows(uuid[])',
  'lock_transfer_counters(transfer_batches)',
  'add_intent_event(payment_intents,uuid,text)',
  'add_refund_event(refunds,uuid,text)',
  'check_refund_edge()',
  'check_refund_has_event()',
  'give_back_refund(refunds,jsonb,uuid,text)',
  'order_refund_as(jsonb,text,jsonb)',
  'fail_refund_as(jsonb,text,jsonb)',
  'refund_audit(uuid)',
  'is_unmade(refunds,text)',
  'lock_refund(uuid)',
  'payment_of_intent(payment_intents)',
  'settle_refund(refunds,uuid,text)',
  'add_refund_order(uuid,text)',
  'book_payment(gateway_notifications,payment_intents,text,uuid)',
  'add_transactions(transaction_side[],text,text,text,bigint,bigint,text,text,text,uuid,timestamp with time zone)',
  'apply_endpoint_status(uuid,text)',
  'check_batch_items(transfer_batches,boolean)',
  'count_batch_items(transfer_batches,integer,integer)',
  'is_batch_success(text)',
  'lock_transfer_batch(uuid)',
  'batch_outcomes(jsonb)',
  'mark_batch_items(transfer_batches,integer,batch_outcome[])',
  'post_batch_items(transfer_batches,integer,text[],jsonb,boolean)',
  'refuse_batch_items(transfer_batches,batch_outcome[])',
  'transfer_fingerprint(text,text,bigint,text)',
  'check_entries_balance()',
  'check_intent_edge()',
  'check_intent_has_event()',
  'check_transaction_has_entries()',
  'commit_asynchronously()',
  'expire_intent(uuid,timestamp with time zone,uuid,text)',
  'fee_for(integer,bigint,bigint,bigint)',
  'hold_in_suspense(gateway_notifications,payment_intents,text,text,text,bigint)',
  'insert_api_key(jsonb,jsonb,integer,integer)',
  'keep_key_limits()',
  'key_networks(text[])',
  'lock_accounts(bigint[])',
  'lock_event_counter(uuid,text)',
  'make_access_day(date)',
  'make_attempt_month(date)',
  'may_learn_recipient(uuid,text,text,boolean,timestamp with time zone)',
  'learn_recipient(uuid,text,text,boolean,timestamp with time zone,recipient_learning)',
  'next_event_sequence(uuid,text)',
  'note_intent(uuid,text,text,jsonb)',
  'note_suspense(suspense_items,text,text,text,text)',
  'notify_delivery_runs(uuid[])',
  'post_suspense_refund(suspense_items,text,integer)',
  'suspense_audit(uuid)',
  'open_login()',
  'open_wallets()',
  'post_adjustment(text,uuid,text,text,text,bigint,text)',
  'post_entries(uuid,text,text,text,text,text,ledger_leg[])',
  'post_payment(gateway_notifications,payment_intents,text)',
  'refuse_change()',
  'replace_api_key(api_keys,jsonb)',
  'suspense_reference()',
  'system_account(text,text,text)',
  'username_of(uuid)',
  'wallet_account(uuid,text,text)',
];

const APPLICATION = [
  'abandon_intent(uuid)',
  'accept_invitation(bytea,uuid)',
  'accept_totp_step(uuid,bigint)',
  'add_event(uuid,uuid,text,bigint,text)',
  'add_login_token(bytea,text,uuid,text,integer)',
  'add_reconciliation_findings(bigint,text,jsonb,integer)',
  'advance_identity_check(uuid)',
  'advance_rate_window(integer[],bigint,bigint)',
  'advance_transfer_batch(uuid,text[],jsonb)',
  'apply_notification(bigint)',
  'apply_stored_notification(bigint,text,uuid,uuid,text)',
  'authenticate(bytea,boolean,text,text,boolean)',
  'authenticate_call(bytea,text,boolean,text,text,boolean)',
  'begin_activity(uuid,uuid,text,text,text)',
  'begin_asking_payment_refund(uuid)',
  'begin_asking_refund(uuid)',
  'begin_atomic_batch(uuid)',
  'begin_checkout_renewal(uuid,integer)',
  'begin_delivery_run(uuid,uuid,integer)',
  'begin_direct_run(uuid,uuid,integer)',
  'begin_reconciliation(uuid)',
  'begin_reconciliation_check(bigint,text,timestamp with time zone,integer)',
  'begin_resend(jsonb)',
  'begin_session(uuid,text,bytea,text,text,text,integer,uuid)',
  'begin_suspense_refund(uuid)',
  'begin_totp(uuid,bytea)',
  'cancel_transfer_batch(uuid,uuid,text)',
  'change_member_role(uuid,uuid,text)',
  'check_transfer_batch(uuid)',
  'claim_mail(uuid,integer)',
  'claim_overdue_endpoints(integer,integer)',
  'claim_overdue_intents(integer,integer)',
  'claim_waiting_notifications(integer,integer)',
  'clear_attempts(bytea[],bytea)',
  'close_intent(uuid,text,text,uuid,text)',
  'complete_atomic_batch(uuid,jsonb)',
  'confirm_email(bytea)',
  'confirm_totp(uuid,bytea,bigint,bytea[],uuid)',
  'create_api_key(jsonb,jsonb)',
  'create_first_api_key(jsonb,jsonb)',
  'create_intent(jsonb)',
  'create_refund(jsonb)',
  'create_transfer_batch(jsonb,jsonb,integer)',
  'create_user(jsonb,jsonb)',
  'drop_attempt_month(date,bigint)',
  'drop_old_receipts(integer)',
  'end_activity(bigint,text,text)',
  'end_checkout_renewal(uuid)',
  'end_delivery_run(uuid,uuid)',
  'end_intent(uuid,text)',
  'end_other_sessions(uuid,uuid)',
  'end_reconciliation(bigint)',
  'end_reconciliation_check(bigint,text,text,bigint,text)',
  'end_session(uuid,uuid)',
  'end_totp(uuid)',
  'end_webhook_worker(uuid)',
  'expire_intents(uuid[],text[],uuid[],text[])',
  'fail_batch_items(uuid,text)',
  'find_notified_intent(text,text,uuid,text)',
  'finish_suspense_refund(uuid,text)',
  'give_back_attempt(bytea,bytea)',
  'idempotency_lock(uuid,text,text,text)',
  'invite_member(uuid,text,text,uuid,bytea,integer)',
  'join_by_invitation(bytea,text,text)',
  'leave_expired_intents(uuid[])',
  'make_attempt_months()',
  'note_notification_error(bigint,text)',
  'note_payment_refund_notice(text,text,text,text,text)',
  'note_refund_notice(text,text,text,text)',
  'open_begun_intent(uuid,timestamp with time zone,text,text,timestamp with time zone,text)',
  'open_intent(uuid,text,text,timestamp with time zone,text)',
  'plain_address(text)',
  'post_atomic_items(uuid,integer,text[],jsonb)',
  'post_reversal(jsonb)',
  'post_transfer_batch(jsonb,jsonb,boolean)',
  'post_transfers(jsonb)',
  'preview_transfer(uuid,text,text,text,bigint)',
  'purge_identity_data(integer,uuid,integer)',
  'purge_sign_in(integer)',
  'queue_receipt(uuid,uuid,text,text,bytea)',
  'rate_window_retry_after(integer[],integer,integer,bigint)',
  'read_gauges(integer)',
  'record_attempts(uuid,jsonb,jsonb)',
  'record_mail(uuid,text,text)',
  'record_payment_refund_answer(uuid,integer,text,text,text,jsonb,uuid,text)',
  'record_payment_refund_fault(uuid,integer,text)',
  'record_refund_answer(uuid,integer,integer,text,text,text)',
  'record_refund_fault(uuid,integer,integer,text)',
  'refuse_atomic_batch(uuid,jsonb)',
  'remove_member(uuid,uuid)',
  'renew_checkout(uuid,integer,text,text,timestamp with time zone)',
  'renew_invitation(uuid,uuid,bytea,integer)',
  'renew_webhook_leases(uuid[],uuid[],integer)',
  'renew_webhook_worker(uuid,boolean,integer)',
  'replace_password_hash(uuid,text,text)',
  'replace_recovery_codes(uuid,bytea[])',
  'resend_page(uuid,integer)',
  'reseal_totp(uuid,bytea,bytea)',
  'reset_password(bytea,text)',
  'resolve_idempotency_key(uuid,text,text,text,timestamp with time zone)',
  'restart_intent(uuid)',
  'revoke_api_key(uuid,uuid)',
  'rotate_api_key(uuid,uuid,jsonb)',
  'seal_ledger(bigint)',
  'set_login_language(uuid,text)',
  'set_logo(uuid,bytea)',
  'set_password(uuid,text,uuid)',
  'set_public_profile(uuid,jsonb)',
  'set_session_flash(uuid,bytea)',
  'show_in_session(uuid,uuid,text)',
  'store_notification(text,text,text,jsonb,bytea)',
  'submit_identity_check(uuid,uuid,uuid,bytea,integer[],integer)',
  'take_attempt(bytea,bytea,integer)',
  'take_expiry_lease(text,uuid,integer)',
  'take_from_window(bytea,integer,integer)',
  'take_session_flash(uuid)',
  'tend_access_log(integer)',
  'touch_session(uuid)',
  'use_recovery_code(uuid,bytea)',
  'wallet_day_ends(bigint,integer)',
  'withdraw_invitation(uuid,uuid)',
  'write_scratch()',
];

const OPERATOR = [
  'accept_suspense(uuid,text)',
  'accept_suspense_closing(uuid,jsonb,text)',
  'add_audit_row(text,text,text,jsonb)',
  'approve_request(uuid,text)',
  'approve_request_with(uuid,jsonb,text)',
  'close_suspense(uuid,text,text,boolean,text)',
  'create_api_key(jsonb,jsonb,text)',
  'create_user(jsonb,jsonb,text)',
  'credit_wallet(text,uuid,text,text,text,bigint,text,text)',
  'decide_identity_check(text,uuid,text,text,text)',
  'fail_refund(jsonb,text)',
  'freeze_account(uuid,text,text)',
  'list_identity_data(uuid,integer,text)',
  'order_refund(jsonb,text)',
  'order_suspense_refund(uuid,text)',
  'order_transfer_batch(jsonb,jsonb,integer,text)',
  'reject_request(uuid,text,text)',
  'request_approval(text,jsonb,text,text)',
  'reseal_identity_data(uuid,bytea,bytea)',
  'revoke_api_key(uuid,text)',
  'rotate_api_key(uuid,jsonb,text)',
  'set_fee(text,text,integer,bigint,text)',
  'set_kyc_status(text,text,text)',
  'set_operator(text,boolean,text)',
  'set_public_profile(text,jsonb,boolean,bytea,text)',
  'stop_transfer_batch(uuid,text)',
  'unfreeze_account(uuid,text,text)',
  'view_identity_check(uuid,text)',
  'waiting_fee_request(text,text)',
];

const BOTH = [
  'add_access_entries(jsonb)',
  'add_delivery(uuid,uuid)',
  'add_test_event(uuid,uuid,text,text)',
  'create_webhook_endpoint(jsonb,bytea,integer)',
  'queue_mail(uuid,text,text,bytea)',
  'resend_deliveries(uuid[],text[])',
  'reseal_webhook_secret(uuid,bytea,bytea,bytea)',
  'rotate_webhook_secret(uuid,bytea,integer)',
  'transaction_json(transactions)',
  'transaction_json(uuid,text,text,text,text,bigint,bigint,bigint,text,text,text,text,timestamp with time zone)',
  'update_webhook_endpoint(uuid,jsonb)',
];

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
    const found = (await readFunctions()).map(({ signature, callers }) => ({ signature, callers }));
    const wanted = (signatures: readonly string[], callers: readonly Role[]) =>
      signatures.map((signature) => ({ signature, callers }));
    const all = [
      ...wanted(NOBODY, []),
      ...wanted(APPLICATION, ['application']),
      ...wanted(OPERATOR, ['operator']),
      ...wanted(BOTH, ['application', 'operator']),
    ];
    const bySignature = (one: { signature: string }, other: { signature: string }): number =>
      one.signature < other.signature ? -1 : 1;
    expect(found.sort(bySignature)).toEqual(all.sort(bySignature));
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
    'update approval_limits set above_minor = null',
    `update approvals set status = 'approved'`,
    `select credit_wallet_as('REFERENCE-1', gen_random_uuid(), 'live', 'XOF', 'operator', 100, '', 'eve', '{}')`,
    `select accept_suspense_as(gen_random_uuid(), 'eve', '{}')`,
    `select order_suspense_refund_as(gen_random_uuid(), 'eve', '{}', 'eve')`,
    `select close_suspense_as(gen_random_uuid(), '', '', false, 'eve', '{}')`,
    `select fail_refund_as('{}', 'eve', '{}')`,
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
    `select create_api_key('{}', '{}', 'eve')`,
    `select insert_api_key('{}', '{}', 100000000, 100000000)`,
    `select set_operator('eve', true, 'eve')`,
    `select decide_identity_check('eve', null, 'approved', null, 'eve')`,
    `select view_identity_check(gen_random_uuid(), 'eve')`,
    `select sealed from identity_data`,
    `select request_approval('wallets.credit', '{}', '', 'eve')`,
    `select approve_request(gen_random_uuid(), 'eve')`,
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
      ...{ user_id: user.id, environment: 'live', name: 'till' },
      ...{ requests_per_minute: 100_000, writes_per_minute: 100_000 },
    };
    const [made] = await call('select create_api_key(?::jsonb, ?::jsonb) as id', [
      JSON.stringify(options),
      material(1),
    ]);
    const id = made!['id'] as string;
    const [row] = await call('select * from api_keys where id = ?', [id]);
    expect(row).toMatchObject({ user_id: user.id, requests_per_minute: 60, writes_per_minute: 30 });
    expect(
      await call('select outcome from rotate_api_key(?::uuid, ?::uuid, ?::jsonb)', [
        ...[id, other.id, material(2)],
      ]),
    ).toEqual([{ outcome: 'not_found' }]);
    expect(await call('select id from revoke_api_key(?::uuid, ?::uuid)', [id, other.id])).toEqual(
      [],
    );
    expect(
      await call('select outcome from rotate_api_key(?::uuid, ?::uuid, ?::jsonb)', [
        ...[id, user.id, material(3)],
      ]),
    ).toEqual([{ outcome: 'rotated' }]);
  });
});

// Rights in the database: the one list of what the application and the operators may
// change and call (docs/decisions/operators.md). Everything else is closed, also to PUBLIC: only
// its owner can call a new function until it is named here.

import type { Knex } from 'knex';
import { SchemaError } from './schema-error';

interface Grants {
  /** Both roles read every table that is not hidden. */
  readonly tables: Readonly<Record<string, 'insert' | 'insert, update'>>;
  readonly functions: readonly string[];
}

// Called by both roles: they read, or compute.
const READING: readonly string[] = [
  'account_hold(uuid,text)',
  'account_owner(uuid)',
  'attempt_json(payment_attempts)',
  'batch_json(transfer_batches)',
  'charged_rows(uuid,text,text,timestamptz,timestamptz)',
  'counted_in(transactions)',
  'counted_out(transactions)',
  'decimal_amount(bigint)',
  'dispute_json(disputes)',
  'event_json(uuid,text,timestamptz,text,bigint,json)',
  'event_nouns(text[])',
  'first_id(timestamptz)',
  'fee_by(fee_rules,bigint,bigint)',
  'fee_of(text,text,bigint,uuid,uuid,text,timestamptz)',
  'flat_json(jsonb)',
  'history_since()',
  'identity_picture_sides(uuid)',
  'instant(timestamptz)',
  'is_known_destination(uuid,text,text,text,text)',
  'intent_json(payment_intents,text)',
  'is_payout_in_doubt(payouts)',
  'identity_to_screen(uuid)',
  'is_sandbox_settled(uuid)',
  'is_screening()',
  'json_or_null(text)',
  'key_limit(uuid,text,timestamptz)',
  'list_prices(uuid)',
  'shown_limits(uuid,text)',
  'payment_link_json(payment_links,text)',
  'payment_link_status(payment_links)',
  'payout_batch_json(payout_batches)',
  'payout_fee(uuid,text,bigint,text,text)',
  'payout_method(text,text)',
  'preview_fee(text,text,bigint,uuid,text,text,timestamptz)',
  'payout_json(payouts)',
  'refund_json(refunds)',
  'sample_json(text,jsonb,text)',
  'has_sandbox_faults(uuid)',
  'sandbox_clock(uuid)',
  'sandbox_due(uuid,timestamptz)',
  'sandbox_rehearsal(uuid,uuid,timestamptz)',
  'sandbox_waiting(uuid,integer)',
  'shown_due(timestamptz,integer)',
  'shown_since()',
  'transfer_json(transfers,text,text,text)',
  'transfer_status(transfers)',
  'transfer_total(transfers)',
  'transaction_json(transactions)',
  'transaction_json(uuid,text,text,text,text,bigint,bigint,bigint,bigint,text,text,text,text,timestamptz)',
  'unsettled_losses()',
  'utc_day(timestamptz)',
];

// Called by both roles: an operator does by the command line what a merchant does by the API.
const MERCHANTS: readonly string[] = [
  'add_delivery(uuid,uuid)',
  'add_test_event(uuid,uuid,text,text)',
  'create_webhook_endpoint(jsonb,bytea,integer)',
  // An operator who approves an identity has its names compared before.
  'open_account_case(uuid,jsonb)',
  // Operators' decisions are told by mail.
  'queue_mail(uuid,text,text,bytea)',
  'resend_deliveries(uuid[],text[])',
  'rotate_webhook_secret(uuid,bytea,integer)',
  'update_webhook_endpoint(uuid,jsonb)',
];

// Called by both roles, for logins of their own: an operator's login is written by the operators' role only
// (guard_operators_login).
const SIGNING_IN: readonly string[] = [
  'add_login_token(bytea,text,uuid,text,integer)',
  'begin_session(uuid,text,bytea,text,text,text,integer,uuid)',
  'begin_totp(uuid,bytea)',
  'confirm_session(uuid)',
  'confirm_totp(uuid,bytea,bigint,bytea[],uuid)',
  'end_totp(uuid)',
  'replace_password_hash(uuid,text,text)',
  'replace_recovery_codes(uuid,bytea[])',
  'reseal_totp(uuid,bytea,bytea)',
  'reset_password(bytea,text,jsonb)',
  'set_password(uuid,text,uuid)',
];

/** Tables that neither role reads: what functions return of them leaves a row in the audit log. */
const HIDDEN: readonly string[] = ['identity_data', 'identity_pictures'];

/** The API and the workers. */
export const APPLICATION: Grants = {
  tables: { rate_windows: 'insert, update' },
  functions: [
    ...READING,
    ...MERCHANTS,
    ...SIGNING_IN,
    'abandon_intent(uuid)',
    'abandon_lost_intents()',
    'accept_invitation(bytea,uuid,jsonb)',
    'accept_totp_step(uuid,bigint)',
    'add_access_entries(jsonb)',
    'add_reconciliation_findings(bigint,text,jsonb,integer)',
    'advance_fee_invoices(timestamptz,text,integer)',
    'advance_identity_check(uuid)',
    'advance_payout_batch(uuid,text,integer,integer)',
    'account_window(uuid,bigint)',
    'advance_sandbox_clock(uuid,integer,timestamptz,timestamptz)',
    'advance_rate_window(integer[],bigint,bigint)',
    'advance_transfer_batch(uuid,text[],jsonb)',
    'apply_stored_notification(bigint,text,jsonb)',
    'approve_payout(uuid,uuid)',
    'approve_payout_batch(uuid,uuid)',
    'authenticate_call(bytea,text,boolean,text,text,boolean)',
    'begin_activity(uuid,uuid,text,text,text)',
    'begin_asking_attempt(uuid)',
    'begin_asking_payment_refund(uuid)',
    'begin_asking_payout(uuid)',
    'begin_asking_refund(uuid)',
    'begin_busy_key(uuid,text,text)',
    'begin_canceling_payout(uuid,jsonb)',
    'begin_charging_again(uuid,integer,jsonb)',
    'begin_checkout_renewal(uuid,integer)',
    'begin_delivery_run(uuid,uuid,integer)',
    'begin_payout_batch(uuid)',
    'begin_reconciliation(uuid)',
    'begin_reconciliation_check(bigint,text,timestamptz,integer)',
    'begin_resend(jsonb)',
    'begin_sending_payout_again(uuid,integer,jsonb)',
    'cancel_intent(uuid)',
    'cancel_payout(uuid,jsonb)',
    'cancel_payout_batch(uuid,jsonb)',
    'cancel_transfer_batch(uuid,uuid,text)',
    'change_member_role(uuid,uuid,text,jsonb)',
    'check_transfer_batch(uuid)',
    'claim_dispute_notices(text,text,integer)',
    'claim_due_intents(text,text,integer)',
    'claim_mail(uuid,integer)',
    'claim_waiting_notifications(integer,integer)',
    'clear_attempts(bytea[],bytea)',
    'close_months(uuid,text)',
    'confirm_email(bytea)',
    'confirm_payout(uuid,jsonb)',
    'confirm_payout_batch(uuid,text[],jsonb)',
    'continue_resend(integer)',
    'count_unknown_recipients(uuid,text,text[],text,bigint)',
    'create_api_key(jsonb,jsonb)',
    'create_attempt(jsonb)',
    'create_first_api_key(jsonb,jsonb)',
    'create_intent(jsonb)',
    'create_payment_link(jsonb,text)',
    'create_payout(jsonb)',
    'create_payout_batch(jsonb,jsonb,integer)',
    'create_refund(jsonb)',
    'create_transfer_batch(jsonb,jsonb,integer)',
    'create_user(jsonb,jsonb)',
    'drop_access_days(integer)',
    'drop_attempt_month(date,bigint)',
    'drop_old_receipts(integer)',
    'drop_risk_lists(integer)',
    'drop_risk_origins()',
    'end_screening(uuid,timestamptz)',
    'drop_sandbox_faults(uuid,text)',
    'end_activity(bigint,text,text)',
    'end_checkout_renewal(uuid)',
    'end_delivery_run(uuid,uuid)',
    'end_other_sessions(uuid,uuid)',
    'end_reconciliation(bigint)',
    'end_reconciliation_check(bigint,text,text,bigint,text)',
    'end_session(uuid,uuid)',
    'expire_intents(uuid[],text)',
    'expire_risk_case(text,text)',
    'fail_batch_items(uuid,integer,text)',
    'fail_payout_batch_item(uuid,integer,text)',
    'find_due_endpoints(integer)',
    'find_notified_intent(text,text,uuid,text)',
    'forget_told(integer)',
    'fund_sandbox_wallet(jsonb,integer)',
    'give_back_attempt(bytea,bytea)',
    'give_otp(uuid,text,integer)',
    'give_up_attempt(uuid)',
    'has_attempt_at(uuid,text)',
    'idempotency_lock(uuid,text,text,text)',
    'invite_member(uuid,text,text,uuid,bytea,integer)',
    'is_asked_by_phone(uuid)',
    'join_by_invitation(bytea,text,text,jsonb)',
    'list_cleared_cases(uuid,integer)',
    'list_expired_cases(integer)',
    'take_due_accounts(integer)',
    'make_attempt_months()',
    'note_attempt_notice(uuid,text,text)',
    'note_heard_items(uuid,integer[],jsonb[])',
    'note_dispute_fault(text,text,text,integer,text)',
    'note_dispute_notice(text,text,text)',
    'mark_gone_gateways(text,text[])',
    'note_notification_error(bigint,text)',
    'note_payment_refund_notice(text,text,text,text,text)',
    'note_payout_notice(uuid,text,text)',
    'note_refund_notice(text,text,text,text,text)',
    'open_intent(uuid,timestamptz,text,text,timestamptz,text)',
    'open_clearing_accounts(text,text[])',
    'order_gateway_fault(uuid,text,text,text)',
    'order_sandbox_fault(uuid,text,text,integer,integer)',
    'own_identity_check(uuid,uuid)',
    'payout_batch_in_flight(uuid)',
    'plain_address(text)',
    'post_reversal(jsonb)',
    'post_transfer_batch(jsonb,jsonb)',
    'preview_payout(jsonb)',
    'preview_transfer(uuid,text,text,text,bigint)',
    'purge_identity_data(integer,uuid,integer)',
    'purge_sign_in(integer)',
    'queue_receipt(uuid,uuid,text,text,bytea)',
    'rate_window_wait(integer[],integer,bigint)',
    'read_gauges(integer)',
    'record_attempt_answer(uuid,integer,jsonb,text)',
    'record_attempts(uuid,jsonb,jsonb)',
    'record_dispute_answer(text,text,text,integer,jsonb)',
    'record_faulty_attempts(uuid,jsonb,jsonb,jsonb)',
    'record_mail(uuid,text,text)',
    'record_payment_refund_answer(uuid,integer,text,text,text,jsonb)',
    'record_payment_refund_fault(uuid,integer,text,boolean)',
    'may_tell_name(uuid,text,text,text,text)',
    'record_payout_answer(uuid,integer,jsonb)',
    'record_payout_batch_check(uuid,integer,text,text,text,text)',
    'record_payout_check(uuid,text,text,jsonb)',
    'record_payout_fault(uuid,integer,text,boolean)',
    'record_refund_answer(uuid,integer,integer,text,text,text)',
    'record_refund_fault(uuid,integer,integer,text,boolean)',
    'reject_payout(uuid,uuid,text)',
    'reject_payout_batch(uuid,uuid,text)',
    'remove_member(uuid,uuid,jsonb)',
    'release_cleared_case(text,text)',
    'renew_checkout(uuid,integer,text,text,timestamptz)',
    'renew_invitation(uuid,uuid,bytea,integer)',
    'renew_webhook_leases(uuid[],uuid[],integer)',
    'resolve_idempotency_key(uuid,text,text,text,timestamptz)',
    'resolve_treasury_breaks()',
    'restart_intent(uuid)',
    'revoke_api_key(uuid,uuid)',
    'rotate_api_key(uuid,uuid,jsonb,integer)',
    'risk_question(json)',
    'seal_ledger(bigint)',
    'send_payout_batch_item(uuid,integer,jsonb)',
    'correct_email(uuid,text)',
    'set_login_language(uuid,text)',
    'set_identity_picture(uuid,uuid,text,bytea)',
    'set_logo(uuid,bytea)',
    'set_member_mails(uuid,uuid,text[])',
    'set_payout_settings(uuid,text,jsonb,jsonb)',
    'set_public_profile(uuid,jsonb)',
    'set_session_flash(uuid,bytea)',
    'show_in_session(uuid,uuid,text)',
    'store_notification(text,text,text,jsonb,bytea)',
    'submit_identity_check(uuid,uuid,uuid,bytea,integer[],integer)',
    'take_attempt(bytea,bytea,integer)',
    'take_from_window(bytea,integer,integer)',
    'take_gateway_fault(uuid)',
    'take_next_owed()',
    'take_sandbox_fault(uuid,text,text[],text)',
    'take_session_flash(uuid)',
    'take_webhook_faults(uuid,uuid,uuid[],integer)',
    'tell_once(text,uuid,timestamptz,jsonb,uuid)',
    'tell_received(bigint,timestamptz,timestamptz,jsonb,integer)',
    'tell_waiting_payouts(uuid,jsonb,jsonb)',
    'touch_session(uuid)',
    'uncount_call(uuid,boolean)',
    'update_api_key(uuid,uuid,jsonb)',
    'update_payment_link(uuid,jsonb)',
    'use_recovery_code(uuid,bytea)',
    'wallet_day_ends(bigint,integer)',
    'withdraw_invitation(uuid,uuid)',
    'write_scratch()',
  ],
};

/** The command line and the operators' pages. */
export const OPERATOR: Grants = {
  tables: {},
  functions: [
    ...READING,
    ...MERCHANTS,
    ...SIGNING_IN,
    'add_risk_keys(bigint,text[],text[],text[])',
    'add_risk_names(bigint,jsonb)',
    'begin_risk_list(text,text,integer)',
    'end_risk_list(bigint)',
    'accept_suspense(uuid,text)',
    'accept_suspense_closing(uuid,text,text)',
    'add_audit_row(text,text,text,jsonb)',
    'advance_fee_invoices(timestamptz,text,integer)',
    'approve_request_with(uuid,text,text)',
    'begin_history_drop(date,bigint,text,text)',
    'change_setting(text,jsonb,text)',
    'close_suspense(jsonb,text)',
    'create_api_key(jsonb,jsonb,text)',
    'create_user(jsonb,jsonb,text)',
    'credit_wallet(text,uuid,text,text,text,bigint,text,text)',
    'decide_identity_check(text,uuid,text,text,text)',
    'decide_payout(jsonb,text)',
    'drop_history_rows(date,uuid)',
    'export_risk_case(text,text)',
    'mark_next_wallets(text,integer)',
    'tier_entries(text,text)',
    'fail_refund(jsonb,text)',
    'freeze_account(uuid,text,text)',
    'import_treasury_file(jsonb,text)',
    'is_provider(text,text)',
    'list_banks()',
    'issue_fee_invoices(uuid,text,text,text,text)',
    'list_fee_rules(boolean,text)',
    'list_identity_data(uuid,integer,text)',
    'list_identity_pictures(uuid,text,text)',
    'order_refund(jsonb,text)',
    'order_suspense_refund(uuid,text)',
    'order_transfer_batch(jsonb,jsonb,integer,text)',
    'reject_request(uuid,text,text)',
    'request_approval(text,jsonb,text,text)',
    'report_safeguarding(text,timestamptz)',
    'reseal(text,uuid,bytea,bytea)',
    'reseal_identity_data(uuid,bytea,bytea)',
    'resolve_treasury_breaks()',
    'reseal_identity_picture(uuid,text,bytea,bytea)',
    'revoke_api_key(uuid,text)',
    'rotate_api_key(uuid,jsonb,integer,text)',
    'set_kyc_status(text,text,text)',
    'set_operator(text,boolean,text)',
    'set_public_profile(text,jsonb,boolean,bytea,text)',
    'settle_dispute(text,text,text,text,text,text)',
    'settle_loss(text,bigint,text,text)',
    'stop_transfer_batch(uuid,text)',
    'unfreeze_account(uuid,text,text)',
    'update_api_key(uuid,jsonb,text)',
    'view_identity_check(uuid,text)',
    'view_identity_picture(uuid,text,text)',
    'view_risk_case(text,text)',
  ],
};

export interface Roles {
  readonly application: string;
  /** Without one only the owner can do what operators may. */
  readonly operator?: string | undefined;
}

/** Takes every right from the roles and PUBLIC and gives what is listed above, in one transaction. */
export async function grantRights(tx: Knex.Transaction, roles: Roles): Promise<void> {
  const given = [
    { role: roles.application, grants: APPLICATION },
    ...(roles.operator === undefined ? [] : [{ role: roles.operator, grants: OPERATOR }]),
  ];
  for (const { role } of given) await refuseUnknownRole(tx, role);
  await refuseUnknownFunctions(tx);
  // These cover functions too that a later version makes without naming them here.
  await tx.raw(
    `alter default privileges revoke execute on functions from public;
     revoke execute on all functions in schema public from public`,
  );
  // The owner may do everything, and would lose it by a revocation.
  const [{ name: owner }] = (await tx.raw('select current_user as name')).rows as [
    { readonly name: string },
  ];
  const others = given.filter(({ role }) => role !== owner);
  for (const { role } of others) {
    await tx.raw(
      `revoke all on all tables in schema public from ??;
       revoke all on all functions in schema public from ??;
       grant usage on schema public to ??;
       grant select on all tables in schema public to ??`,
      [role, role, role, role],
    );
    for (const table of HIDDEN) await tx.raw('revoke all on ?? from ??', [table, role]);
  }
  for (const { role, grants } of others) {
    for (const [table, rights] of Object.entries(grants.tables)) {
      await tx.raw(`grant ${rights} on ?? to ??`, [table, role]);
    }
    await tx.raw(`grant execute on function ${grants.functions.join(', ')} to ??`, [role]);
  }
}

async function refuseUnknownFunctions(tx: Knex.Transaction): Promise<void> {
  const { rows } = await tx.raw(
    'select signature from unnest(?::text[]) signature where to_regprocedure(signature) is null',
    [[...APPLICATION.functions, ...OPERATOR.functions]],
  );
  const unknown = (rows as { readonly signature: string }[]).map(({ signature }) => signature);
  if (unknown.length === 0) return;
  throw new SchemaError(
    `db/schema/grants.ts names functions that are not there: ${unknown.join('; ')}`,
  );
}

async function refuseUnknownRole(tx: Knex.Transaction, role: string): Promise<void> {
  const { rows } = await tx.raw('select from pg_roles where rolname = ?', [role]);
  if ((rows as unknown[]).length > 0) return;
  throw new SchemaError(
    `The role ${role} does not exist: create it, as docs/configuration.md says, and migrate again.`,
  );
}

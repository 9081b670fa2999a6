-- Cases: orders that were held or refused, and what operators decide about those that are held. Money is held by the
-- posting that would have moved it, and moved on by the decision; the row of a case lets one decision win.
--
-- Locks, in this order: batches, the subject's row, the case, accounts by id, `holds` as the last of them, the event
-- counters.

create or replace function risk_reference() returns text language sql as $$
  select 'RSK-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20))
$$;

-- Opens the case of an order. `clock`: that of the account's sandbox.
create or replace function open_risk_case(
  o risk_order, ref text, reasons jsonb, id uuid, clock integer
) returns risk_cases language plpgsql as $$
declare
  lasts constant interval := interval '72 hours';
  c risk_cases;
begin
  c.decision := strictest(reasons);
  insert into risk_cases (reference, decision, status, subject_type, subject, environment, user_id, recipient_id,
    counterparty, currency, amount_minor, reasons, asked, ip, subject_id, expires_at, clock_seconds, decided_at)
  values (risk_reference(), c.decision,
    case c.decision when 'hold' then 'held' else 'refused' end,
    case o.kind when 'payment' then 'payment_intent' else o.kind end, ref, o.environment, o.user_id, o.recipient_id,
    o.recipient, o.currency, o.amount_minor, reasons, coalesce(o.heard -> 'asked', '{}'), o.ip, id,
    case c.decision when 'hold' then clock_timestamp() + lasts end, clock,
    case c.decision when 'refuse' then clock_timestamp() end)
  returning * into c;
  return c;
end $$;

-- The body of `hold` wherever the subject is shown.
create or replace function hold_json(c risk_cases) returns json language sql stable as $$
  select row_to_json(h)
    from (select c.reference, instant(shown_due(c.expires_at, c.clock_seconds)) as expires_at) h
$$;

-- The account that has what is held of transfers and payments, locked after all others that a posting locks.
create or replace function lock_holds(env text, cur text) returns bigint language plpgsql as $$
declare
  account bigint := system_account(env, cur, 'holds');
begin
  perform lock_accounts(array[account]);
  return account;
end $$;

-- Decides a case for good. `verdict`: released | refused | expired | withdrawn (by the account: its payout is canceled).
--
-- outcome: done | case_not_found | case_decided | account_frozen | account_questioned (it has an open case of its own) |
-- limit_exceeded (a wallet is too full). All but the first leave the case as it was.
create or replace function close_risk_case(
  ref text, verdict text, actor text, why text, pay_url_base text, out outcome text
) language plpgsql as $$
declare
  c risk_cases;
  t transfers;
  p payouts;
  i payment_intents;
begin
  select * into c from risk_cases x where x.reference = ref;
  if not found then
    outcome := 'case_not_found';
    return;
  end if;
  if c.subject_type = 'transfer' then
    perform 1 from transfer_batches b
      where b.id in (select x.batch_id from transfer_batch_items x where x.reference = c.subject and x.status = 'held')
      order by b.id for no key update;
    select * into t from transfers x where x.reference = c.subject for update;
  elsif c.subject_type = 'payout' then
    select * into p from payouts x where x.reference = c.subject for update;
  elsif c.subject_type = 'account' then
    perform 1 from users u where u.id = c.user_id for no key update;
  else
    select * into i from payment_intents x where x.reference = c.subject for no key update;
  end if;
  select * into strict c from risk_cases x where x.reference = ref for update;
  if c.status <> 'held' or (verdict in ('released', 'refused') and c.expires_at <= clock_timestamp()) then
    outcome := 'case_decided';
    return;
  end if;
  -- The end of the subject renders what is true of its case.
  update risk_cases x
     set status = verdict, decided_at = clock_timestamp(), decided_by = actor, reason = nullif(why, '')
   where x.reference = ref returning * into c;
  outcome := case c.subject_type
    when 'transfer' then case verdict when 'released' then release_transfer(c, t) else refuse_transfer(c, t) end
    when 'payout' then case verdict when 'released' then release_payout(p) else refuse_payout(p, verdict) end
    when 'account' then decide_account(c, actor)
    else case verdict when 'released' then release_payment(c, i, pay_url_base)
                      else refuse_payment(c, i, pay_url_base) end
  end;
  if outcome <> 'done' then
    update risk_cases x set status = 'held', decided_at = null, decided_by = null, reason = null
     where x.reference = ref;
  end if;
end $$;

-- The obstacle to money coming into this wallet, which the caller has locked; null: nothing. What comes back comes into a
-- frozen one, too, and no limit of the account refuses it.
create or replace function refused_credit(wallet bigint, amount bigint, is_back boolean default false) returns text
language plpgsql as $$
declare
  a ledger_accounts;
begin
  select * into strict a from ledger_accounts x where x.id = wallet;
  return case when a.held_by = 'account_frozen' and not is_back then a.held_by
              when a.is_questioned and not is_back then 'account_questioned'
              when a.balance_minor + amount > 999999999999999 -- ledger_accounts.wallet_balance
                then 'limit_exceeded'
              when not is_back and amount > 0
                   and (exceeded_limit(wallet, a.limited_at, true, amount, a.balance_minor)).limit_name is not null
                then 'limit_exceeded' end;
end $$;

create or replace function release_transfer(c risk_cases, t transfers) returns text language plpgsql as $$
declare
  is_live constant boolean := t.environment = 'live';
  on_top constant boolean := t.fee_bearer = 'payer';
  net constant bigint := transfer_total(t) - t.fee_minor;
  payer constant bigint := wallet_account(t.sender_id, t.environment, t.currency);
  payee constant bigint := wallet_account(t.recipient_id, t.environment, t.currency);
  fees constant bigint := system_account(t.environment, t.currency, 'fees');
  taxes constant bigint := system_account(t.environment, t.currency, 'taxes');
  held bigint;
  refusal text;
  shown constant uuid := uuidv7();
  journal uuid;
  at timestamptz := clock_timestamp();
  balance bigint;
  marked timestamptz;
  o constant risk_order := row('transfer', c.environment, c.user_id, c.recipient_id, c.counterparty, c.ip, c.currency,
    c.amount_minor, null)::risk_order;
begin
  -- It counts again with its recipient, from now on.
  perform lock_risk(o);
  perform risk_suspects(array[o]);
  perform lock_accounts(array[payer, payee, case when is_live and t.fee_minor > t.tax_minor then fees end,
    case when is_live and t.tax_minor > 0 then taxes end]);
  refusal := coalesce(refused_credit(payer, 0), refused_credit(payee, net));
  if refusal is not null then
    return refusal;
  end if;
  if is_live then
    held := lock_holds(t.environment, t.currency);
    journal := uuidv7();
    at := post_entries(journal, t.reference, 'transfer', '', t.environment, t.currency, array[
      row(held, -transfer_total(t))::ledger_leg, row(payee, net)::ledger_leg,
      row(fees, t.fee_minor - t.tax_minor)::ledger_leg, row(taxes, t.tax_minor)::ledger_leg]);
  end if;
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = payee;
  update transfers x set status = case when is_live then 'completed' else 'simulated' end, hold = null
   where x.reference = t.reference returning * into t;
  perform set_history_status(c.subject_id, t.status);
  perform add_transactions(
    (select array[row(shown, t.recipient_id, 'transfer_in', 'in', balance, u.username)::transaction_side]
       from users u where u.id = t.sender_id),
    t.status, t.environment, t.currency, t.amount_minor, case when on_top then 0 else t.fee_minor end, t.reference,
    t.description, null, journal, at, case when on_top then 0 else t.tax_minor end);
  if marked is not null then
    perform count_in_limits(array[shown]);
  end if;
  perform count_held_item(t.reference, 'completed', null);
  perform add_transfer_event(t, x.user_id, x.type, x.direction, at)
     from (values (t.sender_id, 'transfer.sent', 'out'), (t.recipient_id, 'transfer.received', 'in'))
            x (user_id, type, direction)
    order by x.user_id;
  return 'done';
end $$;

create or replace function refuse_transfer(c risk_cases, t transfers) returns text language plpgsql as $$
declare
  is_live constant boolean := t.environment = 'live';
  total constant bigint := transfer_total(t);
  payer constant bigint := wallet_account(t.sender_id, t.environment, t.currency);
  held bigint;
  journal uuid;
  at timestamptz := clock_timestamp();
  balance bigint;
  marked timestamptz;
begin
  perform lock_accounts(array[payer]);
  if is_live then
    if refused_credit(payer, total, true) is not null then
      return 'limit_exceeded';
    end if;
    held := lock_holds(t.environment, t.currency);
    journal := uuidv7();
    at := post_entries(journal, c.reference || '/returned', 'hold_returned', t.reference, t.environment, t.currency,
      array[row(held, -total)::ledger_leg, row(payer, total)::ledger_leg]);
  end if;
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = payer;
  update transfers x set status = 'refused', hold = null where x.reference = t.reference returning * into t;
  perform set_history_status(c.subject_id, 'failed');
  perform add_transactions(
    array[row(uuidv7(), t.sender_id, 'reversal', 'in', balance, c.counterparty)::transaction_side],
    case when is_live then 'completed' else 'simulated' end, t.environment, t.currency, total, 0, t.reference,
    t.description, t.reference, journal, at);
  if marked is not null then
    perform give_back_limit(payer, t.reference, t.created_at, total);
  end if;
  perform count_held_item(t.reference, 'failed', 'risk_refused');
  perform add_transfer_event(t, t.sender_id, 'transfer.refused', 'out', at);
  return 'done';
end $$;

-- An item whose transfer was held, in each batch that shows it, follows the transfer.
create or replace function count_held_item(ref text, new_status text, why text) returns void language plpgsql as $$
begin
  with items as (
    update transfer_batch_items i set status = new_status, refusal = why
     where i.reference = ref and i.status = 'held'
    returning i.batch_id
  )
  update transfer_batches b
     set held = b.held - n.items,
         completed = b.completed + case new_status when 'completed' then n.items else 0 end,
         failed = b.failed + case new_status when 'failed' then n.items else 0 end
    from (select x.batch_id, count(*)::integer as items from items x group by x.batch_id) n
   where b.id = n.batch_id;
end $$;

create or replace function release_payout(p payouts) returns text language plpgsql as $$
declare
  refusal text := refused_credit(wallet_account(p.user_id, p.environment, p.currency), 0);
begin
  if refusal is null then
    perform advance_payout(p);
  end if;
  return coalesce(refusal, 'done');
end $$;

create or replace function refuse_payout(p payouts, verdict text) returns text language plpgsql as $$
declare
  why constant jsonb := '{"code": "risk_refused", "message": "This payout was not allowed.", "provider_code": null}';
  is_back boolean := give_back_payout(p, case verdict when 'withdrawn' then 'canceled' else 'failed' end,
    case when verdict <> 'withdrawn' then why end);
begin
  return case when is_back then 'done' else 'limit_exceeded' end;
end $$;

-- Holds a payment that its intent waited for. The caller has locked the intent and the clearing account.
create or replace function hold_payment(
  n gateway_notifications, i payment_intents, payment text, method text, o risk_order, reasons jsonb
) returns void language plpgsql as $$
declare
  clearing constant bigint := clearing_account(n.environment, i.currency, n.gateway);
  c risk_cases;
  held bigint;
  at timestamptz;
begin
  -- A refusal would leave the money nowhere.
  c := open_risk_case(o, i.reference, (select jsonb_agg(r || '{"decision": "hold"}') from jsonb_array_elements(reasons) r),
    i.id, i.clock_seconds);
  held := lock_holds(i.environment, i.currency);
  at := post_entries(uuidv7(), c.reference, 'hold', i.reference, i.environment, i.currency,
    array[row(clearing, -i.amount_minor)::ledger_leg, row(held, i.amount_minor)::ledger_leg]);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, method, currency,
    amount_minor, booked_as, ledger_reference, booked_at, held_as)
  values (n.gateway, n.environment, payment, i.id, method, i.currency, i.amount_minor, 'hold', c.reference, at, c.reference);
  update payment_intents x
     set status = 'processing', hold = hold_json(c), updated_at = at, last_payment_error = null,
         received_minor = coalesce(x.received_minor, 0) + x.amount_minor
   where x.id = i.id;
  perform note_intent(i.id, 'ledger', 'held', jsonb_build_object('reference', c.reference));
end $$;

create or replace function release_payment(c risk_cases, i payment_intents, pay_url_base text) returns text
language plpgsql as $$
declare
  at constant timestamptz := hold_fee_rules();
  wallet constant bigint := wallet_account(i.user_id, i.environment, i.currency);
  f record;
  fees bigint;
  taxes bigint;
  refusal text;
  balance bigint;
  marked timestamptz;
begin
  select x.fee_minor as fee, x.tax_minor as tax, x.holds_until into strict f
    from gateway_payments p
   cross join lateral fee_of('payment_intent', i.currency, i.amount_minor, null, i.user_id, p.method, at) x
   where p.ledger_reference = c.reference;
  if f.fee > f.tax then
    fees := system_account(i.environment, i.currency, 'fees');
  end if;
  if f.tax > 0 then
    taxes := system_account(i.environment, i.currency, 'taxes');
  end if;
  perform lock_accounts(array[wallet, fees, taxes]);
  refusal := refused_credit(wallet, i.amount_minor - f.fee);
  if refusal is not null then
    return refusal;
  end if;
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = wallet;
  perform settle_intent(i, array[
    row(lock_holds(i.environment, i.currency), -i.amount_minor)::ledger_leg,
    row(wallet, i.amount_minor - f.fee)::ledger_leg,
    row(fees, f.fee - f.tax)::ledger_leg,
    row(taxes, f.tax)::ledger_leg], f.fee, f.tax, f.holds_until, balance, marked);
  update gateway_payments p set booked_as = 'payment', ledger_reference = i.reference
   where p.ledger_reference = c.reference;
  select * into strict i from payment_intents x where x.id = i.id;
  perform add_intent_event(i, pay_url_base);
  return 'done';
end $$;

create or replace function refuse_payment(c risk_cases, i payment_intents, pay_url_base text) returns text
language plpgsql as $$
declare
  ref constant text := suspense_reference();
  suspense constant bigint := system_account(i.environment, i.currency, 'suspense');
  g gateway_payments;
  at timestamptz;
begin
  perform lock_accounts(array[suspense]);
  at := post_entries(uuidv7(), ref, 'suspense', 'risk_refused', i.environment, i.currency,
    array[row(lock_holds(i.environment, i.currency), -i.amount_minor)::ledger_leg,
          row(suspense, i.amount_minor)::ledger_leg]);
  update gateway_payments p set booked_as = 'suspense', ledger_reference = ref
   where p.ledger_reference = c.reference returning * into strict g;
  insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id,
    user_id, reason, currency, amount_minor, created_at)
  values (ref, g.gateway, g.environment, g.provider_payment_id, i.id, i.user_id, 'risk_refused', i.currency,
    i.amount_minor, at);
  update payment_intents x
     set status = 'failed', failed_at = at, updated_at = at, hold = null,
         last_payment_error = '{"code": "risk_refused", "message": "This payment was not allowed."}'
   where x.id = i.id returning * into i;
  perform note_intent(i.id, 'ledger', 'held_in_suspense', jsonb_build_object(
    'reference', ref, 'reason', 'risk_refused', 'currency', i.currency, 'amount_minor', i.amount_minor::text));
  perform add_intent_event(i, pay_url_base);
  return 'done';
end $$;

-- The holds that are over, by when they expired, for expire_risk_case.
create or replace function list_expired_cases(most integer) returns setof risk_cases language sql stable as $$
  select c.* from risk_cases c where c.status = 'held' and c.expires_at <= clock_timestamp()
   order by c.expires_at limit most
$$;

-- Its money goes back. outcome: that of close_risk_case.
create or replace function expire_risk_case(ref text, pay_url_base text) returns text
language sql security definer set search_path = public, pg_temp as $$
  select close_risk_case(ref, 'expired', null, null, pay_url_base)
$$;

-- `given` is {reference, pay_url_base, reason}.
create or replace function decide_risk_case(given jsonb, verdict text, actor text) returns setting_change
language plpgsql as $$
declare
  decided constant text := close_risk_case(given ->> 'reference', verdict, actor, given ->> 'reason',
    given ->> 'pay_url_base');
  c risk_cases;
  change setting_change;
begin
  select * into c from risk_cases x where x.reference = given ->> 'reference';
  if decided <> 'done' then
    change.refusal := decided;
    return change;
  end if;
  -- That of the account is asked for by whoever calls.
  perform refuse_own_account(actor, c.recipient_id);
  change.subject := 'risk/' || c.reference;
  change.username := (select u.username from users u where u.id = c.user_id);
  change.environment := c.environment;
  change.currency := c.currency;
  change.amount_minor := c.amount_minor;
  change.before := jsonb_build_object('status', 'held');
  change.after := jsonb_build_object('status', c.status);
  return change;
end $$;

-- An operator decides about a held case (apply_setting: above the limit a second operator does).
create or replace function apply_risk_release(given jsonb, actor text) returns setting_change language sql as $$
  select decide_risk_case(given, 'released', actor)
$$;

create or replace function apply_risk_refuse(given jsonb, actor text) returns setting_change language sql as $$
  select decide_risk_case(given, 'refused', actor)
$$;

create or replace function view_risk_case(ref text, actor text) returns void
language sql security definer set search_path = public, pg_temp as $$
  select add_audit_row(actor, 'risk.view', 'risk/' || c.reference,
           jsonb_strip_nulls(jsonb_build_object('username', u.username, 'environment', c.environment)))
    from risk_cases c join users u on u.id = c.user_id where c.reference = ref
$$;

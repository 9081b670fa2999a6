-- Notifications of payment gateways: stored once per event, applied exactly once.

-- The intent that a notification names, by id or by reference; when it names both, both must match.
create or replace function find_notified_intent(from_gateway text, env text, intent uuid, ref text)
returns setof payment_intents language sql stable as $$
  select p.* from payment_intents p
   where p.environment = env and p.gateway = from_gateway and p.id = intent
     and (ref is null or p.reference = ref)
  union all
  select p.* from payment_intents p
   where p.environment = env and p.gateway = from_gateway and intent is null and p.reference = ref
$$;

-- Stores a notification with a valid signature. The same event again changes nothing.
create or replace function store_notification(
  from_gateway text, env text, event text, content jsonb, raw bytea
) returns table (id bigint, is_new boolean, outcome text, intent_id uuid, intent_status text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into gateway_notifications as g (gateway, environment, event_id, notification, body)
  values (from_gateway, env, event, content, raw)
  on conflict (gateway, environment, event_id) do nothing
  returning g.id into id;
  is_new := found;
  if not is_new then
    select g.id, g.outcome into strict id, outcome from gateway_notifications g
     where g.gateway = from_gateway and g.environment = env and g.event_id = event;
  end if;
  select f.id, f.status into intent_id, intent_status
    from find_notified_intent(from_gateway, env, (content ->> 'intent_id')::uuid, content ->> 'reference') f;
  return next;
end $$;

-- Posts the payment that an intent waits for: to the wallet, less the fee. A payment that would
-- overfill the wallet is held in suspense. Returns the notification's outcome.
create or replace function post_payment(n gateway_notifications, i payment_intents, payment text)
returns text language plpgsql as $$
declare
  wallet bigint := wallet_account(i.user_id, i.environment, i.currency);
  clearing bigint := system_account(i.environment, i.currency, 'gateway_clearing');
  fees bigint := system_account(i.environment, i.currency, 'fees');
  suspense bigint := system_account(i.environment, i.currency, 'suspense');
  fee bigint;
  balance bigint;
  journal uuid := gen_random_uuid();
  at timestamptz;
  shown uuid := gen_random_uuid();
begin
  select fee_for(p.basis_points, p.fixed_minor, c.step_minor, i.amount_minor) into strict fee
    from fee_policies p join currencies c on c.code = p.currency
   where p.kind = 'payment_intent' and p.currency = i.currency;
  -- The accounts of both outcomes, because all locks are taken in one order.
  perform lock_accounts(array[wallet, clearing, fees, suspense]);
  select a.balance_minor into strict balance from ledger_accounts a where a.id = wallet;
  if balance + i.amount_minor - fee > 999999999999999 then -- ledger_accounts.wallet_balance
    perform hold_in_suspense(n, i, 'balance_limit', payment, i.currency, i.amount_minor);
    return 'suspense';
  end if;
  at := post_entries(journal, i.reference, 'payment', '', i.environment, i.currency, array[
    row(wallet, i.amount_minor - fee)::ledger_leg,
    row(fees, fee)::ledger_leg,
    row(clearing, -i.amount_minor)::ledger_leg]);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, currency,
    amount_minor, booked_as, ledger_reference, booked_at)
  values (n.gateway, n.environment, payment, i.id, i.currency, i.amount_minor, 'payment', i.reference,
    at);
  perform add_transactions(
    array[row(shown, i.user_id, 'deposit', 'in', balance + i.amount_minor - fee,
      null)::transaction_side],
    'completed', i.environment, i.currency, i.amount_minor, fee, i.reference, i.description,
    i.id::text, journal, at);
  update payment_intents p
     set status = 'succeeded', fee_minor = fee, transaction_id = shown,
         succeeded_at = at, updated_at = at, last_payment_error = null
   where p.id = i.id;
  perform note_intent(i.id, 'ledger', 'posted', jsonb_build_object(
    'reference', i.reference, 'currency', i.currency,
    'amount_minor', i.amount_minor::text, 'fee_minor', fee::text));
  return 'succeeded';
end $$;

-- Applies one notification of the inbox, exactly once, regardless of content and timing.
-- Locks, in this order: the notification, the intent, accounts by id, the event counter.
create or replace function apply_notification(notification_id bigint)
returns table (
  outcome text, intent_id uuid, status text, event_id uuid, event_sequence bigint
)
language plpgsql security definer set search_path = public, pg_temp
-- Planned once, by index and in one function, as in post_transfers.
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  n gateway_notifications;
  r record;
  i payment_intents;
  at timestamptz;
  matches boolean;
begin
  select * into strict n from gateway_notifications g where g.id = notification_id for update;
  select * into strict r from jsonb_to_record(n.notification) q (
    type text, final boolean, intent_id uuid, reference text, provider_payment_id text,
    amount_minor bigint, currency text, failure jsonb);
  select p.* into i from payment_intents p
   where p.id = (select f.id from find_notified_intent(n.gateway, n.environment, r.intent_id, r.reference) f)
     and p.status <> 'creating'
     for update;
  intent_id := i.id;
  if n.outcome is not null then
    outcome := n.outcome;
    status := i.status;
    return next;
    return;
  end if;
  matches := coalesce(i.amount_minor = r.amount_minor and i.currency = r.currency, false);
  at := clock_timestamp();

  if r.type = 'payment.succeeded' then
    if exists (select from gateway_payments p where p.gateway = n.gateway
         and p.environment = n.environment and p.provider_payment_id = r.provider_payment_id) then
      outcome := 'duplicate';
    elsif i.id is null then
      outcome := 'suspense';
      perform hold_in_suspense(n, i, 'unknown_intent', r.provider_payment_id, r.currency, r.amount_minor);
    elsif i.status not in ('open', 'processing') then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case i.status when 'succeeded' then 'second_payment' else 'late' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    elsif not matches then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case when i.currency = r.currency then 'amount' else 'currency' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    else
      outcome := post_payment(n, i, r.provider_payment_id);
    end if;
  elsif i.id is null then
    outcome := 'unknown_intent';
  elsif i.status not in ('open', 'processing') then
    outcome := 'stale';
  elsif not matches then
    outcome := 'mismatch';
  elsif r.type = 'payment.pending' then
    outcome := 'processing';
    if i.status = 'open' then
      update payment_intents p set status = 'processing', updated_at = at where p.id = i.id;
    end if;
  elsif r.final then
    outcome := 'failed';
    update payment_intents p
       set status = 'failed', failed_at = at, updated_at = at, last_payment_error = r.failure
     where p.id = i.id;
  else
    outcome := 'attempt_failed';
    update payment_intents p set last_payment_error = r.failure, updated_at = at where p.id = i.id;
  end if;

  if i.id is not null then
    perform note_intent(i.id, 'gateway', 'notified', jsonb_build_object(
      'event_id', n.event_id, 'type', r.type, 'outcome', outcome,
      'provider_payment_id', r.provider_payment_id));
    select p.status into strict status from payment_intents p where p.id = i.id;
    if status <> i.status and status in ('succeeded', 'failed') then
      event_id := gen_random_uuid();
      event_sequence := next_event_sequence(i.user_id, i.environment);
    end if;
  end if;
  update gateway_notifications g
     set outcome = apply_notification.outcome, applied_at = clock_timestamp(),
         intent_id = apply_notification.intent_id
   where g.id = notification_id;
  return next;
end $$;

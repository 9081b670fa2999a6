-- Notifications of payment gateways: stored once per event, applied exactly once.

-- In PL/pgSQL, so that no plan of another payment has it.
create or replace function has_attempt_at(intent uuid, at_gateway text) returns boolean language plpgsql stable as $$
begin
  return exists (select from payment_attempts a where a.intent_id = intent and a.gateway = at_gateway);
end $$;

-- The intent that a notification names, by id or by reference; when it names both, both must match. The gateway is
-- the intent's own, or one at which a customer has tried to pay it by phone.
create or replace function find_notified_intent(from_gateway text, env text, intent uuid, ref text)
returns setof payment_intents language sql stable as $$
  select p.* from payment_intents p
   where p.environment = env and p.id = intent and (ref is null or p.reference = ref)
     and (p.gateway = from_gateway or has_attempt_at(p.id, from_gateway))
  union all
  select p.* from payment_intents p
   where p.environment = env and intent is null and p.reference = ref
     and (p.gateway = from_gateway or has_attempt_at(p.id, from_gateway))
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

-- Books the payment that an intent waits for: to the wallet, less the fee. A payment that is above a limit of
-- the wallet is held in suspense, and one that a rule speaks of in `holds`, for an operator. Locks only accounts that
-- it uses: all merchants share those for fees and suspense. Returns the notification's outcome; null when it has to be
-- tried again, because the wallet has no more room for the payment since it was looked at; or `unasked`, with nothing
-- written, when others are to be asked first, and nothing was heard of it.
create or replace function book_payment(
  n gateway_notifications, i payment_intents, payment text, method text, heard jsonb
) returns text language plpgsql as $$
declare
  wallet bigint := wallet_account(i.user_id, i.environment, i.currency);
  clearing bigint := clearing_account(n.environment, i.currency, n.gateway);
  fee bigint;
  tax bigint;
  fee_until timestamptz;
  fees bigint;
  taxes bigint;
  balance bigint;
  marked timestamptz;
  over limit_facts;
  looks_full boolean;
  is_watched boolean;
  is_questioned boolean;
  is_unasked boolean;
  o risk_order;
  reasons jsonb := '[]';
  at timestamptz := hold_fee_rules();
begin
  select f.fee_minor, f.tax_minor, f.holds_until into strict fee, tax, fee_until
    from fee_of('payment_intent', i.currency, i.amount_minor, null, i.user_id, method, at) f;
  -- All locks are taken in one order, so whether suspense is needed must be known before the first.
  select a.balance_minor, a.limited_at, 'payment/' || i.environment = any (c.watched) or has_heard(heard),
         'ask/payment/' || i.environment = any (c.watched) and heard is null
    into strict balance, marked, is_watched, is_unasked
    from ledger_accounts a join currencies c on c.code = i.currency where a.id = wallet;
  looks_full := (look_at_limit(wallet, marked, i.amount_minor - fee, balance)).limit_name is not null;
  if is_unasked and not looks_full then
    return 'unasked';
  end if;
  o := row('payment', i.environment, i.user_id, null, null, null, i.currency, i.amount_minor, heard);
  if is_watched then
    perform lock_risk(o);
    reasons := risk_reasons(o, '{}');
  end if;
  if fee > tax then
    fees := system_account(i.environment, i.currency, 'fees');
  end if;
  if tax > 0 then
    taxes := system_account(i.environment, i.currency, 'taxes');
  end if;
  perform lock_accounts(array[wallet, clearing, fees, taxes,
    case when looks_full then system_account(i.environment, i.currency, 'suspense') end]);
  select a.balance_minor, a.limited_at, a.is_questioned into strict balance, marked, is_questioned
    from ledger_accounts a where a.id = wallet;
  if is_questioned then
    reasons := account_reasons(array[i.user_id]) || reasons;
  end if;
  over := exceeded_limit(wallet, marked, true, i.amount_minor - fee, balance);
  if over.limit_name is not null then
    if not looks_full then
      return null;
    end if;
    perform hold_in_suspense(n, i, 'limit_exceeded', payment, i.currency, i.amount_minor, over.limit_name);
    return 'suspense';
  end if;
  if jsonb_array_length(reasons) > 0 then
    perform hold_payment(n, i, payment, method, o, reasons);
    return 'held';
  end if;
  at := settle_intent(i, array[
    row(wallet, i.amount_minor - fee)::ledger_leg,
    row(fees, fee - tax)::ledger_leg,
    row(taxes, tax)::ledger_leg,
    row(clearing, -i.amount_minor)::ledger_leg], fee, tax, fee_until, balance, marked);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, method, currency,
    amount_minor, booked_as, ledger_reference, booked_at)
  values (n.gateway, n.environment, payment, i.id, method, i.currency, i.amount_minor, 'payment', i.reference,
    at);
  return 'succeeded';
end $$;

-- Moves a payment to the wallet, less the fee, and ends its intent. The caller has locked the accounts of the legs;
-- `balance` is the wallet's before, `marked` its limited_at.
create or replace function settle_intent(
  i payment_intents, legs ledger_leg[], fee bigint, tax bigint, fee_until timestamptz, balance bigint, marked timestamptz
) returns timestamptz language plpgsql as $$
declare
  shown constant uuid := uuidv7();
  journal constant uuid := uuidv7();
  at timestamptz;
begin
  at := post_entries(journal, i.reference, 'payment', '', i.environment, i.currency, legs);
  perform refuse_other_fee(at, fee_until);
  perform add_transactions(
    array[row(shown, i.user_id, 'deposit', 'in', balance + i.amount_minor - fee,
      null)::transaction_side],
    'completed', i.environment, i.currency, i.amount_minor, fee, i.reference, i.description,
    i.id::text, journal, at, tax);
  if marked is not null then
    perform count_in_limits(array[shown]);
  end if;
  update payment_intents p
     set status = 'succeeded', fee_minor = fee, tax_minor = tax, transaction_id = shown, hold = null,
         succeeded_at = at, updated_at = at, last_payment_error = null,
         received_minor = case when p.hold is null then coalesce(p.received_minor, 0) + p.amount_minor
                               else p.received_minor end
   where p.id = i.id;
  perform order_receipt(i);
  perform note_intent(i.id, 'ledger', 'posted', jsonb_build_object(
    'reference', i.reference, 'currency', i.currency,
    'amount_minor', i.amount_minor::text, 'fee_minor', fee::text, 'tax_minor', tax::text));
  return at;
end $$;

-- Applies one notification of the inbox, exactly once, regardless of content and timing. It is one
-- statement, with the event, so that no lock is held while a process or a network does something else.
--
-- `outcome` is null when nothing is done yet, because the wallet has no more room meanwhile (book_payment):
-- the caller tries again.
--
-- Locks, in this order: the notification, the intent, its attempt, accounts by id, the day of its sales, the event
-- counter.
create or replace function apply_stored_notification(
  notification_id bigint, pay_url_base text, heard jsonb default null
) returns table (outcome text, intent_id uuid, status text, has_ended boolean)
language plpgsql security definer set search_path = public, pg_temp
-- Planned once, by index and in one function, as in post_transfer_batch.
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  n gateway_notifications;
  r record;
  i payment_intents;
  a payment_attempts;
  changed payment_intents;
  at timestamptz;
  matches boolean;
  fails_attempt boolean;
begin
  has_ended := false;
  select * into strict n from gateway_notifications g where g.id = notification_id for update;
  select * into strict r from jsonb_to_record(n.notification) q (
    type text, final boolean, intent_id uuid, reference text, provider_payment_id text,
    amount_minor bigint, currency text, failure jsonb, attempt_id uuid, asks integer, nothing_done boolean, method text);
  -- A line of its timeline that another writes, who holds the accounts, does not wait for this lock.
  select p.* into i from payment_intents p
   where p.id = (select f.id from find_notified_intent(n.gateway, n.environment, r.intent_id, r.reference) f)
     and p.status <> 'creating'
     for no key update;
  if r.attempt_id is not null then
    select x.* into a from payment_attempts x
     where x.id = r.attempt_id and x.intent_id = i.id and x.gateway = n.gateway for update;
  end if;
  intent_id := i.id;
  status := i.status;
  if n.outcome is not null then
    outcome := n.outcome;
    return next;
    return;
  end if;
  -- Null where it is of no attempt, as each that is pending.
  fails_attempt := is_attempt_failed(a, r.asks, r.failure, r.nothing_done);
  matches := coalesce(i.amount_minor = r.amount_minor and i.currency = r.currency, false);
  at := clock_timestamp();

  if r.type = 'payment.succeeded' then
    if exists (select from gateway_payments p where p.gateway = n.gateway
         and p.environment = n.environment and p.provider_payment_id = r.provider_payment_id) then
      outcome := 'duplicate';
    elsif i.id is null then
      outcome := 'suspense';
      perform hold_in_suspense(n, i, 'unknown_intent', r.provider_payment_id, r.currency, r.amount_minor);
    elsif i.status not in ('open', 'processing') or i.hold is not null then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case when i.status = 'succeeded' or i.hold is not null then 'second_payment' else 'late' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    elsif not matches then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case when i.currency = r.currency then 'amount' else 'currency' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    else
      -- The operator of a phone; else the word that the gateway's notification has. Stripe's checkouts take cards.
      outcome := book_payment(n, i, r.provider_payment_id,
        coalesce(a.operator, r.method, case n.gateway when 'stripe' then 'card' end), heard);
      if outcome is null or outcome = 'unasked' then
        return next;
        return;
      end if;
    end if;
  elsif i.id is null then
    outcome := 'unknown_intent';
  elsif i.status not in ('open', 'processing') or i.hold is not null or not fails_attempt then
    outcome := 'stale';
  elsif not matches then
    outcome := 'mismatch';
  elsif r.type = 'payment.pending' then
    outcome := 'processing';
    if i.status = 'open' then
      update payment_intents p set status = 'processing', updated_at = at where p.id = i.id;
    end if;
  elsif r.final and not is_asked_by_phone(i.id) then
    outcome := 'failed';
    update payment_intents p
       set status = 'failed', failed_at = at, updated_at = at, last_payment_error = r.failure
     where p.id = i.id;
  else
    outcome := 'attempt_failed';
    update payment_intents p set last_payment_error = r.failure - 'provider_code', updated_at = at where p.id = i.id;
  end if;
  if r.type = 'payment.succeeded' and a.status <> 'succeeded' then
    perform end_attempt(a, 'succeeded', null, r.provider_payment_id, false);
  elsif fails_attempt then
    perform end_attempt(a, 'failed', r.failure, null, r.nothing_done);
  end if;

  if i.id is not null then
    perform note_intent(i.id, 'gateway', 'notified', jsonb_build_object(
      'event_id', n.event_id, 'type', r.type, 'outcome', outcome,
      'provider_payment_id', r.provider_payment_id));
    select * into strict changed from payment_intents p where p.id = i.id;
    status := changed.status;
    if status <> i.status and status in ('succeeded', 'failed') then
      perform add_intent_event(changed, pay_url_base);
      has_ended := true;
    elsif outcome = 'held' then
      perform add_intent_event(changed, pay_url_base, 'payment.held');
    end if;
  end if;
  update gateway_notifications g
     set outcome = apply_stored_notification.outcome, applied_at = clock_timestamp(),
         intent_id = apply_stored_notification.intent_id
   where g.id = notification_id;
  return next;
end $$;

-- Takes notifications that wait to be applied, the longest waiting first: their signal was lost, no worker
-- ran, or their workflow is stuck. Each gets a longer pause with every try, so that those that cannot be
-- helped leave room for the others. Of several callers only one gets each.
create or replace function claim_waiting_notifications(older_than_ms integer, max_claimed integer)
returns table (
  id bigint, gateway text, environment text, intent_id uuid, intent_status text, age_ms double precision
)
language sql security definer set search_path = public, pg_temp as $$
  with chosen as materialized (
    select g.id from gateway_notifications g
     where g.outcome is null
       and g.received_at < now() - older_than_ms * interval '1 millisecond'
       and (g.next_try_at is null or g.next_try_at <= now())
     -- One that was tried goes behind those that came since.
     order by coalesce(g.next_try_at, g.received_at) limit max_claimed
     for update skip locked
  ), claimed as (
    update gateway_notifications g
       set tries = g.tries + 1,
           next_try_at = clock_timestamp()
             + least(interval '10 seconds' * power(2, least(g.tries, 10)), interval '10 minutes')
      from chosen c where g.id = c.id
    returning g.*
  )
  select c.id, c.gateway, c.environment, f.id, f.status,
         (extract(epoch from clock_timestamp() - c.received_at) * 1000)::double precision
    from claimed c
    left join lateral find_notified_intent(c.gateway, c.environment,
         (c.notification ->> 'intent_id')::uuid, c.notification ->> 'reference') f on true
$$;

-- Keeps why a notification could not be applied, for operators.
create or replace function note_notification_error(notification_id bigint, error text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update gateway_notifications g set last_error = left(error, 500)
   where g.id = notification_id and g.outcome is null
$$;

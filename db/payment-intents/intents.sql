-- The life of a payment intent, from its creation to its end, and its timeline. All functions that
-- change an intent lock its row first, so that the row decides every race.

create or replace function note_intent(intent uuid, source text, kind text, detail jsonb default '{}')
returns void language sql as $$
  insert into intent_timeline (intent_id, source, kind, detail) values (intent, source, kind, detail)
$$;

create or replace function intent_json(i payment_intents, pay_url_base text) returns table (body json)
language sql stable as $$
  select row_to_json(shown)
    from (select i.id, i.short_code, i.reference, decimal_amount(i.amount_minor) as amount, i.currency,
                 i.status, i.checkout_url, pay_url_base || '/p/' || i.short_code as pay_url, i.environment,
                 i.country, i.description, i.customer_email, i.customer_phone,
                 flat_json(i.metadata) as metadata, i.return_url, i.cancel_url,
                 decimal_amount(i.fee_minor) as fee, decimal_amount(i.tax_minor) as tax,
                 decimal_amount(coalesce(i.settled_minor, i.amount_minor) - i.fee_minor) as net_amount,
                 decimal_amount(i.received_minor) as amount_received,
                 case i.status when 'succeeded' then decimal_amount(i.refunded_minor) end as refunded_amount,
                 flat_json(i.last_payment_error) as last_payment_error, i.hold, i.transaction_id,
                 instant(i.created_at) as created_at, instant(i.updated_at) as updated_at,
                 instant(shown_due(i.expires_at, i.clock_seconds)) as expires_at, instant(i.succeeded_at) as succeeded_at,
                 instant(i.failed_at) as failed_at, instant(i.expired_at) as expired_at,
                 instant(i.canceled_at) as canceled_at, i.payment_link_id, i.quantity,
                 flat_json(i.collected) as collected) shown
$$;

-- Writes the row before anything else happens, once per id: the id is made from the idempotency
-- key. An abandoned intent is created again, and so is one that has expired before its checkout was
-- open. The whole row is returned, so that the request that opens the checkout need not read it
-- again. An intent is shown to no caller before its checkout is open. No row past `accept_before`,
-- if there is one: nothing is written then. An intent of a payment link takes a place in it;
-- `refusal` is `link_inactive`, `link_expired` or `link_sold_out` when there is none, and `limit_exceeded` when the wallet
-- can never take so much.
create or replace function create_intent(request jsonb)
returns table (
  intent payment_intents, is_new boolean, refusal text,
  limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  at timestamptz;
  clock integer;
  wallet record;
  over limit_facts;
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, environment text, user_id uuid, short_code text, reference text,
    amount_minor bigint, currency text, country text, description text, customer_email text,
    customer_phone text, metadata jsonb, gateway text, expires_in_seconds integer,
    idempotency_key text, fingerprint jsonb, request_id text, return_url text, cancel_url text,
    accept_before timestamptz, payment_link_id uuid, quantity integer, collected jsonb);
  -- A caller who asks by the key waits for this one, and then knows.
  perform pg_advisory_xact_lock(
    idempotency_lock(r.user_id, r.environment, 'payment_intent', r.idempotency_key));
  clock := hold_sandbox_clock(r.user_id, r.environment);
  at := clock_timestamp();
  if at > r.accept_before then
    return;
  end if;
  select a.id, a.held_by, a.limited_at into strict wallet from ledger_accounts a
   where a.user_id = r.user_id and a.environment = r.environment and a.currency = r.currency;
  refusal := wallet.held_by;
  if refusal is null and wallet.limited_at is not null
     and not exists (select from payment_intents i where i.id = r.id) then
    over := never_room_for_payment(wallet.id, r.currency, r.amount_minor);
    if over.limit_name is not null then
      refusal := 'limit_exceeded';
      limit_name := over.limit_name;
      maximum_minor := over.maximum_minor;
      used_minor := over.used_minor;
    end if;
  end if;
  if refusal is null and r.payment_link_id is not null
     and not exists (select from payment_intents i where i.id = r.id) then
    refusal := take_link_place(r.payment_link_id);
  end if;
  if refusal is not null then
    return next;
    return;
  end if;
  loop
    insert into payment_intents as i (id, environment, user_id, status, short_code, reference,
      amount_minor, currency, country, description, customer_email, customer_phone, metadata,
      gateway, idempotency_key, fingerprint, request_id, created_at, updated_at, expires_at,
      return_url, cancel_url, payment_link_id, quantity, collected, clock_seconds)
    values (r.id, r.environment, r.user_id, 'creating', r.short_code, r.reference,
      r.amount_minor, r.currency, r.country, r.description, r.customer_email, r.customer_phone,
      r.metadata, r.gateway, r.idempotency_key, r.fingerprint, r.request_id, at, at,
      at + r.expires_in_seconds * interval '1 second', r.return_url, r.cancel_url,
      r.payment_link_id, r.quantity, r.collected, clock)
    on conflict do nothing
    returning i.* into intent;
    is_new := found;
    exit when is_new;
    select i.* into intent from payment_intents i where i.id = r.id for update;
    exit when found;
    -- Another intent of this user has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  if is_new then
    perform note_intent(r.id, 'api', 'requested', jsonb_build_object('request_id', r.request_id));
  elsif intent.fingerprint = r.fingerprint and (intent.status = 'abandoned'
          or intent.status = 'creating' and intent.expires_at <= clock_timestamp()) then
    -- It was never visible: its life begins now.
    if intent.status = 'abandoned' and intent.payment_link_id is not null then
      refusal := take_link_place(intent.payment_link_id);
      if refusal is not null then
        return next;
        return;
      end if;
    end if;
    at := clock_timestamp();
    update payment_intents i
       set status = 'creating', created_at = at, updated_at = at, request_id = r.request_id,
           clock_seconds = clock, expires_at = at + r.expires_in_seconds * interval '1 second'
     where i.id = r.id
    returning i.* into intent;
    perform note_intent(r.id, 'api', 'requested_again', jsonb_build_object('request_id', r.request_id));
  end if;
  return next;
end $$;

-- The limit of an empty wallet that a payment is above, less today's fee.
create or replace function never_room_for_payment(wallet bigint, cur text, amount bigint) returns limit_facts
language plpgsql as $$
declare
  w wallet_limits;
  fee bigint;
begin
  select f.fee_minor into strict fee
    from fee_of('payment_intent', cur, amount, null, (select a.user_id from ledger_accounts a where a.id = wallet), null,
      statement_timestamp()) f;
  select * into w from limits_of_wallets(array[wallet], clock_timestamp());
  w.most[3:4] := array[null, null]::bigint[];
  return exceeded_limit(w, true, amount - fee, 0);
end $$;

-- Begins an intent again that has expired before its checkout is open: no caller has seen it.
-- Returns whether it has.
create or replace function restart_intent(intent uuid) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  with began as (select clock_timestamp() as at)
  update payment_intents p
     set created_at = b.at, updated_at = b.at, expires_at = b.at + (p.expires_at - p.created_at)
    from began b
   where p.id = intent and p.status = 'creating' and p.expires_at <= b.at
  returning true
$$;

-- The checkout is open at the gateway, for the life of the intent that began at `began`: from here
-- on the intent is visible, and the response to its request is kept and returned. Null when nothing
-- is changed, because the row has to be read again: another attempt was faster; or the intent has
-- begun again meanwhile, or has to, because no customer gets a checkout that has expired already.
create or replace function open_intent(
  intent uuid, began timestamptz, session text, url text, lapses timestamptz, pay_url_base text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
  response text;
begin
  select * into strict i from payment_intents p where p.id = intent for update;
  if i.status <> 'creating' or i.created_at <> began or i.expires_at <= clock_timestamp() then
    return null;
  end if;
  insert into checkout_sessions (intent_id, number, session_id, checkout_url, lapses_at)
  values (intent, 1, session, url, lapses);
  update payment_intents p set status = 'open', checkout_url = url where p.id = intent
  returning p.* into i;
  select ok_json(s.body) into strict response from intent_json(i, pay_url_base) s;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  values (i.user_id, i.environment, 'payment_intent', i.idempotency_key, i.fingerprint, 201, response,
    i.reference, i.request_id);
  perform note_intent(intent, 'workflow', 'checkout_opened',
    jsonb_build_object('gateway', i.gateway, 'session_id', session, 'number', 1));
  return response;
end $$;

-- Replaces a session that lapsed at the gateway while the intent is open.
create or replace function renew_checkout(
  intent uuid, next_number integer, session text, url text, lapses timestamptz
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
begin
  select * into strict i from payment_intents p where p.id = intent for update;
  insert into checkout_sessions (intent_id, number, session_id, checkout_url, lapses_at)
  values (intent, next_number, session, url, lapses)
  on conflict do nothing;
  if found then
    if i.status = 'open' then
      update payment_intents p set checkout_url = url, updated_at = clock_timestamp() where p.id = intent;
    end if;
    perform note_intent(intent, 'workflow', 'checkout_opened',
      jsonb_build_object('gateway', i.gateway, 'session_id', session, 'number', next_number));
  end if;
  return i.status;
end $$;

create or replace function abandon_intent(intent uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
begin
  update payment_intents p set status = 'abandoned', updated_at = clock_timestamp()
   where p.id = intent and p.status = 'creating';
  if found then
    perform note_intent(intent, 'workflow', 'abandoned');
  end if;
  select p.status into strict now_status from payment_intents p where p.id = intent;
  return now_status;
end $$;

-- Abandons intents that were never opened and expired ten minutes ago, of whatever gateway: the process that wrote the
-- row died before the workflow began, or Temporal was away, and a workflow would have given up by now. Each may
-- hold a place in a link. The key may still create the intent again. Links are locked at the commit, under the event
-- counters of their accounts (expire_intents); what another session holds is left for the next turn.
create or replace function abandon_lost_intents() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  lost record;
begin
  for lost in
    select p.id, p.user_id, p.environment from payment_intents p
     where p.status = 'creating' and p.expires_at <= now() - interval '10 minutes'
     order by p.user_id, p.environment, p.id
       for update skip locked
  loop
    perform lock_event_counter(lost.user_id, lost.environment);
    perform abandon_intent(lost.id);
  end loop;
end $$;

-- Carries out an expiry. The caller holds the lock of the intent's row.
create or replace function expire_intent(intent uuid, at timestamptz, pay_url_base text)
returns void language plpgsql as $$
declare
  i payment_intents;
begin
  update payment_intents p set status = 'expired', expired_at = at, updated_at = at
   where p.id = intent
  returning p.* into i;
  perform note_intent(intent, 'workflow', 'expired');
  perform add_intent_event(i, pay_url_base);
  if i.clock_seconds is not null then
    -- The clock has passed this moment, and maybe those of the retries as well.
    update webhook_deliveries d set next_attempt_at = i.expires_at
      from events e
     where e.intent_id = intent and d.event_id = e.id and d.status = 'pending';
  end if;
end $$;

-- Ends an intent that was not paid, as the merchant or an operator ordered. The row decides a race between
-- a payment and the end: the second one finds the status of the first and changes nothing. One that a customer is
-- asked to pay on a phone stays open.
create or replace function cancel_intent(intent uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
  at timestamptz;
begin
  select p.status into strict now_status from payment_intents p where p.id = intent for update;
  if now_status <> 'open' or is_asked_by_phone(intent) then
    return now_status;
  end if;
  at := clock_timestamp();
  update payment_intents p set status = 'canceled', canceled_at = at, updated_at = at
   where p.id = intent;
  perform note_intent(intent, 'workflow', 'canceled');
  return 'canceled';
end $$;

-- Takes intents of one gateway that have expired, for the caller to end: each is tried again by the first
-- process that comes after a pause, which doubles from 5 seconds to 15 minutes. The accounts take turns among
-- the 5,000 that are due for longest. Waits for no row that another session holds. What is_asked_by_phone says is
-- written out, because the planner does not look into a function.
create or replace function claim_due_intents(env text, gateway text, max_claimed integer)
returns setof uuid
language sql security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select p.id, p.user_id, coalesce(p.next_check_at, p.expires_at) as due_at from payment_intents p
     where p.environment = env and p.gateway = claim_due_intents.gateway
       and p.status in ('open', 'processing') and coalesce(p.next_check_at, p.expires_at) <= now()
       and p.hold is null and not exists (select from payment_attempts a
                        where a.intent_id = p.id and a.status = 'waiting' and a.charge_asked_at is not null)
     order by due_at limit 5000
  ), ranked as (
    select d.*, row_number() over (partition by d.user_id order by d.due_at, d.id) as turn from due d
  ), chosen as materialized (
    select r.id from ranked r order by r.turn, r.due_at limit max_claimed
  ), locked as materialized (
    select p.id from payment_intents p join chosen c on c.id = p.id
     where p.status in ('open', 'processing') and coalesce(p.next_check_at, p.expires_at) <= now()
       for update of p skip locked
  )
  update payment_intents p
     set checks = p.checks + 1,
         next_check_at = clock_timestamp()
           + least(interval '5 seconds' * power(2, least(p.checks, 10)), interval '15 minutes')
    from locked l where p.id = l.id
  returning p.id
$$;

-- Ends many intents that have expired, whose sessions at their gateway are closed. It waits for no intent,
-- and for an account that is getting another event only as long as that takes. What another session is
-- changing is left as it is.
-- Returns those that it ended.
--
-- Locks, in this order: the event counters, by account; under each, its intents as they were due, without waiting; at
-- the commit the links that they hold places of, which no other statement locks many of without the account's counter.
create or replace function expire_intents(ids uuid[], pay_url_base text)
returns setof uuid
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '100ms' as $$
declare
  r record;
  i payment_intents;
  at timestamptz;
  account uuid;
  env text;
  is_account_free boolean;
begin
  for r in select p.id, p.user_id, p.environment
             from unnest(ids) q (id) join payment_intents p on p.id = q.id
            order by p.user_id, p.environment, p.expires_at, p.id
  loop
    if (r.user_id, r.environment) is distinct from (account, env) then
      account := r.user_id;
      env := r.environment;
      begin
        perform lock_event_counter(account, env);
        is_account_free := true;
      exception when lock_not_available then
        is_account_free := false;
      end;
    end if;
    continue when not is_account_free;
    select * into i from payment_intents p where p.id = r.id for update skip locked;
    at := clock_timestamp();
    continue when not found or i.status not in ('open', 'processing') or i.hold is not null or at < i.expires_at
      or is_asked_by_phone(i.id);
    perform expire_intent(r.id, at, pay_url_base);
    return next r.id;
  end loop;
end $$;

-- Decides which of all that ask for the next session of a lapsed checkout asks the workflow: `is_first`. The
-- others learn whether its answer is still to come, and for how long no caller is first again.
create or replace function begin_checkout_renewal(intent uuid, cool_down_ms integer)
returns table (is_first boolean, is_asking boolean, wait_ms integer)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into checkout_renewals as c (intent_id, retry_at, is_asking)
  values (intent, clock_timestamp() + cool_down_ms * interval '1 millisecond', true)
  on conflict (intent_id) do update set retry_at = excluded.retry_at, is_asking = true
   where c.retry_at <= clock_timestamp();
  is_first := found;
  select c.is_asking, greatest(0, ceil(extract(epoch from c.retry_at - clock_timestamp()) * 1000))
    into strict is_asking, wait_ms from checkout_renewals c where c.intent_id = intent;
  return next;
end $$;

-- The workflow has answered: those that wait for it look at the intent.
create or replace function end_checkout_renewal(intent uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  update checkout_renewals c set is_asking = false where c.intent_id = intent
$$;

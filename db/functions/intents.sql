-- The life of a payment intent, from its creation to its end, and its timeline. All functions that
-- change an intent lock its row first, so that the row decides every race.

create or replace function note_intent(intent uuid, source text, kind text, detail jsonb default '{}')
returns void language sql as $$
  insert into intent_timeline (intent_id, source, kind, detail) values (intent, source, kind, detail)
$$;

-- Writes the row before anything else happens, once per id: the id is made from the idempotency key. An
-- abandoned intent is created again. The whole row is returned, so that the request that opens the
-- checkout need not read it again. Nobody sees an intent before its checkout is open.
create or replace function create_intent(request jsonb)
returns table (intent payment_intents, is_new boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  at timestamptz := clock_timestamp();
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, environment text, user_id uuid, short_code text, reference text,
    amount_minor bigint, currency text, country text, description text, customer_email text,
    customer_phone text, metadata jsonb, gateway text, expires_in_seconds integer,
    idempotency_key text, fingerprint jsonb, request_id text);
  loop
    insert into payment_intents as i (id, environment, user_id, status, short_code, reference,
      amount_minor, currency, country, description, customer_email, customer_phone, metadata,
      gateway, idempotency_key, fingerprint, request_id, created_at, updated_at, expires_at)
    values (r.id, r.environment, r.user_id, 'creating', r.short_code, r.reference,
      r.amount_minor, r.currency, r.country, r.description, r.customer_email, r.customer_phone,
      r.metadata, r.gateway, r.idempotency_key, r.fingerprint, r.request_id, at, at,
      at + r.expires_in_seconds * interval '1 second')
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
  elsif intent.status = 'abandoned' and intent.fingerprint = r.fingerprint then
    -- It was never visible: its life begins now.
    update payment_intents i
       set status = 'creating', created_at = at, updated_at = at, request_id = r.request_id,
           expires_at = at + r.expires_in_seconds * interval '1 second'
     where i.id = r.id
    returning i.* into intent;
    perform note_intent(r.id, 'api', 'requested_again', jsonb_build_object('request_id', r.request_id));
  end if;
  return next;
end $$;

-- The checkout is open at the gateway: from here on the intent is visible, and the response to its
-- request is kept; `body` is the response's bytes. Returns the current status: a retry changes nothing.
create or replace function open_intent(
  intent uuid, session text, url text, lapses timestamptz, body text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
begin
  select * into strict i from payment_intents p where p.id = intent for update;
  if i.status <> 'creating' then
    return i.status;
  end if;
  insert into checkout_sessions (intent_id, number, session_id, checkout_url, lapses_at)
  values (intent, 1, session, url, lapses);
  update payment_intents p set status = 'open', checkout_url = url where p.id = intent;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  values (i.user_id, i.environment, 'payment_intent', i.idempotency_key, i.fingerprint, 201, body,
    i.reference, i.request_id);
  perform note_intent(intent, 'workflow', 'checkout_opened',
    jsonb_build_object('gateway', i.gateway, 'session_id', session, 'number', 1));
  return 'open';
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

-- Ends an intent that was not paid; `final` is `expired` or `canceled`. The row decides a race between
-- a payment and the end: the second one finds the status of the first and changes nothing.
create or replace function end_intent(intent uuid, final text)
returns table (
  status text, early_ms integer, event_id uuid, event_sequence bigint
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
  at timestamptz;
  changed boolean := false;
begin
  select * into strict i from payment_intents p where p.id = intent for update;
  at := clock_timestamp();
  status := i.status;
  if final = 'expired' then
    if i.status in ('open', 'processing') then
      if at < i.expires_at then
        -- The timer's clock is ahead of the database's.
        early_ms := ceil(extract(epoch from i.expires_at - at) * 1000);
      else
        update payment_intents p set status = 'expired', expired_at = at, updated_at = at
         where p.id = intent;
        changed := true;
        event_id := gen_random_uuid();
        event_sequence := next_event_sequence(i.user_id, i.environment);
      end if;
    end if;
  elsif final = 'canceled' then
    if i.status = 'open' then
      update payment_intents p set status = 'canceled', canceled_at = at, updated_at = at
       where p.id = intent;
      changed := true;
    end if;
  else
    raise exception '% does not end an intent', final using errcode = 'check_violation';
  end if;
  if changed then
    status := final;
    perform note_intent(intent, 'workflow', final);
  end if;
  return next;
end $$;

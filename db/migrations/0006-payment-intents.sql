-- Payment intents, what gateways say of them, the money that comes of it, and the events that tell
-- merchants. Every change of an intent's status is in here, so that a race is decided by a row lock.

create table payment_intents (
  id             uuid primary key,
  environment    text not null check (environment in ('live', 'sandbox')),
  account_id     uuid not null references users,
  status         text not null check (status in ('creating', 'abandoned', 'open', 'processing',
                 'succeeded', 'failed', 'expired', 'canceled')),
  short_code     text not null unique,
  reference      text not null unique,
  amount_minor   bigint not null check (amount_minor between 1 and 999999999999999),
  fee_minor      bigint not null default 0 check (fee_minor between 0 and amount_minor),
  currency       text not null references currencies,
  country        text,
  description    text,
  customer_email text,
  customer_phone text,
  metadata       jsonb not null,
  gateway        text not null,
  checkout_url   text,
  last_payment_error jsonb,
  transaction_id uuid,
  idempotency_key text not null,
  fingerprint    jsonb not null,
  request_id     text not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  expires_at     timestamptz not null,
  succeeded_at   timestamptz,
  failed_at      timestamptz,
  expired_at     timestamptz,
  canceled_at    timestamptz,
  check (currency <> 'XOF' or amount_minor % 100 = 0),
  check (status in ('creating', 'abandoned') or checkout_url is not null),
  check ((status = 'succeeded') = (succeeded_at is not null and transaction_id is not null)),
  check ((status = 'failed') = (failed_at is not null)),
  check ((status = 'expired') = (expired_at is not null)),
  check ((status = 'canceled') = (canceled_at is not null))
);
-- The list's cursor is a bare timestamp, as in GET /transactions: a total order by itself.
create unique index payment_intents_cursor on payment_intents (account_id, environment, created_at);
create index payment_intents_by_status
  on payment_intents (account_id, environment, status, created_at);
create index payment_intents_by_currency
  on payment_intents (account_id, environment, currency, created_at);
create index payment_intents_by_email
  on payment_intents (account_id, environment, customer_email, created_at)
  where customer_email is not null;

-- domain/intent.ts has the same table with the causes; a test holds them against each other.
create table intent_edges (
  from_status text,
  to_status   text,
  primary key (from_status, to_status)
);
insert into intent_edges values
  ('creating', 'open'), ('creating', 'abandoned'), ('abandoned', 'creating'),
  ('open', 'processing'), ('open', 'succeeded'), ('open', 'failed'), ('open', 'expired'),
  ('open', 'canceled'),
  ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'expired');

create function check_intent_edge() returns trigger language plpgsql as $$
begin
  if not exists (select from intent_edges where from_status = old.status and to_status = new.status) then
    raise exception 'an intent cannot go from % to %', old.status, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payment_intents_edges before update on payment_intents
  for each row when (old.status <> new.status) execute function check_intent_edge();

-- One live session per intent: the highest number.
create table checkout_sessions (
  intent_id    uuid not null references payment_intents,
  number       integer not null check (number > 0),
  session_id   text not null,
  checkout_url text not null,
  lapses_at    timestamptz,
  opened_at    timestamptz not null default clock_timestamp(),
  primary key (intent_id, number)
);

-- What happened, in order, complete without Temporal.
create table intent_timeline (
  id        bigint generated always as identity,
  intent_id uuid not null,
  at        timestamptz not null default clock_timestamp(),
  source    text not null check (source in ('api', 'workflow', 'gateway', 'ledger', 'webhook')),
  kind      text not null,
  detail    jsonb not null default '{}',
  primary key (intent_id, id)
);

-- The inbox: every notification whose signature held, once per event of the gateway.
create table gateway_notifications (
  id           bigint generated always as identity primary key,
  gateway      text not null,
  environment  text not null check (environment in ('live', 'sandbox')),
  event_id     text not null check (length(event_id) between 1 and 255),
  notification jsonb not null,
  -- As it came, for whoever has to argue with the gateway.
  body         bytea not null,
  intent_id    uuid,
  received_at  timestamptz not null default clock_timestamp(),
  applied_at   timestamptz,
  outcome      text check (outcome in ('succeeded', 'failed', 'attempt_failed', 'processing',
               'suspense', 'duplicate', 'stale', 'mismatch', 'unknown_intent')),
  unique (gateway, environment, event_id),
  check ((outcome is null) = (applied_at is null))
);
create index gateway_notifications_waiting on gateway_notifications (received_at) where outcome is null;
create index gateway_notifications_of_intent on gateway_notifications (intent_id);

-- Money is booked once per payment of the gateway, whatever it is booked as.
create table gateway_payments (
  gateway             text not null,
  environment         text not null,
  provider_payment_id text not null check (length(provider_payment_id) between 1 and 255),
  intent_id           uuid,
  currency            text not null references currencies,
  amount_minor        bigint not null check (amount_minor > 0),
  booked_as           text not null check (booked_as in ('payment', 'suspense')),
  ledger_reference    text not null unique,
  booked_at           timestamptz not null,
  primary key (gateway, environment, provider_payment_id)
);

-- Money that no intent can take: an operator accepts it for the merchant or gives it back.
create table suspense_items (
  id                  uuid primary key default gen_random_uuid(),
  reference           text not null unique,
  gateway             text not null,
  environment         text not null,
  provider_payment_id text not null,
  intent_id           uuid,
  account_id          uuid,
  reason              text not null check (reason in
                      ('late', 'second_payment', 'amount', 'currency', 'unknown_intent', 'balance_limit')),
  currency            text not null,
  amount_minor        bigint not null check (amount_minor > 0),
  status              text not null default 'held'
                      check (status in ('held', 'accepted', 'refunding', 'refunded')),
  refund_id           text,
  created_at          timestamptz not null,
  resolved_at         timestamptz,
  foreign key (gateway, environment, provider_payment_id) references gateway_payments,
  unique (gateway, environment, provider_payment_id),
  check ((status in ('accepted', 'refunded')) = (resolved_at is not null))
);
create index suspense_items_open on suspense_items (created_at) where status in ('held', 'refunding');

-- What merchants are told. The bytes are rendered once, in the transaction that changes the intent.
create table event_sequences (
  account_id  uuid not null,
  environment text not null,
  last        bigint not null,
  primary key (account_id, environment)
);
create table events (
  id          uuid primary key,
  account_id  uuid not null,
  environment text not null,
  sequence    bigint not null,
  type        text not null check (type in ('payment.succeeded', 'payment.failed', 'payment.expired')),
  intent_id   uuid not null references payment_intents,
  body        text not null,
  created_at  timestamptz not null,
  unique (account_id, environment, sequence),
  -- One event per terminal change, and an intent has one of those.
  unique (intent_id)
);
create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- An end without its event cannot be committed. A cancellation has none: the merchant did it.
create function check_intent_has_event() returns trigger language plpgsql as $$
begin
  if not exists (select from events e where e.intent_id = new.id and e.type = 'payment.' || new.status) then
    raise exception 'intent % has no event for its end', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger payment_intents_have_event after update on payment_intents
  deferrable initially deferred
  for each row when (new.status in ('succeeded', 'failed', 'expired') and old.status <> new.status)
  execute function check_intent_has_event();

alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check
  check (kind in ('transfer', 'adjustment', 'payment', 'suspense', 'suspense_accepted', 'refund'));

-- The row that answers, events and pages are made from.
create view intent_views as
  select id, environment, account_id, short_code, reference, status, amount_minor, fee_minor, currency,
         country, description, customer_email, customer_phone, metadata, checkout_url,
         last_payment_error, transaction_id, created_at, updated_at, expires_at,
         succeeded_at, failed_at, expired_at, canceled_at
    from payment_intents;

create function note_intent(intent uuid, source text, kind text, detail jsonb default '{}')
returns void language sql as $$
  insert into intent_timeline (intent_id, source, kind, detail) values (intent, source, kind, detail)
$$;

-- Writes the row before anything else happens, once per id: the id is made from the idempotency key.
-- An abandoned one is taken up again. Nobody sees the row before its checkout is open.
create function create_intent(request jsonb)
returns table (
  status text, reference text, short_code text, fingerprint jsonb, expires_at timestamptz,
  is_new boolean
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  at timestamptz := clock_timestamp();
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, environment text, account_id uuid, short_code text, reference text,
    amount_minor bigint, currency text, country text, description text, customer_email text,
    customer_phone text, metadata jsonb, gateway text, expires_in_seconds integer,
    idempotency_key text, fingerprint jsonb, request_id text);
  loop
    insert into payment_intents (id, environment, account_id, status, short_code, reference,
      amount_minor, currency, country, description, customer_email, customer_phone, metadata,
      gateway, idempotency_key, fingerprint, request_id, created_at, updated_at, expires_at)
    values (r.id, r.environment, r.account_id, 'creating', r.short_code, r.reference,
      r.amount_minor, r.currency, r.country, r.description, r.customer_email, r.customer_phone,
      r.metadata, r.gateway, r.idempotency_key, r.fingerprint, r.request_id, at, at,
      at + r.expires_in_seconds * interval '1 second')
    on conflict do nothing;
    is_new := found;
    expires_at := at + r.expires_in_seconds * interval '1 second';
    exit when is_new;
    select i.status, i.reference, i.short_code, i.fingerprint, i.expires_at
      into status, reference, short_code, fingerprint, expires_at
      from payment_intents i where i.id = r.id for update;
    if found then
      if status = 'abandoned' and fingerprint = r.fingerprint then
        -- It was never seen: its life begins now.
        update payment_intents i
           set status = 'creating', created_at = at, updated_at = at, request_id = r.request_id,
               expires_at = at + r.expires_in_seconds * interval '1 second'
         where i.id = r.id
        returning i.status, i.expires_at into status, expires_at;
        perform note_intent(r.id, 'api', 'requested_again', jsonb_build_object('request_id', r.request_id));
      end if;
      return next;
      return;
    end if;
    -- Another of this account's intents has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  perform note_intent(r.id, 'api', 'requested', jsonb_build_object('request_id', r.request_id));
  status := 'creating';
  reference := r.reference;
  short_code := r.short_code;
  fingerprint := r.fingerprint;
  return next;
end $$;

-- The checkout is open at the gateway: from here on the intent can be seen, and the answer to its
-- request is kept. `body` is the answer's bytes. Returns the status as it stands now: a repetition
-- changes nothing.
create function open_intent(
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
  insert into idempotency_keys (account_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  values (i.account_id, i.environment, 'payment_intent', i.idempotency_key, i.fingerprint, 201, body,
    i.reference, i.request_id);
  perform note_intent(intent, 'workflow', 'checkout_opened',
    jsonb_build_object('gateway', i.gateway, 'session_id', session, 'number', 1));
  return 'open';
end $$;

-- A session lapsed at the gateway while the intent is open: the next one takes its place.
create function renew_checkout(
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

create function abandon_intent(intent uuid) returns text
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

-- The next event of an account. The counter's row is locked until the commit, so that the sequence
-- has no gaps and its order is the order of the commits.
create function next_event_sequence(account uuid, env text) returns bigint language sql as $$
  insert into event_sequences as s values (account, env, 1)
  on conflict (account_id, environment) do update set last = s.last + 1
  returning last
$$;

-- Ends an intent that nobody paid. `final` is `expired` or `canceled`. What stands in the row
-- decides: whoever comes second, payment or end, finds the other's status and changes nothing.
create function end_intent(intent uuid, final text)
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
        -- The timer's clock runs ahead of ours.
        early_ms := ceil(extract(epoch from i.expires_at - at) * 1000);
      else
        update payment_intents p set status = 'expired', expired_at = at, updated_at = at
         where p.id = intent;
        changed := true;
        event_id := gen_random_uuid();
        event_sequence := next_event_sequence(i.account_id, i.environment);
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

-- Moves `amount` from the gateway's clearing account into others, as one balanced posting. `shares`
-- are amounts by account; all accounts are locked in ascending order. Returns the moment.
create function post_from_clearing(
  journal uuid, ref text, kind text, note text, env text, cur text, amount bigint,
  account_ids bigint[], shares bigint[]
) returns timestamptz language plpgsql as $$
declare
  clearing bigint;
  at timestamptz;
begin
  select a.id into strict clearing from ledger_accounts a
   where a.owner_id is null and a.environment = env and a.currency = cur and a.kind = 'gateway_clearing';
  account_ids := account_ids || clearing;
  shares := shares || -amount;
  perform 1 from ledger_accounts a where a.id = any (account_ids) order by a.id for no key update;
  select greatest(clock_timestamp(), max(a.last_posted_at) + interval '1 microsecond') into at
    from ledger_accounts a where a.id = any (account_ids);
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, ref, env, kind, note, at);
  with share as (
    select * from unnest(account_ids, shares) s (account_id, amount) where s.amount <> 0
  ), moved as (
    update ledger_accounts a
       set balance_minor = a.balance_minor + s.amount, version = a.version + 1, last_posted_at = at
      from share s where a.id = s.account_id
    returning a.id, s.amount, a.balance_minor, a.version
  )
  insert into ledger_entries
  select journal, m.id, env, cur, m.amount, m.balance_minor, m.version from moved m;
  return at;
end $$;

create function system_account(env text, cur text, account_kind text) returns bigint
language sql stable as $$
  select a.id from ledger_accounts a
   where a.owner_id is null and a.environment = env and a.currency = cur and a.kind = account_kind
$$;

create function suspense_reference() returns text language sql volatile as $$
  select 'SUS-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20))
$$;

-- Money that an intent cannot take: kept apart, never lost.
create function hold_in_suspense(
  n gateway_notifications, i payment_intents, why text, payment text, cur text, amount bigint
) returns void language plpgsql as $$
declare
  ref text := suspense_reference();
  at timestamptz;
begin
  at := post_from_clearing(gen_random_uuid(), ref, 'suspense', why, n.environment, cur, amount,
    array[system_account(n.environment, cur, 'suspense')], array[amount]);
  insert into gateway_payments values
    (n.gateway, n.environment, payment, i.id, cur, amount, 'suspense', ref, at);
  insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id,
    account_id, reason, currency, amount_minor, created_at)
  values (ref, n.gateway, n.environment, payment, i.id, i.account_id, why, cur, amount, at);
  if i.id is not null then
    perform note_intent(i.id, 'ledger', 'held_in_suspense', jsonb_build_object(
      'reference', ref, 'reason', why, 'currency', cur, 'amount_minor', amount::text));
  end if;
end $$;

-- The intent that a notification names, by id or by reference; given both, both must fit.
create function find_notified_intent(from_gateway text, env text, intent uuid, ref text)
returns setof payment_intents language sql stable as $$
  select p.* from payment_intents p
   where p.environment = env and p.gateway = from_gateway and p.id = intent
     and (ref is null or p.reference = ref)
  union all
  select p.* from payment_intents p
   where p.environment = env and p.gateway = from_gateway and intent is null and p.reference = ref
$$;

-- Applies one notification of the inbox, exactly once, whatever is in it and whenever it comes.
-- Locks, in this order: the notification, the intent, accounts by id, the event counter.
create function apply_notification(notification_id bigint)
returns table (
  outcome text, intent_id uuid, status text, event_id uuid, event_sequence bigint
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n gateway_notifications;
  r record;
  i payment_intents;
  wallet ledger_accounts;
  fee bigint;
  journal uuid;
  shown uuid;
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
      -- All that either end may touch, in the one order.
      perform 1 from ledger_accounts a
        where a.environment = i.environment and a.currency = i.currency
          and (a.owner_id = i.account_id and a.kind = 'wallet'
            or a.owner_id is null and a.kind in ('gateway_clearing', 'fees', 'suspense'))
        order by a.id for no key update;
      select * into strict wallet from ledger_accounts a where a.owner_id = i.account_id
         and a.environment = i.environment and a.currency = i.currency and a.kind = 'wallet';
      select fee_for(p.basis_points, p.fixed_minor, c.step_minor, i.amount_minor) into strict fee
        from fee_policies p join currencies c on c.code = p.currency
       where p.kind = 'payment_intent' and p.currency = i.currency;
      if wallet.balance_minor + i.amount_minor - fee > 999999999999999 then
        outcome := 'suspense';
        perform hold_in_suspense(n, i, 'balance_limit', r.provider_payment_id, r.currency, r.amount_minor);
      else
        outcome := 'succeeded';
        journal := gen_random_uuid();
        at := post_from_clearing(journal, i.reference, 'payment', '', i.environment, i.currency,
          i.amount_minor, array[wallet.id, system_account(i.environment, i.currency, 'fees')],
          array[i.amount_minor - fee, fee]);
        insert into gateway_payments values (n.gateway, n.environment, r.provider_payment_id, i.id,
          i.currency, i.amount_minor, 'payment', i.reference, at);
        perform add_transaction(i.account_id, i.environment, 'deposit', 'completed', 'in', i.currency,
          i.amount_minor, fee, wallet.balance_minor + i.amount_minor - fee, i.reference, null,
          i.description, journal, at);
        select t.id into strict shown from transactions t
         where t.owner_id = i.account_id and t.environment = i.environment
           and t.ledger_transaction_id = journal and t.created_at >= at;
        update transactions t set related = i.id where t.id = shown;
        update payment_intents p
           set status = 'succeeded', fee_minor = fee, transaction_id = shown, succeeded_at = at,
               updated_at = at, last_payment_error = null
         where p.id = i.id;
        perform note_intent(i.id, 'ledger', 'posted', jsonb_build_object(
          'reference', i.reference, 'currency', i.currency,
          'amount_minor', i.amount_minor::text, 'fee_minor', fee::text));
      end if;
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
      event_sequence := next_event_sequence(i.account_id, i.environment);
    end if;
  end if;
  update gateway_notifications g
     set outcome = apply_notification.outcome, applied_at = clock_timestamp(),
         intent_id = apply_notification.intent_id
   where g.id = notification_id;
  return next;
end $$;

-- Called in the same transaction as the change it tells of, with the bytes rendered from the row.
create function add_event(
  event_id uuid, intent uuid, event_type text, sequence bigint, body text
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
begin
  select * into strict i from payment_intents p where p.id = intent;
  insert into events (id, account_id, environment, sequence, type, intent_id, body, created_at)
  values (event_id, i.account_id, i.environment, sequence, event_type, intent, body, i.updated_at);
  perform note_intent(intent, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
end $$;

-- Stores a notification whose signature held. The same event again changes nothing.
create function store_notification(
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

-- An operator's decision: the money is the merchant's after all.
create function accept_suspense(item uuid)
returns table (reference text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  wallet ledger_accounts;
  held ledger_accounts;
  journal uuid := gen_random_uuid();
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status <> 'held' or s.account_id is null then
    raise exception 'suspense item % cannot be accepted: it is % and % merchant', item, s.status,
      case when s.account_id is null then 'has no' else 'has a' end using errcode = 'check_violation';
  end if;
  perform 1 from ledger_accounts a
    where a.environment = s.environment and a.currency = s.currency
      and (a.owner_id = s.account_id or a.owner_id is null and a.kind = 'suspense')
    order by a.id for no key update;
  select * into strict held from ledger_accounts a
   where a.id = system_account(s.environment, s.currency, 'suspense');
  select * into strict wallet from ledger_accounts a where a.owner_id = s.account_id
     and a.environment = s.environment and a.currency = s.currency and a.kind = 'wallet';
  at := greatest(clock_timestamp(), held.last_posted_at + interval '1 microsecond',
    wallet.last_posted_at + interval '1 microsecond');
  reference := suspense_reference();
  balance_minor := wallet.balance_minor + s.amount_minor;
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, accept_suspense.reference, s.environment, 'suspense_accepted', s.reference, at);
  update ledger_accounts a
     set balance_minor = a.balance_minor + case a.id when wallet.id then s.amount_minor else -s.amount_minor end,
         version = a.version + 1, last_posted_at = at
   where a.id in (held.id, wallet.id);
  insert into ledger_entries values
    (journal, held.id, s.environment, s.currency, -s.amount_minor, held.balance_minor - s.amount_minor, held.version + 1),
    (journal, wallet.id, s.environment, s.currency, s.amount_minor, accept_suspense.balance_minor, wallet.version + 1);
  perform add_transaction(s.account_id, s.environment, 'deposit', 'completed', 'in', s.currency,
    s.amount_minor, 0, accept_suspense.balance_minor, accept_suspense.reference, null,
    'payment accepted by an operator', journal, at);
  update suspense_items x set status = 'accepted', resolved_at = at where x.id = item;
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', 'suspense_accepted',
      jsonb_build_object('reference', accept_suspense.reference));
  end if;
  return next;
end $$;

-- A refund in two steps around the gateway's own: decided first, booked when the gateway has done it.
create function begin_suspense_refund(item uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
begin
  update suspense_items x set status = 'refunding' where x.id = item and x.status = 'held';
  select x.status into strict now_status from suspense_items x where x.id = item;
  return now_status;
end $$;

create function finish_suspense_refund(item uuid, gateway_refund text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  ref text := suspense_reference();
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status = 'refunding' then
    at := post_from_clearing(gen_random_uuid(), ref, 'refund', s.reference, s.environment, s.currency,
      -s.amount_minor, array[system_account(s.environment, s.currency, 'suspense')], array[-s.amount_minor]);
    update suspense_items x set status = 'refunded', resolved_at = at, refund_id = gateway_refund
     where x.id = item;
    if s.intent_id is not null then
      perform note_intent(s.intent_id, 'ledger', 'suspense_refunded',
        jsonb_build_object('reference', ref, 'refund_id', gateway_refund));
    end if;
    return 'refunded';
  end if;
  return s.status;
end $$;

-- Payment intents, the gateways' notifications, the payments booked from them, suspense, and the
-- events that are sent to merchants. All changes of an intent's status are made by the functions in
-- db/functions, under the lock of its row, so that the row decides every race.

create table payment_intents (
  id             uuid primary key,
  environment    text not null check (environment in ('live', 'sandbox')),
  user_id        uuid not null references users,
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
-- The list's cursor is a bare timestamp, as in GET /transactions: it must be a total order by itself.
create unique index payment_intents_cursor on payment_intents (user_id, environment, created_at);
create index payment_intents_by_status
  on payment_intents (user_id, environment, status, created_at);
create index payment_intents_by_currency
  on payment_intents (user_id, environment, currency, created_at);
create index payment_intents_by_email
  on payment_intents (user_id, environment, customer_email, created_at)
  where customer_email is not null;
-- The sweeper looks for intents that should have expired among all that are open.
create index payment_intents_overdue on payment_intents (expires_at)
  where status in ('open', 'processing');

-- domain/intent.ts has the same table with the causes; a test compares the two.
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

-- An intent has one live session: the one with the highest number.
create table checkout_sessions (
  intent_id    uuid not null references payment_intents,
  number       integer not null check (number > 0),
  session_id   text not null,
  checkout_url text not null,
  lapses_at    timestamptz,
  opened_at    timestamptz not null default clock_timestamp(),
  primary key (intent_id, number)
);

-- Everything that happened to an intent, in order, complete without Temporal.
create table intent_timeline (
  id        bigint generated always as identity,
  intent_id uuid not null,
  at        timestamptz not null default clock_timestamp(),
  source    text not null check (source in ('api', 'workflow', 'gateway', 'ledger', 'webhook')),
  kind      text not null,
  detail    jsonb not null default '{}',
  primary key (intent_id, id)
);

-- The inbox: every notification with a valid signature, once per event of the gateway.
create table gateway_notifications (
  id           bigint generated always as identity primary key,
  gateway      text not null,
  environment  text not null check (environment in ('live', 'sandbox')),
  event_id     text not null check (length(event_id) between 1 and 255),
  notification jsonb not null,
  -- The bytes as they came, as evidence in a dispute with the gateway.
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

-- Each payment of a gateway is booked once, as a payment or as suspense.
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

-- Money that no intent can take: an operator accepts it for the merchant or refunds it.
create table suspense_items (
  id                  uuid primary key default gen_random_uuid(),
  reference           text not null unique,
  gateway             text not null,
  environment         text not null,
  provider_payment_id text not null,
  intent_id           uuid,
  user_id             uuid,
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

create table event_sequences (
  user_id     uuid not null,
  environment text not null,
  last        bigint not null,
  primary key (user_id, environment)
);

-- What merchants are notified of. The bytes are rendered once, in the transaction that changes the
-- intent. A test event belongs to no intent and has no place in the sequence.
create table events (
  id          uuid primary key,
  user_id     uuid not null,
  environment text not null,
  sequence    bigint not null,
  type        text not null check (type in ('payment.succeeded', 'payment.failed', 'payment.expired')),
  intent_id   uuid references payment_intents,
  body        text not null,
  created_at  timestamptz not null,
  -- One event per final status, and an intent has one of those.
  unique (intent_id),
  constraint events_test_is_outside check ((intent_id is null) = (sequence = 0))
);
create unique index events_sequence on events (user_id, environment, sequence) where sequence > 0;
create index events_by_type on events (user_id, environment, type, sequence) where sequence > 0;
create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- A final status cannot be committed without its event. A cancellation has none, because the merchant
-- made it.
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

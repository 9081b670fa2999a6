-- Events, merchants' webhook endpoints, the deliveries to them, and every attempt that was made. A
-- delivery is committed together with its event, so nothing has to be remembered outside the
-- database: a notification only makes the delivery sooner.

create table event_sequences (
  user_id     uuid not null,
  environment text not null,
  last        bigint not null,
  primary key (user_id, environment)
);

-- The nouns of types of events such as `transfer.sent`: domain/event.ts says which types there are.
create function event_nouns(types text[]) returns text[] language sql immutable as $$
  select array(select distinct split_part(t, '.', 1) from unnest(types) t)
$$;

-- Merchants are notified of these. The bytes are rendered once, in the transaction that changes what
-- they tell of. A test event belongs to nothing and has no place in the sequence.
create table events (
  id                 uuid primary key,
  user_id            uuid not null,
  environment        text not null,
  sequence           bigint not null,
  type               text not null check (split_part(type, '.', 1) in ('payment', 'refund',
                     'dispute',
                     'transfer', 'payout')),
  intent_id          uuid references payment_intents,
  body               text not null,
  created_at         timestamptz not null,
  refund_id          uuid references refunds,
  transfer_reference text,
  dispute_id         uuid,
  payout_id          uuid,
  -- One event per final status, of which an intent has one, and one of its hold.
  unique (intent_id, type),
  constraint events_test_is_outside check (
    (intent_id is null and refund_id is null
     and dispute_id is null
     and transfer_reference is null and payout_id is null)
      = (sequence = 0))
);
create unique index events_sequence on events (user_id, environment, sequence) where sequence > 0;
create index events_by_type on events (user_id, environment, type, sequence) where sequence > 0;
-- A refund that succeeded may fail later: one event of each.
create unique index events_of_refund on events (refund_id, type) where refund_id is not null;
create index events_of_payout on events (payout_id) where payout_id is not null;
-- A reconciliation reads it, like that of gateway_payments.
create index events_created on events using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create index events_others on events (created_at) where transfer_reference is null;
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

-- No end of a refund can be committed without its event.
create function check_refund_has_event() returns trigger language plpgsql as $$
begin
  if not exists (select from events e where e.refund_id = new.id and e.type = 'refund.' || new.status) then
    raise exception 'refund % has no event for its end', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger refunds_have_event after update on refunds
  deferrable initially deferred
  for each row when (new.status <> old.status) execute function check_refund_has_event();

-- An event of one side of a transfer, while it is written.
create type transfer_event as (
  id          uuid,
  user_id     uuid,
  environment text,
  type        text,
  direction   text,
  -- The transfer's position in its posting, from 1; and the event's in the account's sequence.
  position    integer,
  sequence    bigint
);

-- An endpoint gets the events whose types it names.
create table webhook_endpoints (
  id              uuid primary key,
  user_id         uuid not null references users,
  environment     text not null check (environment in ('live', 'sandbox')),
  url             text not null check (length(url) between 1 and 2048),
  types           text[] not null check (cardinality(types) >= 1 and
                  event_nouns(types) <@ array['payment', 'refund',
                  'dispute',
                  'transfer', 'payout']),
  description     text,
  -- Deliveries a second; no limit when null.
  max_per_second  integer check (max_per_second between 1 and 10000),
  status          text not null default 'enabled' check (status in ('enabled', 'disabled', 'deleted')),
  disabled_reason text check (disabled_reason in ('merchant', 'gone', 'failing')),
  -- Encrypted and not hashed: signing needs the secret itself.
  sealed_secret   bytea not null,
  sealed_previous bytea,
  previous_until  timestamptz,
  -- Failures of all deliveries to this endpoint since the last one that arrived.
  consecutive_failures integer not null default 0,
  failing_since   timestamptz,
  last_failure    jsonb,
  paused_until    timestamptz,
  created_at      timestamptz not null default clock_timestamp(),
  updated_at      timestamptz not null default clock_timestamp(),
  -- In a sandbox whose clock was moved: its clock, in seconds ahead, when failures began and at the last one.
  failing_clock   double precision,
  failure_clock   double precision,
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((sealed_previous is null) = (previous_until is null)),
  check ((consecutive_failures = 0) = (failing_since is null))
);
create index webhook_endpoints_of_account on webhook_endpoints (user_id, environment)
  where status <> 'deleted';
-- Each posting looks whether any account in it has such an endpoint: few have one.
create index webhook_endpoints_of_transfers on webhook_endpoints (user_id, environment)
  where status <> 'deleted' and 'transfer' = any (event_nouns(types));
-- The sweep of webhooks looks for what a deleted endpoint left behind.
create index webhook_endpoints_deleted on webhook_endpoints (updated_at) where status = 'deleted';
-- The operators' list.
create index webhook_endpoints_failing on webhook_endpoints (failing_since)
  where failing_since is not null and status <> 'deleted';

-- Only one delivery run at a time sends to an endpoint: the one with this token. A table of its own, so
-- that a change of the endpoint does not hold up a renewal.
create table webhook_leases (
  endpoint_id  uuid primary key references webhook_endpoints,
  token        uuid not null,
  leased_until timestamptz not null
) with (fillfactor = 50); -- renewed every two seconds during a delivery run

create table webhook_deliveries (
  id              uuid primary key default uuidv7(),
  event_id        uuid not null,
  endpoint_id     uuid not null,
  user_id         uuid not null,
  environment     text not null,
  type            text not null,
  status          text not null check (status in
                  ('pending', 'held', 'delivered', 'exhausted', 'discarded')),
  -- Attempts made in all, and how many of them belong to the retry schedule that is running.
  attempts        integer not null default 0,
  tries           integer not null default 0,
  is_resend       boolean not null default false,
  next_attempt_at timestamptz,
  delivered_at    timestamptz,
  created_at      timestamptz not null,
  unique (event_id, endpoint_id),
  -- Every pending delivery has a time for its next attempt.
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (status <> 'delivered' or delivered_at is not null)
);
-- A check reads those of a day.
create index webhook_deliveries_created on webhook_deliveries using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at)
  where status = 'pending';
-- A delivery run claims these first; see db/webhooks/webhook-delivery-runs.ts.
create index webhook_deliveries_due_first on webhook_deliveries (endpoint_id, next_attempt_at)
  where status = 'pending' and type not like 'transfer.%';
-- The list's cursor is a bare timestamp, as in the other lists.
create unique index webhook_deliveries_cursor on webhook_deliveries (user_id, environment, created_at);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at);
create index webhook_deliveries_by_type
  on webhook_deliveries (user_id, environment, type, created_at);
-- An endpoint's deliveries of a type, or those that arrived; see db/webhooks/webhook-deliveries.ts.
create index webhook_deliveries_by_kind
  on webhook_deliveries (endpoint_id, type, status, created_at);
-- Most rows are delivered and left out, so these two stay small; queries by status mostly ask for the
-- others.
create index webhook_deliveries_not_delivered
  on webhook_deliveries (user_id, environment, status, created_at) where status <> 'delivered';
create index webhook_deliveries_not_delivered_by_endpoint
  on webhook_deliveries (endpoint_id, status, created_at) where status <> 'delivered';

-- Attempts of deliveries by month (docs/decisions/database.md). A month that is older than the
-- retention is dropped as a whole.
create table webhook_attempts (
  delivery_id         uuid not null,
  number              integer not null,
  trigger             text not null check (trigger in ('automatic', 'resend')),
  url                 text not null,
  started_at          timestamptz not null,
  duration_ms         integer not null,
  outcome             text not null check (outcome in ('delivered', 'refused', 'timeout', 'dns_failed',
                      'connection_failed', 'tls_failed', 'invalid_response', 'blocked')),
  status              integer,
  response_body       text,
  response_truncated  boolean not null,
  retry_after_seconds integer,
  -- A time of the database's clock, so that a month that is over gets no more rows. An attempt may
  -- have started in the month before.
  recorded_at         timestamptz not null,
  -- The key of a partitioned table contains what it is partitioned by. record_attempts gives a
  -- delivery's attempts their numbers, under the lock of the delivery.
  primary key (delivery_id, number, recorded_at)
) partition by range (recorded_at);
create trigger webhook_attempts_append_only
  before update or delete or truncate on webhook_attempts
  for each statement execute function refuse_change();

-- The months that were dropped. Their deliveries still count their attempts.
create table webhook_attempt_drops (
  month      date primary key check (extract(day from month) = 1),
  attempts   bigint not null check (attempts >= 0),
  dropped_at timestamptz not null default clock_timestamp()
);
create trigger webhook_attempt_drops_append_only before update or delete or truncate on webhook_attempt_drops
  for each statement execute function refuse_change();

-- A time range of deliveries that is sent again, page by page.
create table webhook_resends (
  id           uuid primary key default uuidv7(),
  user_id      uuid not null,
  environment  text not null,
  endpoint_id  uuid not null,
  statuses     text[] not null,
  types        text[] not null,
  created_from timestamptz not null,
  created_to   timestamptz not null,
  -- Deliveries created before this are done.
  reached      timestamptz not null,
  -- The time of its last page.
  paged_at     timestamptz,
  queued       integer not null default 0,
  status       text not null default 'running' check (status in ('running', 'completed')),
  created_at   timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  check ((status = 'completed') = (completed_at is not null))
);
create index webhook_resends_running on webhook_resends (endpoint_id) where status = 'running';
-- The dashboard shows an endpoint's last resend.
create index webhook_resends_of_endpoint on webhook_resends (endpoint_id, created_at);

-- Merchants' webhook endpoints, the deliveries to them, and every attempt that was made. A delivery is
-- committed together with its event, so nothing has to be remembered outside the database: waking the
-- endpoint's workflow only makes the delivery sooner.

create table webhook_endpoints (
  id              uuid primary key,
  user_id         uuid not null references users,
  environment     text not null check (environment in ('live', 'sandbox')),
  url             text not null check (length(url) between 1 and 2048),
  types           text[] not null check (cardinality(types) >= 1 and
                  types <@ array['payment.succeeded', 'payment.failed', 'payment.expired']),
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
  -- When its workflow was last woken for an overdue delivery.
  woken_at        timestamptz,
  created_at      timestamptz not null default clock_timestamp(),
  updated_at      timestamptz not null default clock_timestamp(),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((sealed_previous is null) = (previous_until is null)),
  check ((consecutive_failures = 0) = (failing_since is null))
);
create index webhook_endpoints_of_account on webhook_endpoints (user_id, environment)
  where status <> 'deleted';

-- Only one delivery run at a time sends to an endpoint: the one with this token. A table of its own, so
-- that a change of the endpoint does not hold up a renewal.
create table webhook_leases (
  endpoint_id  uuid primary key references webhook_endpoints,
  token        uuid not null,
  leased_until timestamptz not null
) with (fillfactor = 50); -- renewed every two seconds during a delivery run

create table webhook_deliveries (
  id              uuid primary key default gen_random_uuid(),
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
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at)
  where status = 'pending';
-- The list's cursor is a bare timestamp, as in the other lists.
create unique index webhook_deliveries_cursor on webhook_deliveries (user_id, environment, created_at);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at);
create index webhook_deliveries_by_type
  on webhook_deliveries (user_id, environment, type, created_at);
-- Most rows are delivered and left out, so these two stay small; queries by status mostly ask for the
-- others.
create index webhook_deliveries_not_delivered
  on webhook_deliveries (user_id, environment, status, created_at) where status <> 'delivered';
create index webhook_deliveries_not_delivered_by_endpoint
  on webhook_deliveries (endpoint_id, status, created_at) where status <> 'delivered';

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
  primary key (delivery_id, number)
);
create trigger webhook_attempts_append_only before update or delete or truncate on webhook_attempts
  for each statement execute function refuse_change();

-- A time range of deliveries that is sent again, page by page.
create table webhook_resends (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null,
  environment  text not null,
  endpoint_id  uuid not null,
  statuses     text[] not null,
  types        text[] not null,
  created_from timestamptz not null,
  created_to   timestamptz not null,
  -- Deliveries created before this are done.
  reached      timestamptz not null,
  queued       integer not null default 0,
  status       text not null default 'running' check (status in ('running', 'completed')),
  created_at   timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  check ((status = 'completed') = (completed_at is not null))
);
create index webhook_resends_running on webhook_resends (created_at) where status = 'running';

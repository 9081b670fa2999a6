-- Attempts of deliveries by month (docs/decisions/0079-growth.md). A month that is older than the retention
-- is dropped as a whole.

-- What was recorded until now stays where it is, under another name: nothing is copied, and no row is read.
-- Nobody writes to it any more; it goes with the month of this migration.
alter table webhook_attempts rename to webhook_attempts_old;

create table webhook_attempt_entries (
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
  -- By the database's clock, so that a month that is over gets no more rows. An attempt may have started in
  -- the month before.
  recorded_at         timestamptz not null,
  -- The key of a partitioned table contains what it is partitioned by. record_attempts gives a delivery's
  -- attempts their numbers, under the lock of the delivery.
  primary key (delivery_id, number, recorded_at)
) partition by range (recorded_at);
create trigger webhook_attempt_entries_append_only
  before update or delete or truncate on webhook_attempt_entries
  for each statement execute function refuse_change();

-- Both, under the name that processes of the version before read.
create view webhook_attempts as
  select delivery_id, number, trigger, url, started_at, duration_ms, outcome, status, response_body,
         response_truncated, retry_after_seconds, recorded_at
    from webhook_attempt_entries
  union all
  select delivery_id, number, trigger, url, started_at, duration_ms, outcome, status, response_body,
         response_truncated, retry_after_seconds, started_at
    from webhook_attempts_old;

-- The months that were dropped. Deliveries of before still count their attempts.
create table webhook_attempt_drops (
  month      date primary key check (extract(day from month) = 1),
  attempts   bigint not null check (attempts >= 0),
  dropped_at timestamptz not null default clock_timestamp()
);
create trigger webhook_attempt_drops_append_only before update or delete or truncate on webhook_attempt_drops
  for each statement execute function refuse_change();

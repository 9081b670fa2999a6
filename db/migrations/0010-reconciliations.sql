-- Figures and reconciliations, for the people who look after the service.

-- Figures that only the database knows (docs/decisions/production.md). One process reads
-- them for all, and leaves them here.
create table gauge_readings (
  is_only  boolean primary key default true check (is_only),
  taken_at timestamptz not null,
  readings jsonb not null
) with (fillfactor = 50); -- updated in place, every few seconds while they are asked for
insert into gauge_readings (taken_at, readings) values ('-infinity', '[]');

-- Reconciliations (docs/decisions/production.md): what was compared with what, when, and what
-- was found. Only the functions in db/reconciliation/reconciliations.sql write these tables. No payment
-- waits for them.
create table reconciliations (
  id            bigint generated always as identity primary key,
  -- The workflow's run: a step that is repeated finds its row.
  run_id        uuid not null unique,
  started_at    timestamptz not null default clock_timestamp(),
  ended_at      timestamptz,
  -- Its workflow was lost or terminated: the next one found it without an end.
  is_broken_off boolean not null default false,
  check (not is_broken_off or ended_at is not null)
);

create table reconciliation_checks (
  reconciliation_id bigint not null references reconciliations on delete cascade,
  -- `losses` are counted apart from the books, whose findings are violations.
  name         text not null check (name in
               ('books', 'losses', 'gateway_live', 'gateway_sandbox', 'events', 'workflows')),
  status       text not null default 'running' check (status in
               ('running', 'clean', 'found', 'not_checked', 'not_configured')),
  -- The check compared what happened in this time, or all that is there where it knows no time.
  checked_from timestamptz not null,
  checked_to   timestamptz not null,
  -- Payments and refunds, entries, events, workflows.
  compared     bigint not null default 0 check (compared >= 0),
  found        bigint not null default 0,
  repaired     bigint not null default 0,
  -- Why it was not checked, or not to its end.
  detail       text check (length(detail) <= 500),
  started_at   timestamptz not null default clock_timestamp(),
  ended_at     timestamptz,
  primary key (reconciliation_id, name),
  check (repaired between 0 and found),
  check ((status = 'running') = (ended_at is null)),
  check (status <> 'clean' or found = 0),
  check (status <> 'found' or found > 0),
  check (status <> 'not_checked' or detail is not null)
);
create index reconciliation_checks_latest on reconciliation_checks (name, reconciliation_id desc);
create index reconciliation_checks_compared on reconciliation_checks (name, checked_to)
  where status in ('clean', 'found', 'not_configured');

create table reconciliation_findings (
  id                bigint generated always as identity primary key,
  reconciliation_id bigint not null,
  check_name        text not null,
  kind              text not null,
  reference         text not null check (length(reference) between 1 and 300),
  detail            text not null check (length(detail) <= 500),
  is_repaired       boolean not null,
  found_at          timestamptz not null default clock_timestamp(),
  foreign key (reconciliation_id, check_name) references reconciliation_checks on delete cascade,
  unique (reconciliation_id, check_name, kind, reference, detail)
);

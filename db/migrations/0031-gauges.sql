-- What is shown to whoever looks after the service (docs/decisions/0076-metrics-and-traces.md): figures that
-- only the database knows. One process reads them for all, and leaves them here.

create table gauge_readings (
  is_only  boolean primary key default true check (is_only),
  taken_at timestamptz not null,
  readings jsonb not null
) with (fillfactor = 50); -- updated in place, every few seconds while somebody asks
insert into gauge_readings (taken_at, readings) values ('-infinity', '[]');

-- Intents that have not ended, to be counted without reading a row. Those that have are left out, so it
-- stays small.
create index payment_intents_unfinished on payment_intents (environment, status)
  where status in ('creating', 'open', 'processing');

-- What many do at once: intents that expire together, and endpoints with an event now and then.

-- Intents that expire together are ended in groups, by one process at a time per environment.

create table expiry_leases (
  environment  text primary key check (environment in ('live', 'sandbox')),
  holder       uuid not null,
  leased_until timestamptz not null
) with (fillfactor = 50); -- updated in place, every few seconds while intents expire

-- What the sweep looks for: it never comes back to what it could not end.
create index payment_intents_due on payment_intents (environment, expires_at)
  where status in ('open', 'processing') and next_check_at is null;

-- Worker processes that hear of deliveries to quiet endpoints, and deliver them without a workflow.
create table webhook_workers (
  id          uuid primary key,
  heard_until timestamptz not null
) with (fillfactor = 50); -- renewed in place, every few seconds

-- When operators could last see in Temporal how the endpoint stands.
alter table webhook_endpoints add column workflow_ran_at timestamptz;

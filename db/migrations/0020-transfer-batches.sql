-- Bulk transfers (decision 62): a batch is an order of up to 10,000 transfers, its items are what became of
-- each. Both are written by functions only (db/functions/transfer-batches.sql).

create table transfer_batches (
  id              uuid primary key,
  user_id         uuid not null references users,
  environment     text not null check (environment in ('live', 'sandbox')),
  status          text not null default 'processing'
                  check (status in ('processing', 'completed', 'failed', 'canceled')),
  mode            text not null check (mode in ('independent', 'atomic')),
  dry_run         boolean not null,
  total           integer not null check (total between 1 and 10000),
  completed       integer not null default 0 check (completed >= 0),
  failed          integer not null default 0 check (failed >= 0),
  idempotency_key text not null,
  -- Of the request that made it, in the responses that are stored for its items' keys.
  request_id      text not null,
  created_at      timestamptz not null,
  -- When its workflow last posted something. One that stands still has lost its workflow.
  progressed_at   timestamptz not null,
  finished_at     timestamptz,
  check (completed + failed <= total),
  check ((status = 'processing') = (finished_at is null)),
  check (status <> 'completed' or completed + failed = total),
  -- An atomic batch is posted as a whole or not at all.
  constraint transfer_batches_atomic check (mode <> 'atomic'
    or (completed, failed) in ((0, 0), (total, 0), (0, total))),
  check (status <> 'failed' or mode = 'atomic' and failed = total)
) with (fillfactor = 50); -- its counters are updated in place
create unique index transfer_batches_cursor on transfer_batches (user_id, environment, created_at);
-- The operators' list.
create index transfer_batches_newest on transfer_batches (created_at desc, id);
-- The queue: an account's batches are carried out one after the other in each environment.
create index transfer_batches_processing on transfer_batches (user_id, environment, created_at)
  where status = 'processing';

-- No foreign key, and few bytes: 10,000 rows are written with the order, and each once more with its outcome.
create table transfer_batch_items (
  batch_id        uuid not null,
  -- The place in the order, from 0. Items are done in this order.
  index           integer not null check (index between 0 and 9999),
  to_username     text not null,
  currency        text not null,
  amount_minor    bigint not null check (amount_minor > 0),
  -- The same as a single transfer's; null: nothing but this row keeps the item from being posted twice.
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  status          text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  -- Of the transfer; null as long as there is none, and after a dry run.
  reference       text,
  -- Why it failed: an outcome of domain/transfer-batch.ts.
  refusal         text,
  -- Its key had been answered before.
  is_replay       boolean not null default false,
  primary key (batch_id, index),
  check ((status = 'failed') = (refusal is not null)),
  check (reference is null or status = 'completed')
) with (fillfactor = 50); -- updated in place

-- What became of an item, until it is written.
create type batch_outcome as (outcome text, reference text, is_replay boolean);

-- A check that only widens need not read the table's rows again.
alter table idempotency_keys
  drop constraint idempotency_keys_operation_check,
  add constraint idempotency_keys_operation_check
    check (operation in ('transfer', 'payment_intent', 'transfer_batch')) not valid;

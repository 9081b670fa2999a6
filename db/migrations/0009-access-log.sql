-- The access log in days (docs/decisions/database.md): a row is one request. A day that is
-- older than the retention is dropped as a whole.
create table access_entries (
  id          uuid not null,
  at          timestamptz not null,
  ip          text not null,
  key_id      uuid,
  method      text not null,
  route       text not null,
  status      integer not null,
  request_id  text not null,
  duration_ms numeric(12, 3) not null,
  -- The code of the error that was answered.
  code        text,
  -- The JSON text of {path, request, response} of a refused request with a key, redacted
  -- (docs/decisions/database.md).
  refusal     text check (length(refusal) <= 4000),
  -- A request with a key has its path where that is not the route, with our words and ids only; the caller's
  -- own Idempotency-Key; the fault that was on order; the ids and references of what it was about.
  path        text check (length(path) <= 300),
  idempotency_key text check (length(idempotency_key) <= 128),
  fault       text check (length(fault) <= 64),
  names       text[] check (cardinality(names) <= 8),
  -- The key of a partitioned table contains what it is partitioned by.
  primary key (id, at)
) partition by range (at);
create index access_entries_key on access_entries (key_id, at) where key_id is not null;
-- Rows are inserted in the order of time, so block ranges find them at a thousandth of a tree's size
-- and cost.
create index access_entries_at on access_entries using brin (at);

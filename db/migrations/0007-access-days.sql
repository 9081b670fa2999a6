-- The access log in days (docs/decisions/0039-access-log-in-days.md). A day that is older than the
-- retention is dropped as a whole. It stands beside `access_log`, which processes of the version before
-- still write and a later release drops.

create table access_entries (
  id          uuid not null,
  at          timestamptz not null,
  -- Of one request: its address. Of several: the address or IPv6 network that they share.
  ip          text not null,
  key_id      uuid,
  -- Of one minute and address, when they have no rows of their own.
  requests    integer not null default 1 check (requests >= 1),
  method      text,
  route       text,
  status      integer,
  request_id  text,
  duration_ms numeric(12, 3),
  -- The key of a partitioned table contains what it is partitioned by.
  primary key (id, at),
  -- All of one request, or none of several.
  check (num_nulls(method, route, status, request_id, duration_ms) in (0, 5)),
  check (requests = 1 or method is null)
) partition by range (at);
create index access_entries_key on access_entries (key_id, at) where key_id is not null;
-- Rows are inserted in the order of time, so block ranges find them at a thousandth of a tree's size
-- and cost.
create index access_entries_at on access_entries using brin (at);

-- Both logs, for queries.
create view access_history as
  select id, at, ip, key_id, requests, method, route, status, request_id, duration_ms
    from access_entries
  union all
  select id, at, ip, key_id, 1, method, route, status, request_id, duration_ms
    from access_log;

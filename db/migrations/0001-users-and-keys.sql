-- Users, their API keys, the shared rate-limit windows and the access log.
-- Everything that exists in live and in sandbox has an `environment` column, so that no query can
-- cross from sandbox to live by forgetting a condition.

create table users (
  id            uuid primary key default gen_random_uuid(),
  -- Lower case only: two usernames must never differ by capitals alone.
  username      text not null unique check (username ~ '^[a-z0-9][a-z0-9._-]{2,31}$'),
  email         text not null check (length(email) between 3 and 254),
  password_hash text not null,
  first_name    text not null default '' check (length(first_name) <= 100),
  last_name     text not null default '' check (length(last_name) <= 100),
  country       text not null check (country ~ '^[A-Z]{2}$'),
  kyc_status    text not null default 'not_started'
                check (kyc_status in ('not_started', 'pending', 'approved', 'rejected', 'expired')),
  created_at    timestamptz not null default clock_timestamp()
);
create unique index users_email_key on users (lower(email));

create table api_keys (
  id                  uuid primary key default gen_random_uuid(),
  user_id             uuid not null references users,
  environment         text not null check (environment in ('live', 'sandbox')),
  name                text not null default '' check (length(name) <= 100),
  -- Only the SHA-256 is stored: a copy of this table opens nothing (specification, section 5).
  key_hash            bytea not null unique check (length(key_hash) = 32),
  key_prefix          text not null,
  last_four           text not null check (length(last_four) = 4),
  requests_per_minute integer not null default 60 check (requests_per_minute between 1 and 100000000),
  writes_per_minute   integer not null default 30 check (writes_per_minute between 1 and 100000000),
  created_at          timestamptz not null default clock_timestamp(),
  revoked_at          timestamptz,
  replaced_by         uuid references api_keys
);
create index api_keys_user on api_keys (user_id, created_at);

-- One row per key: 61 one-second slots and their running totals. 61 slots of whole seconds cover at
-- least 60 s at any fraction of the second, so no 60 s ever hold more calls than the limit. The table
-- is unlogged: no request waits for a disk flush to be counted, and a crash of Postgres loses only
-- the counts of the last minute.
create unlogged table rate_windows (
  key_id         uuid primary key,
  last_second    bigint not null,
  requests       integer[] not null,
  writes         integer[] not null,
  requests_total integer not null,
  writes_total   integer not null
) with (fillfactor = 50);

create table access_log (
  id          uuid primary key,
  at          timestamptz not null,
  ip          text not null,
  key_id      uuid,
  method      text not null,
  route       text not null,
  status      integer not null,
  request_id  text not null,
  duration_ms numeric(12, 3) not null
);
create index access_log_key on access_log (key_id, at);
-- Rows are inserted in the order of time, so block ranges find them at a thousandth of a tree's size
-- and cost.
create index access_log_at on access_log using brin (at);

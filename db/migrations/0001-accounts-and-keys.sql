-- People, their API keys, the shared rate-limit windows and the access log.
-- `environment` is a column of everything that belongs to one of the two worlds, so that no
-- look-up can cross from sandbox to live by forgetting a condition.

create table users (
  id            uuid primary key default gen_random_uuid(),
  -- Canonical lower case: two people must never differ by capitals only.
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
  -- SHA-256 only: a copy of this table opens nothing (specification, section 5).
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

-- One row per key: 61 one-second slots and their running totals. 61 slots of whole seconds cover
-- at least 60 s whatever the fraction of the second, so that no 60 s ever hold more than the
-- limit. Unlogged: a crash of Postgres forgets the counts of the last minute and nothing else,
-- and no request waits for a disk flush to be counted.
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
-- Rows come in the order of time: block ranges say it in a thousandth of a tree's size and cost.
create index access_log_at on access_log using brin (at);

-- Forgets the slots that left the window since the key was last seen and returns the new window.
create function advance_rate_window(slots integer[], last_second bigint, now_second bigint)
returns integer[] language plpgsql immutable as $$
begin
  if now_second - last_second >= 61 then
    return array_fill(0, array[61]);
  end if;
  for second in last_second + 1 .. now_second loop
    slots[second % 61 + 1] := 0;
  end loop;
  return slots;
end $$;

-- Seconds until `needed` places are free again: the age at which the oldest counted slots leave.
create function rate_window_retry_after(slots integer[], total integer, allowed integer, now_second bigint)
returns integer language plpgsql immutable as $$
declare
  excess integer := total - allowed + 1;
begin
  for second in now_second - 60 .. now_second loop
    excess := excess - slots[second % 61 + 1];
    if excess <= 0 then
      return greatest(1, second + 61 - now_second);
    end if;
  end loop;
  return 61;
end $$;

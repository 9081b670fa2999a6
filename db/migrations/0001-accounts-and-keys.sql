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
create index access_log_at on access_log (at);

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

-- Who is calling, and may they call now: authenticates and counts in one round trip. No row means
-- unknown or revoked. Refused calls are not counted, so a caller who waits is let in again.
create function authenticate(hash bytea, is_write boolean)
returns table (
  key_id uuid, user_id uuid, username text, environment text, allowed boolean,
  request_limit integer, request_remaining integer,
  write_limit integer, write_remaining integer, retry_after_seconds integer,
  -- The database's clock, for the deadlines that the database will judge.
  now timestamptz
)
language plpgsql as $$
declare
  w rate_windows;
  -- The database's clock, so that all processes share one window.
  now_second bigint := floor(extract(epoch from clock_timestamp()));
  slot integer;
  written integer := is_write::integer;
begin
  select k.id, k.user_id, u.username, k.environment, k.requests_per_minute, k.writes_per_minute
    into key_id, user_id, username, environment, request_limit, write_limit
    from api_keys k join users u on u.id = k.user_id
   where k.key_hash = hash and k.revoked_at is null;
  if not found then
    return;
  end if;
  now := clock_timestamp();

  -- The common case, one statement: same second as the last call and room in both windows.
  slot := now_second % 61 + 1;
  update rate_windows r
     set requests[slot] = requests[slot] + 1, requests_total = requests_total + 1,
         writes[slot] = writes[slot] + written, writes_total = writes_total + written
   where r.key_id = authenticate.key_id and r.last_second = now_second
     and r.requests_total < request_limit
     and (not is_write or r.writes_total < write_limit)
  returning r.* into w;
  if found then
    allowed := true;
    request_remaining := request_limit - w.requests_total;
    write_remaining := greatest(0, write_limit - w.writes_total);
    retry_after_seconds := 0;
    return next;
    return;
  end if;

  insert into rate_windows as r
  values (authenticate.key_id, now_second, array_fill(0, array[61]), array_fill(0, array[61]), 0, 0)
  on conflict on constraint rate_windows_pkey do nothing;
  select r.* into w from rate_windows r where r.key_id = authenticate.key_id for update;

  -- A clock that steps back must not reopen the window.
  now_second := greatest(now_second, w.last_second);
  slot := now_second % 61 + 1;
  if now_second > w.last_second then
    w.requests := advance_rate_window(w.requests, w.last_second, now_second);
    w.writes := advance_rate_window(w.writes, w.last_second, now_second);
    w.requests_total := (select sum(n) from unnest(w.requests) n);
    w.writes_total := (select sum(n) from unnest(w.writes) n);
    w.last_second := now_second;
  end if;

  allowed := w.requests_total < request_limit and (not is_write or w.writes_total < write_limit);
  retry_after_seconds := 0;
  if allowed then
    w.requests[slot] := w.requests[slot] + 1;
    w.requests_total := w.requests_total + 1;
    w.writes[slot] := w.writes[slot] + written;
    w.writes_total := w.writes_total + written;
  else
    if w.requests_total >= request_limit then
      retry_after_seconds := rate_window_retry_after(w.requests, w.requests_total, request_limit, now_second);
    end if;
    if is_write and w.writes_total >= write_limit then
      retry_after_seconds := greatest(retry_after_seconds,
        rate_window_retry_after(w.writes, w.writes_total, write_limit, now_second));
    end if;
  end if;
  update rate_windows r
     set last_second = w.last_second, requests = w.requests, writes = w.writes,
         requests_total = w.requests_total, writes_total = w.writes_total
   where r.key_id = authenticate.key_id;
  request_remaining := greatest(0, request_limit - w.requests_total);
  write_remaining := greatest(0, write_limit - w.writes_total);
  return next;
end $$;

-- Authentication and rate limits: one round trip authenticates a caller, counts the call and looks up
-- its idempotency key (docs/decisions/0010-rate-limits-in-postgres.md).

-- Clears the slots that have left the window since the key's last call and returns the new window.
create or replace function advance_rate_window(slots integer[], last_second bigint, now_second bigint)
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

-- Seconds until one more call is allowed, because enough of the oldest slots have left the window.
create or replace function rate_window_retry_after(slots integer[], total integer, allowed integer, now_second bigint)
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

-- With may_reserve, a key with a high limit is counted for several calls at once: this one and others
-- that the process may then let in until the second ends (docs/decisions/0021-reserved-calls.md).
-- A key with a list of addresses reserves nothing: calls from elsewhere could use up what it reserved.
-- One function, for the reason at post_transfers.
create or replace function authenticate_call(
  hash bytea, address text, is_write boolean, operation text, idem_key text, may_reserve boolean
)
returns table (
  key_id uuid, user_id uuid, username text, environment text, allowed boolean,
  request_limit integer, request_remaining integer,
  write_limit integer, write_remaining integer, retry_after_seconds integer,
  -- The database's clock, for deadlines that the database will check.
  now timestamptz,
  -- The response stored for the idempotency key, if any.
  stored_status smallint, stored_body text, stored_fingerprint jsonb,
  -- This call included.
  reserved_requests integer, reserved_writes integer,
  -- How long from now the reservation may be spent.
  reservation_ms integer,
  -- False: the call comes from an address that the key does not allow, and was not counted.
  is_address_allowed boolean,
  is_frozen boolean, is_read_only boolean
)
language plpgsql as $$
declare
  w rate_windows;
  -- The database's clock, so that all processes share one window.
  clock numeric := extract(epoch from clock_timestamp());
  now_second bigint := floor(clock);
  slot integer;
  networks cidr[];
begin
  select k.id, k.user_id, u.username, k.environment, k.requests_per_minute, k.writes_per_minute,
         k.read_only, k.allowed_ips, u.frozen_at is not null
    into key_id, user_id, username, environment, request_limit, write_limit,
         is_read_only, networks, is_frozen
    from api_keys k join users u on u.id = k.user_id
   where k.key_hash = hash and k.revoked_at is null;
  if not found then
    return;
  end if;
  now := to_timestamp(clock);
  is_address_allowed := true;
  if networks is not null then
    may_reserve := false;
    is_address_allowed := coalesce(plain_address(address) <<= any (networks), false);
  end if;
  if not is_address_allowed then
    allowed := false;
    request_remaining := 0;
    write_remaining := 0;
    retry_after_seconds := 0;
    reserved_requests := 0;
    reserved_writes := 0;
    reservation_ms := 0;
    return next;
    return;
  end if;
  reserved_requests := case when may_reserve then greatest(1, request_limit / 600) else 1 end;
  reserved_writes := case when not is_write then 0
    when may_reserve then greatest(1, write_limit / 600) else 1 end;
  reservation_ms := floor((now_second + 1 - clock) * 1000);
  if idem_key is not null then
    select i.status, i.body, i.fingerprint into stored_status, stored_body, stored_fingerprint
      from idempotency_keys i
     where i.user_id = authenticate_call.user_id and i.environment = authenticate_call.environment
       and i.operation = authenticate_call.operation and i.key = idem_key;
  end if;

  -- The common case in one statement: the second of the last call, and room in both windows.
  slot := now_second % 61 + 1;
  update rate_windows r
     set requests[slot] = requests[slot] + reserved_requests,
         requests_total = requests_total + reserved_requests,
         writes[slot] = writes[slot] + reserved_writes,
         writes_total = writes_total + reserved_writes
   where r.key_id = authenticate_call.key_id and r.last_second = now_second
     and r.requests_total + reserved_requests <= request_limit
     and (not is_write or r.writes_total + reserved_writes <= write_limit)
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
  values (authenticate_call.key_id, now_second, array_fill(0, array[61]), array_fill(0, array[61]), 0, 0)
  on conflict on constraint rate_windows_pkey do nothing;
  select r.* into w from rate_windows r where r.key_id = authenticate_call.key_id for update;

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
    -- Near the limit only what is left of it can be reserved.
    reserved_requests := least(reserved_requests, request_limit - w.requests_total);
    reserved_writes := greatest(0, least(reserved_writes, write_limit - w.writes_total));
    w.requests[slot] := w.requests[slot] + reserved_requests;
    w.requests_total := w.requests_total + reserved_requests;
    w.writes[slot] := w.writes[slot] + reserved_writes;
    w.writes_total := w.writes_total + reserved_writes;
  else
    reserved_requests := 0;
    reserved_writes := 0;
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
   where r.key_id = authenticate_call.key_id;
  request_remaining := greatest(0, request_limit - w.requests_total);
  write_remaining := greatest(0, write_limit - w.writes_total);
  return next;
end $$;

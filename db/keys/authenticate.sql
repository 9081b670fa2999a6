-- Authentication and rate limits: one round trip authenticates a caller, counts the call and looks up
-- its idempotency key (docs/decisions/keys-and-limits.md).

-- The slots of a window as they are at `now_second`: those that have left it since the last call are empty.
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

-- Seconds until one more call is allowed, because enough of the oldest slots have left the window. `remaining`:
-- how many are allowed now, negative when the limit was lowered.
create or replace function rate_window_wait(slots integer[], remaining integer, now_second bigint)
returns integer language plpgsql immutable as $$
begin
  if remaining > 0 then
    return 0;
  end if;
  for second in now_second - 60 .. now_second loop
    remaining := remaining + slots[second % 61 + 1];
    if remaining > 0 then
      return greatest(1, second + 61 - now_second);
    end if;
  end loop;
  return 61;
end $$;

-- Sums up what the keys with the usual limits of an account have used together, by slot. Keys that are no longer
-- valid count for as long as their calls are in the window. Of 50 keys it is read in about a millisecond.
create or replace function account_window(owner uuid, now_second bigint, out requests integer[], out writes integer[])
language plpgsql as $$
begin
  select array_agg(coalesce(c.requests, 0) order by s.slot), array_agg(coalesce(c.writes, 0) order by s.slot)
    into requests, writes
    from generate_series(1, 61) s (slot)
    left join (
      select n.slot, sum(n.requests)::integer as requests, sum(n.writes)::integer as writes
        from api_keys k
        join rate_windows r on r.key_id = k.id and r.last_second > now_second - 61
       cross join unnest(r.requests, r.writes) with ordinality n (requests, writes, slot)
       where k.user_id = owner and k.requests_per_minute <= 60 and k.writes_per_minute <= 30
         and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp() - interval '61 seconds', true)
         and n.requests > 0
         -- The second that the slot is of.
         and r.last_second - (r.last_second + 1 - n.slot) % 61 > now_second - 61
       group by n.slot) c on c.slot = s.slot;
end $$;

-- Null when the account has neither moved its clock nor ordered a fault. In PL/pgSQL, so that no plan of a live request has
-- the table.
create or replace function sandbox_clock(owner uuid) returns integer language plpgsql stable as $$
begin
  return (select s.clock_seconds from sandboxes s where s.user_id = owner);
end $$;

create or replace function has_sandbox_faults(owner uuid) returns boolean language plpgsql stable as $$
begin
  return (select s.has_faults from sandboxes s where s.user_id = owner);
end $$;

-- Counts a key with a high limit for several calls at once when may_reserve is true: this one and
-- others that the process may then let in until the second ends
-- (docs/decisions/keys-and-limits.md). A key with a list of addresses reserves
-- nothing: calls from elsewhere could use up what it reserved.
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
  -- True: the caller has a key that was in use once. The call was not counted.
  is_revoked boolean, is_expired boolean,
  is_frozen boolean, scopes text[],
  -- The account's sandbox, for a test key only; null when it has neither moved its clock nor ordered a fault.
  clock_seconds integer, has_faults boolean,
  -- The key's id when it has a daily limit.
  limited_key uuid
)
language plpgsql as $$
declare
  w rate_windows;
  -- The database's clock, so that all processes share one window.
  clock numeric := extract(epoch from clock_timestamp());
  now_second bigint := floor(clock);
  slot integer;
  networks cidr[];
  has_many_keys boolean;
  account record;
  account_requests integer;
  account_writes integer;
begin
  select k.id, k.user_id, u.username, k.environment, k.requests_per_minute, k.writes_per_minute,
         k.scopes, k.allowed_ips, coalesce(k.revoked_at <= clock_timestamp(), false),
         coalesce(k.expires_at <= clock_timestamp(), false), u.frozen_at is not null,
         u.has_many_keys and k.requests_per_minute <= 60 and k.writes_per_minute <= 30,
         case when k.daily_limit is not null then k.id end
    into key_id, user_id, username, environment, request_limit, write_limit,
         scopes, networks, is_revoked, is_expired, is_frozen, has_many_keys, limited_key
    from api_keys k join users u on u.id = k.user_id
   where k.key_hash = hash;
  if not found then
    return;
  end if;
  if environment = 'sandbox' then
    clock_seconds := sandbox_clock(user_id);
    has_faults := has_sandbox_faults(user_id);
  end if;
  now := to_timestamp(clock);
  is_address_allowed := true;
  if networks is not null then
    may_reserve := false;
    is_address_allowed := coalesce(plain_address(address) <<= any (networks), false);
  end if;
  if is_revoked or is_expired or not is_address_allowed then
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

  insert into rate_windows as r
  values (authenticate_call.key_id, now_second, array_fill(0, array[61]), array_fill(0, array[61]))
  on conflict on constraint rate_windows_pkey do nothing;
  select r.* into w from rate_windows r where r.key_id = authenticate_call.key_id for update;
  -- A clock that steps back must not reopen the window.
  now_second := greatest(now_second, w.last_second);
  slot := now_second % 61 + 1;
  w.requests := advance_rate_window(w.requests, w.last_second, now_second);
  w.writes := advance_rate_window(w.writes, w.last_second, now_second);
  request_remaining := request_limit - (select sum(n) from unnest(w.requests) n);
  write_remaining := write_limit - (select sum(n) from unnest(w.writes) n);
  retry_after_seconds := greatest(rate_window_wait(w.requests, request_remaining, now_second),
    case when is_write then rate_window_wait(w.writes, write_remaining, now_second) else 0 end);
  if has_many_keys then
    -- All its keys with the usual limits have ten times these together: up to ten keys cannot have more. No
    -- lock makes the calls of one account wait for each other, so what is under way with the others, one call
    -- of each, may be let in beyond it.
    account := account_window(authenticate_call.user_id, now_second);
    account_requests := 600 - (select coalesce(sum(n), 0) from unnest(account.requests) n);
    account_writes := 300 - (select coalesce(sum(n), 0) from unnest(account.writes) n);
    request_remaining := least(request_remaining, account_requests);
    write_remaining := least(write_remaining, account_writes);
    retry_after_seconds := greatest(retry_after_seconds,
      rate_window_wait(account.requests, account_requests, now_second),
      case when is_write then rate_window_wait(account.writes, account_writes, now_second) else 0 end);
  end if;
  allowed := retry_after_seconds = 0;
  if allowed then
    -- Near the limit only what is left of it can be reserved.
    reserved_requests := least(reserved_requests, request_remaining);
    reserved_writes := greatest(0, least(reserved_writes, write_remaining));
    w.requests[slot] := w.requests[slot] + reserved_requests;
    w.writes[slot] := w.writes[slot] + reserved_writes;
    update rate_windows r set last_second = now_second, requests = w.requests, writes = w.writes
     where r.key_id = authenticate_call.key_id;
  else
    reserved_requests := 0;
    reserved_writes := 0;
  end if;
  request_remaining := greatest(0, request_remaining - reserved_requests);
  write_remaining := greatest(0, write_remaining - reserved_writes);
  return next;
end $$;

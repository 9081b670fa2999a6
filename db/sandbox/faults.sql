-- Faults in the sandbox: ordered, used up one by one whichever process asks, and handed to the calls of gateways.

-- No row: the account has as many as it may have.
create or replace function order_sandbox_fault(account uuid, op text, what text, uses integer, most integer)
returns setof sandbox_faults language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The row's lock lets in one at a time.
  insert into sandboxes as s (user_id, has_faults) values (account, true)
  on conflict (user_id) do update set has_faults = true;
  delete from sandbox_faults f using webhook_endpoints w
   where f.user_id = account and f.operation = 'webhook_endpoint/' || w.id
     and w.user_id = account and w.status = 'deleted';
  if (select count(*) from sandbox_faults f where f.user_id = account) < most then
    return query insert into sandbox_faults (user_id, operation, fault, times, uses_left)
      values (account, op, what, uses, uses) returning *;
  end if;
end $$;

-- `op` null: those of all requests.
create or replace function drop_sandbox_faults(account uuid, op text) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped integer;
begin
  perform from sandboxes s where s.user_id = account for update;
  delete from sandbox_faults f
   where f.user_id = account and coalesce(f.operation = op, f.operation not like 'webhook_endpoint/%');
  get diagnostics dropped = row_count;
  update sandboxes s set has_faults = exists (select from sandbox_faults f where f.user_id = account)
   where s.user_id = account;
  return dropped;
end $$;

-- Uses up the next fault of an operation, those left out that are like one of `unfit`. `idem_key`: null when it has none.
create or replace function take_sandbox_fault(account uuid, op text, unfit text[], idem_key text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  f sandbox_faults;
begin
  perform from sandboxes s where s.user_id = account for update;
  select * into f from sandbox_faults x
   where x.user_id = account and x.operation = op and x.fault not like all (unfit)
     and not (x.fault = 'in-progress' and exists (
           select from sandbox_busy_keys b
            where b.user_id = account and b.operation = op and b.key = idem_key))
   order by x.position limit 1;
  if not found then
    return null;
  end if;
  if f.fault = 'in-progress' then
    perform begin_busy_key(account, op, idem_key);
  end if;
  perform use_sandbox_fault(f);
  return f.fault;
end $$;

-- The caller holds the account's row.
create or replace function use_sandbox_fault(f sandbox_faults) returns void language plpgsql as $$
begin
  if f.uses_left > 1 then
    update sandbox_faults x set uses_left = x.uses_left - 1 where x.id = f.id;
  else
    delete from sandbox_faults x where x.id = f.id;
    update sandboxes s set has_faults = exists (select from sandbox_faults x where x.user_id = f.user_id)
     where s.user_id = f.user_id;
  end if;
end $$;

-- True for the first caller of a key. Keys are forgotten after a day.
create or replace function begin_busy_key(account uuid, op text, idem_key text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from sandbox_busy_keys b
   where b.user_id = account and b.created_at < now() - interval '1 day';
  insert into sandbox_busy_keys (user_id, operation, key) values (account, op, idem_key)
  on conflict do nothing;
  return found;
end $$;

-- `subject`: the id of what the request makes, or how its path names a row of the account's sandbox, whose `kind`
-- is given. Returns the id; null when the account has no such row. One that was never used is forgotten after a month.
create or replace function order_gateway_fault(account uuid, kind text, subject text, what text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  target uuid;
  id_or_null uuid := case when subject ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then subject::uuid end;
begin
  case kind
    when 'created' then target := id_or_null;
    when 'payment_intent' then
      select i.id into target from payment_intents i
       where i.user_id = account and i.environment = 'sandbox'
         and (i.id = id_or_null or (id_or_null is null and i.short_code = subject));
    when 'payment_attempt' then
      select a.id into target from payment_attempts a
       where a.user_id = account and a.environment = 'sandbox' and a.id = id_or_null;
    when 'payout' then
      select p.id into target from payouts p
       where p.user_id = account and p.environment = 'sandbox'
         and (p.id = id_or_null or (id_or_null is null and p.reference = subject));
  end case;
  if target is null then
    return null;
  end if;
  delete from sandbox_gateway_faults g
   where g.user_id = account and g.created_at < now() - interval '30 days';
  insert into sandbox_gateway_faults as g (subject, user_id, fault) values (target, account, what)
  on conflict on constraint sandbox_gateway_faults_pkey do update set fault = excluded.fault
    where g.user_id = account;
  return target;
end $$;

create or replace function take_gateway_fault(target uuid) returns text
language sql security definer set search_path = public, pg_temp as $$
  delete from sandbox_gateway_faults g where g.subject = target returning g.fault
$$;

-- Takes one call back from a key's limits, which were never to count it.
create or replace function uncount_call(key uuid, is_write boolean) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  slot integer;
begin
  select w.last_second % 61 + 1 into slot from rate_windows w where w.key_id = key for update;
  update rate_windows w
     set requests[slot] = greatest(0, w.requests[slot] - 1),
         writes[slot] = greatest(0, w.writes[slot] - is_write::integer)
   where w.key_id = key;
end $$;

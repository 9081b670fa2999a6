-- Faults of deliveries to endpoints of the sandbox. They are ordered in sandbox_faults, under the endpoint as their
-- operation. An attempt uses up one before it is made, and keeps it until it is recorded, whoever makes it.

-- Tells a claim what it must know of a delivery in the sandbox; null: nothing. `is_behind`: the clock was moved, and one jump
-- runs all that was due on the way, so nothing waits for the endpoint to recover. In PL/pgSQL, so that no plan
-- of a live claim has it.
create or replace function sandbox_rehearsal(owner uuid, endpoint uuid, due timestamptz) returns json
language plpgsql stable as $$
declare
  has_faults boolean := exists (select from sandbox_webhook_uses u where u.endpoint_id = endpoint)
    or exists (select from sandbox_faults f where f.user_id = owner and f.operation = 'webhook_endpoint/' || endpoint);
  is_behind boolean := due < now() - interval '1 minute'
    and exists (select from sandboxes s where s.user_id = owner and s.clock_seconds > 0);
begin
  return case when has_faults or is_behind
              then json_build_object('has_faults', has_faults, 'is_behind', is_behind) end;
end $$;

-- Which of these claimed deliveries are sent now, each with its fault. `late` and `swap` put one off instead, once;
-- of two that change places, the second goes as it is. Locks as the advance of a clock does, deliveries by id.
create or replace function take_webhook_faults(endpoint uuid, token uuid, ids uuid[], swap_seconds integer)
returns table (id uuid, fault text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  owner uuid;
  d record;
  f sandbox_faults;
  u sandbox_webhook_uses;
begin
  select w.user_id into strict owner from webhook_endpoints w where w.id = endpoint and w.environment = 'sandbox';
  perform from sandboxes s where s.user_id = owner for update;
  perform from webhook_endpoints w where w.id = endpoint for no key update;
  -- Another run that has taken the endpoint takes its faults.
  if not exists (select from webhook_leases l
                  where l.endpoint_id = endpoint and l.token = take_webhook_faults.token
                    and l.leased_until > clock_timestamp()) then
    return;
  end if;
  perform from webhook_deliveries v where v.id = any (ids) order by v.id for no key update;
  for d in select v.id, v.attempts + 1 as attempt, v.created_at
             from unnest(ids) with ordinality c (id, place)
             join webhook_deliveries v on v.id = c.id and v.status = 'pending' and v.next_attempt_at <= clock_timestamp()
            order by c.place
  loop
    id := d.id;
    select * into u from sandbox_webhook_uses x where x.delivery_id = d.id and x.attempt = d.attempt;
    if not found then
      u := (d.id, endpoint, d.attempt, null, null);
      -- The first that waits for one after it.
      update sandbox_webhook_uses x set partner = d.id
       where x.delivery_id = (
         select y.delivery_id from sandbox_webhook_uses y
           join webhook_deliveries v on v.id = y.delivery_id and v.status = 'pending' and v.attempts = y.attempt - 1
          where y.endpoint_id = endpoint and y.fault = 'swap' and y.partner is null and v.created_at < d.created_at
            and v.next_attempt_at > clock_timestamp()
          order by v.created_at limit 1);
      if not found then
        select * into f from sandbox_faults x
         where x.user_id = owner and x.operation = 'webhook_endpoint/' || endpoint
         order by x.position limit 1;
        if not found then
          fault := null;
          return next;
          continue;
        end if;
        u.fault := f.fault;
        perform use_sandbox_fault(f);
      end if;
      insert into sandbox_webhook_uses as x values (u.*)
      on conflict on constraint sandbox_webhook_uses_pkey do update
        set attempt = excluded.attempt, fault = excluded.fault, partner = null;
      if u.fault = 'swap' or u.fault like 'late=%' then
        update webhook_deliveries v
           set next_attempt_at = case u.fault
                 when 'swap' then clock_timestamp() + swap_seconds * interval '1 second'
                 else v.next_attempt_at + substr(u.fault, 6)::integer * interval '1 second' end
         where v.id = d.id;
        -- The clock may be far ahead: then its time is over already.
        continue;
      end if;
    end if;
    fault := u.fault;
    return next;
  end loop;
end $$;

-- Records attempts of an endpoint that has faults: `copies` are the second ones of those that were sent twice. What
-- waited for one of them to be tried goes next. Returns the endpoint's status.
create or replace function record_faulty_attempts(endpoint uuid, made jsonb, health jsonb, copies jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tried constant uuid[] := array(select (m ->> 'delivery_id')::uuid from jsonb_array_elements(made) m);
  waiting uuid[];
  status text;
begin
  perform from webhook_endpoints w where w.id = endpoint for no key update;
  waiting := array(select u.delivery_id from sandbox_webhook_uses u
                    where u.endpoint_id = endpoint and u.partner = any (tried));
  perform from webhook_deliveries v where v.id = any (tried || waiting) order by v.id for no key update;
  status := record_attempts(endpoint, made, health);
  perform record_attempts(endpoint, copies, null);
  delete from sandbox_webhook_uses u using webhook_deliveries v
   where u.delivery_id = any (tried) and v.id = u.delivery_id and v.attempts >= u.attempt;
  update webhook_deliveries v set next_attempt_at = clock_timestamp()
   where v.id = any (waiting) and v.status = 'pending' and v.next_attempt_at > clock_timestamp();
  if found then
    perform pg_notify('webhook_deliveries', endpoint::text);
  end if;
  return status;
end $$;

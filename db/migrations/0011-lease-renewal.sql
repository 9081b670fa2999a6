-- One lease that somebody's change of its endpoint holds up does not hold up the others of its process.

create or replace function renew_drain(endpoint uuid, token uuid, lease_ms integer) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  select without_waiting_for_disk();
  update webhook_endpoints w
     set drained_until = clock_timestamp() + lease_ms * interval '1 millisecond'
   where w.id = endpoint and w.drain_token = token
  returning true
$$;

-- All that one process holds, at once, but for those that somebody is changing. Returns the renewed.
create or replace function renew_drains(endpoints uuid[], tokens uuid[], lease_ms integer)
returns setof uuid
language sql security definer set search_path = public, pg_temp as $$
  select without_waiting_for_disk();
  with held as materialized (
    select w.id from webhook_endpoints w
      join unnest(endpoints, tokens) h (id, token) on h.id = w.id and h.token = w.drain_token
     for no key update of w skip locked
  )
  update webhook_endpoints w
     set drained_until = clock_timestamp() + lease_ms * interval '1 millisecond'
    from held where w.id = held.id
  returning w.id
$$;

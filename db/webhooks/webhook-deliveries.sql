-- Deliveries: added for an event, held or discarded with their endpoint's status, and sent again.
-- Locks are always taken in this order: endpoints by id, then deliveries by id.

-- Adds one delivery per endpoint. The caller holds the user's event counter, which makes the
-- times unique. A disabled endpoint gets its deliveries when it is enabled.
create or replace function add_deliveries(event uuid, endpoints uuid[]) returns void language plpgsql as $$
declare
  e events;
  at timestamptz;
  added uuid[];
begin
  select * into strict e from events x where x.id = event;
  select greatest(clock_timestamp(), max(d.created_at) + interval '1 microsecond') into at
    from webhook_deliveries d where d.user_id = e.user_id and d.environment = e.environment;
  -- If the endpoint is being enabled, that change waits for this commit and then releases held
  -- deliveries. If it is being disabled, its next run holds what is added here.
  with disabled as materialized (
    select w.id, w.status = 'deleted' as is_deleted
      from webhook_endpoints w where w.id = any (endpoints) and w.status <> 'enabled'
       for key share skip locked
  ), wanted as (
    select w.id, x.id is null as is_enabled, x.is_deleted,
           at + (row_number() over (order by w.id) - 1) * interval '1 microsecond' as added_at
      from webhook_endpoints w left join disabled x on x.id = w.id
     where w.id = any (endpoints)
  ), inserted as (
    insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status,
      next_attempt_at, created_at)
    select e.id, w.id, e.user_id, e.environment, e.type,
           case when w.is_enabled then 'pending' when w.is_deleted then 'discarded' else 'held' end,
           case when w.is_enabled then at end, w.added_at
      from wanted w
    on conflict (endpoint_id, event_id) do nothing
    returning endpoint_id
  )
  select array_agg(i.endpoint_id) into added from inserted i;
  perform announce_deliveries(added);
end $$;

-- Adds a delivery for an endpoint that did not get this event: it was created later, or chose other
-- types.
create or replace function add_delivery(event uuid, endpoint uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  e events;
begin
  select * into strict e from events x where x.id = event;
  perform lock_event_counter(e.user_id, e.environment);
  perform add_deliveries(event, array[endpoint]);
end $$;

-- Makes waiting deliveries match their endpoint's status: sent while it is enabled, held while it
-- is disabled, discarded when it is deleted. A limited number at a time, because a backlog may take
-- longer than a statement may; true when there may be more. The next delivery run does the rest.
--
-- Without the setting, a plan for all endpoints may read the table until it has found that many, which for an
-- endpoint with few waiting deliveries means to its end.
create or replace function apply_endpoint_status(endpoint uuid, new_status text) returns boolean language plpgsql
set enable_seqscan = off as $$
declare
  max_changed constant integer := 5000;
  waiting constant text[] := case new_status when 'enabled' then array['held']
                                             when 'disabled' then array['pending']
                                             when 'deleted' then array['pending', 'held'] end;
  ids constant uuid[] := array(select w.id from webhook_deliveries w
                                where w.endpoint_id = endpoint and w.status = any (waiting)
                                  and w.status <> 'delivered'
                                limit max_changed);
begin
  -- The status is checked again under the lock: a delivery may have arrived meanwhile.
  with chosen as materialized (
    select d.id from webhook_deliveries d
     where d.id = any (ids) and d.status = any (waiting)
     order by d.id for no key update
  )
  update webhook_deliveries d
     set status = case new_status when 'enabled' then 'pending' when 'disabled' then 'held'
                                  when 'deleted' then 'discarded' end,
         tries = case new_status when 'enabled' then 0 else d.tries end,
         next_attempt_at = case new_status when 'enabled' then clock_timestamp() end
    from chosen c where d.id = c.id;
  return cardinality(ids) = max_changed;
end $$;

-- Sends deliveries again: at once, even during a pause of their endpoint, with the whole retry
-- schedule ahead. A delivery that waits for its next try keeps its place in the schedule. With
-- `statuses`, only deliveries that have one of these under the lock: others may have arrived
-- meanwhile. Returns how many were queued.
create or replace function resend_deliveries(ids uuid[], statuses text[] default null) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  enabled uuid[];
  queued integer;
  endpoints uuid[];
begin
  with chosen as materialized (
    select w.id, w.paused_until from webhook_endpoints w
     where w.status = 'enabled'
       and w.id in (select d.endpoint_id from webhook_deliveries d where d.id = any (ids))
     order by w.id for no key update
  ), resumed as (
    update webhook_endpoints w set paused_until = null
      from chosen c where w.id = c.id and c.paused_until is not null
  )
  select array_agg(c.id) into enabled from chosen c;
  with chosen as materialized (
    select d.id from webhook_deliveries d
     where d.id = any (ids) and d.endpoint_id = any (enabled)
       and (statuses is null or d.status = any (statuses))
     order by d.id for no key update
  ), changed as (
    update webhook_deliveries d
       set status = 'pending', is_resend = true, next_attempt_at = clock_timestamp(),
           tries = case when d.status = 'pending' then d.tries else 0 end
      from chosen c where d.id = c.id
    returning d.endpoint_id
  )
  select count(*), array_agg(distinct c.endpoint_id) into queued, endpoints from changed c;
  perform announce_deliveries(endpoints);
  return queued;
end $$;

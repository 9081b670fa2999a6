-- Time ranges of deliveries that are sent again.

-- Null, and nothing is begun, while another resend of the endpoint is running: they would wait for each other,
-- and queue the same deliveries.
create or replace function begin_resend(request jsonb) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  endpoint constant uuid := request ->> 'endpoint_id';
  resend uuid;
begin
  perform from webhook_endpoints e where e.id = endpoint for no key update;
  if exists (select from webhook_resends x where x.endpoint_id = endpoint and x.status = 'running') then
    return null;
  end if;
  insert into webhook_resends (user_id, environment, endpoint_id, statuses, types, created_from,
    created_to, reached)
  select user_id, environment, endpoint_id, array(select jsonb_array_elements_text(statuses)),
         array(select jsonb_array_elements_text(types)), created_from,
         least(created_to, clock_timestamp()), created_from
    from jsonb_to_record(request) q (
      user_id uuid, environment text, endpoint_id uuid, statuses jsonb, types jsonb,
      created_from timestamptz, created_to timestamptz)
  returning id into resend;
  return resend;
end $$;

-- Queues the next page of one of the ranges that are under way, oldest first; false when there is none. Accounts take
-- turns, however many endpoints one resends for, and one page at a time is queued. Its progress is in the same commit,
-- so that each delivery is queued once.
create or replace function continue_resend(page integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r webhook_resends;
  ids uuid[];
  last timestamptz;
  seen integer;
  more integer;
begin
  select * into r from webhook_resends x
   where x.id = (select t.id from (select y.id, y.paged_at, max(y.paged_at) over (partition by y.user_id) as turn
                                     from webhook_resends y where y.status = 'running') t
                  order by t.turn nulls first, t.paged_at nulls first, t.id limit 1)
     and x.status = 'running'
     for update skip locked;
  if not found then
    return false;
  end if;
  -- Deliveries that do not match count for the page too: a range with few matches would be one
  -- long query otherwise.
  select count(*), max(p.created_at),
         array_agg(p.id) filter (where p.status = any (r.statuses) and p.type = any (r.types))
    into seen, last, ids
    from (select d.id, d.created_at, d.status, d.type from webhook_deliveries d
           where d.endpoint_id = r.endpoint_id and d.created_at >= r.reached
             and d.created_at < r.created_to
           order by d.created_at limit page) p;
  more := resend_deliveries(ids, r.statuses);
  update webhook_resends x
     set queued = x.queued + more,
         reached = coalesce(last + interval '1 microsecond', x.reached),
         paged_at = clock_timestamp(),
         status = case when seen < page then 'completed' else 'running' end,
         completed_at = case when seen < page then clock_timestamp() end
   where x.id = r.id;
  return true;
end $$;

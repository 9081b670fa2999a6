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

-- Queues the next page of a range, oldest first. Its progress is in the same commit, so that each
-- delivery is queued once even if the caller repeats the page.
create or replace function resend_page(resend uuid, page integer)
returns table (is_done boolean, queued integer, wake uuid[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r webhook_resends;
  ids uuid[];
  last timestamptz;
  seen integer;
begin
  select * into strict r from webhook_resends x where x.id = resend for update;
  is_done := r.status = 'completed';
  queued := r.queued;
  wake := '{}';
  if not is_done then
    -- Deliveries that do not match count for the page too: a range with few matches would be one
    -- long query otherwise.
    select count(*), max(p.created_at),
           array_agg(p.id) filter (where p.status = any (r.statuses) and p.type = any (r.types))
      into seen, last, ids
      from (select d.id, d.created_at, d.status, d.type from webhook_deliveries d
             where d.endpoint_id = r.endpoint_id and d.created_at >= r.reached
               and d.created_at < r.created_to
             order by d.created_at limit page) p;
    select q.queued, q.wake into queued, wake from resend_deliveries(ids, r.statuses) q;
    is_done := seen < page;
    update webhook_resends x
       set queued = x.queued + resend_page.queued,
           reached = coalesce(last + interval '1 microsecond', x.reached),
           status = case when resend_page.is_done then 'completed' else 'running' end,
           completed_at = case when resend_page.is_done then clock_timestamp() end
     where x.id = resend
    returning x.queued into queued;
  end if;
  return next;
end $$;

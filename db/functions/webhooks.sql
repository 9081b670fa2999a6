-- Events for merchants, their deliveries to webhook endpoints, and the endpoints' leases. A delivery
-- is committed together with its event.

-- A lease that a crash of the server takes back costs its length and no more: its commit does not wait
-- for the disk.
create or replace function without_waiting_for_disk() returns void language sql as $$
  select set_config('synchronous_commit', 'off', true)
$$;

-- The account's counter: whoever holds it adds events and deliveries of that account alone.
create or replace function lock_event_counter(account uuid, env text) returns void language plpgsql as $$
begin
  insert into event_sequences values (account, env, 0) on conflict do nothing;
  perform 1 from event_sequences s where s.user_id = account and s.environment = env for update;
end $$;

-- Of those that have something new to deliver, the ones that nobody is delivering to: their workflow
-- has to be woken. The others' drain hears of it at the commit. One that is paused has a timer for the
-- end of the pause when something else waits for that, and is not woken again for each event.
create or replace function endpoints_to_wake(ids uuid[]) returns uuid[] language plpgsql as $$
declare
  w record;
  asleep uuid[] := '{}';
begin
  for w in select e.id, coalesce(e.drained_until > clock_timestamp(), false) as is_drained,
                  e.paused_until > clock_timestamp() and
                    (select count(*) from (
                       select from webhook_deliveries d
                        where d.endpoint_id = e.id and d.status = 'pending'
                          and d.next_attempt_at <= e.paused_until limit 2) q) = 2 as has_timer
             from webhook_endpoints e where e.id = any (ids) and e.status = 'enabled'
  loop
    if w.is_drained then
      perform pg_notify('webhook_deliveries', w.id::text);
    elsif w.has_timer is not true then
      asleep := asleep || w.id;
    end if;
  end loop;
  return asleep;
end $$;

-- One delivery per endpoint that wants the event; under the account's counter, so that their times
-- are unique. One that is disabled gets it later.
create or replace function add_deliveries(event uuid, endpoints uuid[]) returns uuid[] language plpgsql as $$
declare
  e events;
  at timestamptz;
  added uuid[];
begin
  select * into strict e from events x where x.id = event;
  select greatest(clock_timestamp(), max(d.created_at) + interval '1 microsecond') into at
    from webhook_deliveries d where d.user_id = e.user_id and d.environment = e.environment;
  -- Whoever enables one that is disabled waits for this commit, and then releases what it holds. One
  -- that somebody has in hand is not waited for: should it stay disabled, its next drain holds what
  -- was added.
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
  return endpoints_to_wake(added);
end $$;

-- Called in the same transaction as the change it tells of, with the bytes rendered from the row.
create or replace function add_event(
  event_id uuid, intent uuid, event_type text, sequence bigint, body text
) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
begin
  select * into strict i from payment_intents p where p.id = intent;
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event_id, i.user_id, i.environment, sequence, event_type, intent, body, i.updated_at);
  perform note_intent(intent, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
  return add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = i.user_id and w.environment = i.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- For trying an endpoint: to it alone, whatever types it chose.
create or replace function add_test_event(endpoint uuid, event uuid, event_type text, body text)
returns table (delivery_id uuid, wake uuid[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
begin
  select * into strict w from webhook_endpoints x where x.id = endpoint;
  perform lock_event_counter(w.user_id, w.environment);
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event, w.user_id, w.environment, 0, event_type, null, body, clock_timestamp());
  wake := add_deliveries(event, array[endpoint]);
  select d.id into strict delivery_id from webhook_deliveries d
   where d.event_id = event and d.endpoint_id = endpoint;
  return next;
end $$;

-- Whatever waits at an endpoint follows its status: sent while it is enabled, held while it is not,
-- given up with it. So many at a time, because a backlog may be longer than a statement may last; true
-- when there may be more, which the endpoint's workflow then goes on with.
create or replace function follow_endpoint(endpoint uuid, new_status text) returns boolean language plpgsql as $$
declare
  at_once constant integer := 5000;
  waiting constant text[] := case new_status when 'enabled' then array['held']
                                             when 'disabled' then array['pending']
                                             when 'deleted' then array['pending', 'held'] end;
  ids constant uuid[] := array(select w.id from webhook_deliveries w
                                where w.endpoint_id = endpoint and w.status = any (waiting)
                                  and w.status <> 'delivered'
                                limit at_once);
begin
  -- Looked at again under the lock: one that arrives meanwhile has arrived.
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
  return cardinality(ids) = at_once;
end $$;

create or replace function create_webhook_endpoint(request jsonb, sealed bytea, max_endpoints integer)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, user_id uuid, environment text, url text, types jsonb, description text,
    max_per_second integer);
  -- Two at once must not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended(r.user_id::text || r.environment, 8));
  if (select count(*) from webhook_endpoints w where w.user_id = r.user_id
        and w.environment = r.environment and w.status <> 'deleted') >= max_endpoints then
    return false;
  end if;
  insert into webhook_endpoints (id, user_id, environment, url, types, description,
    max_per_second, sealed_secret)
  values (r.id, r.user_id, r.environment, r.url, array(select jsonb_array_elements_text(r.types)),
    r.description, r.max_per_second, sealed);
  return true;
end $$;

-- Changes what `changes` names; null for `description` and `max_per_second` takes them away. Returns
-- false for an endpoint that is not there.
create or replace function update_webhook_endpoint(endpoint uuid, changes jsonb)
returns table (is_there boolean, wake uuid[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
  new_status text;
begin
  select * into w from webhook_endpoints x where x.id = endpoint and x.status <> 'deleted' for update;
  is_there := found;
  wake := '{}';
  if is_there then
    new_status := coalesce(changes ->> 'status', w.status);
    update webhook_endpoints x
       set url = coalesce(changes ->> 'url', w.url),
           types = case when changes ? 'types'
                        then array(select jsonb_array_elements_text(changes -> 'types')) else w.types end,
           description = case when changes ? 'description' then changes ->> 'description'
                              else w.description end,
           max_per_second = case when changes ? 'max_per_second'
                                 then (changes ->> 'max_per_second')::integer else w.max_per_second end,
           status = new_status,
           disabled_reason = case when new_status <> 'disabled' then null
                                  else coalesce(w.disabled_reason, 'merchant') end,
           -- A new address and a second chance both begin without a past.
           consecutive_failures = case when is_new then 0 else w.consecutive_failures end,
           failing_since = case when is_new then null else w.failing_since end,
           paused_until = case when is_new then null else w.paused_until end,
           updated_at = clock_timestamp()
      from (select coalesce(changes ->> 'url', w.url) <> w.url or new_status <> w.status as is_new) c
     where x.id = endpoint;
    if new_status <> w.status and follow_endpoint(endpoint, new_status) then
      wake := array[endpoint];
    elsif new_status = 'enabled' then
      wake := endpoints_to_wake(array[endpoint]);
    end if;
  end if;
  return next;
end $$;

-- The secret that receivers know stays valid for the overlap. Within an overlap that is the one from
-- before the first rotation, and the one in between ends: a rotation whose answer was lost may be
-- repeated, although nobody has seen the secret that it made.
create or replace function rotate_webhook_secret(endpoint uuid, sealed bytea, overlap_seconds integer)
returns timestamptz
language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints w
     set sealed_secret = sealed,
         sealed_previous = case when overlap_seconds > 0 and w.previous_until > clock_timestamp()
                                then w.sealed_previous
                                when overlap_seconds > 0 then w.sealed_secret end,
         previous_until = case when overlap_seconds > 0
                               then clock_timestamp() + overlap_seconds * interval '1 second' end,
         updated_at = clock_timestamp()
   where w.id = endpoint and w.status <> 'deleted'
  returning coalesce(w.previous_until, clock_timestamp())
$$;

-- Seals again with another key, unless the secret was rotated meanwhile.
create or replace function reseal_webhook_secret(
  endpoint uuid, old_secret bytea, new_secret bytea, new_previous bytea
) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints w set sealed_secret = new_secret, sealed_previous = new_previous
   where w.id = endpoint and w.sealed_secret = old_secret
     and (w.sealed_previous is null) = (new_previous is null)
  returning true
$$;

-- Takes the endpoint for one who delivers to it: `draining`, or `busy` while another holds it, or
-- `closed` when there is nothing to be delivered any more.
create or replace function begin_drain(endpoint uuid, token uuid, lease_ms integer)
returns table (state text, wait_ms integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
  now_is timestamptz;
begin
  perform without_waiting_for_disk();
  select * into strict w from webhook_endpoints x where x.id = endpoint for update;
  now_is := clock_timestamp();
  if w.status <> 'enabled' then
    -- An event may have been committed while it was being closed.
    perform follow_endpoint(endpoint, w.status);
    state := 'closed';
  elsif w.drain_token <> token and w.drained_until > now_is then
    state := 'busy';
    wait_ms := ceil(extract(epoch from w.drained_until - now_is) * 1000);
  else
    update webhook_endpoints x
       set drain_token = token, drained_until = now_is + lease_ms * interval '1 millisecond'
     where x.id = endpoint;
    -- What was held and is more than one statement may release.
    perform follow_endpoint(endpoint, 'enabled');
    state := 'draining';
  end if;
  return next;
end $$;

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

create or replace function leave_drain(endpoint uuid, token uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  select without_waiting_for_disk();
  update webhook_endpoints w set drain_token = null, drained_until = null
   where w.id = endpoint and w.drain_token = token
$$;

-- What came of some attempts, and what it means for their deliveries and their endpoint. `health` is
-- null when all arrived at an endpoint that was well, and says nothing of one that has another URL by
-- now. Returns the endpoint's status.
create or replace function record_attempts(endpoint uuid, made jsonb, health jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  h record;
  at timestamptz := clock_timestamp();
  w webhook_endpoints;
  is_judged boolean := false;
begin
  if health is not null then
    select * into strict h from jsonb_to_record(health) q (
      url text, has_arrived boolean, failures integer, pause_ms bigint, is_gone boolean,
      disable_after_seconds integer, quiet_seconds integer, last_failure jsonb);
    update webhook_endpoints x
       set consecutive_failures = h.failures + case when h.has_arrived then 0 else x.consecutive_failures end,
           failing_since = case when h.failures = 0 and h.has_arrived then null
                                when h.has_arrived then at
                                -- Nobody has tried since.
                                when (x.last_failure ->> 'at')::timestamptz
                                       < at - h.quiet_seconds * interval '1 second'
                                then at
                                else coalesce(x.failing_since, at) end,
           paused_until = case when h.pause_ms > 0 then at + h.pause_ms * interval '1 millisecond'
                               when h.has_arrived then null
                               else x.paused_until end,
           last_failure = case when h.last_failure is null then x.last_failure
                               else h.last_failure || jsonb_build_object('at',
                                 to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) end
     where x.id = endpoint and x.url = h.url
    returning * into w;
    is_judged := found;
    if not is_judged then
      select * into strict w from webhook_endpoints x where x.id = endpoint for no key update;
    end if;
  end if;
  with r as (
    select q.*, v.id,
           -- Somebody asked for another attempt while this one was under way, and it failed.
           v.is_resend and q.trigger = 'automatic' and q.outcome <> 'delivered' as is_overtaken
      from jsonb_to_recordset(made) q (
        delivery_id uuid, number integer, trigger text, url text, age_ms double precision,
        duration_ms integer, outcome text, status integer, response_body text,
        response_truncated boolean, retry_after_seconds integer, retry_ms bigint)
      -- Asked again after an answer that was lost, nothing is counted twice.
      join webhook_deliveries v on v.id = q.delivery_id and v.attempts = q.number - 1
     order by v.id
       for no key update of v
  ), changed as (
    update webhook_deliveries d
       set attempts = d.attempts + 1,
           tries = d.tries + 1,
           is_resend = r.is_overtaken,
           status = case when r.outcome = 'delivered' then 'delivered'
                         when d.status <> 'pending' then d.status
                         when r.is_overtaken or r.retry_ms is not null then 'pending'
                         else 'exhausted' end,
           next_attempt_at = case when r.outcome = 'delivered' or d.status <> 'pending' then null
                                  when r.is_overtaken then d.next_attempt_at
                                  else at + r.retry_ms * interval '1 millisecond' end,
           delivered_at = case when r.outcome = 'delivered' then at else d.delivered_at end
      from r where d.id = r.id
    returning d.id, d.attempts
  )
  insert into webhook_attempts (delivery_id, number, trigger, url, started_at, duration_ms, outcome,
    status, response_body, response_truncated, retry_after_seconds)
  select r.delivery_id, c.attempts, r.trigger, r.url, at - r.age_ms * interval '1 millisecond',
         r.duration_ms, r.outcome, r.status, r.response_body, r.response_truncated,
         r.retry_after_seconds
    from r join changed c on c.id = r.delivery_id;
  if health is null then
    return 'enabled';
  end if;
  if is_judged and w.status = 'enabled' and (h.is_gone
       or w.failing_since <= at - h.disable_after_seconds * interval '1 second') then
    update webhook_endpoints x
       set status = 'disabled', disabled_reason = case when h.is_gone then 'gone' else 'failing' end,
           updated_at = at
     where x.id = endpoint;
    perform follow_endpoint(endpoint, 'disabled');
    return 'disabled';
  end if;
  return w.status;
end $$;

-- Endpoints at which something is overdue and that nobody is delivering to, or that were deleted and
-- have something left to be discarded: their wake-up was lost.
-- Marked, so that of several who ask only one is answered.
create or replace function overdue_endpoints(overdue_ms integer, most integer) returns setof uuid
language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints w set woken_at = clock_timestamp()
   where w.id in (
     select x.id from webhook_endpoints x
      where coalesce(x.drained_until, '-infinity') < now()
        and coalesce(x.paused_until, '-infinity') < now()
        and coalesce(x.woken_at, '-infinity') < now() - overdue_ms * interval '1 millisecond'
        and (exists (select from webhook_deliveries d
                      where d.endpoint_id = x.id and d.status = 'pending'
                        and d.next_attempt_at < now() - overdue_ms * interval '1 millisecond')
             or x.status = 'deleted' and x.updated_at > now() - interval '1 day'
                and exists (select from webhook_deliveries d
                             where d.endpoint_id = x.id and d.status = 'held'))
      limit most
      for update skip locked)
  returning w.id
$$;

-- Sends again: at once, whatever pause the endpoint has, with the whole schedule before it. What waits
-- for its next try keeps its place in the schedule. Only of these statuses, unless null: one that has
-- arrived meanwhile has arrived. Returns how many there were, and the endpoints to be woken. Locks, as
-- everywhere: endpoints by id, then deliveries by id.
create or replace function queue_again(ids uuid[], statuses text[] default null)
returns table (queued integer, wake uuid[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  enabled uuid[];
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
  select count(*), array_agg(distinct c.endpoint_id) into queued, wake from changed c;
  wake := endpoints_to_wake(wake);
  return next;
end $$;

-- To an endpoint that did not get this event by itself: it was made later, or chose other types.
create or replace function add_delivery(event uuid, endpoint uuid) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  e events;
begin
  select * into strict e from events x where x.id = event;
  perform lock_event_counter(e.user_id, e.environment);
  return add_deliveries(event, array[endpoint]);
end $$;

create or replace function begin_resend(request jsonb) returns uuid
language sql security definer set search_path = public, pg_temp as $$
  insert into webhook_resends (user_id, environment, endpoint_id, statuses, types, created_from,
    created_to, reached)
  select user_id, environment, endpoint_id, array(select jsonb_array_elements_text(statuses)),
         array(select jsonb_array_elements_text(types)), created_from,
         least(created_to, clock_timestamp()), created_from
    from jsonb_to_record(request) q (
      user_id uuid, environment text, endpoint_id uuid, statuses jsonb, types jsonb,
      created_from timestamptz, created_to timestamptz)
  returning id
$$;

-- The next page of a range, oldest first, with how far it has come in the same commit: whatever
-- happens, each delivery is queued once.
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
    -- All that are passed by count for the page, or a range of few matches would take one long look.
    select count(*), max(p.created_at),
           array_agg(p.id) filter (where p.status = any (r.statuses) and p.type = any (r.types))
      into seen, last, ids
      from (select d.id, d.created_at, d.status, d.type from webhook_deliveries d
             where d.endpoint_id = r.endpoint_id and d.created_at >= r.reached
               and d.created_at < r.created_to
             order by d.created_at limit page) p;
    select q.queued, q.wake into queued, wake from queue_again(ids, r.statuses) q;
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

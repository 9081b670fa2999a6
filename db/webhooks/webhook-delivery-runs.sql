-- Delivery runs. A run holds its endpoint by a lease in webhook_leases, a table that only these
-- functions write: so a change of the endpoint never holds up a renewal.

-- Serves leases only: a lease that a crash of the server undoes costs no more than its own length.
create or replace function commit_asynchronously() returns void language sql as $$
  select set_config('synchronous_commit', 'off', true)
$$;

-- Takes the endpoint's lease: `begun`. Or `busy`, while another run has it, or `closed`, when the
-- endpoint is not enabled. Also makes the endpoint's waiting deliveries match its status: an event
-- may have been committed while the endpoint was being closed, and more deliveries may be held than
-- one statement releases.
create or replace function begin_direct_run(endpoint uuid, token uuid, lease_ms integer)
returns table (state text, wait_ms integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  endpoint_status text;
begin
  perform commit_asynchronously();
  -- The status must not change before the lease is committed.
  select w.status into strict endpoint_status
    from webhook_endpoints w where w.id = endpoint for no key update;
  if endpoint_status <> 'enabled' then
    state := 'closed';
    perform apply_endpoint_status(endpoint, endpoint_status);
    return next;
    return;
  end if;
  insert into webhook_leases as l (endpoint_id, token, leased_until)
  values (endpoint, token, clock_timestamp() + lease_ms * interval '1 millisecond')
  on conflict (endpoint_id) do update
     set token = excluded.token, leased_until = excluded.leased_until
   where l.token = excluded.token or l.leased_until <= clock_timestamp();
  if found then
    state := 'begun';
    perform apply_endpoint_status(endpoint, 'enabled');
  else
    state := 'busy';
    select greatest(0, ceil(extract(epoch from l.leased_until - clock_timestamp()) * 1000))
      into strict wait_ms from webhook_leases l where l.endpoint_id = endpoint;
  end if;
  return next;
end $$;

-- The same for the endpoint's workflow, which shows operators how the endpoint stands. For an hour from then on
-- a worker may deliver to it directly (notify_delivery_runs).
create or replace function begin_delivery_run(endpoint uuid, token uuid, lease_ms integer)
returns table (state text, wait_ms integer)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform commit_asynchronously();
  update webhook_endpoints w set workflow_ran_at = clock_timestamp()
   where w.id = endpoint
     and coalesce(w.workflow_ran_at, '-infinity') < clock_timestamp() - interval '1 minute';
  return query select r.state, r.wait_ms from begin_direct_run(endpoint, token, lease_ms) r;
end $$;

-- Renews all leases of one process. Returns the endpoints of those that it still had.
create or replace function renew_webhook_leases(endpoints uuid[], tokens uuid[], lease_ms integer)
returns setof uuid
language sql security definer set search_path = public, pg_temp as $$
  select commit_asynchronously();
  update webhook_leases l set leased_until = clock_timestamp() + lease_ms * interval '1 millisecond'
    from unnest(endpoints, tokens) held (endpoint_id, token)
   where l.endpoint_id = held.endpoint_id and l.token = held.token
  returning l.endpoint_id
$$;

create or replace function end_delivery_run(endpoint uuid, token uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  select commit_asynchronously();
  delete from webhook_leases l where l.endpoint_id = endpoint and l.token = end_delivery_run.token
$$;

-- A worker process says that it listens to `webhook_quiet`: `has_heard` when what it was sent there the last
-- time has arrived, through whatever is between. For `ttl_ms` from then on it may be told of deliveries.
create or replace function renew_webhook_worker(worker uuid, has_heard boolean, ttl_ms integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform commit_asynchronously();
  if has_heard then
    insert into webhook_workers as x (id, heard_until)
    values (worker, clock_timestamp() + ttl_ms * interval '1 millisecond')
    on conflict (id) do update set heard_until = excluded.heard_until;
    delete from webhook_workers x where x.heard_until < clock_timestamp() - interval '1 minute';
  end if;
  perform pg_notify('webhook_quiet', worker::text);
end $$;

create or replace function end_webhook_worker(worker uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from webhook_workers x where x.id = worker
$$;

-- Announces new deliveries: the commit notifies the runs that hold a lease. An endpoint without a run whose
-- last deliveries arrived, and whose workflow operators have seen within the hour, is announced to one of
-- the workers, which delivers to it directly: a workflow costs as much as ten deliveries. The other
-- endpoints without a run are returned, because their workflows have to be woken. A paused endpoint is left
-- out when another delivery already waits for the end of the pause: its workflow has a timer for that, and
-- need not be woken for each event.
create or replace function notify_delivery_runs(ids uuid[]) returns uuid[] language plpgsql as $$
declare
  w record;
  worker uuid;
  without_run uuid[] := '{}';
begin
  for w in select e.id, coalesce(l.leased_until > clock_timestamp(), false) as is_leased,
                  e.consecutive_failures = 0 and e.paused_until is null
                    and e.workflow_ran_at > clock_timestamp() - interval '1 hour' as is_quiet,
                  -- In the order of webhook_deliveries_due: any other index reads all that are pending.
                  e.paused_until > clock_timestamp() and e.paused_until >=
                    (select d.next_attempt_at from webhook_deliveries d
                      where d.endpoint_id = e.id and d.status = 'pending'
                      order by d.next_attempt_at offset 1 limit 1) as has_timer
             from webhook_endpoints e left join webhook_leases l on l.endpoint_id = e.id
            where e.id = any (ids) and e.status = 'enabled'
  loop
    worker := null;
    if w.is_quiet and not w.is_leased then
      -- The same one for all events of an endpoint, as long as it is there.
      select x.id into worker from webhook_workers x where x.heard_until > clock_timestamp()
       order by hashtextextended(x.id::text || w.id::text, 0) limit 1;
    end if;
    if w.is_leased then
      perform pg_notify('webhook_deliveries', w.id::text);
    elsif worker is not null then
      perform pg_notify('webhook_quiet', worker || ' ' || w.id);
    elsif w.has_timer is not true then
      without_run := without_run || w.id;
    end if;
  end loop;
  return without_run;
end $$;

-- Endpoints with an overdue delivery and without a run, and deleted ones with something left to be
-- discarded: their wake-up was lost. They are marked, so that of several callers only one gets
-- each. Every worker calls it every few seconds, so it starts from the deliveries: `waiting` takes
-- one step of webhook_deliveries_due per endpoint that has any pending, however many those are, and
-- endpoints with nothing to deliver cost nothing.
create or replace function claim_overdue_endpoints(overdue_ms integer, max_claimed integer)
returns setof uuid
language sql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with recursive waiting as (
    (select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
      where d.status = 'pending'
      order by d.endpoint_id, d.next_attempt_at limit 1)
    union all
    select next.endpoint_id, next.next_attempt_at
      from waiting w cross join lateral (
        select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
         where d.status = 'pending' and d.endpoint_id > w.endpoint_id
         order by d.endpoint_id, d.next_attempt_at limit 1) next
  ), candidates as materialized (
    select w.endpoint_id as id from waiting w
     where w.next_attempt_at < now() - overdue_ms * interval '1 millisecond'
    union
    select x.id from webhook_endpoints x
     where x.status = 'deleted' and x.updated_at > now() - interval '1 day'
       and exists (select from webhook_deliveries d where d.endpoint_id = x.id and d.status = 'held')
  ), chosen as materialized (
    select x.id from candidates c join webhook_endpoints x on x.id = c.id
     where not exists (select from webhook_leases l
                        where l.endpoint_id = x.id and l.leased_until >= now())
       and coalesce(x.paused_until, '-infinity') < now()
       and coalesce(x.woken_at, '-infinity') < now() - overdue_ms * interval '1 millisecond'
     limit max_claimed
     for update of x skip locked
  )
  update webhook_endpoints w set woken_at = clock_timestamp()
    from chosen c where w.id = c.id
  returning w.id
$$;

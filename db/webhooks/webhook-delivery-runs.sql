-- Delivery runs. A run holds its endpoint by a lease in webhook_leases, a table that only these
-- functions write: so a change of the endpoint never holds up a renewal.

-- Serves leases only: a lease that a crash of the server undoes costs no more than its own length.
create or replace function commit_asynchronously() returns void language sql as $$
  select set_config('synchronous_commit', 'off', true)
$$;

-- Takes the endpoint's lease: `begun`. Or `busy`, while another run has it, or `closed`, when the
-- endpoint is not enabled. Also makes the endpoint's waiting deliveries match its status: an event
-- may have been committed while the endpoint was being closed. More of them may wait than one
-- statement changes: while `has_more`, the caller calls it again.
create or replace function begin_delivery_run(
  endpoint uuid, token uuid, lease_ms integer, out state text, out has_more boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  endpoint_status text;
begin
  perform commit_asynchronously();
  -- The status must not change before the lease is committed.
  select w.status into strict endpoint_status
    from webhook_endpoints w where w.id = endpoint for no key update;
  state := 'closed';
  if endpoint_status = 'enabled' then
    insert into webhook_leases as l (endpoint_id, token, leased_until)
    values (endpoint, token, clock_timestamp() + lease_ms * interval '1 millisecond')
    on conflict (endpoint_id) do update
       set token = excluded.token, leased_until = excluded.leased_until
     where l.token = excluded.token or l.leased_until <= clock_timestamp();
    state := case when found then 'begun' else 'busy' end;
  end if;
  has_more := state <> 'busy' and apply_endpoint_status(endpoint, endpoint_status);
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

-- Tells the workers, at the commit, which endpoints have something new to deliver. What no worker hears is
-- found by find_due_endpoints, and so is what waits for the end of a pause.
create or replace function announce_deliveries(endpoints uuid[]) returns void language sql as $$
  select pg_notify('webhook_deliveries', e.id::text) from webhook_endpoints e
   where e.id = any (endpoints) and e.status = 'enabled'
     and coalesce(e.paused_until, '-infinity') <= clock_timestamp()
$$;

-- Endpoints with a delivery that is due and without a run, some of them where there are more; and deleted
-- ones with something left to be discarded. Every worker calls it every second, so it starts from the
-- deliveries: `waiting` takes one step of webhook_deliveries_due per endpoint that has any pending, however
-- many those are, and endpoints with nothing to deliver cost nothing.
create or replace function find_due_endpoints(max_found integer) returns setof uuid
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
    select w.endpoint_id as id from waiting w where w.next_attempt_at <= now()
    union
    select x.id from webhook_endpoints x
     where x.status = 'deleted' and x.updated_at > now() - interval '1 day'
       and exists (select from webhook_deliveries d where d.endpoint_id = x.id and d.status = 'held')
  )
  select x.id from candidates c join webhook_endpoints x on x.id = c.id
   where not exists (select from webhook_leases l
                      where l.endpoint_id = x.id and l.leased_until >= now())
     and coalesce(x.paused_until, '-infinity') <= now()
   order by random() limit max_found
$$;

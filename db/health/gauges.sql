-- Figures for metrics. Each is counted over an index that holds only what is waiting, and up to a limit: so
-- a reading stays short on any table.

-- Counts end at 100,000: operators do nothing else when there are more. An alarm rings long before.
create or replace function take_readings() returns jsonb
language sql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with recursive endpoints as (
    -- Each endpoint that has something to deliver, with the attempt that is due first: one step into the
    -- index for each.
    (select d.endpoint_id, d.next_attempt_at, 1 as n from webhook_deliveries d
      where d.status = 'pending'
      order by d.endpoint_id, d.next_attempt_at limit 1)
    union all
    select next.endpoint_id, next.next_attempt_at, e.n + 1
      from endpoints e cross join lateral (
        select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
         where d.status = 'pending' and d.endpoint_id > e.endpoint_id
         order by d.endpoint_id, d.next_attempt_at limit 1) next
     where e.n < 10000
  ), waiting as (
    select e.endpoint_id, e.next_attempt_at, oldest.created_at
      from endpoints e cross join lateral (
        select d.created_at from webhook_deliveries d
         where d.endpoint_id = e.endpoint_id and d.status = 'pending' and d.status <> 'delivered'
         order by d.created_at limit 1) oldest
  ), figures (gauge, environment, status, value) as (
    select 'payment_intents', e.environment, s.status,
           (select count(*) from (select from payment_intents p
             where p.environment = e.environment and p.status = s.status
               and p.status in ('creating', 'open', 'processing') limit 100000) c)::float8
      from unnest(array['live', 'sandbox']) e (environment),
           unnest(array['creating', 'open', 'processing']) s (status)
    union all
    select 'payment_intents_overdue', null, null,
           (select count(*) from (select from payment_intents p
             where p.status in ('open', 'processing') and p.expires_at < now() - interval '1 minute'
               and p.hold is null and not is_asked_by_phone(p.id) limit 100000) c)
    union all
    select 'webhook_deliveries_pending', null, null,
           (select count(*) from (select from webhook_deliveries d
             where d.status = 'pending' limit 100000) c)
    union all
    select 'webhook_oldest_pending_seconds', null, null,
           coalesce((select extract(epoch from now() - min(w.created_at)) from waiting w), 0)
    union all
    -- Due for a while, and no worker is at it: what a receiver does is not in it.
    select 'webhook_endpoints_overdue', null, null,
           (select count(*) from waiting w join webhook_endpoints x on x.id = w.endpoint_id
             where w.next_attempt_at < now() - interval '30 seconds'
               and coalesce(x.paused_until, '-infinity') < now() - interval '30 seconds'
               and not exists (select from webhook_leases l
                                where l.endpoint_id = x.id and l.leased_until >= now()))
    union all
    select 'suspense_items', e.environment, s.status,
           (select count(*) from (select from suspense_items i
             where i.status in ('held', 'refunding') and i.status = s.status
               and i.environment = e.environment limit 100000) c)
      from unnest(array['live', 'sandbox']) e (environment),
           unnest(array['held', 'refunding']) s (status)
    union all
    select 'payouts_unfinished', e.environment, s.status,
           (select count(*) from (select from payouts p
             where p.environment = e.environment
               and p.status in ('requires_approval', 'requires_confirmation', 'pending')
               and coalesce(p.stage, p.status) = s.status limit 100000) c)
      from unnest(array['live', 'sandbox']) e (environment),
           unnest(array['requires_approval', 'requires_confirmation', 'queued', 'sent', 'unknown']) s (status)
    union all
    select 'risk_cases_held', e.environment, null,
           (select count(*) from (select from risk_cases c
             where c.status = 'held' and coalesce(c.environment, 'live') = e.environment limit 100000) c)
      from unnest(array['live', 'sandbox']) e (environment)
    union all
    select 'risk_oldest_hold_seconds', e.environment, null,
           coalesce((select extract(epoch from now() - min(c.created_at)) from risk_cases c
                      where c.status = 'held' and c.environment = e.environment), 0)
      from unnest(array['live', 'sandbox']) e (environment)
    union all
    select 'payouts_in_doubt', e.environment, null,
           (select count(*) from (select from payouts p
             where p.environment = e.environment and p.status = 'pending' and is_payout_in_doubt(p)
             limit 100000) c)
      from unnest(array['live', 'sandbox']) e (environment)
    union all
    select 'payouts_contradicted', e.environment, null,
           (select count(*) from (select from payouts p
             where p.environment = e.environment and p.contradicted_at is not null
               and p.lost_minor <> p.loss_minor limit 100000) c)
      from unnest(array['live', 'sandbox']) e (environment)
    union all
    select 'gateway_notifications_waiting', null, null,
           (select count(*) from (select from gateway_notifications n
             where n.outcome is null limit 100000) c)
    union all
    select 'gateway_oldest_notification_seconds', null, null,
           coalesce((select extract(epoch from now() - min(n.received_at)) from gateway_notifications n
                      where n.outcome is null), 0)
    union all
    select 'mails_waiting', null, null,
           (select count(*) from (select from mails m
             where m.sent_at is null and m.failed_at is null limit 100000) c)
    union all
    select 'transfer_batches_processing', null, null,
           (select count(*) from (select from transfer_batches b
             where b.status = 'processing' limit 100000) c)
  )
  select (select jsonb_agg(jsonb_strip_nulls(to_jsonb(f))) from figures f) || reconciliation_readings() || treasury_readings()
$$;

-- The readings of all processes: one of them takes new ones when the last are too old, and the others get
-- the last, without waiting.
create or replace function read_gauges(max_age_ms integer)
returns table (age_seconds float8, readings jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last gauge_readings;
begin
  select * into last from gauge_readings;
  if last.taken_at < clock_timestamp() - max_age_ms * interval '1 millisecond' then
    select * into last from gauge_readings g
     where g.taken_at < clock_timestamp() - max_age_ms * interval '1 millisecond'
       for update skip locked;
    if found then
      last.readings := take_readings();
      last.taken_at := clock_timestamp();
      update gauge_readings g set taken_at = last.taken_at, readings = last.readings;
    else
      -- Another process takes them at this moment, or has just done so.
      select * into last from gauge_readings;
    end if;
  end if;
  -- Nothing was ever read.
  if last.taken_at = '-infinity' then return; end if;
  return query select extract(epoch from clock_timestamp() - last.taken_at)::float8, last.readings;
end $$;

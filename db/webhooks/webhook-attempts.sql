-- Results of attempts, for their deliveries and their endpoint.

-- Records attempts that were made to one endpoint, and returns the endpoint's status. `health` is
-- null when all of them arrived at an endpoint that was well. It is ignored when the endpoint has
-- another URL by now. One function, for the reason at post_transfers.
create or replace function record_attempts(endpoint uuid, made jsonb, health jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  h record;
  at timestamptz := clock_timestamp();
  w webhook_endpoints;
  is_judged boolean := false;
  -- In a sandbox whose clock was moved: when these attempts were due, and how far ahead the clock was then. One jump
  -- runs all the attempts of its time, each as if it were made when it was due.
  due timestamptz;
  clock double precision := 0;
begin
  -- It is there already, unless no process ran for two months.
  perform make_attempt_month((at at time zone 'UTC')::date);
  if health is not null then
    select * into strict h from jsonb_to_record(health) q (
      url text, has_arrived boolean, failures integer, pause_ms bigint, is_gone boolean,
      disable_after_seconds integer, quiet_seconds integer, last_failure jsonb);
    if h.failures > 0 then
      select least(at, max(d.next_attempt_at)),
             s.clock_seconds - extract(epoch from at - least(at, max(d.next_attempt_at)))
        into due, clock
        from webhook_endpoints x
        join sandboxes s on s.user_id = x.user_id and s.clock_seconds > 0
        join jsonb_to_recordset(made) q (delivery_id uuid) on true
        join webhook_deliveries d on d.id = q.delivery_id and d.status = 'pending'
       where x.id = endpoint and x.environment = 'sandbox'
       group by s.clock_seconds;
      clock := coalesce(clock, 0);
    end if;
    update webhook_endpoints x
       set consecutive_failures = h.failures + case when h.has_arrived then 0 else x.consecutive_failures end,
           failing_since = case when h.failures = 0 and h.has_arrived then null
                                when h.has_arrived then at
                                -- Nothing was tried since.
                                when (x.last_failure ->> 'at')::timestamptz
                                       + coalesce(x.failure_clock, 0) * interval '1 second'
                                       < at + (clock - h.quiet_seconds) * interval '1 second'
                                then at
                                else coalesce(x.failing_since, at) end,
           paused_until = case when due < at - interval '1 minute' then null
                               when h.pause_ms > 0 then at + h.pause_ms * interval '1 millisecond'
                               when h.has_arrived then null
                               else x.paused_until end,
           last_failure = case when h.last_failure is null then x.last_failure
                               else h.last_failure || jsonb_build_object('at',
                                 to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) end
     where x.id = endpoint and x.url = h.url
    returning * into w;
    is_judged := found;
    if is_judged and due is not null then
      update webhook_endpoints x
         set failure_clock = clock, failing_clock = case when x.failing_since = at then clock else x.failing_clock end
       where x.id = endpoint
      returning * into w;
    end if;
    if not is_judged then
      select * into strict w from webhook_endpoints x where x.id = endpoint for no key update;
    end if;
  end if;
  with r as (
    select q.*, v.id,
           -- A resend was requested while this attempt was under way, and the attempt failed.
           v.is_resend and q.trigger = 'automatic' and q.outcome <> 'delivered' as is_overtaken
      from jsonb_to_recordset(made) q (
        delivery_id uuid, number integer, trigger text, url text, age_ms double precision,
        duration_ms integer, outcome text, status integer, response_body text,
        response_truncated boolean, retry_after_seconds integer, retry_ms bigint)
      -- Repeated after a lost response, it counts nothing twice.
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
                                  else case when due is null then at else least(at, d.next_attempt_at) end
                                    + r.retry_ms * interval '1 millisecond' end,
           delivered_at = case when r.outcome = 'delivered' then at else d.delivered_at end
      from r where d.id = r.id
    returning d.id, d.attempts
  )
  insert into webhook_attempts (delivery_id, number, trigger, url, started_at, duration_ms,
    outcome, status, response_body, response_truncated, retry_after_seconds, recorded_at)
  select r.delivery_id, c.attempts, r.trigger, r.url, at - r.age_ms * interval '1 millisecond',
         r.duration_ms, r.outcome, r.status, r.response_body, r.response_truncated,
         r.retry_after_seconds, at
    from r join changed c on c.id = r.delivery_id;
  if health is null then
    return 'enabled';
  end if;
  if is_judged and w.status = 'enabled' and (h.is_gone
       or w.failing_since + coalesce(w.failing_clock, 0) * interval '1 second'
            <= at + (clock - h.disable_after_seconds) * interval '1 second') then
    update webhook_endpoints x
       set status = 'disabled', disabled_reason = case when h.is_gone then 'gone' else 'failing' end,
           updated_at = at
     where x.id = endpoint;
    perform apply_endpoint_status(endpoint, 'disabled');
    return 'disabled';
  end if;
  return w.status;
end $$;

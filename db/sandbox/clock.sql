-- The clock of an account's sandbox (docs/decisions/sandbox.md). Due columns stay in real time and say when
-- to wake: to advance the clock brings what waits nearer. What is shown of it is its due time and the clock, which
-- stays the same.

create or replace function sandbox_clock_lock(owner uuid) returns bigint language sql immutable as $$
  select hashtextextended('sandbox_clock/' || owner, 0)
$$;

-- An order that comes while its account's clock is moved is refused after a moment, and may be repeated: those that wait
-- would hold connections that all accounts share. The row of `sandboxes` may not be there yet, so it cannot be what is
-- locked.
create or replace function share_sandbox_clock(owner uuid) returns void language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock_shared(sandbox_clock_lock(owner));
end $$;

-- The clock as of a new row that will wait: it stands still until the transaction ends. Null while it was never moved,
-- and always for live.
create or replace function hold_sandbox_clock(owner uuid, env text) returns integer language plpgsql as $$
begin
  if env <> 'sandbox' then
    return null;
  end if;
  perform share_sandbox_clock(owner);
  return (select nullif(s.clock_seconds, 0) from sandboxes s where s.user_id = owner);
end $$;

-- The same of a row whose transaction holds the clock already.
create or replace function sandbox_clock_of(owner uuid, env text) returns integer language sql stable as $$
  select nullif(s.clock_seconds, 0) from sandboxes s where s.user_id = owner and env = 'sandbox'
$$;

-- A due time of a row that has the clock, as it is shown.
create or replace function shown_due(due timestamptz, clock integer) returns timestamptz language sql stable as $$
  select due + coalesce(clock, 0) * interval '1 second'
$$;

-- The same of a row that has not, as long as it waits. In PL/pgSQL, so that no plan of a live request has it.
create or replace function sandbox_due(owner uuid, due timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return shown_due(due, (select s.clock_seconds from sandboxes s where s.user_id = owner));
end $$;

-- Lists what waits in an account's sandbox, by when it is due in real time.
create or replace function sandbox_waiting(owner uuid, most integer)
returns table (type text, id uuid, due_at timestamptz) language sql stable as $$
  (select 'payment_intent', p.id, coalesce(p.next_check_at, p.expires_at) from payment_intents p
    where p.user_id = owner and p.environment = 'sandbox' and p.status in ('open', 'processing') and p.hold is null
      and not is_asked_by_phone(p.id)
    order by 3, 2 limit most)
  union all
  (select c.subject_type, c.subject_id, c.expires_at from risk_cases c
    where c.user_id = owner and c.environment = 'sandbox' and c.status = 'held' order by 3, 2 limit most)
  union all
  (select 'payment_attempt', a.id, a.expires_at from payment_attempts a
    where a.user_id = owner and a.environment = 'sandbox' and a.status = 'waiting' order by 3, 2 limit most)
  union all
  -- A delivery that comes while its endpoint pauses is due after the pause.
  (select 'webhook_delivery', d.id, greatest(d.next_attempt_at, w.paused_until)
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
    where d.user_id = owner and d.environment = 'sandbox' and d.status = 'pending' order by 3, 2 limit most)
  union all
  (select 'payout', p.id, p.expires_at from payouts p
    where p.user_id = owner and p.environment = 'sandbox'
      and p.status in ('requires_approval', 'requires_confirmation', 'pending')
      and (p.status <> 'pending' or p.stage = 'queued')
    order by 3, 2 limit most)
  union all
  (select 'payout_batch', b.id, b.expires_at from payout_batches b
    where b.user_id = owner and b.environment = 'sandbox' and b.finished_at is null and b.expires_at is not null
    order by 3, 2 limit most)
  order by 3, 2 limit most
$$;

-- Whether something that is due is not done yet.
create or replace function is_sandbox_settled(owner uuid) returns boolean language sql stable as $$
  select not (
    exists (select from payment_intents p
             where p.user_id = owner and p.environment = 'sandbox' and p.status in ('open', 'processing')
               and p.hold is null and case p.status when 'open' then p.expires_at
                                 else coalesce(p.next_check_at, p.expires_at) end <= now()
               and not is_asked_by_phone(p.id))
    or exists (select from risk_cases c
                where c.user_id = owner and c.environment = 'sandbox' and c.status = 'held' and c.expires_at <= now())
    or exists (select from payment_attempts a
                where a.user_id = owner and a.environment = 'sandbox' and a.status = 'waiting' and a.expires_at <= now())
    or exists (select from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
                where d.user_id = owner and d.environment = 'sandbox' and d.status = 'pending'
                  and greatest(d.next_attempt_at, w.paused_until) <= now())
    or exists (select from payouts p
                where p.user_id = owner and p.environment = 'sandbox'
                  and p.status in ('requires_approval', 'requires_confirmation', 'pending')
                  and (p.status <> 'pending' or p.stage = 'queued') and p.expires_at <= now())
    or exists (select from payouts p
                where p.user_id = owner and p.environment = 'sandbox' and p.notified_at is not null)
    or exists (select from refunds r
                where r.user_id = owner and r.environment = 'sandbox' and r.status = 'pending'
                  and r.notified_at is not null)
    or exists (select from payout_batches b
                where b.user_id = owner and b.environment = 'sandbox' and b.finished_at is null
                  and b.expires_at <= now()))
$$;

-- Advances the clock by `seconds`, to `instant` of the clock, or else to what is due next, of which the provider of
-- payouts knows `provider_due`. Locks the clock, then rows by id: endpoints before deliveries, as their runs do, and
-- payouts before batches, as their ends do. What waits at the provider is noted as a notification of it would be, so
-- that the sweep asks for it when the signals are lost.
--
-- outcome: done | backwards | too_far (400 days in all). The lists are what to wake, by when it is due.
create or replace function advance_sandbox_clock(
  owner uuid, seconds integer, instant timestamptz, provider_due timestamptz
) returns table (
  outcome text, clock_seconds integer, payment_intents integer, webhook_deliveries integer,
  payment_attempts uuid[], payouts uuid[], payout_batches uuid[], refunds uuid[]
) language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  at timestamptz;
  clock integer;
  ahead numeric;
  jump interval;
  endpoints uuid[];
begin
  perform pg_advisory_xact_lock(sandbox_clock_lock(owner));
  clock := coalesce((select s.clock_seconds from sandboxes s where s.user_id = owner), 0);
  at := clock_timestamp();
  ahead := case
    when seconds is not null then seconds
    when instant is not null then ceil(extract(epoch from instant - at)) - clock
    -- Never before it is due.
    else greatest(0, ceil(extract(epoch from least(
      provider_due, (select w.due_at from sandbox_waiting(owner, 1) w)) - at))) end;
  ahead := coalesce(ahead, 0);
  outcome := case when ahead < 0 then 'backwards' when clock + ahead > 400 * 86400 then 'too_far' else 'done' end;
  clock_seconds := clock;
  payment_intents := 0;
  webhook_deliveries := 0;
  payment_attempts := '{}';
  payouts := '{}';
  payout_batches := '{}';
  refunds := '{}';
  if outcome <> 'done' or ahead = 0 then
    return next;
    return;
  end if;
  clock := clock + ahead;
  clock_seconds := clock;
  jump := ahead * interval '1 second';
  with own as materialized (
    select w.id from webhook_endpoints w
     where w.user_id = owner and w.environment = 'sandbox' and w.status <> 'deleted'
       and (w.paused_until is not null or w.previous_until is not null)
     order by w.id for no key update
  )
  update webhook_endpoints w set paused_until = w.paused_until - jump, previous_until = w.previous_until - jump
    from own o where w.id = o.id;
  with own as materialized (
    select d.id from webhook_deliveries d
     where d.user_id = owner and d.environment = 'sandbox' and d.status = 'pending'
     order by d.id for no key update
  ), moved as (
    update webhook_deliveries d set next_attempt_at = d.next_attempt_at - jump
      from own o where d.id = o.id and d.status = 'pending'
    returning d.endpoint_id
  )
  select count(*), array_agg(distinct m.endpoint_id) into webhook_deliveries, endpoints from moved m;
  perform announce_deliveries(endpoints);

  with own as materialized (
    select p.id from payment_intents p
     where p.user_id = owner and p.environment = 'sandbox' and p.status in ('creating', 'open', 'processing')
     order by p.id for no key update
  ), moved as (
    -- One that is being opened was shown to nobody: its life begins after the move.
    update payment_intents p
       set clock_seconds = clock, next_check_at = p.next_check_at - jump,
           expires_at = case p.status when 'creating' then p.expires_at else p.expires_at - jump end
      from own o where p.id = o.id and p.status in ('creating', 'open', 'processing')
    returning p.status
  )
  select count(*) filter (where m.status <> 'creating') into payment_intents from moved m;

  with own as materialized (
    select a.id from payment_attempts a
     where a.user_id = owner and a.environment = 'sandbox' and a.status = 'waiting'
     order by a.id for no key update
  ), moved as (
    update payment_attempts a set clock_seconds = clock, expires_at = a.expires_at - jump
      from own o where a.id = o.id and a.status = 'waiting'
    returning a.id, a.expires_at
  )
  select coalesce(array_agg(m.id order by m.expires_at), '{}') into payment_attempts from moved m;

  with own as materialized (
    select p.id from payouts p
     where p.user_id = owner and p.environment = 'sandbox'
       and p.status in ('held', 'requires_approval', 'requires_confirmation', 'pending')
     order by p.id for no key update
  ), moved as (
    update payouts p
       set clock_seconds = clock, expires_at = p.expires_at - jump,
           notified_at = case when p.provider_payment_id is not null or p.stage in ('sent', 'unknown') then at
                              else p.notified_at end
      from own o where p.id = o.id and p.completed_at is null
    returning p.id, p.expires_at
  )
  select coalesce(array_agg(m.id order by m.expires_at), '{}') into payouts from moved m;

  -- After the intents and payouts whose rows their decisions lock before.
  with own as materialized (
    select c.reference from risk_cases c
     where c.user_id = owner and c.environment = 'sandbox' and c.status = 'held'
     order by c.reference for no key update
  )
  update risk_cases c set clock_seconds = clock, expires_at = c.expires_at - jump
    from own o where c.reference = o.reference and c.status = 'held';

  with own as materialized (
    select b.id from payout_batches b
     where b.user_id = owner and b.environment = 'sandbox' and b.finished_at is null
     order by b.id for no key update
  ), moved as (
    update payout_batches b set clock_seconds = clock, expires_at = b.expires_at - jump
      from own o where b.id = o.id and b.finished_at is null
    returning b.id, b.expires_at
  )
  select coalesce(array_agg(m.id order by m.expires_at) filter (where m.expires_at is not null), '{}')
    into payout_batches from moved m;

  with own as materialized (
    select r.id from refunds r
     where r.user_id = owner and r.environment = 'sandbox' and r.status = 'pending'
     order by r.id for no key update
  ), moved as (
    update refunds r set notified_at = at from own o where r.id = o.id and r.status = 'pending'
    returning r.id, r.created_at
  )
  select coalesce(array_agg(m.id order by m.created_at), '{}') into refunds from moved m;
  -- The last of all: requests that use up an ordered fault lock this row.
  insert into sandboxes as s (user_id, clock_seconds) values (owner, clock)
  on conflict (user_id) do update set clock_seconds = excluded.clock_seconds;
  return next;
end $$;

-- The rules' answer to an order, decided in its posting under locks of what they count (docs/decisions/risk.md). Nothing
-- here is called for an order that no rule looks at.

create or replace function is_watched_by(r risk_rules, o risk_order) returns boolean language sql immutable as $$
  select o.kind = any (r.watches) and o.environment = coalesce(r.environment, o.environment)
         and o.currency = coalesce(r.currency, o.currency) and o.user_id = coalesce(r.user_id, o.user_id)
$$;

-- With what a rule counts this order; null: it does not.
create or replace function counted_as(r risk_rules, o risk_order) returns text language sql immutable as $$
  select case
    when r.counted_by = 'account' or (r.counted_by = 'recipient' and o.kind = 'payment') then o.user_id::text
    when r.counted_by = 'recipient' then o.kind || '/' || o.recipient
    when r.counted_by = 'phone' then 'payout/' || o.recipient
    else o.ip end
$$;

-- The advisory locks under which these orders are counted, in the order in which all take them: until the commit nothing
-- else is counted with the same account, recipient or address.
create or replace function risk_locks(orders risk_order[]) returns bigint[] language sql stable as $$
  select array(select distinct hashtextextended('risk/' || o.environment || '/' || counted_as(r, o), 0) as lock
                 from unnest(orders) o
                 -- Rules that count with the same need one lock.
                 join (select distinct on (x.counted_by, x.watches, x.environment, x.currency, x.user_id) x.*
                         from risk_rules x where x.counted_by is not null) r on is_watched_by(r, o)
                where counted_as(r, o) is not null
                order by lock)
$$;

create or replace function lock_risk(o risk_order) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(l) from unnest(risk_locks(array[o])) l;
end $$;

-- The places of those among these transfers of which risk_reasons may say something; of the others it would say nothing.
-- It counts at least what risk_reasons counts for each, together with all of `orders`, and reads once what several rules
-- or orders count. What it has read much for is kept as room, which all that a rule about transfers counts passes here to
-- take from. The caller holds risk_locks.
create or replace function risk_suspects(orders risk_order[]) returns integer[]
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  now constant timestamptz := clock_timestamp();
  -- Rows that are cheaper to read than to spare.
  few constant integer := 32;
  suspects integer[];
begin
  with rules as materialized (
    -- Rules that differ in their figures only count as one, with the strictest figures.
    select any_value(r) as rule, r.counted_by, r.currency, r.window_seconds, least_counted(r) as low,
           coalesce(r.threshold_minor - 1, 999999999999999) as high, min(r.above_minor) as above_minor,
           min(r.most_count + case r.kind when 'velocity' then 1 else 0 end) as number, min(r.most_minor) as most_minor,
           row_number() over () as alike,
           -- A posting that has begun before the rules changed takes no room; none lasts for a minute.
           case when r.watches = array['transfer'] and r.user_id is null and max(r.set_at) < now - interval '1 minute'
                then row(r.environment, r.currency, r.counted_by, r.window_seconds, least_counted(r), r.threshold_minor,
                         max(r.set_at))::text end as figures
      from risk_rules r
     group by r.watches, r.environment, r.user_id, r.currency, r.counted_by, r.window_seconds, least_counted(r),
              r.threshold_minor
  ), pairs as materialized (
    select q.place, q.amount_minor, q.environment, q.user_id, q.recipient_id, q.ip, counted_as(r.rule, q.o) as counted,
           r.*
      from (select o, o.*, row_number() over () as place from unnest(orders) o) q
      join rules r on is_watched_by(r.rule, q.o)
     where q.amount_minor > coalesce(r.above_minor, r.low - 1) and q.amount_minor <= r.high
  ), sets as materialized (
    select array_agg(p.place::integer) as places, count(*) as orders, sum(p.amount_minor) as minor, p.environment,
           any_value(p.user_id) as user_id, any_value(p.recipient_id) as recipient_id, any_value(p.ip) as ip,
           any_value(p.counted_by) as counted_by, any_value(p.currency) as currency, any_value(p.low) as low,
           any_value(p.high) as high, any_value(p.number) as number, any_value(p.most_minor) as most_minor,
           now - any_value(p.window_seconds) * interval '1 second' as since,
           hashtextextended(any_value(p.figures) || '/' || p.environment || '/' || p.counted, 0) as room
      from pairs p where p.counted is not null
     group by p.alike, p.environment, p.counted
  ), spared as (
    update risk_room x set number = x.number - s.orders, minor = x.minor - s.minor
      from sets s
     where x.counted = s.room and (x.number < s.orders) is not true and (x.minor < s.minor) is not true
    returning x.counted
  ), found as materialized (
    select s.places, s.room, f.number as rows, s.number - 1 - s.orders - f.number as number,
           s.most_minor - s.minor - f.minor as minor
      from sets s
     cross join lateral (
       select count(*) as number, coalesce(sum(x.amount_minor), 0) as minor from (
         select x.amount_minor from (
           select t.amount_minor - case t.type when 'withdrawal' then t.fee_minor else 0 end as amount_minor, t.currency
             from transactions t
            where s.counted_by = 'account' and t.user_id = s.user_id and t.environment = s.environment
              and t.created_at > s.since and t.type in ('transfer_out', 'withdrawal', 'deposit')
           union all
           select c.amount_minor, c.currency from risk_cases c
            where s.counted_by = 'account' and c.user_id = s.user_id and c.environment = s.environment
              and c.created_at > s.since and c.status = 'held' and c.subject_type = 'payment_intent'
           union all
           select t.amount_minor, t.currency from transactions t
            where s.counted_by = 'recipient' and t.user_id = s.recipient_id and t.environment = s.environment
              and t.created_at > s.since and t.type = 'transfer_in'
           union all
           select c.amount_minor, c.currency from risk_cases c
            where s.counted_by = 'recipient' and c.recipient_id = s.recipient_id and c.environment = s.environment
              and c.created_at > s.since and c.status = 'held'
           union all
           select f.amount_minor, f.currency from risk_origins f
            where s.counted_by = 'ip' and f.ip = s.ip and f.environment = s.environment and f.created_at > s.since) x
          where x.currency = coalesce(s.currency, x.currency) and x.amount_minor between s.low and s.high
          limit case when s.most_minor is null then s.number end) x) f
     where s.room is null or s.room not in (select x.counted from spared x)
  ), kept as (
    insert into risk_room as x (counted, number, minor)
    -- Null stays null.
    select f.room, f.number - least(f.number, 0), f.minor - least(f.minor, 0)
      from found f
     where f.room is not null and (f.rows > few or exists (select from risk_room y where y.counted = f.room))
    on conflict (counted) do update set number = excluded.number, minor = excluded.minor
  )
  select array_agg(x.place) into suspects from (
    select unnest(f.places) as place from found f where f.number < 0 or f.minor < 0
    union
    select p.place::integer from pairs p where p.counted_by is null
    union
    select h.place::integer from unnest(orders) with ordinality
             h (kind, environment, user_id, recipient_id, recipient, ip, currency, amount_minor, heard, place)
     where has_heard(h.heard)) x;
  return coalesce(suspects, '{}');
end $$;

-- The least amount that a rule counts.
create or replace function least_counted(r risk_rules) returns bigint language sql immutable as $$
  select coalesce(ceil(r.threshold_minor::numeric * (100 - r.margin_percent) / 100)::bigint, 1)
$$;

-- Whether something else than a rule has not said `allow` of an order.
create or replace function has_heard(heard jsonb) returns boolean language sql immutable as $$
  select coalesce(jsonb_array_length(heard -> 'reasons') > 0, false)
$$;

-- Voices and rules that do not say `allow` of an order, as reasons of its case; empty when there is none. `before`: what the
-- same transaction has decided and not written yet. The caller holds risk_locks.
create or replace function risk_reasons(o risk_order, before risk_order[]) returns jsonb
language plpgsql stable
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  reasons jsonb := coalesce(o.heard -> 'reasons', '[]');
  r risk_rules;
  said text;
begin
  for r in select x.* from risk_rules x where is_watched_by(x, o) order by x.name loop
    said := rule_detail(r, o, before);
    if said is not null then
      reasons := reasons || jsonb_build_object('source', 'rule', 'name', r.name, 'detail', said,
        'decision', r.decision);
    end if;
  end loop;
  return reasons;
end $$;

-- `refuse` is stricter than `hold`; null: nothing was said.
create or replace function strictest(reasons jsonb) returns text language sql immutable as $$
  select case when reasons @> '[{"decision": "refuse"}]' then 'refuse'
              when jsonb_array_length(reasons) > 0 then 'hold' end
$$;

-- The figures with which a rule says its decision; null: it says nothing.
create or replace function rule_detail(r risk_rules, o risk_order, before risk_order[]) returns text
language plpgsql stable as $$
declare
  low constant bigint := least_counted(r);
  counted record;
begin
  if r.kind = 'amount' then
    return case when o.amount_minor > r.above_minor
                then format('%s %s is above %s', o.amount_minor * 0.01, o.currency, r.above_minor * 0.01) end;
  elsif r.kind = 'first_recipient' then
    return case when o.amount_minor > r.above_minor and not has_completed_to(o)
                then format('the first to this recipient, and above %s', r.above_minor * 0.01) end;
  elsif counted_as(r, o) is null or (r.kind = 'structuring'
          and (o.amount_minor < low or o.amount_minor >= r.threshold_minor)) then
    return null;
  end if;
  select * into counted from count_with(r, o, before, low);
  return case
    when counted.number >= r.most_count + case r.kind when 'velocity' then 1 else 0 end then
      format('number %s of this %s in %s s', counted.number, r.counted_by, r.window_seconds)
    when counted.minor > r.most_minor then
      format('%s %s of this %s in %s s', counted.minor * 0.01, o.currency, r.counted_by, r.window_seconds) end;
end $$;

-- How many there are in the window, this order among them, and their sum: those from `low` on. A count
-- without a sum reads no more than it needs.
create or replace function count_with(
  r risk_rules, o risk_order, before risk_order[], low bigint, out number bigint, out minor numeric
) language plpgsql stable as $$
begin
  select 1 + count(*), o.amount_minor + coalesce(sum(f.amount), 0) into number, minor
    from (select x as amount from counted_before(r, o, low, coalesce(r.threshold_minor - 1, 999999999999999),
            clock_timestamp() - r.window_seconds * interval '1 second',
            case when r.most_minor is null then r.most_count end) x
          union all
          select b.amount_minor from unnest(before) b
           where is_watched_by(r, b) and counted_as(r, b) = counted_as(r, o)
             and b.amount_minor between low and coalesce(r.threshold_minor - 1, b.amount_minor)) f;
end $$;

-- The amounts of what has passed or is held, no more than `most` of them.
create or replace function counted_before(
  r risk_rules, o risk_order, low bigint, high bigint, since timestamptz, most integer
) returns setof bigint language plpgsql stable
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  if r.counted_by = 'account' or o.kind = 'payment' then
    -- All of it stands in the account's history, but for payments that are held.
    return query
      select f.amount from (
        select t.amount_minor - case t.type when 'withdrawal' then t.fee_minor else 0 end as amount, t.currency
          from transactions t
         where t.user_id = o.user_id and t.environment = o.environment and t.created_at > since
           and t.type = any (array[case when 'transfer' = any (r.watches) then 'transfer_out' end,
                                   case when 'payout' = any (r.watches) then 'withdrawal' end,
                                   case when 'payment' = any (r.watches) then 'deposit' end])
           and t.status <> 'failed'
        union all
        select c.amount_minor, c.currency from risk_cases c
         where c.user_id = o.user_id and c.environment = o.environment and c.created_at > since and c.status = 'held'
           and c.subject_type = 'payment_intent' and 'payment' = any (r.watches)) f
       where f.currency = coalesce(r.currency, f.currency) and f.amount between low and high limit most;
  elsif r.counted_by = 'ip' then
    return query
      select f.amount_minor from risk_origins f
       where f.ip = o.ip and f.environment = o.environment and f.created_at > since and f.kind = any (r.watches)
         and f.currency = coalesce(r.currency, f.currency) and f.amount_minor between low and high
         and not exists (select from transfers t where t.reference = f.reference and t.status = 'refused')
         and not exists (select from payouts p where p.reference = f.reference and p.status in ('failed', 'canceled'))
       limit most;
  elsif o.kind = 'transfer' then
    -- The recipient's history has what is held once it is released.
    return query
      select f.amount_minor from (
        select t.amount_minor, t.currency from transactions t
         where t.user_id = o.recipient_id and t.environment = o.environment and t.created_at > since
           and t.type = 'transfer_in'
        union all
        select c.amount_minor, c.currency from risk_cases c
         where c.recipient_id = o.recipient_id and c.environment = o.environment and c.created_at > since
           and c.status = 'held') f
       where f.currency = coalesce(r.currency, f.currency) and f.amount_minor between low and high limit most;
  else
    return query
      select p.amount_minor from (
        select x.* from payouts x where x.phone = o.recipient and x.created_at > since
        union all
        select x.* from payouts x
         where bank_recipient(x.account, x.bank_code) = o.recipient and x.created_at > since and x.account is not null) p
       where p.environment = o.environment and p.status not in ('failed', 'canceled')
         and p.currency = coalesce(r.currency, p.currency) and p.amount_minor between low and high limit most;
  end if;
end $$;

-- Whether the account has ever completed anything to this username, phone or bank account.
create or replace function has_completed_to(o risk_order) returns boolean
language plpgsql stable
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  -- Beyond these the recipient's history is read, which is the shorter one of an account that pays many.
  looked_at constant integer := 2000;
  found_here boolean;
  rows_here integer;
begin
  if o.kind = 'payout' then
    return exists (select from payouts p where p.user_id = o.user_id and p.environment = o.environment
                     and p.phone = o.recipient and p.status in ('succeeded', 'returned'))
        or exists (select from payouts p where p.user_id = o.user_id and p.environment = o.environment
                     and bank_recipient(p.account, p.bank_code) = o.recipient and p.account is not null
                     and p.status in ('succeeded', 'returned'));
  end if;
  select bool_or(t.counterparty = o.recipient and t.status in ('completed', 'simulated')), count(*)
    into found_here, rows_here
    from (select x.counterparty, x.status from transactions x
           where x.user_id = o.user_id and x.environment = o.environment and x.type = 'transfer_out'
           order by x.created_at desc limit looked_at) t;
  return coalesce(found_here, false)
      or (rows_here = looked_at
          and exists (select from transactions t
                       where t.user_id = o.recipient_id and t.environment = o.environment and t.type = 'transfer_in'
                         and t.counterparty = (select u.username from users u where u.id = o.user_id)));
end $$;

-- Keeps whence an order came that has passed or is held, while a rule counts by addresses.
create or replace function note_origin(o risk_order, ref text) returns void language sql as $$
  insert into risk_origins (reference, ip, kind, environment, currency, amount_minor, created_at)
  select ref, o.ip, o.kind, o.environment, o.currency, o.amount_minor, clock_timestamp()
   where o.ip is not null and exists (select from risk_rules r where r.counted_by = 'ip')
$$;

-- Limits of wallets: what they are, what counts in them, and the question that a posting asks under the wallet's lock
-- (docs/decisions/limits.md). A wallet that is not marked (ledger_accounts.limited_at) has none, and is not asked about.

-- Names of limits in the order in which they are shown, which is that of wallet_limits.most.
create or replace function limit_names() returns text[] language sql immutable as $$
  select array['balance', 'single_in', 'daily_in', 'monthly_in', 'single_out', 'daily_out', 'monthly_out']
$$;

create or replace function account_tier(u users, env text) returns text language sql immutable as $$
  select coalesce(u.tier, case when env = 'sandbox' or u.kyc_status = 'approved' then 'identified' else 'none' end)
$$;

create or replace function utc_day(at timestamptz) returns date language sql immutable as $$
  select (at at time zone 'UTC')::date
$$;

-- Limits as they hold now, with what is used on the day of `at` and in its month.
create or replace function limits_of_wallets(ids bigint[], at timestamptz) returns setof wallet_limits
language sql stable as $$
  select a.id,
         array[(l.limits ->> 'balance')::bigint, (l.limits ->> 'single_in')::bigint,
               (l.limits ->> 'daily_in')::bigint, (l.limits ->> 'monthly_in')::bigint,
               (l.limits ->> 'single_out')::bigint, (l.limits ->> 'daily_out')::bigint,
               (l.limits ->> 'monthly_out')::bigint],
         utc_day(at), d.day_in, d.day_out, d.month_in, d.month_out, 0::bigint, 0::bigint
    from ledger_accounts a
    join users u on u.id = a.user_id
    left join tier_limits t on t.tier = account_tier(u, a.environment) and t.currency = a.currency
    left join account_limits o on o.account_id = a.id
   cross join lateral (select coalesce(t.limits, '{}') || coalesce(o.limits, '{}') as limits) l
   cross join lateral (
     select coalesce(sum(x.in_minor) filter (where x.day = utc_day(at)), 0)::bigint as day_in,
            coalesce(sum(x.out_minor) filter (where x.day = utc_day(at)), 0)::bigint as day_out,
            coalesce(sum(x.in_minor), 0)::bigint as month_in, coalesce(sum(x.out_minor), 0)::bigint as month_out
       from limit_days x
      where x.account_id = a.id and x.day <= utc_day(at)
        and x.day >= utc_day(date_trunc('month', at, 'UTC'))) d
   where a.id = any (ids) and a.limited_at is not null
$$;

-- For a posting, which has locked the wallets. Until it commits, no limit of a tier changes (set_tier_limits), and those
-- of an account are changed under its wallets' locks.
create or replace function lock_limits(ids bigint[]) returns setof wallet_limits language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(tiers_lock());
  return query select * from limits_of_wallets(ids, clock_timestamp());
end $$;

create or replace function tiers_lock() returns bigint language sql immutable as $$
  select hashtextextended('tier_limits', 0)
$$;

-- Limits at a moment that may be of a later day than the one on which they were read.
create or replace function limits_on(w wallet_limits, at timestamptz) returns wallet_limits
language plpgsql immutable as $$
begin
  if utc_day(at) > w.day then
    w.day_in := 0;
    w.day_out := 0;
    w.new_in := 0;
    w.new_out := 0;
    if date_trunc('month', utc_day(at)) > date_trunc('month', w.day) then
      w.month_in := 0;
      w.month_out := 0;
    end if;
    w.day := utc_day(at);
  end if;
  return w;
end $$;

-- The first limit that an amount would exceed, which comes into a wallet of this balance or leaves it.
create or replace function exceeded_limit(w wallet_limits, is_in boolean, amount bigint, balance bigint)
returns limit_facts language plpgsql immutable as $$
begin
  -- Written out for both ways: transfers ask it twice each.
  if is_in then
    return case
      when amount > w.most[2] then row('single_in', w.most[2], 0, null)::limit_facts
      when w.day_in + amount > w.most[3]
        then row('daily_in', w.most[3], w.day_in, limit_resets_at('daily', w.day))::limit_facts
      when w.month_in + amount > w.most[4]
        then row('monthly_in', w.most[4], w.month_in, limit_resets_at('monthly', w.day))::limit_facts
      when balance + amount > least(w.most[1], 999999999999999) -- ledger_accounts.wallet_balance
        then row('balance', coalesce(w.most[1], 999999999999999), balance, null)::limit_facts end;
  end if;
  return case
    when amount > w.most[5] then row('single_out', w.most[5], 0, null)::limit_facts
    when w.day_out + amount > w.most[6]
      then row('daily_out', w.most[6], w.day_out, limit_resets_at('daily', w.day))::limit_facts
    when w.month_out + amount > w.most[7]
      then row('monthly_out', w.most[7], w.month_out, limit_resets_at('monthly', w.day))::limit_facts end;
end $$;

-- When a limit begins anew that is counted by the day or the month; null of others.
create or replace function limit_resets_at(limit_name text, day date) returns timestamptz language sql immutable as $$
  select case when limit_name like 'daily%' then (day + 1)::timestamp at time zone 'UTC'
              when limit_name like 'monthly%'
                then (date_trunc('month', day::timestamp) + interval '1 month') at time zone 'UTC' end
$$;

-- One wallet's, for a posting that has read its mark and balance under its lock.
create or replace function exceeded_limit(wallet bigint, marked timestamptz, is_in boolean, amount bigint, balance bigint)
returns limit_facts language plpgsql as $$
declare
  w wallet_limits;
begin
  if marked is not null then
    select * into w from lock_limits(array[wallet]);
  end if;
  return exceeded_limit(w, is_in, amount, balance);
end $$;

-- The same without a lock, for what is only looked at.
create or replace function look_at_limit(
  wallet bigint, marked timestamptz, amount bigint, balance bigint, is_in boolean default true
) returns limit_facts language plpgsql stable as $$
declare
  w wallet_limits;
begin
  if marked is not null then
    select * into w from limits_of_wallets(array[wallet], clock_timestamp());
  end if;
  return exceeded_limit(w, is_in, amount, balance);
end $$;

-- Raises a violation of account_limit, for orders of which nothing is kept then. Its detail is the limit.
create or replace function refuse_above_limit(wallet bigint, amount bigint, balance bigint) returns void
language plpgsql as $$
declare
  over constant limit_facts := exceeded_limit(wallet, '-infinity', true, amount, balance);
begin
  if over.limit_name is not null then
    raise exception 'wallet % is above its limit %', wallet, over.limit_name
      using errcode = 'check_violation', constraint = 'account_limit', detail = jsonb_build_object('limit_name', over.limit_name,
        'maximum_minor', over.maximum_minor, 'used_minor', over.used_minor, 'resets_at', instant(over.resets_at))::text;
  end if;
end $$;

-- The part of a row of a history that counts in limits. A payout's and a refund's is what was not given back.
create or replace function counted_out(t transactions) returns bigint language sql stable as $$
  select case t.type
    when 'transfer_out' then case t.status when 'failed' then 0 else t.amount_minor end
    when 'withdrawal' then case t.status when 'failed' then 0
      else t.amount_minor - (select p.returned_minor from payouts p where p.reference = t.reference) end
    when 'refund' then case (select r.status from refunds r where r.reference = t.reference)
      when 'failed' then 0 else t.amount_minor end
    else 0 end
$$;

create or replace function counted_in(t transactions) returns bigint language sql immutable as $$
  select case when t.type in ('transfer_in', 'deposit', 'adjustment') then t.amount_minor - t.fee_minor else 0 end
$$;

-- Counts rows that were just written, of wallets that have limits, each on its own day. The wallets are locked: no other
-- row of theirs is later, so what was decided on an earlier day is within the limits of this one, too.
create or replace function count_in_limits(shown uuid[]) returns void language plpgsql as $$
begin
  insert into limit_days as d (account_id, day, in_minor, out_minor)
  select a.id, utc_day(t.created_at), sum(counted_in(t)), sum(counted_out(t))
    from transactions t
    join ledger_accounts a on a.user_id = t.user_id and a.environment = t.environment and a.currency = t.currency
   where t.id = any (shown) and a.limited_at is not null
   group by a.id, utc_day(t.created_at)
   order by a.id
  on conflict (account_id, day) do update
     set in_minor = d.in_minor + excluded.in_minor, out_minor = d.out_minor + excluded.out_minor;
end $$;

-- Counts for transfers what they have added to the days of their wallets.
create or replace function count_added(limits wallet_limits[]) returns void language plpgsql as $$
begin
  insert into limit_days as d (account_id, day, in_minor, out_minor)
  select l.account_id, l.day, l.new_in, l.new_out from unnest(limits) l where l.new_in + l.new_out > 0 order by 1, 2
  on conflict (account_id, day) do update
     set in_minor = d.in_minor + excluded.in_minor, out_minor = d.out_minor + excluded.out_minor;
end $$;

-- Takes what came back off the day that counted it: `ref` is of the row that left the wallet, not before `since`.
create or replace function give_back_limit(wallet bigint, ref text, since timestamptz, amount bigint) returns void
language sql as $$
  update limit_days d set out_minor = d.out_minor - amount
   where d.account_id = wallet
     and d.day = (
       select utc_day(t.created_at)
         from ledger_accounts a
         join transactions t on t.user_id = a.user_id and t.environment = a.environment and t.currency = a.currency
        where a.id = wallet and t.direction = 'out' and t.type in ('transfer_out', 'withdrawal', 'refund')
          and t.created_at >= since and t.reference = ref
        order by t.created_at limit 1)
$$;

-- Marks wallets, under their locks, and counts what this month has brought them until now. Returns how many.
create or replace function mark_wallets(ids bigint[]) returns integer language plpgsql as $$
declare
  marked bigint[];
begin
  perform lock_accounts(ids);
  with m as (
    update ledger_accounts a set limited_at = clock_timestamp()
     where a.id = any (ids) and a.limited_at is null returning a.id
  )
  select array_agg(m.id) into marked from m;
  insert into limit_days (account_id, day, in_minor, out_minor)
  select a.id, utc_day(t.created_at), sum(counted_in(t)), sum(counted_out(t))
    from ledger_accounts a
    join transactions t on t.user_id = a.user_id and t.environment = a.environment and t.currency = a.currency
     and t.created_at >= date_trunc('month', a.limited_at, 'UTC')
   where a.id = any (marked)
   group by a.id, utc_day(t.created_at);
  return coalesce(cardinality(marked), 0);
end $$;

-- Limits of an account as they hold now, with what is used of them, and its tier; of one environment, or of both. At least
-- one row for each, without a name when no limit holds. `from_account`: its own, not its tier's.
create or replace function shown_limits(owner uuid, env text)
returns table (
  environment text, tier text, set_by text, currency text, limit_name text, maximum_minor bigint, used_minor bigint,
  resets_at timestamptz, from_account boolean
) language sql stable security definer set search_path = public, pg_temp as $$
  select e.name, account_tier(u, e.name), case when u.tier is null then 'identity' else 'operator' end, l.*
    from users u
   cross join unnest(array['live', 'sandbox']) e (name)
    left join lateral (
      select a.currency, n.name, w.most[n.position],
             case when n.name = 'balance' then a.balance_minor when n.name = 'daily_in' then w.day_in
                  when n.name = 'monthly_in' then w.month_in when n.name = 'daily_out' then w.day_out
                  when n.name = 'monthly_out' then w.month_out else 0 end,
             limit_resets_at(n.name, w.day), coalesce(o.limits ? n.name, false)
        from ledger_accounts a
        join limits_of_wallets(array(select x.id from ledger_accounts x
                                      where x.user_id = owner and x.environment = e.name), clock_timestamp()) w
          on w.account_id = a.id
        left join account_limits o on o.account_id = a.id
       cross join lateral unnest(limit_names()) with ordinality n (name, position)
       where w.most[n.position] is not null) l (currency, name, most, used, resets_at, from_account) on true
   where u.id = owner and e.name = coalesce(env, e.name)
   order by e.name, array_position(array['XOF', 'EUR', 'USD'], l.currency), array_position(limit_names(), l.name)
$$;

-- Operators' settings of tiers and limits (db/operators/settings.sql calls them). Amounts are given and shown as decimal
-- texts, `off` is no limit, and `tier` of an account's own limit is its tier's again.

-- The limits that a setting names, in minor units.
create or replace function given_limits(given jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(n, case given ->> n when 'off' then 'null'
           else to_jsonb(((given ->> n)::numeric * 100)::bigint) end), '{}')
    from unnest(limit_names()) n
   where given ? n and given ->> n <> 'tier'
$$;

create or replace function limits_text(limits jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(n, ((limits ->> n)::bigint * 0.01)::text) from unnest(limit_names()) n
$$;

-- Sets every limit of a tier, in both environments. From the commit on no posting goes by the former ones: those that do
-- are waited for, after the wallets, as they take both.
create or replace function replace_tier_limits(in_tier text, cur text, new_limits jsonb) returns void language plpgsql as $$
begin
  if jsonb_strip_nulls(new_limits) <> '{}' then
    -- No wallet is opened unmarked from here on (open_wallets).
    update currencies c set is_limited = true where c.code = cur and not c.is_limited;
    perform mark_wallets(array(select a.id from ledger_accounts a
                                where a.currency = cur and a.kind = 'wallet' and a.limited_at is null));
  end if;
  perform pg_advisory_xact_lock(tiers_lock());
  insert into tier_limits (tier, currency, limits) values (in_tier, cur, jsonb_strip_nulls(new_limits))
  on conflict (tier, currency) do update set limits = excluded.limits;
end $$;

-- Marks the next wallets of a currency, ahead of its first limit, which would keep all of them locked otherwise. Returns
-- how many.
create or replace function mark_next_wallets(cur text, most integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  select mark_wallets(array(select a.id from ledger_accounts a
                             where a.currency = cur and a.kind = 'wallet' and a.limited_at is null
                             order by a.id limit most))
$$;

create or replace function tier_entries(cur text, in_tier text) returns jsonb
language sql stable security definer set search_path = public, pg_temp as $$
  select jsonb_agg(jsonb_build_object('tier', t.tier, 'currency', c.code)
                   || limits_text(coalesce(l.limits, '{}')) order by t.place, array_position(array['XOF', 'EUR', 'USD'], c.code))
    from unnest(array['none', 'identified', 'merchant', 'agent']) with ordinality t (tier, place)
   cross join currencies c
    left join tier_limits l on l.tier = t.tier and l.currency = c.code
   where c.code = coalesce(cur, c.code) and t.tier = coalesce(in_tier, t.tier)
$$;

create or replace function apply_tiers_set(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  in_tier text := given ->> 'tier';
begin
  c.currency := given ->> 'currency';
  c.subject := format('tier/%s/%s', in_tier, c.currency);
  perform from currencies x where x.code = c.currency for no key update;
  c.before := tier_entries(c.currency, in_tier) -> 0;
  perform replace_tier_limits(in_tier, c.currency, coalesce((
    select t.limits from tier_limits t where t.tier = in_tier and t.currency = c.currency), '{}') || given_limits(given));
  c.after := tier_entries(c.currency, in_tier) -> 0;
  return c;
end $$;

-- The profile's figures, {tier: {limit: amount}}, take the place of all that its currency has.
create or replace function apply_tiers_profile(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
begin
  c.currency := given ->> 'currency';
  c.subject := format('tiers/%s', c.currency);
  perform from currencies x where x.code = c.currency for no key update;
  c.before := tier_entries(c.currency, null);
  perform replace_tier_limits(t.tier, c.currency, given_limits(coalesce(given -> 'tiers' -> t.tier, '{}')))
     from unnest(array['none', 'identified', 'merchant', 'agent']) t (tier);
  c.after := tier_entries(c.currency, null);
  return c;
end $$;

create or replace function tier_of(u users) returns jsonb language sql immutable as $$
  select jsonb_build_object('tier', account_tier(u, 'live'),
           'set_by', case when u.tier is null then 'identity' else 'operator' end)
$$;

-- `auto`: by the identity check.
create or replace function apply_users_tier(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  u users;
begin
  select * into strict u from users x where x.username = given ->> 'username' for no key update;
  c.username := u.username;
  c.subject := 'user/' || u.username;
  c.before := tier_of(u);
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = u.id));
  update users x set tier = nullif(given ->> 'tier', 'auto') where x.id = u.id returning * into u;
  c.after := tier_of(u);
  return c;
end $$;

create or replace function apply_users_limits(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  wallet bigint;
  own jsonb;
  changes constant jsonb := given_limits(given);
begin
  c.username := given ->> 'username';
  c.environment := given ->> 'environment';
  c.currency := given ->> 'currency';
  c.subject := format('user/%s/%s/%s', c.username, c.environment, c.currency);
  wallet := wallet_account((select u.id from users u where u.username = c.username), c.environment, c.currency);
  perform lock_accounts(array[wallet]);
  if jsonb_strip_nulls(changes) <> '{}' then
    perform mark_wallets(array[wallet]);
  end if;
  own := coalesce((select o.limits from account_limits o where o.account_id = wallet), '{}');
  c.before := own_limits_text(own);
  own := (own - array(select n from unnest(limit_names()) n where given ->> n = 'tier')) || changes;
  c.after := own_limits_text(own);
  if c.before <> c.after then
    insert into account_limits (account_id, limits) values (wallet, own)
    on conflict (account_id) do update set limits = excluded.limits;
  end if;
  return c;
end $$;

-- Own limits are shown as they are given; what is left out is the tier's.
create or replace function own_limits_text(own jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(l.key, coalesce(((l.value #>> '{}')::bigint * 0.01)::text, 'off')), '{}')
    from jsonb_each(own) l
$$;

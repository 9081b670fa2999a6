-- The rules that operators set (db/operators/settings.sql), and what postings read of them: which orders they look at.

-- A rule as the command line and the audit log show it.
create or replace function risk_rule_json(r risk_rules) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('name', r.name, 'kind', r.kind, 'on', r.watches, 'decision', r.decision,
    'above', r.above_minor * 0.01, 'by', r.counted_by, 'window', r.window_seconds, 'count', r.most_count,
    'sum', r.most_minor * 0.01, 'threshold', r.threshold_minor * 0.01, 'margin', r.margin_percent))
    || jsonb_build_object('currency', r.currency, 'environment', r.environment,
         'user', (select u.username from users u where u.id = r.user_id))
   where r.name is not null
$$;

-- No room that was kept before counts any more: while rules that count alike were others, nothing was taken from it.
create or replace function forget_room() returns void language sql as $$
  update risk_rules set set_at = clock_timestamp()
$$;

-- `given` has the columns of risk_rules; the rule of this name is replaced.
create or replace function apply_risk_set(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  after constant risk_rules := jsonb_populate_record(null::risk_rules,
    given || jsonb_build_object('set_at', clock_timestamp()));
  before risk_rules;
  change setting_change;
begin
  lock table risk_rules in share row exclusive mode;
  select * into before from risk_rules r where r.name = after.name;
  delete from risk_rules r where r.name = after.name;
  perform forget_room();
  insert into risk_rules select after.*;
  if after.counted_by = 'ip' then
    perform find_origins();
  end if;
  perform refresh_watched();
  change.subject := 'risk-rule/' || after.name;
  change.username := (select u.username from users u where u.id = after.user_id);
  change.environment := after.environment;
  change.currency := after.currency;
  change.before := risk_rule_json(before);
  change.after := risk_rule_json(after);
  return change;
end $$;

create or replace function apply_risk_remove(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  before risk_rules;
  change setting_change;
begin
  lock table risk_rules in share row exclusive mode;
  delete from risk_rules r where r.name = given ->> 'name' returning * into before;
  if before.name is null then
    change.refusal := 'rule_not_found';
    return change;
  end if;
  perform forget_room();
  perform refresh_watched();
  change.subject := 'risk-rule/' || before.name;
  change.username := (select u.username from users u where u.id = before.user_id);
  change.environment := before.environment;
  change.currency := before.currency;
  change.before := risk_rule_json(before);
  return change;
end $$;

-- The kinds of orders about which others are asked before the posting, such as `transfer/live`.
create or replace function asked_kinds() returns setof text language sql stable as $$
  select k.kind || '/' || e.environment
    from risk_provider p
   cross join lateral unnest(p.watches) k (kind)
   cross join (values ('live'), ('sandbox')) e (environment)
   where e.environment = coalesce(p.environment, e.environment)
  union
  select 'payout/' || e from unnest(array['live', 'sandbox']) e where is_screening()
$$;

-- From the commit on, each posting looks at what some rule looks at, or something else.
create or replace function refresh_watched() returns void language sql as $$
  update currencies c set watched = w.watched
    from (select x.code, array(
                   select k.kind || '/' || e.environment
                     from risk_rules r
                    cross join lateral unnest(r.watches) k (kind)
                    cross join (values ('live'), ('sandbox')) e (environment)
                    where x.code = coalesce(r.currency, x.code) and e.environment = coalesce(r.environment, e.environment)
                    union
                   select a.prefix || k from asked_kinds() k cross join (values (''), ('ask/')) a (prefix)
                    order by 1) as watched
            from currencies x) w
   where w.code = c.code and c.watched <> w.watched
$$;

-- Whence the orders of the longest window came, as far as the access log has kept it. It has what came by a key.
create or replace function find_origins() returns void language sql as $$
  insert into risk_origins (reference, ip, kind, environment, currency, amount_minor, created_at)
  select o.reference, a.ip, o.kind, o.environment, o.currency, o.amount_minor, o.created_at
    from access_entries a
   cross join lateral unnest(a.names) n (name)
    join lateral (
      select t.reference, 'transfer' as kind, t.environment, t.currency, t.amount_minor, t.created_at
        from transfers t where t.reference = n.name
      union all
      select p.reference, 'payout', p.environment, p.currency, p.amount_minor, p.created_at
        from payouts p where p.reference = n.name) o on true
   where a.at > clock_timestamp() - interval '31 days' and a.method = 'POST' and a.key_id is not null
     and (n.name like 'TRF-%' or n.name like 'PYT-%')
  on conflict (reference) do nothing
$$;

-- Addresses are kept no longer than a rule can count by them; room is kept again where it is of use.
create or replace function drop_risk_origins() returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from risk_origins o where o.created_at < clock_timestamp() - interval '31 days';
  delete from risk_room x where x.counted in (select y.counted from risk_room y for update skip locked)
$$;

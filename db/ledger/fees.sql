-- Fees and taxes: what a movement is charged, and the rules of it as operators set them (docs/decisions/ledger.md).

-- Rules change between postings and never within one: a posting holds this lock from before it reads them until its
-- commit, and who changes them waits for all that have it. Take it before accounts and their rules.
-- Returns the moment from which the rules are read.
create or replace function hold_fee_rules() returns timestamptz language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(16, 1);
  return clock_timestamp();
end $$;

-- One rule's figure: rounded half up to the currency's step once, then its minimum and maximum.
create or replace function fee_by(r fee_rules, of_minor bigint, step_minor bigint) returns bigint
language plpgsql immutable as $$
begin
  if r.id is null or (r.percent = 0 and r.fixed_minor = 0 and r.minimum_minor = 0) then
    return 0;
  end if;
  return least(r.maximum_minor, greatest(r.minimum_minor,
    round((of_minor * r.percent * 0.01 + r.fixed_minor) / step_minor) * step_minor));
end $$;

-- A posting that is made at another moment than its figures are of begins anew (serialization_failure): a planned change
-- of the rules has come between.
create or replace function refuse_other_fee(at timestamptz, holds_until timestamptz) returns void
language plpgsql immutable as $$
begin
  if at >= holds_until then
    raise exception 'a fee changes at this moment' using errcode = 'serialization_failure';
  end if;
end $$;

-- The fee of a movement at a moment, all that is taken, and the part of it that is tax. `owner` is the recipient of a
-- transfer, or the merchant; `payer` the sender of a transfer, else null. `bearer`: payer | recipient | merchant; what a
-- payer bears, and every fee of a payout, comes on top of the amount. Where it is taken from the amount, at least one
-- step arrives: the fee gives way first, then the tax.
-- The figures are the same before `holds_until`; null: no change of the rules is planned.
create or replace function fee_of(
  of_kind text, cur text, amount bigint, payer uuid, owner uuid, of_method text, at timestamptz
) returns table (fee_minor bigint, tax_minor bigint, bearer text, holds_until timestamptz)
language sql stable as $$
  select case when m.is_on_top then f.minor + t.minor else least(f.minor + t.minor, amount - m.step_minor) end,
         case when m.is_on_top then t.minor else least(t.minor, amount - m.step_minor) end,
         coalesce((m.fee).bearer, case of_kind when 'transfer' then 'recipient' else 'merchant' end), m.holds_until
    from (select s.*, coalesce((s.fee).bearer = 'payer', false) or of_kind = 'payout' as is_on_top, c.step_minor,
                 case (s.fee).bearer when 'payer' then s.payer_tax else s.owner_tax end as tax
            from (select (array_agg(r order by r.rank) filter (where not r.tax and r.valid_from <= at))[1] as fee,
                         (array_agg(r order by r.rank) filter (where r.tax and r.valid_from <= at and coalesce(r.user_id = owner, true)))[1]
                           as owner_tax,
                         (array_agg(r order by r.rank) filter (where r.tax and r.valid_from <= at and coalesce(r.user_id = payer, true)))[1]
                           as payer_tax,
                         least(min(r.valid_from) filter (where r.valid_from > at), min(r.valid_until)) as holds_until
                    from fee_rules r
                   where r.kind = of_kind and r.currency = cur
                     and coalesce(r.user_id, '00000000-0000-0000-0000-000000000000')
                         in ('00000000-0000-0000-0000-000000000000', owner, payer)
                     and (r.method is null or r.method = of_method)
                     and r.amount_from_minor <= amount and (r.amount_below_minor is null or amount < r.amount_below_minor)
                     and (r.valid_until is null or r.valid_until > at)
                     -- A transfer's own fee is that of who would bear it.
                     and (r.user_id is null or r.tax or r.user_id = case r.bearer when 'payer' then payer else owner end)) s
            join currencies c on c.code = cur) m
   -- `offset 0`: computed once. Pulled up, each is computed at every use, which cost a transfer 100 µs.
   cross join lateral (select fee_by(m.fee, amount, m.step_minor) as minor offset 0) f
   cross join lateral (
     select fee_by(m.tax, case (m.tax).base when 'fee' then f.minor else amount end, m.step_minor) as minor offset 0) t
$$;

-- The fee of a movement of this account now, or at `at`: preview and posting ask the same function. Of a
-- transfer the account is the sender; a recipient that does not exist has no rules of its own.
create or replace function preview_fee(
  of_kind text, cur text, amount bigint, account uuid, to_name text, of_method text, at timestamptz
) returns table (fee_minor bigint, tax_minor bigint, bearer text)
language sql stable security definer set search_path = public, pg_temp as $$
  select f.fee_minor, f.tax_minor, f.bearer
    from fee_of(of_kind, cur, amount, case of_kind when 'transfer' then account end,
      case of_kind when 'transfer' then (select u.id from users u where u.username = to_name) else account end,
      of_method, coalesce(at, statement_timestamp())) f
$$;

-- A rule as the audit log and the command line show it; amounts are texts with two decimals.
create or replace function fee_rule_json(r fee_rules) returns jsonb language sql stable as $$
  select jsonb_build_object('id', r.id, 'tax', r.tax, 'kind', r.kind, 'currency', r.currency,
    'user', (select u.username from users u where u.id = r.user_id), 'method', r.method,
    'amount_from', decimal_amount(r.amount_from_minor)::text, 'amount_below', decimal_amount(r.amount_below_minor)::text,
    'percent', trim_scale(r.percent)::text, 'fixed', decimal_amount(r.fixed_minor)::text,
    'minimum', decimal_amount(nullif(r.minimum_minor, 0))::text, 'maximum', decimal_amount(r.maximum_minor)::text,
    'of', r.base, 'bearer', r.bearer, 'from', instant(nullif(r.valid_from, '-infinity')), 'until', instant(r.valid_until))
$$;

-- The rules that hold or will, or all that ever did; of an account, its own only. General fees first.
create or replace function list_fee_rules(with_ended boolean, name text) returns table (rule jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  select fee_rule_json(r)
    from fee_rules r left join users u on u.id = r.user_id
   where (with_ended or r.valid_until is null or r.valid_until > greatest(r.valid_from, statement_timestamp()))
     and (name is null or u.username = name)
   order by r.rank <> 6, r.tax, r.kind desc, array_position(array['XOF', 'EUR', 'USD'], r.currency), u.username nulls first,
            r.method nulls first, r.amount_from_minor, r.valid_from, r.id
$$;

-- The rules that an account may meet now: its own, and those of all.
create or replace function list_prices(account uuid) returns table (rule jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  select fee_rule_json(r) from fee_rules r
   where (r.user_id is null or r.user_id = account) and r.valid_from <= statement_timestamp()
     and (r.valid_until is null or r.valid_until > statement_timestamp())
   order by r.kind desc, r.tax, array_position(array['XOF', 'EUR', 'USD'], r.currency), r.rank, r.method, r.amount_from_minor
$$;

-- Rules of one place follow one another. What an account bears as a payer is another place than what it bears as a
-- recipient, and the general fee another one than those of bands.
create or replace function is_same_place(a fee_rules, b fee_rules) returns boolean language sql immutable as $$
  select (a.kind, a.currency, a.tax) = (b.kind, b.currency, b.tax) and a.user_id is not distinct from b.user_id
     and a.method is not distinct from b.method and (a.user_id is null or a.bearer is not distinct from b.bearer)
     and (a.rank = 6) = (b.rank = 6)
$$;

-- Every change of rules begins here: none is read meanwhile, and those that were read are committed. Returns the first
-- moment at which nothing was posted yet: a history that many write at once may be some milliseconds ahead of the clock.
create or replace function begin_fee_change() returns timestamptz language plpgsql as $$
begin
  perform pg_advisory_xact_lock(16, 1);
  perform pg_sleep(0.01);
  return clock_timestamp();
end $$;

-- Sets a rule: `given` has the columns of fee_rules, and `username`. The same place and band again ends the former rule.
-- refusal: user_not_found | in_the_past | general_fee (it has no end) | fee_overlaps
create or replace function apply_fees_set(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  at constant timestamptz := begin_fee_change();
  c setting_change;
  r fee_rules := jsonb_populate_record(null::fee_rules, given - 'username');
  former fee_rules;
begin
  c.username := given ->> 'username';
  c.currency := r.currency;
  c.subject := concat_ws('/', case when r.tax then 'tax' else 'fee' end, r.kind, r.currency, c.username, r.method);
  if c.username is not null then
    select u.id into r.user_id from users u where u.username = c.username;
    if not found then
      c.refusal := 'user_not_found';
      return c;
    end if;
  end if;
  if r.valid_from < at then
    c.refusal := 'in_the_past';
    return c;
  end if;
  r.id := uuidv7();
  r.valid_from := coalesce(r.valid_from, at);
  r.tax := coalesce(r.tax, false);
  r.amount_from_minor := coalesce(r.amount_from_minor, 0);
  r.minimum_minor := coalesce(r.minimum_minor, 0);
  r.base := coalesce(r.base, 'amount');
  r.bearer := case when not r.tax then coalesce(r.bearer, case r.kind when 'transfer' then 'recipient' else 'merchant' end) end;
  r.rank := case when r.tax or r.user_id is not null or r.method is not null or r.amount_from_minor > 0
                      or r.amount_below_minor is not null then 5 else 6 end;
  if r.rank = 6 and r.valid_until is not null then
    c.refusal := 'general_fee';
    return c;
  end if;
  select * into former from fee_rules x
   where is_same_place(x, r) and x.amount_from_minor = r.amount_from_minor
     and x.amount_below_minor is not distinct from r.amount_below_minor
     and x.valid_from <= r.valid_from and coalesce(x.valid_until, 'infinity') > r.valid_from;
  if exists (select from fee_rules x
              where is_same_place(x, r) and x.id is distinct from former.id
                and int8range(x.amount_from_minor, x.amount_below_minor) && int8range(r.amount_from_minor, r.amount_below_minor)
                and tstzrange(x.valid_from, x.valid_until) && tstzrange(r.valid_from, r.valid_until)) then
    c.refusal := 'fee_overlaps';
    return c;
  end if;
  if former.id is not null then
    c.before := fee_rule_json(former);
  end if;
  if (former.percent, former.fixed_minor, former.minimum_minor, former.maximum_minor, former.base, former.bearer, former.valid_until)
     is not distinct from (r.percent, r.fixed_minor, r.minimum_minor, r.maximum_minor, r.base, r.bearer, r.valid_until) then
    c.after := c.before;
    return c;
  end if;
  update fee_rules x set valid_until = r.valid_from where x.id = former.id;
  insert into fee_rules (id, tax, kind, currency, user_id, method, amount_from_minor, amount_below_minor, percent,
    fixed_minor, minimum_minor, maximum_minor, base, bearer, valid_from, valid_until)
  values (r.id, r.tax, r.kind, r.currency, r.user_id, r.method, r.amount_from_minor, r.amount_below_minor, r.percent,
    r.fixed_minor, r.minimum_minor, r.maximum_minor, r.base, r.bearer, r.valid_from, r.valid_until);
  c.after := fee_rule_json(r);
  return c;
end $$;

-- Ends the rule `id`, now or `at`; one that has not begun never holds.
-- refusal: fee_not_found | general_fee (it can only be replaced) | in_the_past
create or replace function apply_fees_end(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  now constant timestamptz := begin_fee_change();
  at constant timestamptz := coalesce((given ->> 'at')::timestamptz, now);
  c setting_change;
  r fee_rules;
begin
  select * into r from fee_rules x where x.id = (given ->> 'id')::uuid;
  c.refusal := case when not found then 'fee_not_found' when r.rank = 6 then 'general_fee' when at < now then 'in_the_past' end;
  c.username := (select u.username from users u where u.id = r.user_id);
  c.currency := r.currency;
  c.subject := concat_ws('/', case when r.tax then 'tax' else 'fee' end, r.kind, r.currency, c.username, r.method);
  if c.refusal is null then
    c.before := fee_rule_json(r);
    if r.valid_until is null or r.valid_until > at then
      r.valid_until := greatest(at, r.valid_from);
      update fee_rules x set valid_until = r.valid_until where x.id = r.id;
    end if;
    c.after := fee_rule_json(r);
  end if;
  return c;
end $$;

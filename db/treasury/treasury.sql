-- Banks and providers, as operators handle them: each act is a change of a setting (db/operators/settings.sql), so that it has its
-- row of the audit log and, above the limit, its second operator. Postings hold the locks of their accounts.

create or replace function bank_account(bank text) returns ledger_accounts language sql stable as $$
  select a from ledger_accounts a where a.kind = 'bank' and a.name = bank
$$;

-- A provider whose account there is: it is configured, or something of it was booked.
create or replace function is_provider(env text, provider text) returns boolean language sql stable as $$
  select exists (select from ledger_accounts a where a.user_id is null and a.kind = 'gateway_clearing'
                   and a.environment = coalesce(env, a.environment) and a.name = provider)
$$;

-- Posts what a treasury posting moves, and its row. The caller has locked the accounts (treasury_accounts).
create or replace function post_treasury(t treasury_postings) returns treasury_postings language plpgsql as $$
declare
  rises bigint;
  falls bigint;
begin
  select a.rises, a.falls into rises, falls from treasury_accounts(t) a;
  t.created_at := post_entries(uuidv7(), t.reference, t.kind, coalesce(t.reason, ''), t.environment, t.currency,
    array[row(rises, t.amount_minor)::ledger_leg, row(falls, -t.amount_minor)::ledger_leg]);
  insert into treasury_postings select t.*;
  return t;
end $$;

-- The accounts of its kind: the ledger credits one and debits the other. An account whose money is held falls by a credit.
create or replace function treasury_accounts(t treasury_postings, out rises bigint, out falls bigint)
language plpgsql as $$
declare
  bank bigint := (bank_account(t.bank)).id;
  clearing bigint;
begin
  if t.provider is not null and t.kind not in ('bank_fee', 'fees_withdrawn', 'taxes_paid', 'credit_funded') then
    clearing := clearing_account(t.environment, t.currency, t.provider);
  end if;
  rises := case t.kind when 'settlement' then clearing when 'provider_fee' then clearing
    when 'break_adjusted' then system_account(t.environment, t.currency, 'provider_fees')
    when 'credit_funded' then system_account(t.environment, t.currency, 'operator') else bank end;
  falls := case t.kind when 'settlement' then bank when 'credit_funded' then bank
    when 'provider_fee' then system_account(t.environment, t.currency, 'provider_fees')
    when 'bank_fee' then system_account(t.environment, t.currency, 'provider_fees')
    when 'fees_withdrawn' then system_account(t.environment, t.currency, 'fees')
    when 'taxes_paid' then system_account(t.environment, t.currency, 'taxes')
    when 'float_topped_up' then clearing else coalesce(clearing, bank) end;
end $$;

-- given: {name, currency, environment, iban_end}. refusal: name_taken
create or replace function apply_treasury_open(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  bank text := given ->> 'name';
begin
  perform pg_advisory_xact_lock(hashtextextended('treasury_bank/' || bank, 0));
  c.subject := 'treasury/bank/' || bank;
  c.environment := given ->> 'environment';
  c.currency := given ->> 'currency';
  c.before := (select to_jsonb(b) - 'balance_minor' from list_banks() b where b.name = bank);
  if c.before is null then
    with account as (
      insert into ledger_accounts (environment, currency, kind, name)
      values (c.environment, c.currency, 'bank', bank) returning id)
    insert into treasury_banks (account_id, iban_end, opened_by) select id, given ->> 'iban_end', actor from account;
  end if;
  c.after := (select to_jsonb(b) - 'balance_minor' from list_banks() b where b.name = bank);
  if (c.after ->> 'currency', c.after ->> 'environment', coalesce(c.after ->> 'iban_end', ''))
     <> (c.currency, c.environment, coalesce(given ->> 'iban_end', '')) then
    c.refusal := 'name_taken';
  end if;
  return c;
end $$;

create or replace function list_banks()
returns table (name text, currency text, environment text, iban_end text, balance_minor bigint) language sql stable as $$
  select a.name, a.currency, a.environment, b.iban_end, -a.balance_minor
    from ledger_accounts a join treasury_banks b on b.account_id = a.id
   order by a.environment, a.name
$$;

-- given: {kind, bank, provider, amount_minor, reference, reason}.
-- refusal: bank_not_found | provider_not_found | reference_used | insufficient_funds
create or replace function apply_treasury_book(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  bank ledger_accounts := bank_account(given ->> 'bank');
  before treasury_postings;
  t treasury_postings;
  accounts record;
begin
  t.reference := given ->> 'reference';
  t.kind := given ->> 'kind';
  t.bank := given ->> 'bank';
  t.provider := given ->> 'provider';
  t.amount_minor := given ->> 'amount_minor';
  t.reason := given ->> 'reason';
  t.actor := actor;
  t.environment := bank.environment;
  t.currency := bank.currency;
  c.subject := 'treasury/' || t.reference;
  c.environment := t.environment;
  c.currency := t.currency;
  c.amount_minor := t.amount_minor;
  c.refusal := case when bank.id is null then 'bank_not_found'
                    when t.provider is not null and not is_provider(t.environment, t.provider) then 'provider_not_found' end;
  if c.refusal is not null then
    return c;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('treasury_posting/' || t.reference, 0));
  select * into before from treasury_postings x where x.reference = t.reference;
  if found and (before.kind, before.bank, before.amount_minor) = (t.kind, t.bank, t.amount_minor)
     and before.provider is not distinct from t.provider then
    c.before := posting_audit(before);
    c.after := c.before;
    return c;
  elsif found or exists (select from ledger_transactions j where j.reference = t.reference) then
    c.refusal := 'reference_used';
    return c;
  end if;
  if t.amount_minor <= 0 or t.amount_minor % (select x.step_minor from currencies x where x.code = t.currency) <> 0 then
    raise exception 'amount is finer than % allows', t.currency using errcode = 'check_violation';
  end if;
  select * into accounts from treasury_accounts(t);
  perform lock_accounts(array[accounts.rises, accounts.falls]);
  if t.kind in ('fees_withdrawn', 'taxes_paid')
     and (select a.balance_minor from ledger_accounts a where a.id = accounts.falls) < t.amount_minor then
    c.refusal := 'insufficient_funds';
    return c;
  end if;
  t := post_treasury(t);
  c.after := posting_audit(t);
  return c;
end $$;

create or replace function posting_audit(t treasury_postings) returns jsonb language sql stable as $$
  select jsonb_build_object('reference', t.reference, 'kind', t.kind, 'bank', t.bank, 'provider', t.provider, 'currency',
    t.currency, 'amount_minor', t.amount_minor::text)
$$;

-- given: {provider, currency, type, percent, fixed_minor, tolerance_minor}, or {provider, currency, type, off}.
-- refusal: provider_not_found
create or replace function apply_treasury_terms(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  t treasury_terms;
begin
  t.provider := given ->> 'provider';
  t.currency := given ->> 'currency';
  t.type := given ->> 'type';
  c.subject := concat_ws('/', 'treasury', 'terms', t.provider, t.currency, t.type);
  c.currency := t.currency;
  if not is_provider(null, t.provider) then
    c.refusal := 'provider_not_found';
    return c;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(c.subject, 0));
  c.before := terms_audit(t);
  delete from treasury_terms x where (x.provider, x.currency, x.type) = (t.provider, t.currency, t.type);
  if not coalesce((given ->> 'off')::boolean, false) then
    insert into treasury_terms values (t.provider, t.currency, t.type, (given ->> 'percent')::numeric,
      (given ->> 'fixed_minor')::bigint, (given ->> 'tolerance_minor')::bigint);
  end if;
  c.after := terms_audit(t);
  return c;
end $$;

create or replace function terms_audit(t treasury_terms) returns jsonb language sql stable as $$
  select jsonb_build_object('percent', trim_scale(x.percent)::text, 'fixed_minor', x.fixed_minor::text, 'tolerance_minor',
           x.tolerance_minor::text)
    from treasury_terms x where (x.provider, x.currency, x.type) = (t.provider, t.currency, t.type)
$$;

-- given: {name, format}, which the caller has checked.
create or replace function apply_treasury_format(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
begin
  c.subject := 'treasury/format/' || (given ->> 'name');
  perform pg_advisory_xact_lock(hashtextextended(c.subject, 0));
  c.before := (select x.format from treasury_formats x where x.name = given ->> 'name');
  c.after := given -> 'format';
  insert into treasury_formats (name, format) values (given ->> 'name', c.after)
  on conflict (name) do update set format = excluded.format;
  return c;
end $$;

-- Books the fees of a provider's file and its settlements: those of each line once. given: {file, bank}
-- refusal: file_not_found | bank_file | bank_required | bank_not_found | bank_mismatch
create or replace function apply_treasury_post(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  f treasury_files;
  bank ledger_accounts := bank_account(given ->> 'bank');
  line treasury_unposted;
  sums record;
  t treasury_postings;
begin
  select * into f from treasury_files x where x.id = given ->> 'file';
  c.subject := 'treasury/' || (given ->> 'file');
  c.environment := f.environment;
  c.currency := f.currency;
  if f.id is null or f.bank is not null then
    c.refusal := case when f.id is null then 'file_not_found' else 'bank_file' end;
    return c;
  end if;
  perform lock_treasury_files(file_account(f.environment, f.provider, f.bank));
  -- A settlement that was booked by hand since is not booked again.
  perform resolve_breaks_of(file_account(f.environment, f.provider, f.bank)), match_treasury_lines(f);
  select * into f from treasury_files x where x.id = f.id;
  c.refusal := case
    when given ->> 'bank' is not null and bank.id is null then 'bank_not_found'
    when bank.environment <> f.environment then 'bank_mismatch'
    when exists (select from unposted_lines(f) u where u.is_settlement) then
      case when bank.id is null then 'bank_required'
           when not exists (select from unposted_lines(f) u where u.is_settlement and u.currency = bank.currency)
             then 'bank_mismatch' end end;
  if c.refusal is not null then
    return c;
  end if;
  c.before := file_audit(f);
  -- A second operator is needed when the sum of any currency is above its limit.
  for sums in
    select u.currency, sum(abs(u.fee_minor)) + sum(abs(u.settled_minor)) as weight, sum(u.fee_minor) as fees,
           array_agg(u.line) as lines
      from unposted_lines(f) u where not u.is_settlement or u.currency = bank.currency
     group by u.currency order by u.currency
  loop
    if c.amount_minor is null or needs_approval(sums.currency, sums.weight::bigint) then
      c.amount_minor := sums.weight;
      c.currency := sums.currency;
    end if;
    t := null;
    t.environment := f.environment;
    t.currency := sums.currency;
    t.provider := f.provider;
    t.actor := actor;
    t.file_id := f.id;
    t.reason := f.id;
    perform lock_accounts(array[clearing_account(f.environment, sums.currency, f.provider), bank.id,
      system_account(f.environment, sums.currency, 'provider_fees')]);
    for line in select u.* from unposted_lines(f) u
                 where u.is_settlement and u.settled_minor <> 0 and u.currency = sums.currency and u.line = any (sums.lines)
                 order by u.line
    loop
      t.reference := f.id || '/' || line.line;
      t.kind := 'settlement';
      t.bank := bank.name;
      t.amount_minor := line.settled_minor;
      t.provider_id := line.provider_id;
      perform post_treasury(t);
    end loop;
    t.bank := null;
    t.provider_id := null;
    t.kind := 'provider_fee';
    t.amount_minor := sums.fees;
    t.reference := format('%s/fees/%s/%s', f.id, sums.currency, 1 + (select count(*) from treasury_postings x
      where x.file_id = f.id and x.kind = 'provider_fee' and x.currency = sums.currency));
    if sums.fees <> 0 then
      perform post_treasury(t);
    end if;
    update treasury_lines l
       set posting = case when l.type = 'settlement' then f.id || '/' || l.line else t.reference end
     where l.file_id = f.id and l.line = any (sums.lines);
  end loop;
  c.amount_minor := nullif(c.amount_minor, 0);
  update treasury_files x set posted_at = coalesce(x.posted_at, clock_timestamp()) where x.id = f.id returning * into f;
  c.after := file_audit(f);
  -- Without money there is nothing to approve: the smallest amount asks at a limit of zero only.
  c.amount_minor := coalesce(c.amount_minor, 1);
  return c;
end $$;

create or replace function file_audit(f treasury_files) returns jsonb language sql stable as $$
  select jsonb_build_object('file', f.id, 'provider', f.provider, 'posted_at', f.posted_at, 'postings', (
           select coalesce(jsonb_object_agg(s.kind || '/' || s.currency, s.total), '{}')
             from (select p.kind, p.currency, (sum(p.amount_minor) * 0.01)::text as total from treasury_postings p
                    where p.file_id = f.id and p.kind <> 'break_adjusted' group by p.kind, p.currency) s))
$$;

-- The lines of a provider's file whose fee or settlement is not booked. Of a line whose fee is off its terms, what is
-- right is booked here, and the difference when its break is settled.
create or replace function unposted_lines(f treasury_files) returns setof treasury_unposted language sql stable as $$
  select l.line, l.provider_id, l.currency, coalesce(l.type = 'settlement', false),
         case l.type when 'settlement' then case when l.row_key is null then l.amount_minor else 0 end else 0 end,
         case when l.type = 'fee' then l.amount_minor + l.fee_minor when b.kind = 'fee' then b.expected_minor
              else l.fee_minor end
    from treasury_lines l left join treasury_breaks b on b.file_id = l.file_id and b.line = l.line
   where l.file_id = f.id and f.bank is null and l.posting is null
     and case when l.type = 'settlement' then b.id is null or l.row_key is not null
              when l.type = 'fee' then b.id is null and l.row_key is null
              else l.row_key is not null end
$$;

-- given: {id, as, reason}. refusal: break_not_found | break_settled | not_adjustable
create or replace function apply_treasury_settle(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  c setting_change;
  b treasury_breaks;
  f treasury_files;
  t treasury_postings;
  accounts record;
begin
  select * into b from treasury_breaks x where x.id = (given ->> 'id')::bigint;
  c.subject := 'treasury/break/' || (given ->> 'id');
  if not found then
    c.refusal := 'break_not_found';
    return c;
  end if;
  select * into f from treasury_files x where x.id = b.file_id;
  perform lock_treasury_files(file_account(f.environment, f.provider, f.bank));
  select * into b from treasury_breaks x where x.id = b.id for update;
  c.environment := f.environment;
  c.currency := b.currency;
  c.amount_minor := greatest(1, coalesce(nullif(abs(b.difference_minor), 0), abs(b.found_minor), abs(b.expected_minor),
    (select abs(l.amount_minor) from treasury_lines l where l.file_id = b.file_id and l.line = b.line)));
  c.refusal := case when b.status <> 'open' then 'break_settled'
                    when given ->> 'as' = 'adjust' and coalesce(b.difference_minor, 0) = 0 then 'not_adjustable' end;
  if c.refusal is not null then
    return c;
  end if;
  c.before := jsonb_build_object('id', b.id, 'status', b.status);
  if given ->> 'as' = 'adjust' then
    t.reference := f.id || '/break/' || b.id;
    t.kind := 'break_adjusted';
    t.environment := f.environment;
    t.currency := b.currency;
    t.provider := f.provider;
    t.bank := f.bank;
    t.amount_minor := b.difference_minor;
    t.reason := given ->> 'reason';
    t.actor := actor;
    t.file_id := f.id;
    t.break_id := b.id;
    select * into accounts from treasury_accounts(t);
    perform lock_accounts(array[accounts.rises, accounts.falls]);
    perform post_treasury(t);
  end if;
  update treasury_breaks x
     set status = 'settled', action = given ->> 'as', reason = given ->> 'reason', settled_by = actor,
         settled_at = clock_timestamp()
   where x.id = b.id;
  c.after := jsonb_build_object('id', b.id, 'status', 'settled', 'action', given ->> 'as', 'posting', t.reference);
  return c;
end $$;

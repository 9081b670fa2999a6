-- Settlement files: their lines are compared with what is booked, and nothing is posted (docs/decisions/treasury.md). Each
-- account's files are compared one after the other, so that a line has one row at most and a row one line.

-- The provider or bank whose files are compared with one another, as treasury_lines.account names it.
create or replace function file_account(env text, provider text, bank text) returns text language sql stable as $$
  select concat_ws('/', env, case when bank is null then 'provider' else 'bank' end, coalesce(bank, provider))
$$;

create or replace function lock_treasury_files(account text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('treasury_files/' || account, 0))
$$;

-- Stores a file and compares it. `given` is {environment, provider, bank, format, sha256, from, to, lines, closing_minor};
-- a line is [line, provider_id, refs, word, type, day, clock, currency, amount_minor, fee_minor, is_signed], where `clock` is
-- a local time in `timezone`, or null where `day` is the day. The same bytes again change nothing.
create or replace function import_treasury_file(given jsonb, actor text, out file text, out repeated boolean)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  f treasury_files;
  of_account text := file_account(given ->> 'environment', given ->> 'provider', given ->> 'bank');
begin
  perform lock_treasury_files(of_account);
  select x.id into file from treasury_files x
   where x.environment = given ->> 'environment' and x.sha256 = given ->> 'sha256'
     and x.provider is not distinct from given ->> 'provider' and x.bank is not distinct from given ->> 'bank';
  repeated := found;
  if repeated then
    return;
  end if;
  file := 'STM-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20));
  insert into treasury_files (id, environment, provider, bank, format, sha256, from_day, to_day, currency, lines,
    closing_minor, imported_by)
  select file, given ->> 'environment', given ->> 'provider', given ->> 'bank', given ->> 'format', given ->> 'sha256',
         min(d.day), max(d.day), mode() within group (order by d.currency), count(*), (given ->> 'closing_minor')::bigint, actor
    from (select line_day(g.l, given ->> 'timezone') as day, g.l ->> 7 as currency
            from jsonb_array_elements(given -> 'lines') g (l)) d
  returning * into f;
  -- The n-th line of an id that is equal in all to the n-th of earlier files is the same one again.
  insert into treasury_lines (file_id, line, account, provider_id, refs, word, type, day, currency, amount_minor,
    fee_minor, is_signed)
  select file, n.line, of_account, n.provider_id, n.refs, n.word, n.type, n.day, n.currency, n.amount_minor, n.fee_minor,
         n.is_signed
    from (select g.*, row_number() over (partition by g.provider_id, g.refs, g.word, g.day, g.currency, g.amount_minor,
                                           g.fee_minor order by g.line) as nth
            from (select (x.l ->> 0)::integer as line, x.l ->> 1 as provider_id,
                         array(select jsonb_array_elements_text(x.l -> 2)) as refs, x.l ->> 3 as word, x.l ->> 4 as type,
                         line_day(x.l, given ->> 'timezone') as day, x.l ->> 7 as currency,
                         (x.l ->> 8)::bigint as amount_minor, (x.l ->> 9)::bigint as fee_minor,
                         (x.l ->> 10)::boolean as is_signed
                    from jsonb_array_elements(given -> 'lines') x (l)) g) n
   where n.nth > (select count(*) from treasury_lines b
                   where b.account = of_account and b.provider_id = n.provider_id
                     and (b.refs, b.word, b.day, b.currency, b.amount_minor, b.fee_minor)
                         = (n.refs, n.word, n.day, n.currency, n.amount_minor, n.fee_minor));
  insert into treasury_breaks (file_id, kind, line, provider_id, reference, type, currency, found_minor, difference_minor)
  select file, 'duplicate', l.line, l.provider_id, l.refs[1], coalesce(l.type, l.word), l.currency, l.amount_minor,
         moved_by(l, f.bank)
    from (select x.*, row_number() over (partition by x.provider_id order by x.line) as nth
            from treasury_lines x where x.file_id = file) d
    join treasury_lines l on l.file_id = file and l.line = d.line
   where d.nth > 1 or exists (select from treasury_lines b
                               where b.account = l.account and b.provider_id = l.provider_id and b.file_id <> file);
  perform match_treasury_lines(f);
  insert into treasury_breaks (file_id, kind, line, provider_id, reference, type, currency, expected_minor, found_minor,
    expected_day, found_day, difference_minor)
  select file, v.kind, l.line, l.provider_id, l.refs[1], coalesce(l.type, l.word), l.currency, v.expected_minor,
         v.found_minor, v.expected_day, v.found_day, v.difference_minor
    from treasury_lines l cross join lateral judge_line(l, f) v
   where l.file_id = file and v.kind is not null
     and not exists (select from treasury_breaks b where b.file_id = file and b.line = l.line);
  -- A line on another day than its row says nothing of the file's days.
  update treasury_files x
     set from_day = coalesce((given ->> 'from')::date, d.from_day, x.from_day),
         to_day = coalesce((given ->> 'to')::date, d.to_day, x.to_day),
         matched = d.matched, repeated_lines = x.lines - d.stored
    from (select min(l.day) filter (where b.kind is distinct from 'date' and l.row_key is not null) as from_day,
                 max(l.day) filter (where b.kind is distinct from 'date' and l.row_key is not null) as to_day,
                 count(l.row_key) filter (where b.id is null) as matched, count(*) as stored
            from treasury_lines l left join treasury_breaks b on b.file_id = l.file_id and b.line = l.line
           where l.file_id = file) d
   where x.id = file returning x.* into f;
  perform miss_treasury_rows(f);
  perform resolve_breaks_of(of_account);
  perform add_audit_row(actor, 'treasury.import', 'treasury/' || file, jsonb_strip_nulls(jsonb_build_object(
    'environment', f.environment, 'provider', f.provider, 'bank', f.bank, 'sha256', f.sha256, 'lines', f.lines)));
end $$;

-- The day (UTC) of a line.
create or replace function line_day(line jsonb, zone text) returns date language sql stable as $$
  select case when line ->> 6 is null then (line ->> 5)::date
              else (((line ->> 6)::timestamp at time zone zone) at time zone 'UTC')::date end
$$;

-- Positive: a line of this type brings money to the account whose file it is in.
create or replace function held_sign(type text, bank text) returns integer language sql immutable as $$
  select case when type = 'payment' then 1
              when type = 'topup' then case when bank is null then 1 else -1 end
              when type = 'settlement' then case when bank is null then -1 else 1 end
              else -1 end
$$;

-- How much more is held because of a line; null where its type does not tell.
create or replace function moved_by(l treasury_lines, bank text) returns bigint language sql immutable as $$
  select case when l.type is not null then held_sign(l.type, bank) * l.amount_minor - l.fee_minor
              when l.is_signed then l.amount_minor - l.fee_minor end
$$;

-- Gives the lines of a file that have no row the rows that they tell of: by the provider's id, else by our reference.
-- Movements between banks and providers are also found by amount and day.
create or replace function match_treasury_lines(f treasury_files) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  l treasury_lines;
begin
  with keys as (
    select x.line, x.type, k.key, k.n
      from treasury_lines x cross join lateral unnest(x.provider_id || x.refs) with ordinality k (key, n)
     where x.file_id = f.id and x.row_key is null and k.key <> ''
       and not exists (select from treasury_breaks b where b.file_id = x.file_id and b.line = x.line
                        and (b.kind = 'duplicate' or b.action = 'adjust'))
  ), found as (
    select k.line, k.type as told_type, k.n, r.*
      from keys k cross join lateral treasury_rows_by(f, k.type, k.key) r
     where not exists (select from treasury_lines t where t.row_key = r.row_key)
  ), best_of_row as (
    select distinct on (o.row_key) o.* from found o order by o.row_key, (o.told_type is null), o.n, o.line
  ), best as (
    select distinct on (o.line) o.* from best_of_row o order by o.line, o.n, o.row_key
  )
  update treasury_lines x
     set row_key = b.row_key, row_type = b.type, row_currency = b.currency, row_minor = b.amount_minor, row_day = b.day
    from best b where x.file_id = f.id and x.line = b.line;
  for l in
    select x.* from treasury_lines x
     where x.file_id = f.id and x.row_key is null and x.type is not null
       and (f.bank is not null or x.type in ('settlement', 'fee', 'topup'))
       and not exists (select from treasury_breaks b where b.file_id = x.file_id and b.line = x.line
                        and (b.kind = 'duplicate' or b.action = 'adjust'))
     order by x.line
  loop
    update treasury_lines x
       set row_key = r.row_key, row_type = r.type, row_currency = r.currency, row_minor = r.amount_minor, row_day = r.day
      from (select m.* from moved_rows(f, l.day - 1, l.day + 1) m
             where m.type = l.type and m.currency = l.currency and m.amount_minor = l.amount_minor
               and not exists (select from treasury_lines t where t.row_key = m.row_key)
             order by abs(m.day - l.day), m.row_key limit 1) r
     where x.file_id = l.file_id and x.line = l.line;
  end loop;
end $$;

-- Finds what is booked of a type (null: of any) under an id of the provider's or a reference of ours, for a file of this
-- account. `row_key` names the row for ever.
create or replace function treasury_rows_by(f treasury_files, of_type text, key text)
returns table (row_key text, type text, currency text, amount_minor bigint, day date)
language plpgsql stable as $$
begin
  if f.bank is null and coalesce(of_type, 'payment') = 'payment' then
    return query
      select 'payment/' || coalesce(p.held_as, p.ledger_reference), 'payment', p.currency, p.amount_minor, (p.booked_at at time zone 'UTC')::date
        from gateway_payments p
       where p.gateway = f.provider and p.environment = f.environment and p.provider_payment_id = key
      union
      select 'payment/' || coalesce(p.held_as, p.ledger_reference), 'payment', p.currency, p.amount_minor, (p.booked_at at time zone 'UTC')::date
        from gateway_payments p
       where p.ledger_reference = key and p.gateway = f.provider and p.environment = f.environment;
  end if;
  if f.bank is null and coalesce(of_type, 'refund') = 'refund' then
    return query
      select 'refund/' || r.reference, 'refund', r.currency, r.amount_minor, (j.created_at at time zone 'UTC')::date
        from refunds r join ledger_transactions j on j.reference = r.reference || '/made'
       where (r.gateway_refund_id = key or r.reference = key) and r.gateway = f.provider
         and r.environment = f.environment;
    return query
      select 'refund/' || s.reference || '/' || o.number, 'refund', s.currency, s.amount_minor,
             (o.ended_at at time zone 'UTC')::date
        from suspense_refunds o join suspense_items s on s.id = o.item_id
       where o.refund_id = key and o.status = 'succeeded' and s.gateway = f.provider and s.environment = f.environment;
  end if;
  if f.bank is null and coalesce(of_type, 'payout') = 'payout' then
    return query
      select 'payout/' || p.reference, 'payout', p.currency, p.amount_minor, (p.completed_at at time zone 'UTC')::date
        from payouts p
       where (p.provider_payment_id = key or p.reference = key) and p.provider = f.provider
         and p.environment = f.environment and p.status in ('succeeded', 'returned');
  end if;
  if f.bank is not null or coalesce(of_type, 'topup') in ('topup', 'settlement', 'fee') then
    return query
      select m.row_key, m.type, m.currency, m.amount_minor, m.day
        from treasury_postings t cross join lateral moved_row(t, f) m
       where (t.reference = key or t.provider_id = key) and m.type = coalesce(of_type, m.type);
  end if;
end $$;

-- The row of a posting of the treasury in the files of an account: none where it did not move that account's money. What a
-- file itself booked is none for a file of the same account.
create or replace function moved_row(t treasury_postings, f treasury_files)
returns table (row_key text, type text, currency text, amount_minor bigint, day date) language sql stable as $$
  select case when f.bank is null then 'provider/' else 'bank/' end || t.reference, k.type, t.currency, t.amount_minor,
         (t.created_at at time zone 'UTC')::date
    from (select case t.kind when 'settlement' then 'settlement' when 'float_topped_up' then 'topup'
                   when 'provider_fee' then case when f.bank is null then 'fee' end
                   when 'bank_fee' then case when f.bank is not null then 'fee' end
                   when 'credit_funded' then case when f.bank is not null then 'payment' end
                   when 'fees_withdrawn' then case when f.bank is not null then 'payout' end
                   when 'taxes_paid' then case when f.bank is not null then 'payout' end end as type) k
   where k.type is not null and t.environment = f.environment
     and case when f.bank is null then t.provider = f.provider and t.file_id is null else t.bank = f.bank
              and not exists (select from treasury_files x where x.id = t.file_id and x.bank = f.bank) end
$$;

create or replace function moved_rows(f treasury_files, from_day date, to_day date)
returns table (row_key text, type text, currency text, amount_minor bigint, day date) language sql stable as $$
  select m.* from treasury_postings t cross join lateral moved_row(t, f) m
   where t.created_at >= from_day::timestamp at time zone 'UTC' and t.created_at < (to_day + 1)::timestamp at time zone 'UTC'
$$;

-- The rows of a time that files of the account should have: of a provider payments, refunds and payouts.
create or replace function expected_rows(f treasury_files)
returns table (row_key text, type text, currency text, amount_minor bigint, day date, provider_id text, reference text)
language plpgsql stable as $$
declare
  -- Refunds and payouts are found by their order, and may end so much later.
  longest constant interval := interval '30 days';
  begins timestamptz := f.from_day::timestamp at time zone 'UTC';
  ends timestamptz := (f.to_day + 1)::timestamp at time zone 'UTC';
begin
  if f.bank is not null then
    return query select m.*, null::text, substr(m.row_key, length('bank/') + 1)
                   from moved_rows(f, f.from_day, f.to_day) m;
    return;
  end if;
  return query
    select 'payment/' || coalesce(p.held_as, p.ledger_reference), 'payment', p.currency, p.amount_minor, (p.booked_at at time zone 'UTC')::date,
           p.provider_payment_id, p.ledger_reference
      from gateway_payments p
     where p.booked_at >= begins and p.booked_at < ends and p.gateway = f.provider and p.environment = f.environment;
  return query
    select 'refund/' || r.reference, 'refund', r.currency, r.amount_minor, (j.created_at at time zone 'UTC')::date,
           r.gateway_refund_id, r.reference
      from refunds r join ledger_transactions j on j.reference = r.reference || '/made'
     where r.created_at >= begins - longest and r.created_at < ends and j.created_at >= begins and j.created_at < ends
       and r.gateway = f.provider and r.environment = f.environment;
  return query
    select 'refund/' || s.reference || '/' || o.number, 'refund', s.currency, s.amount_minor,
           (o.ended_at at time zone 'UTC')::date, o.refund_id, s.reference || '/' || o.number
      from suspense_refunds o join suspense_items s on s.id = o.item_id
     where o.ordered_at >= begins - longest and o.ordered_at < ends and o.ended_at >= begins and o.ended_at < ends
       and o.status = 'succeeded' and s.gateway = f.provider and s.environment = f.environment;
  return query
    select 'payout/' || p.reference, 'payout', p.currency, p.amount_minor, (p.completed_at at time zone 'UTC')::date,
           p.provider_payment_id, p.reference
      from payouts p
     where p.send_asked_at >= begins - longest and p.send_asked_at < ends and p.completed_at >= begins
       and p.completed_at < ends and p.status in ('succeeded', 'returned') and p.provider = f.provider
       and p.environment = f.environment;
end $$;

-- The first break of a line that fits; `kind` is null when there is none. A settlement or a fee of a provider that is not
-- booked is none: post_treasury_file books it.
create or replace function judge_line(l treasury_lines, f treasury_files, out kind text, out expected_minor bigint,
  out found_minor bigint, out expected_day date, out found_day date, out difference_minor bigint
) language plpgsql stable as $$
declare
  fee bigint := expected_fee(f.provider, l.currency, l.type, l.amount_minor);
begin
  if l.type is null then
    kind := 'unknown';
    expected_minor := l.row_minor;
    found_minor := l.amount_minor;
    -- The posting of the file books the fee of a line with a row.
    difference_minor := case
      when l.row_key is null then moved_by(l, f.bank)
      when l.row_currency = l.currency and l.is_signed then l.amount_minor - held_sign(l.row_type, f.bank) * l.row_minor
      when l.row_currency = l.currency then held_sign(l.row_type, f.bank) * (l.amount_minor - l.row_minor) end;
  elsif l.row_key is null then
    if f.bank is not null or l.type not in ('settlement', 'fee') then
      kind := 'missing_here';
      found_minor := l.amount_minor;
      difference_minor := moved_by(l, f.bank);
    end if;
  elsif (l.row_minor, l.row_currency) <> (l.amount_minor, l.currency) then
    kind := 'amount';
    expected_minor := l.row_minor;
    found_minor := l.amount_minor;
    difference_minor := case l.row_currency when l.currency
      then held_sign(l.type, f.bank) * (l.amount_minor - l.row_minor) end;
  elsif abs(l.day - l.row_day) > 1 then
    kind := 'date';
    expected_day := l.row_day;
    found_day := l.day;
    difference_minor := 0;
  elsif fee is not null and abs(l.fee_minor - fee) > (select t.tolerance_minor from treasury_terms t
      where t.provider = f.provider and t.currency = l.currency and t.type = l.type) then
    kind := 'fee';
    expected_minor := fee;
    found_minor := l.fee_minor;
    difference_minor := fee - l.fee_minor;
  end if;
end $$;

-- The fee by the provider's terms, half up to the currency's step; null without terms.
create or replace function expected_fee(of_provider text, cur text, of_type text, amount bigint) returns bigint
language sql stable as $$
  select (round((amount * t.percent / 100 + t.fixed_minor) / c.step_minor) * c.step_minor)::bigint
    from treasury_terms t join currencies c on c.code = t.currency
   where t.provider = of_provider and t.currency = cur and t.type = of_type
$$;

-- The file is taken as complete for its days, and for the types and currencies that it has lines of.
create or replace function miss_treasury_rows(f treasury_files) returns void
language sql set enable_seqscan = off as $$
  insert into treasury_breaks (file_id, kind, row_key, provider_id, reference, type, currency, expected_minor,
    difference_minor)
  select f.id, 'missing_there', r.row_key, r.provider_id, r.reference, r.type, r.currency, r.amount_minor,
         -held_sign(r.type, f.bank) * r.amount_minor
    from expected_rows(f) r
   where (r.type, r.currency) in (select l.row_type, l.currency from treasury_lines l
                                   where l.file_id = f.id and l.row_currency = l.currency)
     and not exists (select from treasury_lines t where t.row_key = r.row_key)
  on conflict do nothing
$$;

-- Ends the breaks of an account that a later file or booking explains: the row has a line by now, or the line a row. A line
-- whose row has other figures is a break of that kind from then on.
create or replace function resolve_breaks_of(account text) returns void language plpgsql as $$
declare
  f treasury_files;
begin
  update treasury_breaks b set status = 'resolved', settled_at = clock_timestamp()
   where b.status = 'open' and b.kind = 'missing_there'
     and exists (select from treasury_lines t where t.row_key = b.row_key);
  for f in
    select x.* from treasury_files x
     where x.id in (select b.file_id from treasury_breaks b where b.status = 'open' and b.kind = 'missing_here')
       and file_account(x.environment, x.provider, x.bank) = account
     order by x.imported_at, x.id
  loop
    perform match_treasury_lines(f);
    with ended as (
      update treasury_breaks b
         set status = case when v.kind is null then 'resolved' else 'open' end, kind = coalesce(v.kind, b.kind),
             settled_at = case when v.kind is null then clock_timestamp() end, expected_minor = v.expected_minor,
             found_minor = coalesce(v.found_minor, b.found_minor), expected_day = v.expected_day, found_day = v.found_day,
             difference_minor = v.difference_minor
        from treasury_lines l cross join lateral judge_line(l, f) v
       where b.file_id = f.id and b.status = 'open' and b.kind = 'missing_here' and l.file_id = f.id and l.line = b.line
         and l.row_key is not null
      returning v.kind)
    update treasury_files x set matched = x.matched + (select count(*) from ended e where e.kind is null)
     where x.id = f.id;
  end loop;
end $$;

-- Looks again at all open breaks. An account whose files are compared or settled at this moment is left to those.
create or replace function resolve_treasury_breaks() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  account text;
begin
  for account in
    select distinct file_account(x.environment, x.provider, x.bank)
      from treasury_files x
     where x.id in (select b.file_id from treasury_breaks b where b.status = 'open' and b.kind like 'missing%')
     order by 1
  loop
    if pg_try_advisory_xact_lock(hashtextextended('treasury_files/' || account, 0)) then
      perform resolve_breaks_of(account);
    end if;
  end loop;
end $$;

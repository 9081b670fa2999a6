-- Whether the money of customers is there: all accounts of an environment at a moment, by kind and name, from the entries
-- up to then. A past moment gives the same figures for ever. Raises a violation of moment_has_passed for a future one.
create or replace function report_safeguarding(env text, moment timestamptz)
returns table (at timestamptz, currency text, kind text, name text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  -- A posting takes its id before it waits for its locks, and none waits as long.
  longest constant interval := interval '1 hour';
  patience constant interval := interval '10 seconds';
  began constant timestamptz := clock_timestamp();
  seen text[];
  first_id uuid;
begin
  at := coalesce(moment, began);
  if at > began then
    raise exception 'this moment has not passed' using errcode = 'check_violation', constraint = 'moment_has_passed';
  end if;
  -- A posting takes its moment when it has locked its accounts: all that have locked some by now end first, and what
  -- locks later is later. A commit is seen before its locks go.
  seen := array(select * from posting_transactions());
  while exists (select from posting_transactions() p where p = any (seen)) loop
    if clock_timestamp() > began + patience then
      raise exception 'a transaction of before does not end' using errcode = 'lock_not_available';
    end if;
    perform pg_sleep(0.005);
  end loop;
  first_id := (lpad(to_hex(greatest(0, floor(extract(epoch from at - longest) * 1000))::bigint), 12, '0')
    || '7000' || '8000000000000000')::uuid;
  return query
    with later as (
      select e.account_id, sum(e.amount_minor) as moved
        from ledger_transactions t
        join ledger_entries e on e.transaction_id = t.id and e.environment = t.environment
       where t.id >= first_id and t.environment = env and t.created_at > report_safeguarding.at
       group by e.account_id)
    select report_safeguarding.at, a.currency, a.kind, a.name, sum(a.balance_minor - coalesce(l.moved, 0))::bigint
      from ledger_accounts a left join later l on l.account_id = a.id
     where a.environment = env
     group by a.currency, a.kind, a.name;
end $$;

-- The transactions that have locked rows of accounts, or are about to.
create or replace function posting_transactions() returns setof text language sql volatile as $$
  select l.virtualtransaction from pg_locks l
   where l.locktype = 'relation' and l.relation = 'ledger_accounts'::regclass
     and l.database = (select d.oid from pg_database d where d.datname = current_database())
     -- Those that read or vacuum the table have others.
     and l.mode in ('RowShareLock', 'RowExclusiveLock') and l.granted
$$;

-- Figures for metrics: open breaks of live files by kind, and what is missing of customers' live money. By the report's equation
-- customers.total + own.taxes - held.total is what these accounts have: no wallet is read.
create or replace function treasury_readings() returns jsonb language sql stable as $$
  select jsonb_agg(g)
    from (select jsonb_build_object('gauge', 'treasury_breaks', 'kind', k.kind, 'value', (
                   select count(*) from (select from treasury_breaks b join treasury_files f on f.id = b.file_id
                    where b.status = 'open' and b.kind = k.kind and f.environment = 'live' limit 100000) c)) as g
            from unnest(array['missing_here', 'missing_there', 'amount', 'fee', 'duplicate', 'date', 'unknown']) k (kind)
          union all
          select jsonb_build_object('gauge', 'safeguarding_shortfall', 'currency', c.code, 'value', (
                   select greatest(0, -sum(a.balance_minor)) * 0.01 from ledger_accounts a
                    where a.user_id is null and a.environment = 'live' and a.currency = c.code
                      and a.kind in ('operator', 'sandbox_source', 'fees', 'provider_fees')))
            from currencies c) figures
$$;

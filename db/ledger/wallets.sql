-- Balances of wallets in the past.

-- The balance of an account at the end of each of the last days, today included, latest first; days end
-- at midnight in UTC. An account's versions continue one another and are posted in order, so the last
-- one before a moment is found by halving: at most some 20 look-ups a day among a million entries, and
-- none for the days since the last posting. No index serves only this, because every posting would have
-- to keep it.
create or replace function wallet_day_ends(account bigint, days integer)
returns table (day date, balance_minor bigint)
language plpgsql stable
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  ends timestamptz := date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day';
  -- The last version that is known to be posted before the end of the day that is looked at next.
  latest bigint;
  posted_at timestamptz;
  lowest bigint;
  middle bigint;
  middle_posted_at timestamptz;
begin
  select a.version, a.balance_minor into strict latest, balance_minor
    from ledger_accounts a where a.id = account;
  -- Not the account's `last_posted_at`: the end of a month may have raised it (close_months).
  select t.created_at into posted_at
    from ledger_entries e
    join ledger_transactions t on t.id = e.transaction_id and t.environment = e.environment
   where e.account_id = account and e.account_version = latest;
  for back in 1 .. days loop
    if latest > 0 and posted_at >= ends then
      lowest := 0;
      latest := latest - 1;
      while lowest < latest loop
        middle := (lowest + latest + 1) / 2;
        select t.created_at into strict middle_posted_at
          from ledger_entries e
          join ledger_transactions t on t.id = e.transaction_id and t.environment = e.environment
         where e.account_id = account and e.account_version = middle;
        if middle_posted_at < ends then
          lowest := middle;
        else
          latest := middle - 1;
        end if;
      end loop;
      balance_minor := 0;
      posted_at := '-infinity';
      if latest > 0 then
        select e.balance_after_minor, t.created_at into strict balance_minor, posted_at
          from ledger_entries e
          join ledger_transactions t on t.id = e.transaction_id and t.environment = e.environment
         where e.account_id = account and e.account_version = latest;
      end if;
    end if;
    day := (ends - interval '1 day') at time zone 'UTC';
    return next;
    ends := ends - interval '1 day';
  end loop;
end $$;

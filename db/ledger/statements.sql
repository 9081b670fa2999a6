-- Statements: the months of a wallet.

-- Closes the months of a user's wallets that are over, and returns for each wallet the moment from
-- which nothing is posted any more at it or before it (`complete_until`).
--
-- A posting takes its moment under the lock of its wallet, later than `last_posted_at`, and keeps
-- the lock until it commits, which may be long after that moment. So a wallet that has been posted
-- to since the month's end is closed by that: whatever is earlier was committed first. A quiet one
-- is closed here, under the same lock: no posting that has taken an earlier moment can still
-- commit, and the raised `last_posted_at` keeps later ones out, also when the clock is set back. A
-- wallet that is locked is being posted to, and stays open until the next call: no caller waits for
-- another.
create or replace function close_months(owner uuid, env text)
returns table (currency text, complete_until timestamptz, opened_at timestamptz, read_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  month timestamptz := date_trunc('month', clock_timestamp(), 'UTC');
begin
  with quiet as materialized (
    select a.id from ledger_accounts a
     where a.user_id = owner and a.environment = env and a.kind = 'wallet' and a.last_posted_at < month
     order by a.id for no key update skip locked)
  update ledger_accounts a set last_posted_at = month from quiet where a.id = quiet.id;
  return query
    -- A month that was dropped has no statement.
    select a.currency, a.last_posted_at, greatest(u.created_at, history_since()), clock_timestamp()
      from ledger_accounts a join users u on u.id = a.user_id
     where a.user_id = owner and a.environment = env and a.kind = 'wallet';
end $$;

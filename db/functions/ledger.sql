-- Posting to the ledger. These functions promise that each posting balances, that the entries of an
-- account continue one another (version and balance after), and that a user's history shows it.

-- Rounded half up to the currency's step; at least one step always reaches the recipient.
create or replace function fee_for(basis_points integer, fixed_minor bigint, step_minor bigint, amount bigint)
returns bigint language plpgsql immutable as $$
begin
  if basis_points = 0 and fixed_minor = 0 then
    return 0;
  end if;
  return least(amount - step_minor,
    round((amount::numeric * basis_points / 10000 + fixed_minor) / step_minor) * step_minor);
end $$;

-- Immutable in truth: no setting of a session changes what these casts make of their values.
-- plpgsql, because an SQL function that cannot be inlined starts an executor at each call.
create or replace function transaction_json(
  id uuid, type text, status text, direction text, currency text, amount_minor bigint,
  fee_minor bigint, balance_after_minor bigint, reference text, counterparty text,
  description text, related text, created_at timestamptz
) returns text
language plpgsql immutable as $$
begin
  -- Minor units are at scale 2, and so is their product with 0.01.
  return format(
    '{"id":"%s","type":"%s","status":"%s","direction":"%s","currency":"%s","amount":%s,"fee":%s,'
      '"net_amount":%s,"balance_after":%s,"reference":%s,"counterparty":%s,"description":%s,'
      '"related":%s,"created_at":"%s"}',
    id, type, status, direction, currency, amount_minor * 0.01, fee_minor * 0.01,
    (amount_minor - fee_minor) * 0.01, balance_after_minor * 0.01, to_json(reference),
    coalesce(to_json(counterparty), 'null'), coalesce(to_json(description), 'null'),
    coalesce(to_json(related), 'null'),
    to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));
end $$;

create or replace function transaction_json(t transactions) returns text language sql immutable as $$
  select transaction_json(t.id, t.type, t.status, t.direction, t.currency, t.amount_minor, t.fee_minor,
    t.balance_after_minor, t.reference, t.counterparty, t.description, t.related, t.created_at)
$$;

-- Inserts one visible row at the first free microsecond from `at` on.
create or replace function add_transaction(
  owner uuid, env text, kind text, state text, way text, cur text, amount bigint, fee bigint,
  balance_after bigint, ref text, other text, note text, link text, journal uuid, at timestamptz
) returns uuid language plpgsql as $$
declare
  row_id uuid := gen_random_uuid();
begin
  loop
    insert into transactions (id, user_id, environment, type, status, direction, currency,
      amount_minor, fee_minor, balance_after_minor, reference, counterparty, description,
      related, ledger_transaction_id, created_at, json)
    values (row_id, owner, env, kind, state, way, cur, amount, fee, balance_after, ref, other, note,
      link, journal, at, transaction_json(row_id, kind, state, way, cur, amount, fee, balance_after,
        ref, other, note, link, at))
    on conflict (user_id, environment, created_at) do nothing;
    exit when found;
    at := at + interval '1 microsecond';
  end loop;
  return row_id;
end $$;

create or replace function system_account(env text, cur text, account_kind text) returns bigint
language sql stable as $$
  select a.id from ledger_accounts a
   where a.user_id is null and a.environment = env and a.currency = cur and a.kind = account_kind
$$;

-- Moves money between one system account and one wallet: an operator's credit, or the sandbox's
-- opening balance. `amount` is positive. Returns the wallet's balance after it.
create or replace function post_adjustment(
  ref text, owner uuid, env text, cur text, source_kind text, amount bigint, reason text
) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  source ledger_accounts;
  wallet ledger_accounts;
  journal uuid := gen_random_uuid();
  at timestamptz;
begin
  if source_kind not in ('operator', 'sandbox_source') or amount <= 0 then
    raise exception 'an adjustment credits a wallet from a system account'
      using errcode = 'check_violation';
  end if;
  if amount % (select step_minor from currencies where code = cur) <> 0 then
    raise exception 'amount is finer than % allows', cur using errcode = 'check_violation';
  end if;
  perform 1 from ledger_accounts a
    where a.environment = env and a.currency = cur
      and (a.user_id = owner or a.user_id is null and a.kind = source_kind)
    order by a.id for update;
  select * into strict source from ledger_accounts a
    where a.user_id is null and a.environment = env and a.currency = cur and a.kind = source_kind;
  select * into strict wallet from ledger_accounts a
    where a.user_id = owner and a.environment = env and a.currency = cur and a.kind = 'wallet';
  at := greatest(clock_timestamp(), source.last_posted_at + interval '1 microsecond',
    wallet.last_posted_at + interval '1 microsecond');
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, ref, env, 'adjustment', reason, at);
  update ledger_accounts a
     set balance_minor = balance_minor + case a.id when wallet.id then amount else -amount end,
         version = version + 1, last_posted_at = at
   where a.id in (source.id, wallet.id);
  insert into ledger_entries values
    (journal, source.id, env, cur, -amount, source.balance_minor - amount, source.version + 1),
    (journal, wallet.id, env, cur, amount, wallet.balance_minor + amount, wallet.version + 1);
  perform add_transaction(owner, env, 'adjustment', 'completed', 'in', cur, amount, 0,
    wallet.balance_minor + amount, ref, null, reason, null, journal, at);
  return wallet.balance_minor + amount;
end $$;

-- Moves `amount` from the gateway's clearing account into others, as one balanced posting. `shares`
-- are amounts by account; all accounts are locked in ascending order. Returns the moment.
create or replace function post_from_clearing(
  journal uuid, ref text, kind text, note text, env text, cur text, amount bigint,
  account_ids bigint[], shares bigint[]
) returns timestamptz language plpgsql as $$
declare
  clearing bigint;
  at timestamptz;
begin
  select a.id into strict clearing from ledger_accounts a
   where a.user_id is null and a.environment = env and a.currency = cur and a.kind = 'gateway_clearing';
  account_ids := account_ids || clearing;
  shares := shares || -amount;
  perform 1 from ledger_accounts a where a.id = any (account_ids) order by a.id for no key update;
  select greatest(clock_timestamp(), max(a.last_posted_at) + interval '1 microsecond') into at
    from ledger_accounts a where a.id = any (account_ids);
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, ref, env, kind, note, at);
  with share as (
    select * from unnest(account_ids, shares) s (account_id, amount) where s.amount <> 0
  ), moved as (
    update ledger_accounts a
       set balance_minor = a.balance_minor + s.amount, version = a.version + 1, last_posted_at = at
      from share s where a.id = s.account_id
    returning a.id, s.amount, a.balance_minor, a.version
  )
  insert into ledger_entries
  select journal, m.id, env, cur, m.amount, m.balance_minor, m.version from moved m;
  return at;
end $$;

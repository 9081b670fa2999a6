-- Posting to the ledger. These functions promise that each posting balances, that the entries of an
-- account continue one another (version and balance after), and that a user's history shows the
-- posting. Payments, suspense and adjustments move money through post_entries; transfers, which come in
-- batches, keep the same promises by themselves (post_transfer_batch).

-- Both raise an error (no_data_found) when the account does not exist. Only wallets have a user, and a user has one of
-- each currency and environment.
create or replace function system_account(env text, cur text, account_kind text) returns bigint
language plpgsql stable as $$
declare
  account bigint;
begin
  select a.id into strict account from ledger_accounts a
   where a.user_id is null and a.environment = env and a.currency = cur and a.kind = account_kind;
  return account;
end $$;

-- The account of what a provider owes us. It comes into being at the provider's first posting, or when a process starts
-- that has the provider (open_clearing_accounts): the unique constraint lets one of two be first, and the other waits
-- for it. Callers hold no lock of an account yet, so that none waits in a circle.
create or replace function clearing_account(env text, cur text, provider text) returns bigint
language plpgsql as $$
declare
  account bigint;
begin
  loop
    select a.id into account from ledger_accounts a
     where a.user_id is null and a.environment = env and a.currency = cur and a.kind = 'gateway_clearing'
       and a.name = provider;
    exit when found;
    insert into ledger_accounts (environment, currency, kind, name) values (env, cur, 'gateway_clearing', provider)
    on conflict do nothing;
  end loop;
  return account;
end $$;

-- Opens those of the providers that a process has, in each currency.
create or replace function open_clearing_accounts(env text, providers text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform clearing_account(env, c.code, p)
     from (select * from unnest(providers) p order by p) p cross join (select * from currencies c order by c.code) c;
end $$;

create or replace function wallet_account(owner uuid, env text, cur text) returns bigint
language plpgsql stable as $$
declare
  account bigint;
begin
  select a.id into strict account from ledger_accounts a
   where a.user_id = owner and a.environment = env and a.currency = cur;
  return account;
end $$;

-- The one order in which accounts are locked, so that postings never wait for each other in a circle.
create or replace function lock_accounts(account_ids bigint[]) returns void language plpgsql as $$
begin
  perform 1 from ledger_accounts a where a.id = any (account_ids) order by a.id for no key update;
end $$;

-- Posts one transaction of the journal: a positive leg credits its account, a negative one debits it,
-- and a leg of zero is left out. The caller has locked the accounts with lock_accounts, and no account
-- is in two legs. Nothing is taken from a wallet that is held, but for a dispute: the customer's bank has taken
-- that money already. Returns the moment of the posting.
create or replace function post_entries(
  journal uuid, ref text, kind text, note text, env text, cur text, legs ledger_leg[]
) returns timestamptz language plpgsql as $$
declare
  posted_at timestamptz;
  takes_from_held boolean;
begin
  -- Under the locks each account's own order and the clock agree, even if the clock steps back.
  select greatest(clock_timestamp(), max(a.last_posted_at) + interval '1 microsecond'),
         bool_or(a.held_by is not null and l.amount_minor < 0) and post_entries.kind <> 'dispute_taken'
    into strict posted_at, takes_from_held
    from unnest(legs) l join ledger_accounts a on a.id = l.account_id;
  if takes_from_held then
    raise exception 'posting % takes from a wallet that is held', ref using errcode = 'check_violation';
  end if;
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, ref, env, kind, note, posted_at);
  with moved as (
    update ledger_accounts a
       set balance_minor = a.balance_minor + l.amount_minor, version = a.version + 1,
           last_posted_at = posted_at
      from unnest(legs) l
     where a.id = l.account_id and l.amount_minor <> 0
    returning a.id, l.amount_minor, a.balance_minor, a.version
  )
  insert into ledger_entries (transaction_id, account_id, environment, currency, amount_minor,
    balance_after_minor, account_version)
  select journal, m.id, env, cur, m.amount_minor, m.balance_minor, m.version from moved m;
  return posted_at;
end $$;

-- A row of a history as the API shows it: exactly the text that renderJson (domain/json.ts) makes of
-- these fields. No setting of a session changes what the casts make of their values, so `immutable` is
-- true. In plpgsql, because an SQL function that cannot be inlined starts an executor at each call.
create or replace function transaction_json(
  id uuid, type text, status text, direction text, currency text, amount_minor bigint,
  fee_minor bigint, tax_minor bigint, balance_after_minor bigint, reference text, counterparty text,
  description text, related text, created_at timestamptz
) returns text
language plpgsql immutable as $$
begin
  -- Minor units are at scale 2, and so is their product with 0.01.
  return format(
    '{"id":"%s","type":"%s","status":"%s","direction":"%s","currency":"%s","amount":%s,"fee":%s,'
      '"tax":%s,"net_amount":%s,"balance_after":%s,"reference":%s,"counterparty":%s,"description":%s,'
      '"related":%s,"created_at":"%s"}',
    id, type, status, direction, currency, amount_minor * 0.01, fee_minor * 0.01,
    tax_minor * 0.01, (amount_minor - fee_minor) * 0.01, balance_after_minor * 0.01, to_json(reference),
    coalesce(to_json(counterparty), 'null'), coalesce(to_json(description), 'null'),
    coalesce(to_json(related), 'null'),
    to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));
end $$;

create or replace function transaction_json(t transactions) returns text language sql immutable as $$
  select transaction_json(t.id, t.type, t.status, t.direction, t.currency, t.amount_minor, t.fee_minor,
    t.tax_minor, t.balance_after_minor, t.reference, t.counterparty, t.description, t.related, t.created_at)
$$;

-- A row of a history that was written as `pending` shows how it ended.
create or replace function set_history_status(row_id uuid, new_status text) returns void language sql as $$
  update transactions t
     set status = new_status,
         json = transaction_json(t.id, t.type, new_status, t.direction, t.currency, t.amount_minor, t.fee_minor,
           t.tax_minor, t.balance_after_minor, t.reference, t.counterparty, t.description, t.related, t.created_at)
   where t.id = row_id
$$;

-- Shows one posting in the history of each of its sides, from `at` on and after all that these histories
-- show, at the first microsecond that another wallet of the same user does not take meanwhile.
create or replace function add_transactions(
  sides transaction_side[], status text, env text, cur text, amount bigint, fee bigint, ref text,
  description text, related text, journal uuid, at timestamptz, tax bigint default 0
) returns void language plpgsql as $$
declare
  added integer := 0;
  latest integer;
begin
  select greatest(add_transactions.at, max(h.created_at) + interval '1 microsecond') into at
    from unnest(sides) s
   cross join lateral (
     select t.created_at from transactions t
      where t.user_id = s.user_id and t.environment = env
      order by t.created_at desc limit 1) h;
  loop
    insert into transactions (id, user_id, environment, type, status, direction, currency, amount_minor,
      fee_minor, tax_minor, balance_after_minor, reference, counterparty, description, related,
      ledger_transaction_id, created_at, json)
    select s.id, s.user_id, env, s.type, add_transactions.status, s.direction, cur, amount, fee,
           tax, s.balance_after_minor, ref, s.counterparty, add_transactions.description,
           add_transactions.related, journal, at,
           transaction_json(s.id, s.type, add_transactions.status, s.direction, cur, amount, fee,
             tax, s.balance_after_minor, ref, s.counterparty, add_transactions.description,
             add_transactions.related, at)
      from unnest(sides) s
     where added = 0 or not exists (select from transactions t where t.id = s.id)
     -- In one order, as transfers do it (write_transfers).
     order by s.user_id
    on conflict (user_id, environment, created_at) do nothing;
    get diagnostics latest = row_count;
    added := added + latest;
    exit when added = cardinality(sides);
    at := at + interval '1 microsecond';
  end loop;
end $$;

-- Credits a wallet from a system account: an operator's credit, which above a limit raises account_limit, or the
-- sandbox's opening balance. Returns the wallet's balance after it.
create or replace function post_adjustment(
  ref text, owner uuid, env text, cur text, source_kind text, amount bigint, reason text,
  is_opening boolean default false
) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  source bigint := system_account(env, cur, source_kind);
  wallet bigint := wallet_account(owner, env, cur);
  journal uuid := uuidv7();
  at timestamptz;
  balance bigint;
  marked timestamptz;
  shown uuid := uuidv7();
begin
  if source_kind not in ('operator', 'sandbox_source') or amount <= 0 then
    raise exception 'an adjustment credits a wallet from a system account'
      using errcode = 'check_violation';
  end if;
  if amount % (select step_minor from currencies where code = cur) <> 0 then
    raise exception 'amount is finer than % allows', cur using errcode = 'check_violation';
  end if;
  perform lock_accounts(array[source, wallet]);
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = wallet;
  if marked is not null and not is_opening then
    perform refuse_above_limit(wallet, amount, balance);
  end if;
  at := post_entries(journal, ref, 'adjustment', reason, env, cur,
    array[row(source, -amount)::ledger_leg, row(wallet, amount)::ledger_leg]);
  balance := balance + amount;
  perform add_transactions(
    array[row(shown, owner, 'adjustment', 'in', balance, null)::transaction_side],
    'completed', env, cur, amount, 0, ref, reason, null, journal, at);
  if marked is not null then
    perform count_in_limits(array[shown]);
  end if;
  return balance;
end $$;

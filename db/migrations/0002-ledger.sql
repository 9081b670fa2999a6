-- The double-entry ledger. Constraints here, not code above, are what makes it correct: entries
-- balance per statement and currency, wallets never go below zero, and history never changes.

create table currencies (
  code       text primary key,
  -- Smallest amount in minor units at scale 2: 100 keeps XOF, which has no cents, whole.
  step_minor bigint not null check (step_minor > 0)
);
insert into currencies values ('XOF', 100), ('EUR', 1), ('USD', 1);

create table ledger_accounts (
  -- The lock order: every posting locks its accounts by ascending id.
  id             bigint generated always as identity primary key,
  public_id      uuid not null unique default gen_random_uuid(),
  owner_id       uuid references users,
  environment    text not null check (environment in ('live', 'sandbox')),
  currency       text not null references currencies,
  kind           text not null check (kind in
                 ('wallet', 'gateway_clearing', 'fees', 'suspense', 'operator', 'sandbox_source')),
  balance_minor  bigint not null default 0,
  version        bigint not null default 0,
  last_posted_at timestamptz not null default '-infinity',
  unique nulls not distinct (owner_id, environment, currency, kind),
  unique (id, environment, currency),
  check ((kind = 'wallet') = (owner_id is not null)),
  -- 15 digits: beyond them a JSON number loses cents in most clients.
  constraint wallet_balance check (kind <> 'wallet' or balance_minor between 0 and 999999999999999)
) with (fillfactor = 50);

insert into ledger_accounts (environment, currency, kind)
select e, c.code, k
  from unnest(array['live', 'sandbox']) e, currencies c,
       unnest(array['gateway_clearing', 'fees', 'suspense', 'operator', 'sandbox_source']) k;

create table ledger_transactions (
  id          uuid not null default gen_random_uuid(),
  reference   text not null unique check (length(reference) between 8 and 64),
  environment text not null,
  kind        text not null check (kind in ('transfer', 'adjustment')),
  description text not null default '' check (length(description) <= 500),
  created_at  timestamptz not null,
  primary key (id, environment)
);

-- Positive amounts credit the account, negative ones debit it. The account and the transaction
-- must be of the entry's own environment and currency: the composite keys say so.
create table ledger_entries (
  transaction_id      uuid not null,
  account_id          bigint not null,
  environment         text not null,
  currency            text not null,
  amount_minor        bigint not null check (amount_minor <> 0),
  balance_after_minor bigint not null,
  account_version     bigint not null,
  primary key (account_id, account_version),
  foreign key (transaction_id, environment) references ledger_transactions (id, environment),
  foreign key (account_id, environment, currency)
    references ledger_accounts (id, environment, currency)
);
create index ledger_entries_transaction on ledger_entries (transaction_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_transactions_append_only
  before update or delete or truncate on ledger_transactions
  for each statement execute function refuse_change();

-- Checked per statement: a transaction's entries arrive together, so each statement balances.
create function check_entries_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from added group by transaction_id, currency
    having sum(amount_minor) <> 0 or count(*) < 2
  ) then
    raise exception 'ledger entries do not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as added
  for each statement execute function check_entries_balance();

-- Checked at commit, because the journal row has to stand before its entries can point to it.
create function check_transaction_has_entries() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_entries where transaction_id = new.id) then
    raise exception 'ledger transaction % has no entries', new.reference
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_transactions_have_entries after insert on ledger_transactions
  deferrable initially deferred
  for each row execute function check_transaction_has_entries();

-- What a merchant sees, newest first. Written by the posting functions alone, which have just read
-- the rows that foreign keys would look for; without those keys a posting takes ten row locks less
-- (`ledger verify` checks that the histories match the journal). `created_at` is unique per owner and environment because the
-- specified cursor is a bare timestamp: it must be a total order by itself.
create table transactions (
  id                    uuid primary key default gen_random_uuid(),
  owner_id              uuid not null,
  environment           text not null,
  type                  text not null check (type in ('deposit', 'withdrawal', 'transfer_in',
                        'transfer_out', 'refund', 'reversal', 'adjustment')),
  status                text not null check (status in
                        ('pending', 'completed', 'failed', 'reversed', 'simulated')),
  direction             text not null check (direction in ('in', 'out')),
  currency              text not null,
  amount_minor          bigint not null check (amount_minor > 0),
  fee_minor             bigint not null check (fee_minor between 0 and amount_minor),
  balance_after_minor   bigint not null,
  reference             text not null,
  counterparty          text,
  description           text,
  related               text,
  ledger_transaction_id uuid,
  created_at            timestamptz not null,
  check ((status = 'simulated') = (ledger_transaction_id is null) or status in ('pending', 'failed'))
);
create unique index transactions_cursor on transactions (owner_id, environment, created_at);
create index transactions_by_type on transactions (owner_id, environment, type, created_at);

-- Inserts one visible row at the first free microsecond from `at` on.
create function add_transaction(
  owner uuid, env text, kind text, state text, way text, cur text, amount bigint, fee bigint,
  balance_after bigint, ref text, other text, note text, journal uuid, at timestamptz
) returns timestamptz language plpgsql as $$
begin
  loop
    insert into transactions (owner_id, environment, type, status, direction, currency,
      amount_minor, fee_minor, balance_after_minor, reference, counterparty, description,
      ledger_transaction_id, created_at)
    values (owner, env, kind, state, way, cur, amount, fee, balance_after, ref, other, note,
      journal, at)
    on conflict (owner_id, environment, created_at) do nothing;
    exit when found;
    at := at + interval '1 microsecond';
  end loop;
  return at;
end $$;

-- Wallets exist from the start, so that no posting ever has to make one.
create function open_wallets() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into ledger_accounts (owner_id, environment, currency, kind)
  select new.id, e, c.code, 'wallet' from unnest(array['live', 'sandbox']) e, currencies c;
  return null;
end $$;
create trigger users_open_wallets after insert on users
  for each row execute function open_wallets();

-- Moves money between one system account and one wallet: an operator's credit, or the sandbox's
-- opening balance. `amount` is positive. Returns the wallet's balance after it.
create function post_adjustment(
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
      and (a.owner_id = owner or a.owner_id is null and a.kind = source_kind)
    order by a.id for update;
  select * into strict source from ledger_accounts a
    where a.owner_id is null and a.environment = env and a.currency = cur and a.kind = source_kind;
  select * into strict wallet from ledger_accounts a
    where a.owner_id = owner and a.environment = env and a.currency = cur and a.kind = 'wallet';
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
    wallet.balance_minor + amount, ref, null, reason, journal, at);
  return wallet.balance_minor + amount;
end $$;

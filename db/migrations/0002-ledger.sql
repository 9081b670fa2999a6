-- The double-entry ledger. Correctness rests on the constraints here, not on the code above them:
-- the entries of each statement balance per transaction and currency, wallets never go below zero,
-- and entries never change. The functions that post are in db/functions/ledger.sql.

create table currencies (
  code       text primary key,
  -- Smallest amount in minor units at scale 2: 100 keeps XOF, which has no cents, whole.
  step_minor bigint not null check (step_minor > 0)
);
insert into currencies values ('XOF', 100), ('EUR', 1), ('USD', 1);

create table fee_policies (
  kind         text not null check (kind in ('transfer', 'payment_intent')),
  currency     text not null references currencies,
  basis_points integer not null default 0 check (basis_points between 0 and 10000),
  fixed_minor  bigint not null default 0 check (fixed_minor between 0 and 999999999999999),
  primary key (kind, currency)
);
insert into fee_policies (kind, currency)
select k, code from unnest(array['transfer', 'payment_intent']) k, currencies;

create table ledger_accounts (
  -- The lock order: each posting locks its accounts by ascending id.
  id             bigint generated always as identity primary key,
  public_id      uuid not null unique default gen_random_uuid(),
  -- Null for the platform's own accounts.
  user_id        uuid references users,
  environment    text not null check (environment in ('live', 'sandbox')),
  currency       text not null references currencies,
  kind           text not null check (kind in
                 ('wallet', 'gateway_clearing', 'fees', 'suspense', 'operator', 'sandbox_source')),
  balance_minor  bigint not null default 0,
  version        bigint not null default 0,
  last_posted_at timestamptz not null default '-infinity',
  unique nulls not distinct (user_id, environment, currency, kind),
  unique (id, environment, currency),
  check ((kind = 'wallet') = (user_id is not null)),
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
  kind        text not null check (kind in
              ('transfer', 'adjustment', 'payment', 'suspense', 'suspense_accepted', 'refund')),
  description text not null default '' check (length(description) <= 500),
  created_at  timestamptz not null,
  primary key (id, environment)
);

-- Positive amounts credit the account, negative ones debit it. The composite keys make sure that the
-- account and the transaction are of the entry's own environment and currency.
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
    references ledger_accounts (id, environment, currency),
  -- The franc has no cents (currencies.step_minor).
  constraint ledger_entries_whole_units check (currency <> 'XOF' or amount_minor % 100 = 0)
);
create index ledger_entries_transaction on ledger_entries (transaction_id);

-- One entry to be posted: what an account gains (positive) or loses (negative).
create type ledger_leg as (account_id bigint, amount_minor bigint);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_transactions_append_only
  before update or delete or truncate on ledger_transactions
  for each statement execute function refuse_change();

-- Checked per statement, because all entries of a transaction are inserted by one statement.
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

-- Checked at commit, because the journal row must exist before its entries can refer to it.
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

-- Wallets exist from the user's first moment, so that no posting has to create one.
create function open_wallets() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into ledger_accounts (user_id, environment, currency, kind)
  select new.id, e, c.code, 'wallet' from unnest(array['live', 'sandbox']) e, currencies c;
  return null;
end $$;
create trigger users_open_wallets after insert on users
  for each row execute function open_wallets();

-- The history that a user sees, newest first. Only the posting functions write it, and they have just
-- read the rows that foreign keys would look up: without those keys a posting takes ten row locks less.
-- `ledger verify` checks that the histories match the journal.
create table transactions (
  id                    uuid primary key default gen_random_uuid(),
  user_id               uuid not null,
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
  -- The row as the API shows it, so that a page of 25 is joined and not rendered: rendering 25 rows of
  -- 14 fields cost 90 µs of Postgres' processor time at each call, or 190 µs in the API. A plain
  -- column, filled by the functions that insert: a generated one would rewrite the whole table with
  -- each new field. `ledger verify` compares it with transaction_json of the row.
  json                  text not null,
  check ((status = 'simulated') = (ledger_transaction_id is null) or status in ('pending', 'failed'))
);
-- `created_at` is unique per user and environment, because the specified cursor is a bare timestamp:
-- it must be a total order by itself.
create unique index transactions_cursor on transactions (user_id, environment, created_at);
create index transactions_by_type on transactions (user_id, environment, type, created_at);

-- How one posting shows in the history of one user.
create type transaction_side as (
  id                  uuid,
  user_id             uuid,
  type                text,
  direction           text,
  balance_after_minor bigint,
  counterparty        text
);

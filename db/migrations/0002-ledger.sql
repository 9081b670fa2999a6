-- The double-entry ledger. Correctness rests on the constraints here, not on the code above them:
-- the entries of each statement balance per transaction and currency, wallets never go below zero,
-- and entries never change. The functions that post are in db/ledger/ledger.sql.

create table currencies (
  code       text primary key,
  -- Smallest amount in minor units at scale 2: 100 keeps XOF, which has no cents, whole.
  step_minor bigint not null check (step_minor > 0),
  -- Wallets that are opened are marked from the start (ledger_accounts.limited_at).
  is_limited boolean not null default false
);
insert into currencies values ('XOF', 100), ('EUR', 1), ('USD', 1);

create table ledger_accounts (
  -- The lock order: each posting locks its accounts by ascending id.
  id             bigint generated always as identity primary key,
  public_id      uuid not null unique default uuidv7(),
  -- Null for the platform's own accounts.
  user_id        uuid references users,
  environment    text not null check (environment in ('live', 'sandbox')),
  currency       text not null references currencies,
  -- `refunds` has the money of refunds that the gateway has not finished, `payouts` that of payouts that have not
  -- ended.
  -- `disputes` has the money of payments whose customers' banks have not decided. `taxes` has the part of fees that goes
  -- to the state.
  -- `holds` has that of transfers and payments about which operators have to decide (0018-risk.sql).
  kind           text not null check (kind in ('wallet', 'gateway_clearing', 'fees', 'suspense',
                 'disputes', 'holds', 'bank', 'provider_fees',
                 'operator', 'sandbox_source', 'refunds', 'payouts', 'taxes')),
  -- The provider whose clearing account it is, or the name of a bank's.
  name           text check (length(name) between 1 and 64),
  balance_minor  bigint not null default 0,
  version        bigint not null default 0,
  -- Every posting is later: the moment of the last one, or the end of a month that was closed
  -- since (close_months).
  last_posted_at timestamptz not null default '-infinity',
  -- The reason that keeps money in a wallet, as the code of the refusal: a frozen account, or live
  -- money without an approved identity check
  -- (docs/decisions/keys-and-limits.md). It stands in the wallet's own row,
  -- so that the lock that every posting takes decides between a posting and a freeze.
  held_by        text check (held_by in ('account_frozen', 'kyc_required')),
  -- Since then all that counts in a limit is counted for the wallet, from the beginning of that month on (limit_days).
  -- Null: no limit of its currency was ever set, and a posting asks no further. It stands here for the same reason.
  limited_at     timestamptz,
  unique nulls not distinct (user_id, environment, currency, kind, name),
  unique (id, environment, currency),
  check ((kind = 'wallet') = (user_id is not null)),
  check ((kind in ('gateway_clearing', 'bank')) = (name is not null)),
  -- 15 digits: beyond them a JSON number loses cents in most clients.
  constraint wallet_balance check (kind <> 'wallet' or balance_minor between 0 and 999999999999999),
  constraint only_wallets_are_held check (kind = 'wallet' or (held_by is null and limited_at is null))
) with (fillfactor = 50);

insert into ledger_accounts (environment, currency, kind)
select e, c.code, k
  from unnest(array['live', 'sandbox']) e, currencies c,
       unnest(array['fees', 'suspense', 'operator', 'sandbox_source', 'refunds',
                    'disputes', 'holds',
                    'provider_fees',
                    'payouts', 'taxes']) k;

create table ledger_transactions (
  id          uuid not null default uuidv7(),
  reference   text not null unique check (length(reference) between 8 and 64),
  environment text not null,
  kind        text not null check (kind in
              ('transfer', 'adjustment', 'payment', 'suspense', 'suspense_accepted', 'refund',
               'dispute_taken', 'dispute_won', 'dispute_lost',
               'refund_reserved', 'refund_made', 'refund_returned', 'reversal', 'loss',
               'hold', 'hold_returned',
               'settlement', 'provider_fee', 'bank_fee', 'fees_withdrawn', 'taxes_paid', 'float_topped_up',
               'credit_funded', 'break_adjusted',
               'payout', 'payout_made', 'payout_given_back', 'payout_returned')),
  description text not null default '' check (length(description) <= 500),
  created_at  timestamptz not null,
  primary key (id, environment)
);
-- A check of what is no transfer reads none (db/verify/pieces.ts). The same of other tables.
create index ledger_transactions_others on ledger_transactions (id) where kind <> 'transfer';

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

create function wallet_hold(u users, environment text) returns text language sql immutable as $$
  select case
    when u.frozen_at is not null then 'account_frozen'
    when environment = 'live' and u.kyc_status <> 'approved' then 'kyc_required' end
$$;

-- Wallets exist from the user's first moment, so that no posting has to create one.
create function open_wallets() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into ledger_accounts (user_id, environment, currency, kind, held_by, limited_at)
  select new.id, e, c.code, 'wallet', wallet_hold(new, e), case when c.is_limited then clock_timestamp() end
    from unnest(array['live', 'sandbox']) e, currencies c
     -- The first limit of a currency waits for those who open wallets, and they for it: each wallet is marked.
     for share of c;
  return null;
end $$;
create trigger users_open_wallets after insert on users
  for each row execute function open_wallets();

-- The wallets follow their user in the same transaction, under the locks of the postings: one that
-- has them commits first, and one that comes later sees the mark. No posting locks the row of a user.
create function hold_wallets() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = new.id));
  update ledger_accounts a set held_by = wallet_hold(new, a.environment)
   where a.user_id = new.id and a.held_by is distinct from wallet_hold(new, a.environment);
  return null;
end $$;
create trigger users_hold_wallets after update of frozen_at, kyc_status on users
  for each row
  when ((old.frozen_at is null) <> (new.frozen_at is null) or old.kyc_status <> new.kyc_status)
  execute function hold_wallets();

-- The history that a user sees, newest first. Only the posting functions write it, and they have just
-- read the rows that foreign keys would look up: without those keys a posting takes ten row locks less.
-- `ledger verify` checks that the histories match the journal.
create table transactions (
  id                    uuid primary key default uuidv7(),
  user_id               uuid not null,
  environment           text not null,
  type                  text not null check (type in ('deposit', 'withdrawal', 'transfer_in',
                        'dispute',
                        'transfer_out', 'refund', 'reversal', 'adjustment')),
  status                text not null check (status in
                        ('pending', 'completed', 'failed', 'reversed', 'simulated')),
  direction             text not null check (direction in ('in', 'out')),
  currency              text not null,
  amount_minor          bigint not null check (amount_minor > 0),
  fee_minor             bigint not null check (fee_minor between 0 and amount_minor),
  -- The part of the fee that is tax.
  tax_minor             bigint not null default 0 check (tax_minor between 0 and fee_minor),
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
-- The latest transfers of an account, for count_unknown_recipients (db/accounts/accounts.sql).
create index transactions_by_type on transactions (user_id, environment, type, created_at);
-- The history of one or more types, directions and currencies; see db/ledger/history.ts.
create index transactions_by_kind
  on transactions (user_id, environment, type, direction, currency, created_at);
-- Payouts and what is held alone write rows with one of these statuses, so the index costs other postings nothing.
create index transactions_by_rare_status on transactions (user_id, environment, status, created_at)
  where status in ('pending', 'failed', 'reversed');
create index transactions_others on transactions (id) where type not in ('transfer_in', 'transfer_out');

-- How one posting shows in the history of one user.
create type transaction_side as (
  id                  uuid,
  user_id             uuid,
  type                text,
  direction           text,
  balance_after_minor bigint,
  counterparty        text
);

-- The limit that an amount exceeds; all is null when there is none.
create type limit_facts as (
  limit_name    text,
  maximum_minor bigint,
  used_minor    bigint,
  resets_at     timestamptz
);

-- Seals of the ledger and of the audit log: hashes over entries and rows, made soon after their commit. An
-- entry, a journal transaction, an account or an action of an operator that is changed afterwards is found
-- by `ledger verify`, also when a superuser changed it (docs/decisions/ledger.md). No
-- posting reads or writes these tables.
create table ledger_seals (
  -- 1, 2, 3 and so on, without gaps.
  id            bigint primary key check (id > 0),
  sealed_at     timestamptz not null,
  -- The login role of the connection, as Postgres knows it.
  database_role text not null check (database_role !~ '[\u0001-\u001f\u007f]'),
  -- How many entries and rows of the audit log it covers.
  entries       bigint not null check (entries > 0),
  previous_hash bytea not null unique check (length(previous_hash) = 32),
  -- A hash over the fields above and the seal's ranges.
  hash          bytea not null unique check (length(hash) = 32)
);
create trigger ledger_seals_append_only before update or delete or truncate on ledger_seals
  for each statement execute function refuse_change();

-- The ranges that a seal covers: of each account the entries from one version to another; of the audit log, which is
-- account 0, the rows from one id to another. An account's ranges
-- follow one another without a gap, from version 1 on. There are no foreign keys: seal_ledger alone
-- writes here, and what they would refuse is found by `ledger verify`, which has to expect it anyway.
create table ledger_seal_ranges (
  seal_id      bigint not null,
  account_id   bigint not null,
  from_version bigint not null check (from_version > 0),
  to_version   bigint not null check (to_version >= from_version),
  -- A hash over the account, the entries and their journal transactions, or over the rows of the
  -- audit log.
  digest       bytea not null check (length(digest) = 32),
  primary key (account_id, from_version)
);
-- Rows are inserted in the order of the seals, so block ranges find those of a seal.
create index ledger_seal_ranges_seal on ledger_seal_ranges using brin (seal_id);
create trigger ledger_seal_ranges_append_only
  before update or delete or truncate on ledger_seal_ranges
  for each statement execute function refuse_change();

-- Treasury: banks, what moves between them and the providers, and the settlement files of both, compared with the books
-- (docs/decisions/treasury.md). What is held is positive on pages and in JSON, and negative in the ledger.

-- A bank's account is an account of the ledger with a name of its own.
create unique index ledger_accounts_bank on ledger_accounts (name) where kind = 'bank';
create table treasury_banks (
  account_id bigint primary key references ledger_accounts,
  -- No more is kept of the IBAN.
  iban_end   text check (length(iban_end) = 4),
  opened_by  text not null,
  opened_at  timestamptz not null default clock_timestamp()
);

-- Own formats of files; those that are shipped are in domain/settlement-formats.ts.
create table treasury_formats (
  name   text primary key check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  format jsonb not null check (length(format::text) <= 16384)
);

-- The fee that a provider may take; without a row none is wrong.
create table treasury_terms (
  provider        text not null check (length(provider) between 1 and 64),
  currency        text not null references currencies,
  type            text not null check (type in ('payment', 'payout', 'refund')),
  percent         numeric(7, 4) not null check (percent between 0 and 100),
  fixed_minor     bigint not null check (fixed_minor between 0 and 999999999999999),
  tolerance_minor bigint not null check (tolerance_minor between 0 and 999999999999999),
  primary key (provider, currency, type)
);

create table treasury_files (
  id              text primary key check (id ~ '^STM-[0-9A-F]{20}$'),
  environment     text not null check (environment in ('live', 'sandbox')),
  -- One of the two.
  provider        text check (length(provider) between 1 and 64),
  bank            text,
  format          text not null,
  sha256          text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- The days for which it is complete.
  from_day        date not null,
  to_day          date not null check (to_day >= from_day),
  -- That of most of its lines; those of the others are compared and booked, too.
  currency        text not null references currencies,
  lines           integer not null,
  matched         integer not null default 0,
  repeated_lines  integer not null default 0,
  closing_minor   bigint,
  imported_by     text not null,
  imported_at     timestamptz not null default clock_timestamp(),
  posted_at       timestamptz,
  check ((provider is null) <> (bank is null)),
  unique nulls not distinct (environment, provider, bank, sha256)
);
create index treasury_files_newest on treasury_files (imported_at desc, id);

-- The lines of files that count, but for those that an earlier file had.
create table treasury_lines (
  file_id      text not null references treasury_files,
  line         integer not null,
  -- The account whose file it is: environment, `provider` or `bank`, and the name.
  account      text not null,
  provider_id  text not null check (length(provider_id) between 1 and 255),
  -- Our reference, and other ids of the same thing.
  refs         text[] not null,
  word         text not null,
  -- Null: the format lacks the word.
  type         text check (type in ('payment', 'payout', 'refund', 'settlement', 'fee', 'topup')),
  day          date not null,
  currency     text not null references currencies,
  -- Positive where it moves as its type does; of an unknown type as the file has it.
  amount_minor bigint not null,
  fee_minor    bigint not null,
  -- Whether an unknown type's amount tells the direction by its sign.
  is_signed    boolean not null,
  -- The one thing in the books that it tells of, with the figures that it has there.
  row_key      text,
  row_type     text,
  row_currency text,
  row_minor    bigint,
  row_day      date,
  -- The posting that booked its fee or settlement.
  posting      text,
  primary key (file_id, line),
  check (num_nulls(row_key, row_type, row_currency, row_minor, row_day) in (0, 5))
);
create unique index treasury_lines_row on treasury_lines (row_key) where row_key is not null;
create index treasury_lines_by_id on treasury_lines (account, provider_id);

create table treasury_breaks (
  id               bigint generated always as identity primary key,
  file_id          text not null references treasury_files,
  kind             text not null check (kind in ('missing_here', 'missing_there', 'amount', 'fee', 'duplicate',
                   'date', 'unknown')),
  status           text not null default 'open' check (status in ('open', 'settled', 'resolved')),
  -- One of the two: the line, or the row of ours that no line has.
  line             integer,
  row_key          text,
  provider_id      text,
  reference        text,
  -- An unknown type has the word of the file here.
  type             text not null,
  currency         text not null,
  expected_minor   bigint,
  found_minor      bigint,
  expected_day     date,
  found_day        date,
  -- How much more is held by the file than by the books; null where that cannot be said.
  difference_minor bigint,
  created_at       timestamptz not null default clock_timestamp(),
  action           text check (action in ('explained', 'adjust')),
  reason           text check (length(reason) between 1 and 500),
  settled_by       text,
  settled_at       timestamptz,
  foreign key (file_id, line) references treasury_lines (file_id, line),
  check ((line is null) <> (row_key is null)),
  check ((status = 'settled') = (action is not null and reason is not null and settled_by is not null)),
  check ((status = 'open') = (settled_at is null))
);
create unique index treasury_breaks_of_line on treasury_breaks (file_id, line) where line is not null;
create unique index treasury_breaks_of_row on treasury_breaks (row_key) where row_key is not null;
create index treasury_breaks_open on treasury_breaks (kind, id) where status = 'open';
create index treasury_breaks_of_file on treasury_breaks (file_id, id);

create table treasury_postings (
  -- That of its posting in the journal.
  reference    text primary key,
  kind         text not null check (kind in ('settlement', 'provider_fee', 'bank_fee', 'fees_withdrawn', 'taxes_paid',
               'float_topped_up', 'credit_funded', 'break_adjusted')),
  environment  text not null check (environment in ('live', 'sandbox')),
  bank         text,
  provider     text,
  currency     text not null references currencies,
  -- Negative: a provider's fees that it gave back, or an adjustment of what was held too much.
  amount_minor bigint not null check (amount_minor <> 0),
  reason       text check (length(reason) <= 500),
  actor        text not null,
  -- The file, its line or its break from which it was booked.
  file_id      text references treasury_files,
  break_id     bigint unique references treasury_breaks,
  provider_id  text,
  created_at   timestamptz not null,
  check (amount_minor > 0 or kind in ('provider_fee', 'bank_fee', 'break_adjusted')),
  check (kind = 'break_adjusted' or bank is not null or provider is not null),
  check ((kind = 'break_adjusted') = (break_id is not null))
);
create index treasury_postings_at on treasury_postings (created_at);
-- Lines of files are looked up by these, as payments are by their key. By hash: a list in the order of these ids would
-- take the index, and read refunds of all times for those of a day (RECORDED_REFUNDS).
create index refunds_by_gateway_id on refunds using hash (gateway_refund_id) where gateway_refund_id is not null;
create index suspense_refunds_by_id on suspense_refunds using hash (refund_id) where refund_id is not null;
create index payouts_by_provider_id on payouts (provider_payment_id) where provider_payment_id is not null;
-- A break names the finding of a reconciliation about the same thing.
create index reconciliation_findings_of on reconciliation_findings (reference);
create index treasury_postings_by_provider_id on treasury_postings (provider_id) where provider_id is not null;

-- A line of a provider's file of which something is to be booked (unposted_lines).
create type treasury_unposted as (
  line integer, provider_id text, currency text, is_settlement boolean, settled_minor bigint, fee_minor bigint
);

-- Rules that look at an order before money leaves and at a payment when it arrives, and the cases that operators decide
-- (docs/decisions/risk.md). What is held waits in the account `holds`, or, a payout, in `payouts` like any other.

-- Which kinds of orders are looked at, such as `transfer/live`, and of these `ask/transfer/live` where others are asked
-- before: a posting reads it with what it reads of the currency anyhow, so that where nothing is set nothing more is
-- read. refresh_watched keeps it.
alter table currencies add watched text[] not null default '{}';

create table risk_rules (
  name            text primary key check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  kind            text not null check (kind in ('amount', 'velocity', 'structuring', 'first_recipient')),
  -- The kinds of orders that it looks at, and counts.
  watches         text[] not null check (cardinality(watches) between 1 and 3
                  and watches <@ array['transfer', 'payout', 'payment']),
  decision        text not null check (decision in ('hold', 'refuse')),
  -- Null: any.
  currency        text references currencies,
  user_id         uuid references users,
  environment     text check (environment in ('live', 'sandbox')),
  -- The threshold of `amount` and `first_recipient`.
  above_minor     bigint check (above_minor between 0 and 999999999999999),
  -- With whom or what `velocity` and `structuring` count, and for how long.
  counted_by      text check (counted_by in ('account', 'recipient', 'phone', 'ip')),
  window_seconds  integer check (window_seconds between 10 and 2678400),
  most_count      integer check (most_count between 1 and 10000),
  most_minor      bigint check (most_minor between 1 and 999999999999999),
  -- `structuring` counts amounts from this less so many percent to below this.
  threshold_minor bigint check (threshold_minor between 1 and 999999999999999),
  margin_percent  smallint check (margin_percent between 1 and 99),
  -- When this rule or another was set or removed last.
  set_at          timestamptz not null default clock_timestamp(),
  check ((kind in ('amount', 'first_recipient')) = (above_minor is not null)),
  check ((kind in ('velocity', 'structuring')) = (counted_by is not null and window_seconds is not null)),
  check (kind <> 'velocity' or most_count is not null or most_minor is not null),
  check ((kind = 'structuring') = (threshold_minor is not null and margin_percent is not null)),
  check (kind <> 'structuring' or (most_count is not null and counted_by in ('account', 'recipient'))),
  check (currency is not null or coalesce(above_minor, most_minor, threshold_minor) is null),
  check (counted_by is distinct from 'phone' or watches = array['payout']),
  check ((counted_by is distinct from 'ip' and kind <> 'first_recipient') or not 'payment' = any (watches))
);

-- So much may still pass, at least, before a rule about transfers has to count again: an account that sends much would have
-- all of its window read for each order. A crash that empties it costs one count each.
create unlogged table risk_room (
  -- risk_suspects makes it of the rules' figures and of whom they count with.
  counted bigint primary key,
  -- Null: any number, any sum.
  number  bigint check (number >= 0),
  minor   bigint check (minor >= 0)
) with (fillfactor = 50);

-- The provider that is asked about orders before they are posted; no row: none is.
create table risk_provider (
  is_only       boolean primary key default true check (is_only),
  url           text not null check (length(url) <= 2048 and url ~ '^(https://|http://127\.0\.0\.1[:/])'),
  watches       text[] not null check (cardinality(watches) between 1 and 3
                and watches <@ array['transfer', 'payout', 'payment']),
  deadline_ms   integer not null check (deadline_ms between 50 and 5000),
  on_silence    text not null check (on_silence in ('allow', 'hold')),
  -- Null: both.
  environment   text check (environment in ('live', 'sandbox')),
  -- Signs the questions; sealed (secrets/seal.ts) with `risk_provider` as its context.
  sealed_secret bytea,
  secret_since  timestamptz,
  -- The audit log has it and not the whole URL, which may contain a key.
  url_since     timestamptz not null,
  -- The silences before it do not count.
  set_at        timestamptz not null default clock_timestamp(),
  check ((sealed_secret is null) = (secret_since is null))
);

-- An order that was held or refused, and what became of it. Only functions write it (db/risk/cases.sql).
create table risk_cases (
  -- `RSK-…`
  reference      text primary key,
  decision       text not null check (decision in ('hold', 'refuse')),
  status         text not null check (status in ('held', 'released', 'refused', 'expired', 'withdrawn')),
  subject_type   text not null check (subject_type in ('transfer', 'payout', 'payment_intent', 'account')),
  -- Its reference; that of an order that was refused at once leads to none. Of an account its username.
  subject        text not null,
  -- An account's case is of no one of them, and has no amount.
  environment    text check (environment in ('live', 'sandbox')),
  -- The account that sends, or is paid.
  user_id        uuid not null references users,
  -- The recipient of a transfer.
  recipient_id   uuid references users,
  -- To whom it goes: a username, a phone or a bank account; null for a payment.
  counterparty   text,
  currency       text references currencies,
  amount_minor   bigint check (amount_minor > 0),
  -- An array of {source, name, detail, decision}, in the order in which they were found.
  reasons        jsonb not null check (jsonb_array_length(reasons) > 0),
  -- {provider, screening}: what each was asked, and has answered.
  asked          jsonb not null default '{}',
  ip             text,
  -- That of a payout or intent; of a held transfer that of its row in its sender's history.
  subject_id     uuid,
  created_at     timestamptz not null default clock_timestamp(),
  -- Like payment_intents.expires_at and clock_seconds.
  expires_at     timestamptz,
  clock_seconds  integer,
  decided_at     timestamptz,
  decided_by     text,
  reason         text check (length(reason) <= 500),
  check (decision = 'hold' or status = 'refused'),
  check ((status = 'held') = (decided_at is null)),
  -- An account's case waits until it is decided.
  check (decision = 'refuse' or (expires_at is null) = (subject_type = 'account')),
  check (num_nulls(environment, currency, amount_minor) = case subject_type when 'account' then 3 else 0 end),
  check (decision = 'hold' or subject_type <> 'account')
) with (fillfactor = 70);
-- Waiting cases, by when they expire; all, for operators; those of an account; and what they count with.
create index risk_cases_due on risk_cases (expires_at) where status = 'held';
create index risk_cases_newest on risk_cases (created_at desc, reference);
create index risk_cases_of_account on risk_cases (user_id, created_at desc);
create index risk_cases_of_subject on risk_cases (subject);
create index risk_cases_of_names on risk_cases (user_id) where subject_type = 'account';
create index risk_cases_held_to on risk_cases (recipient_id) where status = 'held';

-- Whence orders came, kept while a rule counts by addresses.
create table risk_origins (
  reference    text primary key,
  ip           text not null,
  kind         text not null check (kind in ('transfer', 'payout')),
  environment  text not null,
  currency     text not null,
  amount_minor bigint not null,
  created_at   timestamptz not null
);
create index risk_origins_of_ip on risk_origins (ip, environment, created_at);

-- {reference, expires_at} of the case while it is held, as it is shown; the time is that of the account's clock, which
-- its moves leave as it is.
alter table transfers add hold json;
alter table payouts add hold json;
alter table payment_intents add hold json;
alter table transfers add constraint transfers_held check ((status = 'held') = (hold is not null));
alter table payouts add constraint payouts_held check ((status = 'held') = (hold is not null));
alter table payment_intents add constraint payment_intents_held check (hold is null or status = 'processing');

-- The case of a payment that was held, as whose it was booked first.
alter table gateway_payments add held_as text;
-- The caller who ordered, for its transfers and payouts.
alter table transfer_batches add ip text;
alter table payout_batches add ip text;
create index transfer_batch_items_held on transfer_batch_items (reference) where status = 'held';
-- Rules count what went to a bank account.
create function bank_recipient(account text, bank_code text) returns text language sql immutable as $$
  select account || coalesce(' ' || bank_code, '')
$$;
create index payouts_to_account on payouts (bank_recipient(account, bank_code), created_at) where account is not null;

-- {reasons, asked} of the item, found before its posting (Heard in domain/risk.ts); null: it was not asked about.
alter table transfer_batch_items add heard jsonb;

-- An order as rules see it. `recipient`: as in `counterparty`; `heard`: as that of items.
create type risk_order as (
  kind         text,
  environment  text,
  user_id      uuid,
  recipient_id uuid,
  recipient    text,
  ip           text,
  currency     text,
  amount_minor bigint,
  heard        jsonb
);

alter type transfer_order add attribute ip text;
alter type transfer_order add attribute heard jsonb;
alter type transfer_order add attribute is_watched boolean;
-- It is posted only with what was heard of it.
alter type transfer_order add attribute is_unasked boolean;
alter type transfer_decision add attribute hold json;
alter type transfer_decision add attribute holds_id bigint;
alter type transfer_decision add attribute holds_balance bigint;
alter type transfer_decision add attribute holds_version bigint;

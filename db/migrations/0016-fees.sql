-- Fees and taxes (docs/decisions/ledger.md): rules that operators set, and the invoices of what was taken by them.

-- A rule never changes: another one follows it, or it ends. `fee_of` (db/ledger/fees.sql) alone reads them to decide.
create table fee_rules (
  -- The first of those that match a movement counts. An account's own go before others, a recipient's before the
  -- sender's, and last comes the general fee of a kind and currency, which always holds. The first column, because
  -- the least row is taken.
  rank              smallint not null generated always as (case
                      when user_id is not null and method is not null then 1
                      when user_id is not null then case bearer when 'payer' then 3 else 2 end
                      when method is not null then 4
                      when tax or amount_from_minor > 0 or amount_below_minor is not null then 5
                      else 6 end) stored,
  id                uuid primary key default uuidv7(),
  -- A tax goes to the state, and is borne with the fee.
  tax               boolean not null,
  kind              text not null check (kind in ('transfer', 'payment_intent', 'payout')),
  currency          text not null references currencies,
  -- The account that bears it; null: any.
  user_id           uuid references users,
  -- An operator's word, such as `orange_sn`, or `card` or `bank`; null: any.
  method            text check (method is null or (method ~ '^[A-Za-z0-9_.-]{1,64}$' and kind <> 'transfer')),
  -- From this amount on, and below that one.
  amount_from_minor bigint not null default 0 check (amount_from_minor between 0 and 999999999999999),
  amount_below_minor bigint check (amount_below_minor > amount_from_minor),
  percent           numeric(7, 4) not null check (percent between 0 and 100),
  fixed_minor       bigint not null check (fixed_minor between 0 and 999999999999999),
  minimum_minor     bigint not null default 0 check (minimum_minor between 0 and 999999999999999),
  maximum_minor     bigint check (maximum_minor between minimum_minor and 999999999999999),
  -- The percentage is taken of it: the amount, or of a tax the fee before it.
  base              text not null default 'amount' check (base in ('amount', 'fee')),
  bearer            text check (bearer in ('merchant', 'recipient', 'payer')),
  valid_from        timestamptz not null,
  -- Null: until another one follows. One that ends as it begins never held.
  valid_until       timestamptz check (valid_until >= valid_from),
  check (tax or base = 'amount'),
  check ((bearer is null) = tax and coalesce((bearer = 'merchant') = (kind <> 'transfer'), true)),
  check (currency <> 'XOF' or (fixed_minor % 100 = 0 and minimum_minor % 100 = 0
         and coalesce(maximum_minor, 0) % 100 = 0))
);
-- The rules that a movement may meet: the general ones, and those of its accounts.
create index fee_rules_of_movement
  on fee_rules (kind, currency, coalesce(user_id, '00000000-0000-0000-0000-000000000000'));
-- Set operators' functions see to the rest: rules with the same qualifiers do not overlap.
create unique index fee_rules_open
  on fee_rules (kind, currency, tax, user_id, (case when user_id is not null then bearer end), method,
                amount_from_minor, rank) nulls not distinct
  where valid_until is null;

-- Past postings were decided by them: only the end of one that has not ended may be set.
create function keep_fee_rule() returns trigger language plpgsql as $$
begin
  if to_jsonb(old) - 'valid_until' <> to_jsonb(new) - 'valid_until' or old.valid_until <= clock_timestamp() then
    raise exception 'a rule of fees never changes' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
-- After the update, when the generated rank is there.
create trigger fee_rules_kept after update on fee_rules for each row execute function keep_fee_rule();
create trigger fee_rules_append_only before delete or truncate on fee_rules
  for each statement execute function refuse_change();

-- The general fees, none at first.
insert into fee_rules (tax, kind, currency, percent, fixed_minor, bearer, valid_from)
select false, k, code, 0, 0, case k when 'transfer' then 'recipient' else 'merchant' end, '-infinity'
  from unnest(array['transfer', 'payment_intent', 'payout']) k, currencies;

-- Invoices of what an account bore, for its books: the fees were taken when they arose. One series for each environment
-- and year, 1, 2, 3 and so on. Each begins where the account's one before it ended, in that currency.
create table fee_invoices (
  number      text primary key check (number ~ '^(TEST-)?FEE-[0-9]{4}-[0-9]{6,}$'),
  environment text not null check (environment in ('live', 'sandbox')),
  year        integer not null,
  position    integer not null check (position > 0),
  user_id     uuid not null references users,
  currency    text not null references currencies,
  -- From the first moment on, and before the second.
  period_from timestamptz not null,
  period_to   timestamptz not null check (period_to > period_from),
  fee_minor   bigint not null check (fee_minor > 0),
  tax_minor   bigint not null check (tax_minor between 0 and fee_minor),
  -- The moment of its issue, which no other of the account has: the list's cursor.
  created_at  timestamptz not null,
  -- The bytes that it is shown with, for ever.
  body        text not null,
  unique (environment, year, position)
);
create unique index fee_invoices_cursor on fee_invoices (user_id, environment, created_at);
create unique index fee_invoices_follow on fee_invoices (user_id, environment, currency, period_to);
create trigger fee_invoices_append_only before update or delete or truncate on fee_invoices
  for each statement execute function refuse_change();

-- How far the invoices of a month that is over have come, in the order of the accounts.
create table fee_invoice_months (
  -- The end of the month.
  until       timestamptz primary key,
  reached     uuid not null default '00000000-0000-0000-0000-000000000000',
  finished_at timestamptz
);

-- A payout's fee is posted when it was paid, which may be months after the order.
create index payouts_charged on payouts (user_id, environment, currency, completed_at)
  where fee_minor > 0 and status in ('succeeded', 'returned');

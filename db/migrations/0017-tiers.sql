-- Tiers, limits, and what is counted for them (docs/decisions/limits.md). The functions are in db/limits.

-- Null: `identified` while the identity check is approved, else `none`; in the sandbox always `identified`.
alter table users add column tier text check (tier in ('none', 'identified', 'merchant', 'agent'));

-- Each limit by its name, in minor units.
create function are_limits(limits jsonb) returns boolean language sql immutable as $$
  select jsonb_typeof(limits) = 'object'
     and not exists (
       select from jsonb_each(limits) l
        where l.key <> all (array['balance', 'single_in', 'daily_in', 'monthly_in', 'single_out', 'daily_out',
                                  'monthly_out'])
           or (l.value <> 'null' and (jsonb_typeof(l.value) <> 'number'
               or (l.value #>> '{}')::numeric <> all (array[floor((l.value #>> '{}')::numeric)])
               or (l.value #>> '{}')::numeric not between 1 and 999999999999999)))
$$;

-- Limits of a tier; one that is left out or null is none.
create table tier_limits (
  tier     text not null check (tier in ('none', 'identified', 'merchant', 'agent')),
  currency text not null references currencies,
  limits   jsonb not null check (are_limits(limits)),
  primary key (tier, currency)
);

-- Limits of one wallet, which go before those of its tier. Null: none, whatever the tier has.
create table account_limits (
  account_id bigint primary key references ledger_accounts,
  limits     jsonb not null check (are_limits(limits))
);

-- Counted in and out of a wallet by day (UTC), of the wallets that have limits (ledger_accounts.limited_at). What was
-- given back is no more in the day that had counted it. Postings have locked the wallet, so there is no foreign key.
create table limit_days (
  account_id bigint not null,
  day        date not null,
  in_minor   bigint not null default 0 check (in_minor >= 0),
  out_minor  bigint not null default 0 check (out_minor >= 0),
  primary key (account_id, day)
) with (fillfactor = 50); -- the row of today is updated in place

-- Limits of a wallet while a posting is decided about.
create type wallet_limits as (
  account_id bigint,
  -- Each in the order of limit_names; null: none.
  most       bigint[],
  -- The day that `day_in` and `day_out` are of.
  day        date,
  day_in     bigint,
  day_out    bigint,
  month_in   bigint,
  month_out  bigint,
  -- The part of that day that this posting adds.
  new_in     bigint,
  new_out    bigint
);

-- Payouts: money that leaves a wallet for a phone or a bank account. The money waits in the account `payouts` from
-- the order until the provider has paid it, or has said that it never will.

-- The limits that an account sets for its payouts, by currency and for both environments. Null: no limit.
create table payout_settings (
  user_id              uuid not null references users,
  currency             text not null references currencies,
  -- Payouts of more than this wait for so many owners who have not ordered them.
  approval_above_minor bigint check (approval_above_minor >= 0),
  approvers            smallint not null default 1 check (approvers in (1, 2)),
  -- The first payout to a destination waits so above this amount already.
  new_destination_above_minor bigint check (new_destination_above_minor >= 0),
  -- The owners' limits: the most that recipients get by one payout, in a day and in a month (UTC).
  single_minor         bigint check (single_minor > 0),
  daily_minor          bigint check (daily_minor > 0),
  monthly_minor        bigint check (monthly_minor > 0),
  primary key (user_id, currency)
);

create table payouts (
  id                uuid primary key,
  -- `PYT-…`, in its rows of the history and in its postings as well.
  reference         text not null unique,
  environment       text not null check (environment in ('live', 'sandbox')),
  user_id           uuid not null references users,
  status            text not null check (status in ('held', 'requires_approval', 'requires_confirmation', 'pending',
                    'succeeded', 'failed', 'canceled', 'returned')),
  -- `queued`: not asked yet, or waiting at the provider. `unknown`: asked, and not answered.
  stage             text check (stage in ('queued', 'sent', 'unknown')),
  currency          text not null references currencies,
  -- The recipient gets it; the fee comes on top.
  amount_minor      bigint not null check (amount_minor between 1 and 999999999999999),
  fee_minor         bigint not null check (fee_minor >= 0),
  -- The part of the fee that is tax.
  tax_minor         bigint not null default 0 check (tax_minor between 0 and fee_minor),
  destination_type  text not null check (destination_type in ('mobile_money', 'bank')),
  -- plainPhone has written it (domain/phone.ts): the old numbers of Benin would be a second spelling.
  phone             text check (phone ~ '^\+[0-9]{7,15}$' and phone !~ '^\+229[1-9][0-9]{7}$'),
  operator          text check (length(operator) <= 64),
  account           text check (length(account) between 4 and 64),
  bank_code         text check (length(bank_code) <= 64),
  -- The holder of a bank account, as the merchant wrote it.
  holder            text check (length(holder) between 1 and 140),
  -- The name that the provider's is compared with.
  name              text check (length(name) between 1 and 140),
  name_check        text not null check (name_check in ('off', 'warn', 'require')),
  -- The provider's name of the holder, in full only where it matches.
  name_found        text check (length(name_found) <= 300),
  name_match        text check (name_match in ('match', 'close', 'no_match', 'unavailable')),
  -- Whether the order confirms it; if not, the merchant does, who has seen what was found.
  confirm           boolean not null,
  confirmed_at      timestamptz,
  provider          text not null,
  -- The provider's id, once it is known: it has the order.
  provider_payment_id text check (length(provider_payment_id) between 1 and 255),
  -- Why it failed: {code, message, provider_code}.
  failure           jsonb,
  returned_minor    bigint not null default 0 check (returned_minor between 0 and amount_minor),
  -- How many owners have to approve it; 0: none.
  approvals_needed  smallint not null check (approvals_needed between 0 and 2),
  -- The person who ordered it, who does not approve it; null where a key that operators have made did.
  ordered_by        uuid references logins,
  -- The key that ordered it, when that had a daily limit of the currency.
  limited_key       uuid,
  batch_id          uuid,
  description       text check (length(description) <= 140),
  metadata          jsonb not null,
  -- Its withdrawal in the history.
  transaction_id    uuid not null,
  -- How long it may wait for its provider.
  queue_seconds     integer not null check (queue_seconds between 1 and 604800),
  -- Counts how often the provider was asked: an answer to an earlier question is out of date.
  asks              integer not null default 0,
  asked_at          timestamptz,
  -- When the provider was last asked to send it.
  send_asked_at     timestamptz,
  -- When the first of the orders left of which it has not said that nothing was done: repeated orders do not move it.
  send_begun_at     timestamptz,
  -- After so many days on its way it is in doubt, by the provider's last answer: banks take some.
  days_under_way    smallint check (days_under_way between 1 and 14),
  -- When the provider last notified that something has changed.
  notified_at       timestamptz,
  -- Words for operators: what went wrong when the provider was last asked.
  detail            text check (length(detail) <= 1000),
  -- When the provider first said that it has paid what was given back, how much that is by now, and how much of it
  -- was settled as a loss (docs/decisions/refunds.md): an operator has to look.
  contradicted_at   timestamptz,
  lost_minor        bigint not null default 0 check (lost_minor >= 0),
  loss_minor        bigint not null default 0,
  idempotency_key   text not null,
  request_id        text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  sent_at           timestamptz,
  completed_at      timestamptz,
  -- The end of its wait for people, or for the provider. What was asked of a provider does not expire.
  expires_at        timestamptz not null,
  -- The same as in payment_intents.
  clock_seconds     integer,
  check (currency <> 'XOF' or (amount_minor % 100 = 0 and fee_minor % 100 = 0 and tax_minor % 100 = 0)),
  check ((destination_type = 'mobile_money') = (phone is not null)),
  check ((destination_type = 'bank') = (account is not null and holder is not null)),
  check ((status = 'pending') = (stage is not null)),
  check ((status = 'failed') = (failure is not null)),
  check ((status in ('succeeded', 'failed', 'canceled', 'returned')) = (completed_at is not null)),
  check (returned_minor = 0 or status in ('succeeded', 'returned')),
  check ((status = 'returned') = (returned_minor = amount_minor)),
  check (lost_minor = 0 or (contradicted_at is not null and status in ('failed', 'canceled')))
);
-- The list's cursor is a bare timestamp, like every list's.
create unique index payouts_cursor on payouts (user_id, environment, created_at);
-- Operators look for an amount in all accounts (db/operators/search.ts).
create index payouts_by_amount on payouts (amount_minor, created_at);
create index payouts_by_kind on payouts (user_id, environment, status, currency, created_at);
-- They find what was paid to a destination before, and what counts in the limits of a day and a month.
create index payouts_of_phone on payouts (user_id, environment, phone) where phone is not null;
create index payouts_of_account on payouts (user_id, environment, account) where account is not null;
create index payouts_in_limits on payouts (user_id, environment, currency, created_at)
  where status not in ('failed', 'canceled');
create index payouts_of_batch on payouts (batch_id, created_at) where batch_id is not null;
-- The payouts whose workflows have to go on.
create index payouts_unfinished on payouts (environment, asked_at)
  where status in ('requires_approval', 'requires_confirmation', 'pending');
create index payouts_notified on payouts (notified_at) where notified_at is not null;
-- The operators' lists: all, those to a phone, and what is in doubt.
create index payouts_to_phone on payouts (phone, created_at) where phone is not null;
create index payouts_newest on payouts (created_at desc, id);
create index payouts_contradicted on payouts (contradicted_at) where contradicted_at is not null;
-- A reconciliation compares the payouts of a period, as it does with gateway_payments.
create index payouts_asked_for on payouts using brin (send_asked_at) with (autosummarize = on);

insert into status_edges select 'payouts', * from (values
  ('held', 'requires_approval'), ('held', 'requires_confirmation'), ('held', 'pending'), ('held', 'failed'),
  ('held', 'canceled'),
  ('requires_approval', 'requires_confirmation'), ('requires_approval', 'pending'),
  ('requires_approval', 'canceled'), ('requires_confirmation', 'requires_approval'),
  ('requires_confirmation', 'pending'), ('requires_confirmation', 'canceled'),
  ('pending', 'succeeded'), ('pending', 'failed'), ('pending', 'canceled'), ('succeeded', 'returned')) e;
create trigger payouts_edges before update on payouts
  for each row when (old.status <> new.status) execute function check_status_edge();

-- The people who have approved a payout. The person who ordered it never does.
create table payout_approvals (
  payout_id uuid not null references payouts,
  login_id  uuid not null references logins,
  at        timestamptz not null default clock_timestamp(),
  primary key (payout_id, login_id)
);

-- Everything that happened to a payout, in order, complete without Temporal.
create table payout_timeline (
  id        bigint generated always as identity,
  payout_id uuid not null,
  at        timestamptz not null default clock_timestamp(),
  source    text not null check (source in ('api', 'workflow', 'gateway', 'ledger', 'webhook')),
  kind      text not null,
  detail    jsonb not null default '{}',
  primary key (payout_id, id)
);

-- Payouts ordered together. A batch reserves nothing: its destinations are looked at, people decide about it, and each
-- item then becomes a payout that reserves for itself (docs/decisions/batches.md). Only functions write
-- these tables (db/payout-batches/payout-batches.sql).
create table payout_batches (
  id              uuid primary key,
  user_id         uuid not null references users,
  environment     text not null check (environment in ('live', 'sandbox')),
  status          text not null check (status in ('processing', 'requires_approval', 'requires_confirmation',
                  'completed', 'canceled')),
  -- Its workflow has to do it; null while it waits for people, and once every item was ordered.
  step            text check (step in ('check', 'send')),
  -- The items before it have had this step.
  next_index      integer not null default 0 check (next_index between 0 and total),
  -- Whether the order confirms it: it then waits for nobody who has seen what was found.
  confirm         boolean not null,
  confirmed_at    timestamptz,
  -- The confirmation leaves out the items of which this was found.
  excluded        text[],
  -- {login_id} of a person or {key_id}, as in payout_timeline.
  confirmed_by    jsonb,
  canceled_by     jsonb,
  dry_run         boolean not null,
  total           integer not null check (total between 1 and 10000),
  completed       integer not null default 0 check (completed >= 0),
  failed          integer not null default 0 check (failed >= 0),
  -- The destinations that were looked at so far, by what was found.
  matched         integer not null default 0,
  close           integer not null default 0,
  not_matched     integer not null default 0,
  unavailable     integer not null default 0,
  unreachable     integer not null default 0,
  approvals_needed smallint not null default 0 check (approvals_needed between 0 and 2),
  -- The person who ordered it, who does not approve it; null where a key that operators have made did.
  ordered_by      uuid references logins,
  rejected_by     uuid references logins,
  reject_reason   text check (length(reject_reason) <= 500),
  -- The key that ordered it, when that had a daily limit.
  limited_key     uuid,
  idempotency_key text not null,
  request_id      text not null,
  created_at      timestamptz not null,
  -- A batch that stands still with a step to do has lost its workflow.
  progressed_at   timestamptz not null,
  -- The end of its wait for people.
  expires_at      timestamptz,
  finished_at     timestamptz,
  -- The same as in payment_intents.
  clock_seconds   integer,
  check ((confirmed_at is not null) = (excluded is not null)),
  check (completed + failed <= total),
  check ((finished_at is not null) = (completed + failed = total)),
  check ((status = 'completed') <= (finished_at is not null)),
  check ((status in ('requires_approval', 'requires_confirmation')) = (expires_at is not null)),
  check (step is null or status = 'processing')
) with (fillfactor = 50); -- its counters are updated in place
create unique index payout_batches_cursor on payout_batches (user_id, environment, created_at);
create index payout_batches_to_do on payout_batches (user_id, environment, created_at) where step is not null;
create index payout_batches_waiting on payout_batches (user_id, environment) where finished_at is null;
create index payout_batches_expiring on payout_batches (expires_at) where expires_at is not null;

create table payout_batch_items (
  batch_id         uuid not null,
  -- The place in the order, from 0. Items are ordered in this order.
  index            integer not null check (index between 0 and 9999),
  -- The destination and the name, as payouts have them.
  destination_type text not null check (destination_type in ('mobile_money', 'bank')),
  -- plainPhone has written it (domain/phone.ts): the old numbers of Benin would be a second spelling.
  phone            text check (phone ~ '^\+[0-9]{7,15}$' and phone !~ '^\+229[1-9][0-9]{7}$'),
  operator         text check (length(operator) <= 64),
  account          text check (length(account) between 4 and 64),
  bank_code        text check (length(bank_code) <= 64),
  holder           text check (length(holder) between 1 and 140),
  name             text check (length(name) between 1 and 140),
  description      text check (length(description) <= 140),
  currency         text not null references currencies,
  amount_minor     bigint not null check (amount_minor between 1 and 999999999999999),
  -- The result of looking at the destination; null until then.
  found            text check (found in ('match', 'close', 'no_match', 'unavailable', 'unreachable')),
  name_found       text check (length(name_found) <= 300),
  name_match       text check (name_match in ('match', 'close', 'no_match', 'unavailable')),
  status           text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  -- Why it never became a payout: a refusal of domain/payout-batch.ts.
  refusal          text,
  payout_id        uuid references payouts,
  primary key (batch_id, index),
  check (refusal is null or (status = 'failed' and payout_id is null))
) with (fillfactor = 50); -- updated in place
create unique index payout_batch_items_by_payout on payout_batch_items (payout_id) where payout_id is not null;
-- They find what is to go to a destination. Items leave these indexes when they become payouts.
create index payout_batch_items_to_phone on payout_batch_items (phone) where payout_id is null and phone is not null;
create index payout_batch_items_to_account on payout_batch_items (account)
  where payout_id is null and account is not null;

-- The people who have approved a batch. The person who ordered it never does.
create table payout_batch_approvals (
  batch_id uuid not null references payout_batches,
  login_id uuid not null references logins,
  at       timestamptz not null default clock_timestamp(),
  primary key (batch_id, login_id)
);

-- Words of gateways, and what is booked of them: notifications, payments, money in suspense, refunds.

-- The inbox: every notification with a valid signature, once per event of the gateway.
create table gateway_notifications (
  id           bigint generated always as identity primary key,
  gateway      text not null,
  environment  text not null check (environment in ('live', 'sandbox')),
  event_id     text not null check (length(event_id) between 1 and 255),
  notification jsonb not null,
  -- The bytes as they came, as evidence in a dispute with the gateway.
  body         bytea not null,
  intent_id    uuid,
  received_at  timestamptz not null default clock_timestamp(),
  applied_at   timestamptz,
  outcome      text check (outcome in ('succeeded', 'failed', 'attempt_failed', 'processing',
               'suspense', 'held', 'duplicate', 'stale', 'mismatch', 'unknown_intent')),
  -- How often the sweep has tried to have it applied, when it tries again, and what went wrong: every
  -- item has its own pauses.
  tries        integer not null default 0,
  next_try_at  timestamptz,
  last_error   text,
  unique (gateway, environment, event_id),
  check ((outcome is null) = (applied_at is null))
);
create index gateway_notifications_waiting on gateway_notifications (received_at) where outcome is null;
create index gateway_notifications_of_intent on gateway_notifications (intent_id);

-- Each payment of a gateway is booked once, as a payment or as suspense.
create table gateway_payments (
  gateway             text not null,
  environment         text not null,
  provider_payment_id text not null check (length(provider_payment_id) between 1 and 255),
  intent_id           uuid,
  -- How it was paid: an operator's word, or `card`; null where the gateway does not say.
  method              text check (length(method) between 1 and 64),
  currency            text not null references currencies,
  amount_minor        bigint not null check (amount_minor > 0),
  -- `hold` becomes one of the others, under another reference of the ledger, when its case is decided.
  booked_as           text not null check (booked_as in ('payment', 'suspense', 'hold')),
  ledger_reference    text not null unique,
  booked_at           timestamptz not null,
  primary key (gateway, environment, provider_payment_id)
);
-- A reconciliation compares payments by this time. Rows are inserted in the order of that time, so block
-- ranges find them, and an insert costs next to nothing.
create index gateway_payments_booked on gateway_payments using brin (booked_at)
  with (pages_per_range = 32, autosummarize = on);

-- Money that no intent can take: an operator accepts it for the merchant, refunds it, or pays it back
-- outside of the gateway (`closed`).
create table suspense_items (
  id                  uuid primary key default uuidv7(),
  reference           text not null unique,
  gateway             text not null,
  environment         text not null,
  provider_payment_id text not null,
  intent_id           uuid,
  user_id             uuid,
  reason              text not null check (reason in
                      ('late', 'second_payment', 'amount', 'currency', 'unknown_intent', 'risk_refused', 'limit_exceeded')),
  -- The limit that it exceeds.
  limit_name          text,
  currency            text not null,
  amount_minor        bigint not null check (amount_minor > 0),
  status              text not null default 'held'
                      check (status in ('held', 'accepted', 'refunding', 'refunded', 'closed')),
  refund_id           text,
  created_at          timestamptz not null,
  resolved_at         timestamptz,
  closed_reason       text check (length(closed_reason) between 1 and 500),
  closed_reference    text check (length(closed_reference) between 1 and 200),
  -- The sum that the gateway gave back beyond the books and operators have settled as a loss, less what
  -- was taken back since (docs/decisions/refunds.md).
  loss_minor          bigint not null default 0,
  foreign key (gateway, environment, provider_payment_id) references gateway_payments,
  unique (gateway, environment, provider_payment_id),
  check ((status in ('accepted', 'refunded', 'closed')) = (resolved_at is not null)),
  constraint suspense_items_limit check ((reason = 'limit_exceeded') = (limit_name is not null)),
  constraint suspense_items_closed_check
    check ((status = 'closed') = (closed_reason is not null and closed_reference is not null))
);
create index suspense_items_open on suspense_items (created_at) where status in ('held', 'refunding');
-- Money that waits for an operator, on the merchant's overview.
create index suspense_items_of_account on suspense_items (user_id, environment)
  where status in ('held', 'refunding');
-- The operators' pages of what waits, live money first, and of all; see db/suspense/suspense.ts.
create index suspense_items_waiting on suspense_items (environment, created_at, id)
  where status in ('held', 'refunding');
create index suspense_items_newest on suspense_items (created_at desc, id);
-- Items that wait are counted without reading a row; see db/health/gauges.sql.
create index suspense_items_unfinished on suspense_items (environment, status)
  where status in ('held', 'refunding');

-- Orders of operators to give money in suspense back. Without one, the gateway is asked for no refund,
-- whatever workflow is started. A refund follows the gateway: it is booked when the gateway has made
-- it, and undone when the gateway takes that back
-- (docs/decisions/refunds.md).
create table suspense_refunds (
  item_id     uuid not null references suspense_items,
  -- The next order of an item follows a refund that failed.
  number      integer not null check (number > 0),
  ordered_by  text not null check (length(ordered_by) between 1 and 200),
  ordered_at  timestamptz not null default clock_timestamp(),
  -- `ordered`: it is not known whether the gateway has it.
  status      text not null default 'ordered'
              check (status in ('ordered', 'pending', 'succeeded', 'failed')),
  -- The gateway's id of the refund.
  refund_id   text check (length(refund_id) between 1 and 255),
  -- The gateway's words: why it failed, what it waits for, or why the gateway could not be asked.
  detail      text check (length(detail) <= 1000),
  -- Counts how often the gateway was asked: an answer to an earlier question is out of date.
  asks        integer not null default 0,
  asked_at    timestamptz,
  -- When the first of the orders left of which it has not said that nothing was done.
  send_begun_at timestamptz,
  -- The time at which the gateway last notified that something has changed.
  notified_at timestamptz,
  ended_at    timestamptz,
  primary key (item_id, number),
  check ((status in ('succeeded', 'failed')) = (ended_at is not null)),
  check (status not in ('pending', 'succeeded') or refund_id is not null)
);
create unique index suspense_refunds_one_open on suspense_refunds (item_id)
  where status in ('ordered', 'pending');
create index suspense_refunds_notified on suspense_refunds (notified_at)
  where notified_at is not null;
-- A reconciliation compares refunds by the time of the order. Not in block ranges: a row is written
-- again when the gateway answers, and later orders take the places that it leaves in older blocks.
create index suspense_refunds_ordered on suspense_refunds (ordered_at);

-- Refunds of payments (docs/decisions/refunds.md): a merchant gives a customer's money back,
-- whole or in parts. The money leaves the wallet when the refund is ordered and waits in an account
-- of its own (`refunds`) until the gateway has made the refund, or has failed to.
create table refunds (
  id                uuid primary key,
  -- `RFD-…`, in its rows of the history and in its postings as well.
  reference         text not null unique,
  environment       text not null check (environment in ('live', 'sandbox')),
  user_id           uuid not null references users,
  intent_id         uuid not null references payment_intents,
  status            text not null default 'pending'
                    check (status in ('pending', 'succeeded', 'failed')),
  currency          text not null references currencies,
  amount_minor      bigint not null check (amount_minor between 1 and 999999999999999),
  reason            text check (length(reason) <= 500),
  metadata          jsonb not null,
  -- Why it failed, as the merchant reads it: {code, message}.
  failure           jsonb,
  -- The payment that it gives back.
  gateway           text not null,
  provider_payment_id text not null,
  -- The gateway's id of the refund, once it is known, and its last word.
  gateway_refund_id text check (length(gateway_refund_id) between 1 and 255),
  gateway_status    text check (gateway_status in ('pending', 'succeeded', 'failed')),
  -- Words for operators: what the gateway waits for, or why it could not be asked.
  detail            text check (length(detail) <= 1000),
  -- Counts how often the gateway was asked: an answer to an earlier question is out of date.
  asks              integer not null default 0,
  asked_at          timestamptz,
  -- When the first of the orders left of which it has not said that nothing was done.
  send_begun_at     timestamptz,
  -- The time at which the gateway last notified that something has changed.
  notified_at       timestamptz,
  idempotency_key   text not null,
  request_id        text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- The same as in suspense_items.
  loss_minor        bigint not null default 0,
  -- The key that ordered it, when that had a daily limit of the currency.
  limited_key       uuid,
  check (currency <> 'XOF' or amount_minor % 100 = 0),
  check ((status = 'failed') = (failure is not null)),
  check (status <> 'succeeded' or gateway_refund_id is not null)
);
-- The list's cursor is a bare timestamp, like every list's.
create unique index refunds_cursor on refunds (user_id, environment, created_at);
-- Operators look for an amount in all accounts (db/operators/search.ts).
create index refunds_by_amount on refunds (amount_minor, created_at);
create index refunds_of_intent on refunds (intent_id, created_at);
create index refunds_of_payment on refunds (provider_payment_id);
create index refunds_pending on refunds (asked_at) where status = 'pending';
create index refunds_notified on refunds (notified_at) where notified_at is not null;
-- An account's refunds in a status, in a currency, or both; see db/refunds/refunds.ts.
create index refunds_by_kind on refunds (user_id, environment, status, currency, created_at);
-- The operators' list; see db/refunds/operator-refunds.ts.
create index refunds_newest on refunds (created_at desc, id);
-- A reconciliation reads it, like that of gateway_payments.
create index refunds_created on refunds using brin (created_at) with (autosummarize = on);

insert into status_edges select 'refunds', * from (values
  ('pending', 'succeeded'), ('pending', 'failed'), ('succeeded', 'failed')) e;
create trigger refunds_edges before update on refunds
  for each row when (old.status <> new.status) execute function check_status_edge();

-- Refunds of payments (decision 67): a merchant gives a customer's money back, whole or in parts. The money
-- leaves the wallet when the refund is ordered and waits in an account of its own until the gateway has
-- made the refund, or has failed to.

-- The money of refunds that the gateway has not finished.
alter table ledger_accounts drop constraint ledger_accounts_kind_check;
alter table ledger_accounts add constraint ledger_accounts_kind_check check (kind in
  ('wallet', 'gateway_clearing', 'fees', 'suspense', 'operator', 'sandbox_source', 'refunds')) not valid;
insert into ledger_accounts (environment, currency, kind)
select e, c.code, 'refunds' from unnest(array['live', 'sandbox']) e, currencies c;

-- `not valid` here and below: the rows that are there passed the narrower check, and a scan of them would
-- stop all postings while it lasts.
alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check check (kind in
  ('transfer', 'adjustment', 'payment', 'suspense', 'suspense_accepted', 'refund',
   'refund_reserved', 'refund_made', 'refund_returned', 'reversal')) not valid;

alter table idempotency_keys drop constraint idempotency_keys_operation_check;
alter table idempotency_keys add constraint idempotency_keys_operation_check check (operation in
  ('transfer', 'payment_intent', 'transfer_batch', 'refund', 'reversal')) not valid;

-- What was refunded of it, pending refunds included. It is no more than what was paid (create_refund).
alter table payment_intents add column refunded_minor bigint not null default 0;
alter table payment_intents add constraint payment_intents_refunded_check
  check (refunded_minor = 0 or (refunded_minor > 0 and status = 'succeeded')) not valid;

create table refunds (
  id                uuid primary key,
  -- `RFD-…`: of its rows in the history and of its postings.
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
  -- Whose payment it gives back.
  gateway           text not null,
  provider_payment_id text not null,
  -- The gateway's id of the refund, once it is known, and its last word.
  gateway_refund_id text check (length(gateway_refund_id) between 1 and 255),
  gateway_status    text check (gateway_status in ('pending', 'succeeded', 'failed')),
  -- For operators: what the gateway waits for, or why it could not be asked.
  detail            text check (length(detail) <= 1000),
  -- Counts how often the gateway was asked: an answer to an earlier question is out of date.
  asks              integer not null default 0,
  asked_at          timestamptz,
  -- When the gateway last notified that something has changed.
  notified_at       timestamptz,
  idempotency_key   text not null,
  request_id        text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  check (currency <> 'XOF' or amount_minor % 100 = 0),
  check ((status = 'failed') = (failure is not null)),
  check (status <> 'succeeded' or gateway_refund_id is not null)
);
-- The list's cursor is a bare timestamp, as of every list.
create unique index refunds_cursor on refunds (user_id, environment, created_at);
create index refunds_of_intent on refunds (intent_id, created_at);
create index refunds_of_payment on refunds (provider_payment_id);
create index refunds_pending on refunds (asked_at) where status = 'pending';
create index refunds_notified on refunds (notified_at) where notified_at is not null;

-- domain/refund.ts has the same table with the causes; a test compares the two.
create table refund_edges (
  from_status text,
  to_status   text,
  primary key (from_status, to_status)
);
insert into refund_edges values
  ('pending', 'succeeded'), ('pending', 'failed'), ('succeeded', 'failed');

create function check_refund_edge() returns trigger language plpgsql as $$
begin
  if not exists (select from refund_edges where from_status = old.status and to_status = new.status) then
    raise exception 'a refund cannot go from % to %', old.status, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refunds_edges before update on refunds
  for each row when (old.status <> new.status) execute function check_refund_edge();

-- Events of refunds. An endpoint gets them when it names their types.
alter table events add column refund_id uuid;
alter table events add constraint events_refund_id_fkey
  foreign key (refund_id) references refunds not valid;
alter table events drop constraint events_type_check;
alter table events add constraint events_type_check check (type in
  ('payment.succeeded', 'payment.failed', 'payment.expired', 'refund.succeeded', 'refund.failed')) not valid;
alter table events drop constraint events_test_is_outside;
alter table events add constraint events_test_is_outside
  check ((intent_id is null and refund_id is null) = (sequence = 0)) not valid;
-- A refund that succeeded may fail later: one event of each.
create unique index events_of_refund on events (refund_id, type) where refund_id is not null;
alter table webhook_endpoints drop constraint webhook_endpoints_types_check;
alter table webhook_endpoints add constraint webhook_endpoints_types_check check (
  cardinality(types) >= 1 and types <@ array['payment.succeeded', 'payment.failed', 'payment.expired',
    'refund.succeeded', 'refund.failed']) not valid;

-- No end of a refund can be committed without its event.
create function check_refund_has_event() returns trigger language plpgsql as $$
begin
  if not exists (select from events e where e.refund_id = new.id and e.type = 'refund.' || new.status) then
    raise exception 'refund % has no event for its end', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger refunds_have_event after update on refunds
  deferrable initially deferred
  for each row when (new.status <> old.status) execute function check_refund_has_event();

-- An operator's refund above the limit waits for a second operator (decision 60).
alter table approvals drop constraint approvals_action_check;
alter table approvals add constraint approvals_action_check check (action in
  ('wallets.credit', 'suspense.accept', 'suspense.refund', 'suspense.close', 'refunds.create'));

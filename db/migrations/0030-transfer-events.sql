-- Events of transfers (decision 72). An endpoint gets them when it names their types. The checks only widen, so
-- that no row needs to be read again.
alter table events add column transfer_reference text;
alter table events drop constraint events_type_check;
alter table events add constraint events_type_check check (type in
  ('payment.succeeded', 'payment.failed', 'payment.expired', 'refund.succeeded', 'refund.failed',
   'transfer.received', 'transfer.sent')) not valid;
alter table events drop constraint events_test_is_outside;
alter table events add constraint events_test_is_outside check (
  (intent_id is null and refund_id is null and transfer_reference is null) = (sequence = 0)) not valid;
alter table webhook_endpoints drop constraint webhook_endpoints_types_check;
alter table webhook_endpoints add constraint webhook_endpoints_types_check check (
  cardinality(types) >= 1 and types <@ array['payment.succeeded', 'payment.failed', 'payment.expired',
    'refund.succeeded', 'refund.failed', 'transfer.received', 'transfer.sent']) not valid;

-- Each posting looks whether any account in it has such an endpoint: few have one.
create index webhook_endpoints_of_transfers on webhook_endpoints (user_id, environment)
  where status <> 'deleted' and types && array['transfer.received', 'transfer.sent'];

-- An event of one side of a transfer, while it is written.
create type transfer_event as (
  id          uuid,
  user_id     uuid,
  environment text,
  type        text,
  direction   text,
  -- Of the transfer in its posting, from 1; and in the account's events.
  position    integer,
  sequence    bigint
);

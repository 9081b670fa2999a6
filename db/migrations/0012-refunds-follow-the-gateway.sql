-- A refund of money in suspense is ordered by an operator and follows the gateway: it is booked when
-- the gateway has made it, and undone when the gateway takes that back (decision 49). Until now an item
-- in the state `refunding` was all there was: no order, no word of the gateway's, and no way out.

-- One row per order of an operator. Without one, nobody asks the gateway for a refund, whatever
-- workflow is started.
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
  -- In the gateway's words: why it failed, what it waits for, or why the gateway could not be asked.
  detail      text check (length(detail) <= 1000),
  -- Counts how often the gateway was asked: an answer to an earlier question is out of date.
  asks        integer not null default 0,
  asked_at    timestamptz,
  -- When the gateway last notified that something has changed.
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

-- `closed`: the operator has paid the money back outside of the gateway.
alter table suspense_items
  add column closed_reason    text check (length(closed_reason) between 1 and 500),
  add column closed_reference text check (length(closed_reference) between 1 and 200),
  drop constraint suspense_items_status_check,
  drop constraint suspense_items_check,
  add constraint suspense_items_status_check
    check (status in ('held', 'accepted', 'refunding', 'refunded', 'closed')),
  add constraint suspense_items_check
    check ((status in ('accepted', 'refunded', 'closed')) = (resolved_at is not null)),
  add constraint suspense_items_closed_check
    check ((status = 'closed') = (closed_reason is not null and closed_reference is not null));

-- Orders from before they were recorded.
insert into suspense_refunds (item_id, number, ordered_by, ordered_at, status, refund_id, ended_at)
select s.id, 1, 'unknown (before orders were recorded)', coalesce(s.resolved_at, clock_timestamp()),
       case s.status when 'refunded' then 'succeeded' else 'ordered' end, s.refund_id, s.resolved_at
  from suspense_items s
 where s.status = 'refunding' or (s.status = 'refunded' and s.refund_id is not null);

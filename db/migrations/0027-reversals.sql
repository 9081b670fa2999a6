-- Reversals of transfers (decision 68): the recipient gives the money back to the sender, whole or in parts.

-- What was given back of it. Whole, the transfer is shown as `reversed`, while `status` keeps what became of
-- its posting. `not valid`: nothing was reversed before, so the rows that are there need no scan.
alter table transfers
  add column reversed_minor bigint not null default 0,
  add constraint transfers_reversed_check check (reversed_minor between 0 and amount_minor) not valid;

-- Only post_reversal writes here, so there are no foreign keys (as in `transfers`).
create table reversals (
  -- `RVL-…`: of both rows in the histories, and of the posting.
  reference          text primary key,
  environment        text not null check (environment in ('live', 'sandbox')),
  transfer_reference text not null,
  -- The transfer's recipient, who gives back, and its sender.
  user_id            uuid not null,
  sender_id          uuid not null,
  currency           text not null,
  amount_minor       bigint not null check (amount_minor between 1 and 999999999999999),
  reason             text check (length(reason) <= 500),
  idempotency_key    text not null,
  request_id         text not null,
  created_at         timestamptz not null,
  check (currency <> 'XOF' or amount_minor % 100 = 0)
);
create index reversals_of_transfer on reversals (transfer_reference, created_at);

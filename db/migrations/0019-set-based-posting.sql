-- Transfers are posted set by set (post_transfer_batch, docs/decisions/0061-set-based-posting.md).

-- An item of a batch may have no key of its own: its batch makes it exactly once. `not valid`: the rows
-- that are there all have a key, and need no scan.
alter table transfers
  alter column idempotency_key drop not null,
  add column batch_id uuid,
  add constraint transfers_key_or_batch check (idempotency_key is not null or batch_id is not null)
    not valid;

-- A transfer while it is posted.
create type transfer_posting as (
  -- As requested. `position`: in the order given, from 1.
  position      integer,
  reference     text,
  environment   text,
  sender_id     uuid,
  key           text,
  fingerprint   jsonb,
  request_id    text,
  accept_before timestamptz,
  to_username   text,
  currency      text,
  amount_minor  bigint,
  batch_id      uuid,
  -- Looked up before the locks; none of it ever changes.
  sender        text,
  recipient_id  uuid,
  payer_id      bigint,
  payee_id      bigint,
  fees_id       bigint,
  fee_minor     bigint,
  -- Decided under the locks. `is_final`: by this call, and to be kept.
  outcome       text,
  is_final      boolean,
  status        smallint,
  body          text,
  posted_at     timestamptz,
  journal_id    uuid,
  -- The rows of the two histories.
  payer_row     uuid,
  payee_row     uuid,
  -- Of each account: its balance and version after the posting.
  payer_balance bigint,
  payee_balance bigint,
  fees_balance  bigint,
  payer_version bigint,
  payee_version bigint,
  fees_version  bigint
);

-- The responses kept for idempotency keys, transfers, batches of them, and reversals.

-- The first final response of each key, kept for ever: this row, not Temporal's memory of workflow
-- ids, makes a retry safe. `fingerprint` holds one hash per body field: enough to name the fields that
-- differ, and nothing that can be read.
create table idempotency_keys (
  user_id     uuid not null,
  environment text not null,
  operation   text not null check (operation in
              ('transfer', 'payment_intent', 'payment_link', 'transfer_batch', 'refund', 'reversal',
               'payout', 'payout_batch', 'sandbox_fund', 'payment_attempt')),
  key         text not null check (length(key) between 1 and 255),
  fingerprint jsonb not null,
  status      smallint not null check (status between 200 and 499),
  body        text not null,
  reference   text,
  request_id  text not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (user_id, environment, operation, key)
);
-- Rows stand in the order of their moments, so block ranges find those of a time (db/verify/pieces.ts).
create index idempotency_keys_created on idempotency_keys using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create index idempotency_keys_others on idempotency_keys (created_at) where operation <> 'transfer';

-- Keys whose transfer or reversal was given up: a caller was told that nothing was changed. What has such a key and was to
-- be accepted before this moment, or earlier, is never posted. A later request with the key is a new one.
create table lapsed_keys (
  user_id       uuid not null,
  environment   text not null,
  operation     text not null check (operation in ('transfer', 'reversal')),
  key           text not null,
  accept_before timestamptz not null,
  primary key (user_id, environment, operation, key)
);
create index lapsed_keys_oldest on lapsed_keys (accept_before);

-- Only post_transfer_batch and post_reversal write here, so there are no foreign keys (as in
-- `transactions`).
create table transfers (
  reference       text primary key,
  environment     text not null,
  sender_id       uuid not null,
  recipient_id    uuid not null,
  currency        text not null,
  amount_minor    bigint not null check (amount_minor > 0),
  -- All that was taken, and the part of it that is tax. What the sender bears is on top of the amount.
  fee_minor       bigint not null check (fee_minor >= 0),
  tax_minor       bigint not null default 0 check (tax_minor between 0 and fee_minor),
  fee_bearer      text not null default 'recipient' check (fee_bearer in ('recipient', 'payer')),
  status          text not null check (status in ('held', 'completed', 'reversed', 'simulated', 'refused')),
  simulated       boolean generated always as (environment = 'sandbox') stored,
  -- An item of a batch may have none: its batch makes it exactly once.
  idempotency_key text,
  request_id      text not null,
  created_at      timestamptz not null,
  batch_id        uuid,
  -- The amount that was given back. A transfer that was given back whole is shown as `reversed`, while `status`
  -- keeps what became of its posting.
  reversed_minor  bigint not null default 0,
  -- The purpose of the transfer: a description for both sides, and the sender's own metadata, with the
  -- sender's text and order.
  description     text,
  metadata        json,
  -- The key that sent it, when that had a daily limit of the currency.
  limited_key     uuid,
  check (sender_id <> recipient_id),
  constraint transfers_fee check (fee_bearer = 'payer' or fee_minor < amount_minor),
  check (status in ('held', 'refused') or (status = 'simulated') = (environment = 'sandbox')),
  constraint transfers_whole_units check (currency <> 'XOF' or amount_minor % 100 = 0),
  constraint transfers_key_or_batch check (idempotency_key is not null or batch_id is not null),
  constraint transfers_reversed_check check (reversed_minor between 0 and amount_minor),
  constraint transfers_description check (length(description) <= 255)
);
create index transfers_created on transfers using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);

-- A transfer that is to be posted (read_transfers).
create type transfer_order as (
  -- The request's fields. `position`: the place in the order given, from 1.
  position       integer,
  reference      text,
  environment    text,
  sender_id      uuid,
  key            text,
  fingerprint    jsonb,
  request_id     text,
  accept_before  timestamptz,
  to_username    text,
  currency       text,
  amount_minor   bigint,
  batch_id       uuid,
  description    text,
  metadata       text,
  limited_key    uuid,
  -- Looked up before the locks; none of it ever changes, but that a wallet gets its first limit.
  sender         text,
  recipient_id   uuid,
  payer_id       bigint,
  payee_id       bigint,
  -- Null when there is nothing for them.
  fees_id        bigint,
  taxes_id       bigint,
  -- All that is taken, the part of it that is tax, and who bears it (fee_of). These figures hold before `fee_until`,
  -- or always when it is null.
  fee_minor      bigint,
  tax_minor      bigint,
  fee_bearer     text,
  fee_until      timestamptz,
  -- The first leaves the sender, the second arrives.
  debit_minor    bigint,
  credit_minor   bigint,
  -- One of the wallets had limits: in the sandbox it is locked then.
  is_limited     boolean
);

-- Its outcome, decided under the locks (decide_transfers).
create type transfer_decision as (
  outcome          text,
  -- The transfer's that its key stands for.
  kept_reference   text,
  is_replay        boolean,
  -- This call decided it, and it is to be written.
  is_final         boolean,
  posted_at        timestamptz,
  journal_id       uuid,
  -- The rows of the two histories.
  payer_row        uuid,
  payee_row        uuid,
  -- The balance and version of each account after the posting.
  payer_balance    bigint,
  payee_balance    bigint,
  fees_balance     bigint,
  taxes_balance    bigint,
  payer_version    bigint,
  payee_version    bigint,
  fees_version     bigint,
  taxes_version    bigint,
  -- The sender's limit that it exceeds, or `recipient`; null with limit_exceeded: that of the key.
  over             limit_facts
);

-- An account while transfers are decided.
create type posting_account as (
  balance_minor bigint,
  version       bigint,
  held_by       text,
  -- The place, among the accounts of the posting, of the first that is shown in the same history.
  history       integer
);

-- A bulk transfer (docs/decisions/batches.md): an order of up to 10,000 transfers. Only
-- functions write it and its items (db/transfer-batches/transfer-batches.sql).
create table transfer_batches (
  id              uuid primary key,
  user_id         uuid not null references users,
  environment     text not null check (environment in ('live', 'sandbox')),
  status          text not null default 'processing'
                  check (status in ('processing', 'completed', 'failed', 'canceled')),
  mode            text not null check (mode in ('independent', 'atomic')),
  dry_run         boolean not null,
  total           integer not null check (total between 1 and 10000),
  completed       integer not null default 0 check (completed >= 0),
  failed          integer not null default 0 check (failed >= 0),
  -- Items whose transfers wait for an operator. The batch is over without them, and they are counted elsewhere later.
  held            integer not null default 0 check (held >= 0),
  idempotency_key text not null,
  -- The request that made it, in the responses that are stored for its items' keys.
  request_id      text not null,
  -- The key that ordered it, when that had a daily limit.
  limited_key     uuid,
  created_at      timestamptz not null,
  -- The time at which its workflow last posted something. One that stands still has lost its
  -- workflow.
  progressed_at   timestamptz not null,
  finished_at     timestamptz,
  check (completed + failed + held <= total),
  check ((status = 'processing') = (finished_at is null)),
  check (status <> 'completed' or completed + failed + held = total),
  -- An atomic batch is posted as a whole or not at all.
  constraint transfer_batches_atomic check (mode <> 'atomic'
    or (completed, failed, held) in ((0, 0, 0), (total, 0, 0), (0, total, 0))),
  check (status <> 'failed' or mode = 'atomic' and failed = total),
  -- An atomic batch is posted by one statement, and has no more items than a step.
  constraint transfer_batches_atomic_total check (mode <> 'atomic' or total <= 500)
) with (fillfactor = 50); -- its counters are updated in place
create unique index transfer_batches_cursor on transfer_batches (user_id, environment, created_at);
-- The operators' list.
create index transfer_batches_newest on transfer_batches (created_at desc, id);
-- The queue: an account's batches are carried out one after the other in each environment.
create index transfer_batches_processing on transfer_batches (user_id, environment, created_at)
  where status = 'processing';

-- The outcome of each transfer of a batch. There is no foreign key, and a row has few bytes: 10,000
-- rows are written with the order, and each once more with its outcome.
create table transfer_batch_items (
  batch_id        uuid not null,
  -- The place in the order, from 0. Items are done in this order.
  index           integer not null check (index between 0 and 9999),
  to_username     text not null,
  currency        text not null,
  amount_minor    bigint not null check (amount_minor > 0),
  -- The same as a single transfer's; null: nothing but this row keeps the item from being posted twice.
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  status          text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'held')),
  -- The transfer; null as long as there is none, and after a dry run.
  reference       text,
  -- Why it failed: an outcome of domain/transfer-batch.ts.
  refusal         text,
  -- Its key had been answered before.
  is_replay       boolean not null default false,
  description     text,
  primary key (batch_id, index),
  check ((status = 'failed') = (refusal is not null)),
  check (reference is null or status in ('completed', 'held') or refusal = 'risk_refused'),
  constraint transfer_batch_items_description check (length(description) <= 255)
) with (fillfactor = 50); -- updated in place
-- A key that an item waits with; see db/requests/idempotency-keys.ts. Items without one cost nothing.
create index transfer_batch_items_by_key on transfer_batch_items (batch_id, idempotency_key)
  where idempotency_key is not null;

-- The outcome of an item, until it is written.
create type batch_outcome as (outcome text, reference text, is_replay boolean);

-- Reversals (docs/decisions/transfers.md): the recipient of a transfer gives the money back to
-- the sender, whole or in parts. Only post_reversal writes here, so there are no foreign keys (as in
-- `transfers`).
create table reversals (
  -- `RVL-…`, in both rows of the histories and in the posting as well.
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

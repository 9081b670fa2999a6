-- Transfers, and the responses kept for idempotency keys.

-- The first final response of each key, kept for ever: this row, not Temporal's memory of workflow
-- ids, makes a retry safe. `fingerprint` holds one hash per body field: enough to name the fields that
-- differ, and nothing that can be read.
create table idempotency_keys (
  user_id     uuid not null,
  environment text not null,
  operation   text not null check (operation in ('transfer', 'payment_intent')),
  key         text not null check (length(key) between 1 and 255),
  fingerprint jsonb not null,
  status      smallint not null check (status between 200 and 499),
  body        text not null,
  reference   text,
  request_id  text not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (user_id, environment, operation, key)
);

-- Only post_transfers writes here, so there are no foreign keys (as in `transactions`).
create table transfers (
  reference    text primary key,
  environment  text not null,
  sender_id    uuid not null,
  recipient_id uuid not null,
  currency     text not null,
  amount_minor bigint not null check (amount_minor > 0),
  fee_minor    bigint not null check (fee_minor between 0 and amount_minor),
  status       text not null check (status in ('completed', 'reversed', 'simulated')),
  simulated    boolean generated always as (status = 'simulated') stored,
  idempotency_key text not null,
  request_id   text not null,
  created_at   timestamptz not null,
  check (sender_id <> recipient_id),
  check ((status = 'simulated') = (environment = 'sandbox')),
  constraint transfers_whole_units check (currency <> 'XOF' or amount_minor % 100 = 0)
);

-- What post_transfers looks up once for each transfer, and none of which ever changes.
create type transfer_parties as (
  sender       text,
  recipient_id uuid,
  payer_id     bigint,
  payee_id     bigint,
  fees_id      bigint,
  fee_minor    bigint,
  -- False in the sandbox, and to oneself.
  moves_funds  boolean
);

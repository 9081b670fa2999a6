-- Attempts to pay an intent by phone: what a customer was asked for through an operator, and what became of it. The
-- money itself is booked by the inbox of notifications, as of any other payment.

create table payment_attempts (
  id                uuid primary key,
  environment       text not null check (environment in ('live', 'sandbox')),
  user_id           uuid not null references users,
  intent_id         uuid not null references payment_intents,
  -- It may be another gateway than that of the intent's checkout.
  gateway           text not null,
  operator          text not null check (length(operator) between 1 and 64),
  operator_name     text not null check (length(operator_name) between 1 and 140),
  country           text not null,
  -- plainPhone has written it (domain/phone.ts): the old numbers of Benin would be a second spelling.
  phone             text not null check (phone ~ '^\+[0-9]{7,15}$' and phone !~ '^\+229[1-9][0-9]{7}$'),
  -- The customer's one-time code, until the gateway has answered.
  otp               text check (otp ~ '^[0-9]{4,8}$'),
  -- The gateway is not asked before the customer has given a code.
  is_otp_due        boolean not null,
  status            text not null check (status in ('waiting', 'succeeded', 'failed')),
  -- The customer has to do it; its `expires_at` is the column.
  next_step         jsonb,
  -- Why it failed: {code, message, provider_code}.
  failure           jsonb,
  provider_payment_id text check (length(provider_payment_id) between 1 and 255),
  -- Counts how often the gateway was asked: an answer to an earlier question is out of date.
  asks              integer not null default 0,
  asked_at          timestamptz,
  -- When the gateway was last asked to ring the phone; null: it never rang because of this attempt.
  charge_asked_at   timestamptz,
  -- When the first question was over, answered or not.
  answered_at       timestamptz,
  -- When the gateway last notified that something has changed.
  notified_at       timestamptz,
  -- Words for operators: what went wrong when the gateway was last asked.
  detail            text check (length(detail) <= 1000),
  idempotency_key   text not null,
  fingerprint       jsonb not null,
  request_id        text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  expires_at        timestamptz not null,
  ended_at          timestamptz,
  -- The gateway is asked for late money until then; null once the outcome is known.
  look_until        timestamptz,
  -- The same as in payment_intents.
  clock_seconds     integer,
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'waiting') = (ended_at is null)),
  -- One that has ended asks for nothing (give_otp, give_up_attempt).
  check (status = 'waiting' or (next_step is null and otp is null)),
  check (look_until is null or status = 'failed')
);
create unique index payment_attempts_one_waiting on payment_attempts (intent_id) where status = 'waiting';
create index payment_attempts_of_intent on payment_attempts (intent_id, created_at);
-- How often a phone was rung lately.
create index payment_attempts_of_phone on payment_attempts (phone, created_at);
-- The attempts whose workflows have to go on, also by the key or the sandbox of an account.
create index payment_attempts_waiting on payment_attempts (user_id, environment, idempotency_key)
  where status = 'waiting';
create index payment_attempts_late on payment_attempts (look_until) where look_until is not null;
create index payment_attempts_notified on payment_attempts (notified_at) where notified_at is not null;

insert into status_edges select 'payment_attempts', * from (values
  ('waiting', 'succeeded'), ('waiting', 'failed'), ('failed', 'succeeded')) e;
create trigger payment_attempts_edges before update on payment_attempts
  for each row when (old.status <> new.status) execute function check_status_edge();

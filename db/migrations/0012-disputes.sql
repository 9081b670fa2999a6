-- Disputes of payments (docs/decisions/refunds.md): a customer's bank takes a payment back through the
-- gateway. The wallet gives the amount into an account of its own (`disputes`) until the bank has decided.
create table disputes (
  id                  uuid primary key default uuidv7(),
  -- `DSP-…`, in its rows of the history; its postings have it as their description.
  reference           text not null unique,
  environment         text not null check (environment in ('live', 'sandbox')),
  user_id             uuid not null references users,
  intent_id           uuid not null references payment_intents,
  status              text not null default 'open' check (status in ('open', 'won', 'lost')),
  currency            text not null references currencies,
  amount_minor        bigint not null check (amount_minor between 1 and 999999999999999),
  -- The gateway charged it, once the dispute is lost.
  fee_minor           bigint not null default 0 check (fee_minor between 0 and 999999999999999),
  -- The wallet has given so much so far, of the amount and of the fee; and in how many postings.
  taken_minor         bigint not null default 0 check (taken_minor between 0 and amount_minor),
  fee_taken_minor     bigint not null default 0 check (fee_taken_minor between 0 and fee_minor),
  takes               integer not null default 0,
  -- The wallet lacked it: it is taken from what arrives next.
  owed_minor          bigint not null generated always as (case status when 'won' then 0
                        else amount_minor + fee_minor - taken_minor - fee_taken_minor end) stored,
  -- The gateway's word for what the customer says, such as `fraudulent`.
  reason              text not null check (length(reason) between 1 and 200),
  evidence_due_by     timestamptz,
  gateway             text not null,
  provider_payment_id text not null,
  provider_dispute_id text not null check (length(provider_dispute_id) between 1 and 255),
  created_at          timestamptz not null,
  closed_at           timestamptz,
  unique (gateway, environment, provider_dispute_id),
  foreign key (gateway, environment, provider_payment_id) references gateway_payments,
  check (currency <> 'XOF' or (amount_minor % 100 = 0 and fee_minor % 100 = 0)),
  check (status <> 'open' or fee_minor = 0),
  check ((status = 'open') = (closed_at is null))
);
-- The list's cursor is a bare timestamp, like every list's.
create unique index disputes_cursor on disputes (user_id, environment, created_at);
create index disputes_of_intent on disputes (intent_id, created_at);
-- These need a merchant's and an operator's attention.
create index disputes_waiting on disputes (user_id, environment) where status = 'open' or owed_minor > 0;
create index disputes_owed on disputes (created_at) where owed_minor > 0;
-- The operators' list.
create index disputes_newest on disputes (created_at desc, id);

-- The gateway has to be asked about each: a row from the first notice of a dispute until it has ended. Notices come in
-- any order, so none is applied.
create table dispute_notices (
  gateway     text not null,
  environment text not null check (environment in ('live', 'sandbox')),
  dispute_id  text not null check (length(dispute_id) between 1 and 255),
  -- The latest notice.
  noted_at    timestamptz not null,
  -- Counts the questions: an answer to an earlier one is out of date.
  asks        integer not null default 0,
  asked_at    timestamptz,
  tries       integer not null default 0,
  next_try_at timestamptz not null,
  -- Why nothing could be booked, for operators.
  problem     text check (length(problem) <= 1000),
  primary key (gateway, environment, dispute_id)
) with (fillfactor = 50);
create index dispute_notices_due on dispute_notices (gateway, environment, next_try_at);

alter table events add foreign key (dispute_id) references disputes;
-- A dispute that was lost may be won by an appeal: one event of each.
create unique index events_of_dispute on events (dispute_id, type) where dispute_id is not null;

create function check_dispute_has_event() returns trigger language plpgsql as $$
begin
  if not exists (select from events e where e.dispute_id = new.id
       and e.type = 'dispute.' || case new.status when 'open' then 'opened' else new.status end) then
    raise exception 'dispute % has no event for its state', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger disputes_have_event after insert or update of status on disputes
  deferrable initially deferred
  for each row execute function check_dispute_has_event();

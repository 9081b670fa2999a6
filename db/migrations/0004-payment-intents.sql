-- Payment intents and what keeps them going. All changes of an intent's status are made by the
-- functions of db, under the lock of its row, so that the row decides every race.

-- Links that any number of customers may pay: each payment is an intent of its own.
create table payment_links (
  id              uuid primary key,
  environment     text not null check (environment in ('live', 'sandbox')),
  user_id         uuid not null references users,
  code            text not null unique,
  title           text not null check (length(title) between 1 and 120),
  currency        text not null references currencies,
  -- The price of one; null when the customer chooses the amount.
  amount_minor    bigint check (amount_minor > 0),
  minimum_minor   bigint check (minimum_minor > 0),
  maximum_minor   bigint check (maximum_minor >= coalesce(minimum_minor, 1)),
  suggestions_minor bigint[] not null,
  -- Null when a customer pays one.
  quantity_minimum integer check (quantity_minimum > 0),
  quantity_maximum integer check (quantity_maximum between quantity_minimum and 1000),
  max_payments    integer check (max_payments between 1 and 1000000),
  active_until    timestamptz,
  is_active       boolean not null default true,
  -- The customer is asked for these: an array of {key, label, required}.
  collect         jsonb not null,
  description     text,
  return_url      text check (return_url ~ '^https?://' and length(return_url) <= 2048),
  metadata        jsonb not null,
  -- Payments that have succeeded or still may: each holds one of `max_payments`.
  places          integer not null default 0 check (places >= payments),
  -- Payments that have succeeded, and their sum.
  payments        integer not null default 0 check (payments >= 0),
  paid_minor      bigint not null default 0,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  check (amount_minor is null
         or (minimum_minor is null and maximum_minor is null and suggestions_minor = '{}')),
  check (amount_minor is not null or quantity_minimum is null),
  check ((quantity_minimum is null) = (quantity_maximum is null))
) with (fillfactor = 50); -- counted in place, with each payment
-- The cursor of the list.
create unique index payment_links_cursor on payment_links (user_id, environment, created_at);

create table payment_intents (
  id              uuid primary key,
  environment     text not null check (environment in ('live', 'sandbox')),
  user_id         uuid not null references users,
  status          text not null check (status in ('creating', 'abandoned', 'open', 'processing',
                  'succeeded', 'failed', 'expired', 'canceled')),
  short_code      text not null unique,
  reference       text not null unique,
  amount_minor    bigint not null check (amount_minor between 1 and 999999999999999),
  fee_minor       bigint not null default 0 check (fee_minor between 0 and amount_minor),
  -- The part of the fee that is tax.
  tax_minor       bigint not null default 0 check (tax_minor between 0 and fee_minor),
  currency        text not null references currencies,
  country         text,
  description     text,
  customer_email  text,
  customer_phone  text,
  metadata        jsonb not null,
  gateway         text not null,
  checkout_url    text,
  last_payment_error jsonb,
  transaction_id  uuid,
  idempotency_key text not null,
  fingerprint     jsonb not null,
  request_id      text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  expires_at      timestamptz not null,
  succeeded_at    timestamptz,
  failed_at       timestamptz,
  expired_at      timestamptz,
  canceled_at     timestamptz,
  -- How often the service has tried to end an intent that is past its expiry, and when it tries again.
  checks          integer not null default 0,
  next_check_at   timestamptz,
  -- The addresses to which the customer goes afterwards.
  return_url      text,
  cancel_url      text,
  -- The sum that has arrived in the intent's currency, taken or held; null until something has. What was
  -- given back later is not subtracted.
  received_minor  bigint,
  -- The amount that ended the intent, when an operator accepted another amount for it.
  settled_minor   bigint,
  -- The sum of refunds, pending ones included. It is no more than what was paid (create_refund).
  refunded_minor  bigint not null default 0,
  -- The link that it was made from, with how many its customer pays and the answers to what the link asks.
  payment_link_id uuid references payment_links,
  quantity        integer check (quantity between 1 and 1000),
  collected       jsonb,
  -- In a sandbox whose clock was moved: its clock, as of the intent's end if it has ended. `expires_at` is a time of
  -- the database's clock; what is shown is that many seconds later (shown_due).
  clock_seconds   integer,
  check (currency <> 'XOF' or amount_minor % 100 = 0),
  check (status in ('creating', 'abandoned') or checkout_url is not null),
  check ((status = 'succeeded') = (succeeded_at is not null and transaction_id is not null)),
  check ((status = 'failed') = (failed_at is not null)),
  check ((status = 'expired') = (expired_at is not null)),
  check ((status = 'canceled') = (canceled_at is not null)),
  constraint payment_intents_return_url
    check (return_url ~ '^https?://' and length(return_url) <= 2048),
  constraint payment_intents_cancel_url
    check (cancel_url ~ '^https?://' and length(cancel_url) <= 2048),
  constraint payment_intents_received check (received_minor > 0),
  constraint payment_intents_settled check (settled_minor is null or (status = 'succeeded'
    and settled_minor > 0 and fee_minor <= settled_minor and settled_minor <= received_minor)),
  constraint payment_intents_refunded_check
    check (refunded_minor = 0 or (refunded_minor > 0 and status = 'succeeded')),
  constraint payment_intents_of_link
    check ((payment_link_id is null) = (collected is null) and (payment_link_id is null) = (quantity is null))
);
-- The list's cursor is a bare timestamp, as in GET /transactions: it must be a total order by itself.
create unique index payment_intents_cursor on payment_intents (user_id, environment, created_at);
-- Operators look for an amount in all accounts (db/operators/search.ts).
create index payment_intents_by_amount on payment_intents (amount_minor, created_at);
create index payment_intents_by_status
  on payment_intents (user_id, environment, status, created_at);
create index payment_intents_by_currency
  on payment_intents (user_id, environment, currency, created_at);
create index payment_intents_by_email
  on payment_intents (customer_email, user_id, environment, created_at)
  where customer_email is not null;
-- An intent that is being opened, by its key.
create index payment_intents_creating on payment_intents (user_id, environment, idempotency_key)
  where status = 'creating';
-- The overview asks at every visit what needs a merchant's attention: open links by when they expire. The payments
-- of a reusable link end soon by themselves.
create index payment_intents_open_by_end on payment_intents (user_id, environment, expires_at)
  where status = 'open' and payment_link_id is null;
-- The sweeper looks for intents that should have expired among all that are open.
create index payment_intents_overdue on payment_intents (expires_at)
  where status in ('open', 'processing');
-- Intents that have expired, by gateway and by when they are tried.
create index payment_intents_due
  on payment_intents (environment, gateway, (coalesce(next_check_at, expires_at)))
  where status in ('open', 'processing');
create index payment_intents_of_links on payment_intents (payment_link_id, created_at)
  where payment_link_id is not null;
-- Intents that have not ended, to be counted without reading a row. Those that have are left out, so
-- it stays small.
create index payment_intents_unfinished on payment_intents (environment, status)
  where status in ('creating', 'open', 'processing');

-- The changes of `status` that a table allows. The domain has the same lists with their causes; a test compares
-- them.
create table status_edges (
  table_name  text,
  from_status text,
  to_status   text,
  primary key (table_name, from_status, to_status)
);
create function check_status_edge() returns trigger language plpgsql as $$
begin
  if not exists (select from status_edges
                  where table_name = tg_table_name and from_status = old.status and to_status = new.status) then
    raise exception 'a row of % cannot go from % to %', tg_table_name, old.status, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

insert into status_edges select 'payment_intents', * from (values
  ('creating', 'open'), ('creating', 'abandoned'), ('abandoned', 'creating'),
  ('open', 'processing'), ('open', 'succeeded'), ('open', 'failed'), ('open', 'expired'),
  ('open', 'canceled'),
  ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'expired')) e;
create trigger payment_intents_edges before update on payment_intents
  for each row when (old.status <> new.status) execute function check_status_edge();

-- Sales of each day of UTC: at each visit of the overview a month's sales are read from some 30 rows.
-- Summing them up took a merchant with 30,000 payments among those of others as many blocks, and 150 ms. Only
-- count_payment writes here; a payment has the lock of its wallet by then, so that none waits for this row.
create table payment_days (
  user_id      uuid not null,
  environment  text not null,
  currency     text not null,
  day          date not null,
  payments     integer not null check (payments > 0),
  -- The sum that customers paid, before fees and refunds; without a bound, so that no payment fails because of it.
  amount_minor numeric not null check (amount_minor > 0),
  primary key (user_id, environment, day, currency)
) with (fillfactor = 50); -- today's row is updated in place

create function count_payment() returns trigger language plpgsql as $$
begin
  insert into payment_days as d (user_id, environment, currency, day, payments, amount_minor)
  values (new.user_id, new.environment, new.currency, (new.succeeded_at at time zone 'UTC')::date, 1,
    coalesce(new.settled_minor, new.amount_minor))
  on conflict (user_id, environment, day, currency) do update
    set payments = d.payments + 1, amount_minor = d.amount_minor + excluded.amount_minor;
  return null;
end $$;
create trigger payment_intents_count after update on payment_intents
  for each row when (old.status <> 'succeeded' and new.status = 'succeeded')
  execute function count_payment();

-- An intent has one live session: the one with the highest number.
create table checkout_sessions (
  intent_id    uuid not null references payment_intents,
  number       integer not null check (number > 0),
  session_id   text not null,
  checkout_url text not null,
  lapses_at    timestamptz,
  opened_at    timestamptz not null default clock_timestamp(),
  primary key (intent_id, number)
);

-- Any customer with the link may ask for the next session of a lapsed checkout. This row decides
-- which request asks the workflow: one at a time, and none before retry_at.
create table checkout_renewals (
  intent_id uuid primary key references payment_intents,
  retry_at  timestamptz not null,
  -- False once the workflow has answered: no request needs to wait for it any longer.
  is_asking boolean not null
) with (fillfactor = 50); -- updated in place, as long as a gateway is away

-- Everything that happened to an intent, in order, complete without Temporal.
create table intent_timeline (
  id        bigint generated always as identity,
  intent_id uuid not null,
  at        timestamptz not null default clock_timestamp(),
  source    text not null check (source in ('api', 'workflow', 'gateway', 'ledger', 'webhook')),
  kind      text not null,
  detail    jsonb not null default '{}',
  primary key (intent_id, id)
);

-- An intent that ends without a payment gives its place in its link back; one that succeeds is counted. At the
-- commit, so that the link's row is the last lock of every transaction that ends intents.
create function count_payment_of_link() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.status = 'succeeded' then
    update payment_links l
       set payments = l.payments + 1, paid_minor = l.paid_minor + coalesce(new.settled_minor, new.amount_minor)
     where l.id = new.payment_link_id;
  elsif new.status in ('abandoned', 'failed', 'expired', 'canceled') then
    update payment_links l set places = l.places - 1 where l.id = new.payment_link_id;
  end if;
  return null;
end $$;
create constraint trigger payment_intents_count_for_link after update on payment_intents
  deferrable initially deferred
  for each row when (new.payment_link_id is not null and new.status <> old.status)
  execute function count_payment_of_link();

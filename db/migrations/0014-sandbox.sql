-- Rehearsals of an account with its test keys. It has no row until it moves its clock or orders a fault.

create table sandboxes (
  user_id       uuid primary key references users,
  -- How far its clock is ahead of the time.
  clock_seconds integer not null default 0 check (clock_seconds between 0 and 400 * 86400),
  -- Whether sandbox_faults may hold any that is left: only then a request looks for it.
  has_faults    boolean not null default false
);

-- Faults ordered for requests that cannot carry the header, used up in the order of `position`.
create table sandbox_faults (
  id         uuid primary key default uuidv7(),
  user_id    uuid not null references sandboxes,
  position   bigint generated always as identity,
  -- The method and the path as the API's document has them: `POST /transfers`; or `webhook_endpoint/` and an id.
  operation  text not null check (length(operation) <= 200),
  fault      text not null check (length(fault) <= 20),
  times      integer not null check (times between 1 and 100),
  -- A row whose last use is over is deleted.
  uses_left  integer not null check (uses_left between 1 and times)
);
create index sandbox_faults_next on sandbox_faults (user_id, operation, position);

-- Faults that the next attempt of a delivery has used up, until it is recorded. Null: it takes the place of another.
create table sandbox_webhook_uses (
  delivery_id uuid primary key references webhook_deliveries,
  endpoint_id uuid not null references webhook_endpoints,
  attempt     integer not null,
  fault       text,
  -- The delivery that goes before this one, which waits for it (`swap`).
  partner     uuid references webhook_deliveries
);
create index sandbox_webhook_uses_of_endpoint on sandbox_webhook_uses (endpoint_id);

-- Idempotency keys that were told once that a request of theirs is still running.
create table sandbox_busy_keys (
  user_id    uuid not null references users,
  operation  text not null,
  key        text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (user_id, operation, key)
);
create index sandbox_busy_keys_old on sandbox_busy_keys (user_id, created_at);

-- The fault of the next call to a gateway about a payment intent, a refund or a payout. It may be there
-- before them, so there is no foreign key.
create table sandbox_gateway_faults (
  subject    uuid primary key,
  user_id    uuid not null references users,
  fault      text not null check (fault in ('gateway-down', 'gateway-unknown')),
  created_at timestamptz not null default clock_timestamp()
);
create index sandbox_gateway_faults_old on sandbox_gateway_faults (user_id, created_at);

-- Acts and decisions of operators: the audit log, identity checks that merchants submit, and decisions
-- about money that need a second operator.

-- A row for each action, written in the transaction of its effect
-- (docs/decisions/ledger.md). Rows are sealed as the ledger is: one that is changed,
-- removed or moved later is found by `ledger verify`, also when a superuser did it.
create table audit_log (
  -- 1, 2, 3 and so on, without gaps, in the order of the commits.
  id            bigint primary key check (id > 0),
  at            timestamptz not null,
  -- The name of the operator, as the command line or the page said it.
  actor         text not null check (actor ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$'),
  -- The login role of the connection, as Postgres knows it.
  database_role text not null check (database_role !~ '[\u0001-\u001f\u007f]'),
  action        text not null check (length(action) <= 64 and action ~ '^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$'),
  -- The subject of the act, such as `user/awa` or `key/` and its id.
  subject       text not null check (length(subject) between 1 and 200 and subject !~ '[\u0001-\u001f\u007f]'),
  -- Never a secret. `username` names the user whom the subject belongs to.
  details       jsonb not null check (jsonb_typeof(details) = 'object' and length(details::text) <= 16384)
);
create index audit_log_by_subject on audit_log (subject, id);
create index audit_log_by_username on audit_log ((details ->> 'username'), id);
create index audit_log_by_actor on audit_log (actor, id);
create index audit_log_by_action on audit_log (action, id);
-- Finds what operators did from an instant on. Rows are inserted in the order of that time
-- (db/operators/audit.sql), so block ranges find them, and an insert costs next to nothing.
create index audit_log_at on audit_log using brin (at)
  with (pages_per_range = 32, autosummarize = on);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- The allowed changes of users.kyc_status, each with its cause; IDENTITY_EDGES in domain/identity.ts
-- lists them again, and a test compares the two. `overruled`: an operator decides without a submission.
create table kyc_edges (
  from_status text not null,
  to_status   text not null,
  cause       text not null check (cause in ('submitted', 'decided', 'overruled', 'expired')),
  primary key (from_status, to_status)
);
insert into kyc_edges values
  ('not_started', 'pending', 'submitted'), ('rejected', 'pending', 'submitted'),
  ('expired', 'pending', 'submitted'),
  ('pending', 'approved', 'decided'), ('pending', 'rejected', 'decided'),
  ('pending', 'expired', 'expired'),
  ('not_started', 'approved', 'overruled'), ('not_started', 'rejected', 'overruled'),
  ('approved', 'approved', 'overruled'), ('approved', 'rejected', 'overruled'),
  ('rejected', 'approved', 'overruled'), ('rejected', 'rejected', 'overruled'),
  ('expired', 'approved', 'overruled'), ('expired', 'rejected', 'overruled');

-- One row per submission, and per decision without one (docs/decisions/people.md).
-- Nothing that identifies a person is in here.
create table identity_checks (
  id           uuid primary key,
  user_id      uuid not null references users,
  status       text not null check (status in ('pending', 'approved', 'rejected', 'expired')),
  created_at   timestamptz not null default clock_timestamp(),
  -- Null: an operator decided without a submission.
  submitted_by uuid references logins,
  -- The times at which operators (and from the second on the merchant) are reminded; how often they
  -- were.
  remind_at    timestamptz[] not null default '{}',
  reminders    integer not null default 0,
  expires_at   timestamptz,
  decided_at   timestamptz,
  decided_by   text check (length(decided_by) between 1 and 64),
  -- Told to the merchant.
  reason       text check (length(reason) between 1 and 500),
  -- The time at which its workflow has something to do; null when everything is done. What is
  -- overdue lost its workflow.
  due_at       timestamptz,
  check ((status = 'pending') = (decided_at is null)),
  check (status <> 'pending' or (due_at is not null and expires_at is not null)),
  check ((status in ('approved', 'rejected')) = (decided_by is not null))
);
create unique index identity_checks_one_pending on identity_checks (user_id) where status = 'pending';
create index identity_checks_of_account on identity_checks (user_id, created_at);
create index identity_checks_pending on identity_checks (created_at, id) where status = 'pending';
create index identity_checks_due on identity_checks (due_at) where due_at is not null;

-- Submitted data, encrypted (secrets/seal.ts). No role reads this table: operators call
-- view_identity_check, which leaves a row in the audit log.
create table identity_data (
  check_id uuid primary key references identity_checks,
  sealed   bytea not null check (length(sealed) <= 8192)
);

-- Photos of the document, encrypted too and hidden from both roles. They go when the data goes.
create table identity_pictures (
  check_id uuid not null references identity_data on delete cascade,
  side     text not null check (side in ('front', 'back')),
  -- 5 MiB, and what encryption adds.
  sealed   bytea not null check (length(sealed) <= 5243904),
  primary key (check_id, side)
);

-- Amounts above which a decision needs a second operator (docs/decisions/operators.md);
-- null: never. Only `migrate` can set it: an operator who decides must not choose the limit.
create table approval_limits (
  currency    text primary key references currencies (code),
  above_minor bigint check (above_minor >= 0)
);
insert into approval_limits (currency) select code from currencies;

-- Decisions that wait for a second operator, about money or a setting.
create table approvals (
  id              uuid primary key default uuidv7(),
  action          text not null check (action in ('wallets.credit', 'suspense.accept',
                  'suspense.refund', 'suspense.close', 'refunds.create', 'refunds.fail',
                  'payouts.settle', 'losses.settle',
                  -- Settings (db/operators/settings.sql), each noun's on a line of its own.
                  'fees.set', 'fees.end',
                  'risk.set', 'risk.remove', 'risk.release', 'risk.refuse', 'risk.provider',
                  'risk.load', 'risk.screening',
                  'tiers.set', 'tiers.profile', 'users.tier', 'users.limits',
                  'treasury.open', 'treasury.book', 'treasury.post', 'treasury.settle', 'treasury.format',
                  'treasury.terms')),
  -- `suspense/` and the item, or `credit/`, `refund/`, `payout/` or `loss/` and a reference, or that of a setting.
  subject         text not null check (length(subject) between 1 and 200),
  -- The action is called with these.
  arguments       jsonb not null check (length(arguments::text) <= 16384),
  -- Each of these is null where the decision has none, as many settings have.
  username        text,
  environment     text check (environment in ('live', 'sandbox')),
  currency        text references currencies (code),
  amount_minor    bigint check (amount_minor > 0),
  -- Why it was requested; may be empty.
  reason          text not null check (length(reason) <= 500),
  requested_by    text not null,
  requested_at    timestamptz not null default clock_timestamp(),
  -- The login role of the connection, as in the audit log.
  requested_role  text not null default session_user,
  expires_at      timestamptz not null,
  status          text not null default 'waiting'
                  check (status in ('waiting', 'approved', 'rejected', 'expired')),
  decided_by      text,
  decided_at      timestamptz,
  decision_reason text check (length(decision_reason) <= 500),
  check ((status = 'waiting') = (decided_at is null)),
  check ((status in ('approved', 'rejected')) = (decided_by is not null)),
  -- The function that approves also knows the other names of a person.
  constraint approvals_two_operators
    check (status <> 'approved' or lower(decided_by) <> lower(requested_by))
);
create unique index approvals_one_waiting on approvals (subject) where status = 'waiting';
create index approvals_waiting on approvals (requested_at, id) where status = 'waiting';
create index approvals_newest on approvals (requested_at desc, id);

-- One change of a setting (db/operators/settings.sql). `refusal` says why nothing was changed, in a word that the
-- command line has a sentence for; else null.
create type setting_change as (
  subject text, username text, environment text, currency text, amount_minor bigint,
  before jsonb, after jsonb, refusal text
);

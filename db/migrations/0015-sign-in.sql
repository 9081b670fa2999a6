-- What signing in needs beside people and sessions: mails, tokens that are sent by mail, counts of wrong
-- passwords, recovery codes, and invitations to a team (decisions 55 and 59).

-- What is or was to be sent. The text is sealed: it may hold a link that changes a password.
create table mails (
  id          uuid primary key,
  recipient   text not null check (length(recipient) between 3 and 254),
  subject     text not null check (length(subject) between 1 and 200),
  sealed_text bytea not null check (length(sealed_text) <= 20000),
  created_at  timestamptz not null default clock_timestamp(),
  sent_at     timestamptz,
  -- Refused for good, or not sent within three days.
  failed_at   timestamptz,
  tries       integer not null default 0,
  tried_at    timestamptz,
  last_error  text check (length(last_error) <= 500),
  check (sent_at is null or failed_at is null)
);
create index mails_waiting on mails (created_at) where sent_at is null and failed_at is null;
create index mails_by_age on mails (created_at);

-- Somebody was asked to join an account. Accepting or withdrawing it deletes the row.
create table invitations (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references users,
  email      text not null check (length(email) between 3 and 254),
  role       text not null check (role in ('developer', 'viewer')),
  invited_by uuid not null references logins,
  created_at timestamptz not null default clock_timestamp(),
  sent_at    timestamptz not null default clock_timestamp()
);
create unique index invitations_of_account on invitations (user_id, lower(email));

-- Sent by mail, and each worth something once. Only the hash is here.
create table login_tokens (
  token_hash    bytea primary key check (length(token_hash) = 32),
  kind          text not null check (kind in ('email', 'password', 'invitation')),
  login_id      uuid references logins,
  invitation_id uuid references invitations on delete cascade,
  -- Where it was sent: this is the address that it confirms.
  email         text not null check (length(email) between 3 and 254),
  created_at    timestamptz not null default clock_timestamp(),
  expires_at    timestamptz not null,
  check ((kind = 'invitation') = (invitation_id is not null)),
  check ((kind = 'invitation') = (login_id is null))
);
create index login_tokens_of_login on login_tokens (login_id, kind);
create index login_tokens_of_invitation on login_tokens (invitation_id);
create index login_tokens_expired on login_tokens (expires_at);

-- Of attempts that may not be made without end, by a hash of what they are counted by: a name, a browser,
-- an address. All processes share them.
create table attempt_counts (
  key           bytea primary key check (length(key) = 32),
  count         integer not null,
  blocked_until timestamptz,
  -- From then on the row means nothing.
  ends_at       timestamptz not null
);
create index attempt_counts_ended on attempt_counts (ends_at);

-- For whoever has lost the second factor.
create table recovery_codes (
  login_id  uuid not null references logins,
  code_hash bytea not null check (length(code_hash) = 32),
  used_at   timestamptz,
  primary key (login_id, code_hash)
);

-- For those who see only their own.
create index activities_of_member on activities (user_id, login_id, id) where user_id is not null;

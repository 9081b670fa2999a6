-- People who sign in to the dashboard (docs/decisions/dashboard.md): logins, the
-- accounts that they belong to in a role, sessions, what they did, mails, and what keeps passwords and
-- codes from being guessed.

create table logins (
  id                 uuid primary key default uuidv7(),
  email              text not null check (length(email) between 3 and 254),
  password_hash      text not null check (length(password_hash) <= 500),
  -- Null: the browser's.
  language           text check (language in ('en', 'fr')),
  is_operator        boolean not null default false,
  email_verified_at  timestamptz,
  -- Set from the moment in which a second factor is set up; it counts once it is confirmed.
  sealed_totp_secret bytea,
  totp_confirmed_at  timestamptz,
  -- The step of the last code that was accepted: a code is accepted once (RFC 6238, section 5.2).
  totp_last_step     bigint,
  created_at         timestamptz not null default clock_timestamp(),
  check (totp_confirmed_at is null or sealed_totp_secret is not null),
  -- A second factor and the operators' role belong to a confirmed address
  -- (docs/decisions/people.md): otherwise the first proof of who has the address, a
  -- link by mail, would have to end them.
  constraint logins_factor_confirmed check (totp_confirmed_at is null or email_verified_at is not null),
  constraint logins_operator_confirmed check (not is_operator or email_verified_at is not null)
);
-- An e-mail address belongs to the login that has confirmed it; others may name it until then, so
-- that signing up answers alike whether or not an account has the address
-- (docs/decisions/people.md).
create unique index logins_email_key on logins (email) where email_verified_at is not null;
create index logins_unconfirmed on logins (email, created_at) where email_verified_at is null;
create index logins_operators on logins (id) where is_operator;

create table memberships (
  login_id   uuid not null references logins,
  user_id    uuid not null references users,
  role       text not null check (role in
             ('owner', 'developer', 'cashier', 'accountant', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  -- Which news of the account the person gets by mail; null: what is usual for the role
  -- (USUAL_MAILS in domain/members.ts).
  mails      text[] check (mails <@ array['payments', 'digest', 'endpoints', 'statements']),
  primary key (login_id, user_id)
);
create index memberships_owners on memberships (user_id, created_at) where role = 'owner';
create index memberships_of_account on memberships (user_id, created_at);
-- Mails that come by the calendar, which only those get who have asked for them.
create index memberships_regular_mails on memberships (user_id) where mails && array['digest', 'statements'];

-- Each account has an owner who can sign in, whatever code has made the account.
create function open_login() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  login uuid;
begin
  insert into logins (email, password_hash) values (new.email, new.password_hash)
  returning id into login;
  insert into memberships (login_id, user_id, role) values (login, new.id, 'owner');
  return null;
end $$;
create trigger users_open_login after insert on users
  for each row execute function open_login();

-- A login was asked to join an account. Accepting or withdrawing it deletes the row.
create table invitations (
  id         uuid primary key default uuidv7(),
  user_id    uuid not null references users,
  email      text not null check (length(email) between 3 and 254),
  role       text not null check (role in
             ('owner', 'developer', 'cashier', 'accountant', 'viewer')),
  invited_by uuid not null references logins,
  created_at timestamptz not null default clock_timestamp(),
  sent_at    timestamptz not null default clock_timestamp()
);
create unique index invitations_of_account on invitations (user_id, email);

-- One row per browser that is signed in. Only the token's hash is here.
create table sessions (
  id            uuid primary key default uuidv7(),
  token_hash    bytea not null unique check (length(token_hash) = 32),
  login_id      uuid not null references logins,
  -- The account and the environment that its pages show; null for a person of no account.
  user_id       uuid references users,
  environment   text not null default 'sandbox' check (environment in ('live', 'sandbox')),
  -- `awaited`: the password was right, and nothing but the page for the code is shown.
  second_factor text not null check (second_factor in ('none', 'awaited', 'passed')),
  ip            text not null,
  user_agent    text not null check (length(user_agent) <= 200),
  -- The next page shows it once, such as a new key.
  sealed_flash  bytea,
  created_at    timestamptz not null default clock_timestamp(),
  last_seen_at  timestamptz not null default clock_timestamp(),
  expires_at    timestamptz not null,
  -- The time at which the password or a code was given last in the session; null: when it began.
  -- Acts that a stolen session must not do ask for it again (docs/decisions/people.md).
  confirmed_at  timestamptz
);
create index sessions_of_login on sessions (login_id, created_at);
create index sessions_expired on sessions (expires_at);

-- A token is sent by mail and is worth something once. Only the hash is here.
create table login_tokens (
  token_hash    bytea primary key check (length(token_hash) = 32),
  kind          text not null check (kind in ('email', 'password', 'invitation')),
  login_id      uuid references logins,
  invitation_id uuid references invitations on delete cascade,
  -- The address to which it was sent, and which it confirms.
  email         text not null check (length(email) between 3 and 254),
  created_at    timestamptz not null default clock_timestamp(),
  expires_at    timestamptz not null,
  check ((kind = 'invitation') = (invitation_id is not null)),
  check ((kind = 'invitation') = (login_id is null))
);
create index login_tokens_of_login on login_tokens (login_id, kind);
create index login_tokens_of_invitation on login_tokens (invitation_id);
create index login_tokens_expired on login_tokens (expires_at);

-- Codes for a person who has lost the second factor.
create table recovery_codes (
  login_id  uuid not null references logins,
  code_hash bytea not null check (length(code_hash) = 32),
  used_at   timestamptz,
  primary key (login_id, code_hash)
);

-- Only the operators' role, or one that may do what it may, writes what an operator signs in with:
-- the application's role, which strangers reach, begins no session, sets no password and makes no link
-- for an operator's login (docs/decisions/people.md). The argument names the column that holds the
-- login.
create function guard_operators_login() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  if has_function_privilege(session_user, 'set_operator(text,boolean,text)', 'execute') then
    return new;
  end if;
  perform from logins l where l.id = (to_jsonb(new) ->> tg_argv[0])::uuid and l.is_operator for key share;
  if found then
    raise exception 'this is an operator''s login' using errcode = 'AP003';
  end if;
  return new;
end $$;
create trigger logins_guard_operators
  before update of email, password_hash, email_verified_at, sealed_totp_secret, totp_confirmed_at, is_operator
  on logins for each row execute function guard_operators_login('id');
create trigger sessions_guard_operators
  before insert or update of token_hash, login_id, second_factor, confirmed_at on sessions
  for each row execute function guard_operators_login('login_id');
create trigger login_tokens_guard_operators before insert or update on login_tokens
  for each row execute function guard_operators_login('login_id');
create trigger recovery_codes_guard_operators before insert on recovery_codes
  for each row execute function guard_operators_login('login_id');

-- Attempts that may not be made without end, by a hash of what they are counted by: a name, a browser,
-- an address. All processes share them.
create table attempt_counts (
  key           bytea primary key check (length(key) = 32),
  count         integer not null,
  blocked_until timestamptz,
  -- The time from which the row means nothing.
  ends_at       timestamptz not null
);
create index attempt_counts_ended on attempt_counts (ends_at);

-- The log of what people did in an account, or with their own login (user_id null). The row is there before the
-- effect: an effect without a row cannot be. Operators' decisions are in audit_log.
create table activities (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  login_id    uuid not null references logins,
  user_id     uuid references users,
  environment text not null check (environment in ('live', 'sandbox')),
  -- A name such as keys.revoke.
  action      text not null check (action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$'),
  ip          text not null,
  -- Null while it is under way, and for ever when the process died meanwhile: it may have happened.
  outcome     text check (outcome in ('done', 'refused', 'failed')),
  -- The subject of the act, such as a key's id.
  subject     text check (length(subject) <= 300)
);
create index activities_of_account on activities (user_id, id) where user_id is not null;
create index activities_of_login on activities (login_id, id);
-- Serves members who see only their own.
create index activities_of_member on activities (user_id, login_id, id) where user_id is not null;

-- Mails that are or were to be sent (docs/decisions/dashboard.md). The text is sealed: it may hold a link that
-- changes a password.
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

-- Receipts that are to be mailed to customers, written with the payment: one per payment, whatever
-- dies. The mail itself is made afterwards, because its text is sealed with a key that the database
-- does not have.
create table receipt_mails (
  intent_id  uuid primary key references payment_intents,
  created_at timestamptz not null default clock_timestamp(),
  -- Null until the mail is made; a receipt that was too old by then stays without one.
  mail_id    uuid references mails,
  ended_at   timestamptz
);
create index receipt_mails_waiting on receipt_mails (created_at) where ended_at is null;

-- News that were told by mail (docs/decisions/dashboard.md): the row is written with the
-- mails, so a process that comes second tells nothing.
create table told (
  kind    text not null check (kind in ('users.freeze', 'users.unfreeze', 'endpoint_failing',
          'endpoint_disabled', 'approval', 'payout', 'key_expiry', 'full_day', 'digest', 'statement')),
  -- The account, the endpoint, the approval, the payout that waits for one, or the key that expires.
  subject uuid not null,
  -- The time at which it happened, or the beginning of the day or month that it is about.
  at      timestamptz not null,
  primary key (kind, subject, at)
);
-- The days and months come without end, and are forgotten.
create index told_regular on told (at) where kind in ('full_day', 'digest', 'statement');

-- The moment until which the money that a live wallet received was told, and the number of mails on
-- the last of the days. No posting reads or writes it.
create table wallet_news (
  account_id bigint primary key references ledger_accounts,
  told_until timestamptz not null,
  told_on    date not null,
  mails      integer not null check (mails >= 0)
) with (fillfactor = 50); -- updated in place

-- E-mail addresses are stored in the one form that readEmail of domain/email.ts makes, and compared as
-- they are: no look-up has to fold them, and what Postgres and JavaScript call lower case cannot
-- differ. The checks say of that form what SQL can
-- (docs/decisions/typed-text.md). A loop writes them into the tables, so that the
-- form is stated once.
do $$
declare
  t text;
begin
  foreach t in array array['users', 'logins', 'invitations', 'login_tokens'] loop
    execute format('alter table %I add constraint %I check (
        email is nfkc normalized
        and email ~ %L)',
      t, t || '_email_form',
      '^[^A-Z\s@<>()\[\],;:"\\\u0001-\u001f\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]{1,64}'
      '@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$');
  end loop;
end $$;

-- People who sign in to the dashboard. Until now an account (a row of `users`) was its owner as well; a
-- team needs people of their own, who belong to accounts in a role (decision 54).

create table logins (
  id                 uuid primary key default gen_random_uuid(),
  email              text not null check (length(email) between 3 and 254),
  password_hash      text not null check (length(password_hash) <= 500),
  -- Null: the browser's.
  language           text check (language in ('en', 'fr')),
  is_operator        boolean not null default false,
  email_verified_at  timestamptz,
  -- Set from the moment in which a second factor is set up; it counts once it is confirmed.
  sealed_totp_secret bytea,
  totp_confirmed_at  timestamptz,
  -- Of the last code that was accepted: a code is accepted once (RFC 6238, section 5.2).
  totp_last_step     bigint,
  created_at         timestamptz not null default clock_timestamp(),
  check (totp_confirmed_at is null or sealed_totp_secret is not null)
);
create unique index logins_email_key on logins (lower(email));

create table memberships (
  login_id   uuid not null references logins,
  user_id    uuid not null references users,
  role       text not null check (role in ('owner', 'developer', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (login_id, user_id)
);
create unique index memberships_owner on memberships (user_id) where role = 'owner';
create index memberships_of_account on memberships (user_id, created_at);

insert into logins (id, email, password_hash, created_at)
select id, email, password_hash, created_at from users;
insert into memberships (login_id, user_id, role, created_at)
select id, id, 'owner', created_at from users;

-- Each account has an owner who can sign in, also when a process of an earlier version makes the
-- account. From here on `users.password_hash` is only what the login began with.
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

-- One row per browser that is signed in. Only the token's hash is here.
create table sessions (
  id           uuid primary key default gen_random_uuid(),
  token_hash   bytea not null unique check (length(token_hash) = 32),
  login_id     uuid not null references logins,
  -- The account and the environment that its pages show; null for a person of no account.
  user_id      uuid references users,
  environment  text not null default 'sandbox' check (environment in ('live', 'sandbox')),
  -- `awaited`: the password was right, and nothing but the page for the code is shown.
  second_factor text not null check (second_factor in ('none', 'awaited', 'passed')),
  ip           text not null,
  user_agent   text not null check (length(user_agent) <= 200),
  -- What the next page shows once, such as a new key.
  sealed_flash bytea,
  created_at   timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  expires_at   timestamptz not null
);
create index sessions_of_login on sessions (login_id, created_at);
create index sessions_expired on sessions (expires_at);

-- What people did in an account, or with their own login (user_id null). The row is there before the
-- effect: an effect without a row cannot be. Operators' decisions are in audit_log.
create table activities (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  login_id    uuid not null references logins,
  user_id     uuid references users,
  environment text not null check (environment in ('live', 'sandbox')),
  -- Such as keys.revoke.
  action      text not null check (action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$'),
  ip          text not null,
  -- Null while it is under way, and for ever when the process died meanwhile: it may have happened.
  outcome     text check (outcome in ('done', 'refused', 'failed')),
  -- What it was about, such as a key's id.
  subject     text check (length(subject) <= 300)
);
create index activities_of_account on activities (user_id, id) where user_id is not null;
create index activities_of_login on activities (login_id, id);

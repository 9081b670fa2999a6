-- Accounts (`users`), their API keys, and what is counted against their limits. What exists both in
-- live and in sandbox has an `environment` column, here and in all other files, so that no query can
-- cross from sandbox to live by forgetting a condition.

create table users (
  id            uuid primary key default uuidv7(),
  -- Lower case only: two usernames must never differ by capitals alone.
  username      text not null unique check (username ~ '^[a-z0-9][a-z0-9._-]{2,31}$'),
  -- The address of the account itself. Several accounts may name one: it belongs to the login that
  -- has confirmed it (0007-people.sql, which also states the form of every address).
  email         text not null check (length(email) between 3 and 254),
  -- The owner's login began with it (open_login in 0007-people.sql).
  password_hash text not null,
  first_name    text not null default '' check (length(first_name) <= 100),
  last_name     text not null default '' check (length(last_name) <= 100),
  country       text not null check (country ~ '^[A-Z]{2}$'),
  kyc_status    text not null default 'not_started'
                check (kyc_status in ('not_started', 'pending', 'approved', 'rejected', 'expired')),
  created_at    timestamptz not null default clock_timestamp(),
  -- A frozen account (docs/decisions/keys-and-limits.md).
  frozen_at     timestamptz,
  frozen_reason text check (length(frozen_reason) between 1 and 500),
  -- How many different usernames that no account has it may try in an hour, in each environment.
  unknown_recipients_per_hour integer not null default 30
                check (unknown_recipients_per_hour between 1 and 100000000),
  -- Customers see these of a merchant. Null: the first and the last name, and no contact.
  display_name  text,
  contact       text,
  -- More than ten keys with the usual limits were valid when one was last made: only then do the calls of
  -- all of them together come near the account's own limit, and are added up (authenticate.sql).
  has_many_keys boolean not null default false,
  constraint users_frozen_for_a_reason check ((frozen_at is null) = (frozen_reason is null)),
  constraint users_display_name check (length(display_name) between 1 and 100),
  constraint users_contact check (length(contact) between 1 and 200),
  -- Customers see these names: nothing in them ends a line or turns its direction.
  constraint users_names_of_one_line check (
    concat(first_name, last_name, display_name, contact)
      !~ '[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]'),
  -- The names with the space between them are no longer than a display name.
  constraint users_names_together check (length(first_name) + length(last_name) <= 99)
);
-- The operators' lists, and their search by the beginning of a name or an address.
create index users_newest on users (created_at desc, id desc);
create index users_username_prefix on users (username text_pattern_ops);
create index users_email_prefix on users (email text_pattern_ops);

-- A merchant's logo stands beside `users`, whose rows every request reads. `image` is a PNG that we
-- have written ourselves.
create table merchant_logos (
  user_id uuid primary key references users,
  image   bytea not null check (length(image) between 1 and 204800),
  set_at  timestamptz not null default clock_timestamp()
);

create table api_keys (
  id                  uuid primary key default uuidv7(),
  user_id             uuid not null references users,
  environment         text not null check (environment in ('live', 'sandbox')),
  name                text not null default '' check (length(name) <= 100),
  -- Only the SHA-256 is stored: a copy of this table opens nothing (specification, section 5).
  key_hash            bytea not null unique check (length(key_hash) = 32),
  key_prefix          text not null,
  last_four           text not null check (length(last_four) = 4),
  requests_per_minute integer not null default 60 check (requests_per_minute between 1 and 100000000),
  writes_per_minute   integer not null default 30 check (writes_per_minute between 1 and 100000000),
  created_at          timestamptz not null default clock_timestamp(),
  -- A moment in the future while the key that replaces it is brought to where this one is used: it
  -- is valid until then.
  revoked_at          timestamptz,
  replaced_by         uuid references api_keys,
  -- The person who made or rotated it; null when operators did.
  login_id            uuid,
  -- The key may do this (domain/scopes.ts).
  scopes              text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read',
                      'transfers:write', 'payment_intents:write', 'refunds:write', 'payouts:write',
                      'payouts:approve', 'webhooks:write', 'sandbox']),
  -- From then on it is refused, as a revoked one is.
  expires_at          timestamptz,
  -- Null: any address. IPv4 ranges are never written as IPv6 (see key_networks).
  allowed_ips         cidr[] check (cardinality(allowed_ips) between 1 and 32),
  -- The minor units of each currency that may leave the account by this key in 24 hours; null: any.
  daily_limit         jsonb check (jsonb_typeof(daily_limit) = 'object'),
  -- The first key of its rotations: what leaves by all of them is counted together. Null: this one.
  first_key           uuid references api_keys
);
create index api_keys_user on api_keys (user_id, created_at);
create index api_keys_expiry on api_keys (expires_at) where expires_at is not null;

-- A key that replaces another may do no more than it, whatever code has rotated it, and may send no more than what
-- that one has left of its day.
create function keep_key_limits() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  update api_keys k
     set scopes = new.scopes, expires_at = new.expires_at, allowed_ips = new.allowed_ips,
         daily_limit = new.daily_limit, first_key = coalesce(new.first_key, new.id)
   where k.id = new.replaced_by
     and (k.scopes, k.expires_at, k.allowed_ips, k.daily_limit, k.first_key)
         is distinct from
           (new.scopes, new.expires_at, new.allowed_ips, new.daily_limit, coalesce(new.first_key, new.id));
  return null;
end $$;
create trigger api_keys_keep_limits after update of replaced_by on api_keys
  for each row when (new.replaced_by is not null) execute function keep_key_limits();

-- One row per key: 61 one-second slots, whose sums are computed. 61 slots of whole seconds cover at
-- least 60 s at any fraction of the second, so no 60 s ever hold more calls than the limit. The table
-- is unlogged: no request waits for a disk flush to be counted, and a crash of Postgres loses only
-- the counts of the last minute.
create unlogged table rate_windows (
  key_id         uuid primary key,
  last_second    bigint not null,
  requests       integer[] not null,
  writes         integer[] not null
) with (fillfactor = 50);

-- Sums that have left an account by a key with a daily limit, by the first key of its rotations: one row for each
-- minute in which anything has, and no more of a currency than a day has minutes (docs/decisions/keys-and-limits.md).
create table key_spending (
  key_id       uuid not null,
  currency     text not null,
  minute       timestamptz not null check (minute = date_trunc('minute', minute)),
  amount_minor bigint not null check (amount_minor > 0),
  primary key (key_id, currency, minute)
) with (fillfactor = 50); -- the row of this minute is updated in place

-- The usernames that no account has, by the account that tried them in the last hour: one row for
-- each name, at most users.unknown_recipients_per_hour in each environment. Older rows go with the
-- next such try.
create table unknown_recipients (
  user_id     uuid not null,
  environment text not null,
  -- A hash of the name: what was mistyped is not kept.
  name_hash   bigint not null,
  tried_at    timestamptz not null,
  primary key (user_id, environment, name_hash)
);

-- What an account and a key may do: an account can be frozen, a key can be limited to reading and to
-- addresses, and an account can try only so many usernames that nobody has
-- (docs/decisions/0042-frozen-accounts-and-limited-keys.md).

alter table users
  add column frozen_at timestamptz,
  add column frozen_reason text check (length(frozen_reason) between 1 and 500),
  add constraint users_frozen_for_a_reason check ((frozen_at is null) = (frozen_reason is null)),
  -- How many different usernames that nobody has it may try in an hour, in each environment.
  add column unknown_recipients_per_hour integer not null default 30
    check (unknown_recipients_per_hour between 1 and 100000000);

-- Of a wallet whose user is frozen. It stands in the wallet's own row, so that the lock that every
-- posting takes decides between a posting and a freeze.
alter table ledger_accounts add column is_frozen boolean not null default false;

alter table api_keys
  add column read_only boolean not null default false,
  -- Null: any address. IPv4 ranges are never written as IPv6 (see key_networks).
  add column allowed_ips cidr[] check (cardinality(allowed_ips) between 1 and 32);

-- A key that replaces another may do no more than it. The previous version's processes, which run
-- beside this schema for a while, rotate keys without knowing these columns.
create function keep_key_limits() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  update api_keys k set read_only = new.read_only, allowed_ips = new.allowed_ips
   where k.id = new.replaced_by
     and (k.read_only, k.allowed_ips) is distinct from (new.read_only, new.allowed_ips);
  return null;
end $$;
create trigger api_keys_keep_limits after update of replaced_by on api_keys
  for each row when (new.replaced_by is not null) execute function keep_key_limits();

-- The usernames that nobody has, by whom they were tried in the last hour: one row for each name, at
-- most users.unknown_recipients_per_hour in each environment. Rows that are older go with the next
-- such try.
create table unknown_recipients (
  user_id     uuid not null,
  environment text not null,
  -- Of the name: what was mistyped is not kept.
  name_hash   bigint not null,
  tried_at    timestamptz not null,
  primary key (user_id, environment, name_hash)
);

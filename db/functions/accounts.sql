-- What an account and a key may do: freezing, the addresses of a key, and the usernames that an account
-- may find out about (docs/decisions/0042-frozen-accounts-and-limited-keys.md).

-- Freezes an account: from the commit on, its keys are refused and nothing leaves its wallets. The
-- wallets' locks are those of the postings: a posting that has them commits first, and one that comes
-- later sees the mark. Freezing again keeps the first time and reason and returns false.
create or replace function freeze_account(account uuid, reason text, actor text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz;
  name text;
begin
  -- The user's row before the wallets: no posting locks a user's row.
  select u.frozen_at, u.username into strict since, name
    from users u where u.id = account for no key update;
  if since is not null then
    return false;
  end if;
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = account));
  update ledger_accounts a set is_frozen = true where a.user_id = account;
  update users u set frozen_at = clock_timestamp(), frozen_reason = reason where u.id = account;
  perform add_audit_row(actor, 'users.freeze', 'user/' || name,
    jsonb_build_object('username', name, 'reason', reason));
  return true;
end $$;

-- False when the account was not frozen.
create or replace function unfreeze_account(account uuid, reason text, actor text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz;
  frozen_for text;
  name text;
begin
  select u.frozen_at, u.frozen_reason, u.username into strict since, frozen_for, name
    from users u where u.id = account for no key update;
  if since is null then
    return false;
  end if;
  perform refuse_own_account(actor, account);
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = account));
  update ledger_accounts a set is_frozen = false where a.user_id = account;
  update users u set frozen_at = null, frozen_reason = null where u.id = account;
  perform add_audit_row(actor, 'users.unfreeze', 'user/' || name, jsonb_build_object('username', name,
    'reason', reason, 'frozen_at', since, 'frozen_reason', frozen_for));
  return true;
end $$;

-- An address without its zone, and as IPv4 where it is an IPv4 address in IPv6's form: one client must
-- not need two entries in a list. Null when it is none.
create or replace function plain_address(address text) returns inet language plpgsql immutable as $$
declare
  given inet;
begin
  given := split_part(address, '%', 1)::inet;
  if given <<= '::ffff:0:0/96'::inet then
    return '0.0.0.0'::inet + (host(given)::inet - '::ffff:0:0'::inet);
  end if;
  return given;
exception when invalid_text_representation then
  return null;
end $$;

-- Addresses and ranges as a key's list keeps them. Raises invalid_text_representation for any other
-- text, and for a range with bits beyond its prefix.
create or replace function key_networks(ranges text[]) returns cidr[] language sql immutable as $$
  select array_agg(case when n.range <<= '::ffff:0:0/96'::inet
           then set_masklen('0.0.0.0'::inet + (host(n.range)::inet - '::ffff:0:0'::inet),
                  masklen(n.range) - 96)::cidr
           else n.range end)
    from (select r.text::cidr as range from unnest(ranges) r (text)) n
$$;

-- Whether the account may be told, without paying, if anyone has this username. It may for the first
-- so many names that nobody has, each counted once in an hour, and for names that it knows: those it
-- was told of within the hour, and those that its latest transfers went to. The caller holds the
-- account's lock for unknown recipients when nobody has the name.
--
-- What was read for one name is in the answer, for the next name of the same account and statement: to
-- read it for each of 10,000 names takes longer than a statement may.
create or replace function learn_recipient(
  account uuid, env text, username text, is_user boolean, at timestamptz, before recipient_learning
) returns recipient_learning language plpgsql as $$
declare
  -- Enough for a shop's regular recipients, and read only past the limit.
  known_transfers constant integer := 1000;
  hour_ago timestamptz := at - interval '1 hour';
  hash bigint := hashtextextended(username, 0);
  l recipient_learning := before;
begin
  if l.tries_left is null then
    select u.unknown_recipients_per_hour - (
             select count(*) from unknown_recipients t
              where t.user_id = account and t.environment = env and t.tried_at > hour_ago)
      into strict l.tries_left
      from users u where u.id = account;
  end if;
  l.allowed := (l.tries_left > 0 and is_user) or exists (
    select from unknown_recipients t
     where t.user_id = account and t.environment = env and t.name_hash = hash and t.tried_at > hour_ago);
  if l.allowed then
    return l;
  end if;
  if l.tries_left > 0 then
    if not coalesce(l.is_tidy, false) then
      delete from unknown_recipients t
       where t.user_id = account and t.environment = env and t.tried_at <= hour_ago;
      l.is_tidy := true;
    end if;
    insert into unknown_recipients values (account, env, hash, at)
    on conflict (user_id, environment, name_hash) do update set tried_at = excluded.tried_at;
    l.tries_left := l.tries_left - 1;
    l.allowed := true;
  elsif is_user then
    l.known := coalesce(l.known, (
      select coalesce(jsonb_object_agg(h.counterparty, null), '{}')
        from (select x.counterparty from transactions x
               where x.user_id = account and x.environment = env and x.type = 'transfer_out'
               order by x.created_at desc limit known_transfers) h));
    l.allowed := l.known ? username;
  end if;
  return l;
end $$;

-- The same for one name.
create or replace function may_learn_recipient(
  account uuid, env text, username text, is_user boolean, at timestamptz
) returns boolean language plpgsql as $$
begin
  return (learn_recipient(account, env, username, is_user, at, null)).allowed;
end $$;

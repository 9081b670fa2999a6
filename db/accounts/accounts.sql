-- Limits of an account and a key: freezing, the addresses of a key
-- (docs/decisions/keys-and-limits.md), and how many usernames without an
-- account it may name (docs/decisions/transfers.md).

-- Freezes an account: from the commit on, its keys are refused and nothing leaves its wallets (a trigger marks
-- them). Freezing again keeps the first time and reason and returns false.
create or replace function freeze_account(account uuid, reason text, actor text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since timestamptz;
  name text;
begin
  select u.frozen_at, u.username into strict since, name
    from users u where u.id = account for no key update;
  if since is not null then
    return false;
  end if;
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
-- text, and for a range with bits beyond its prefix. 127.1 would be a network, and a list of any IPv6 would refuse all
-- of IPv4: a key that may be used from anywhere has no list.
create or replace function key_networks(ranges text[]) returns cidr[] language plpgsql immutable as $$
declare
  networks cidr[];
begin
  select array_agg(case when n.range <<= '::ffff:0:0/96'::inet
           then set_masklen('0.0.0.0'::inet + (host(n.range)::inet - '::ffff:0:0'::inet),
                  masklen(n.range) - 96)::cidr
           else n.range end)
    into networks
    from (select r.text::cidr as range from unnest(ranges) r (text)) n;
  if exists (select from unnest(ranges) r (text) where r.text !~ ':' and r.text !~ '^\s*\d+(\.\d+){3}\s*(/|$)')
     or exists (select from unnest(networks) n (range) where masklen(n.range) = 0) then
    raise exception 'a list of addresses has whole addresses, and not all of them'
      using errcode = 'invalid_text_representation';
  end if;
  return networks;
end $$;

-- Why nothing leaves the account now, as the code of the refusal; null when it may.
create or replace function account_hold(owner uuid, env text) returns text language sql stable as $$
  select a.held_by from ledger_accounts a
   where a.user_id = owner and a.environment = env and a.held_by is not null limit 1
$$;

-- Counts those of the names that no user has, before the account's order is carried out. Null: it
-- may name them. Otherwise it must be refused, and the result is in how many seconds it may name
-- another unknown one.
--
-- Each name is counted once in an hour. An account that has named as many as it can may name only
-- those whom it knows: whom it was told of within the hour, and whom its latest transfers went to.
-- With `cur` the order is one transfer, and it may also name whom that would pay.
--
-- It is called alone in its transaction, so that its lock is held for a moment only.
create or replace function count_unknown_recipients(
  account uuid, env text, names text[], cur text, amount_minor bigint
) returns integer
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  -- Enough for a shop's regular recipients.
  known_transfers constant integer := 1000;
  most integer;
  tries_left integer;
  -- Hashes of the names that no user has and that are not counted yet.
  unknown bigint[];
begin
  -- A held wallet's transfer is refused before the recipient is looked at.
  if account_hold(account, env) is not null then
    return null;
  end if;
  perform pg_advisory_xact_lock(idempotency_lock(account, env, 'unknown_recipient', ''));
  delete from unknown_recipients t
   where t.user_id = account and t.environment = env and t.tried_at <= clock_timestamp() - interval '1 hour';
  select u.unknown_recipients_per_hour into strict most from users u where u.id = account;
  tries_left := most - (select count(*) from unknown_recipients t where t.user_id = account and t.environment = env);
  unknown := array(
    select hashtextextended(n, 0) from unnest(names) n
     where not exists (select from users u where u.username = n)
    except
    select t.name_hash from unknown_recipients t where t.user_id = account and t.environment = env);
  insert into unknown_recipients (user_id, environment, name_hash, tried_at)
  select account, env, h, clock_timestamp() from unnest(unknown[1:tries_left]) h;
  if cardinality(unknown) <= tries_left and tries_left > 0 then
    return null;
  end if;
  if cardinality(unknown) = 0 and not exists (
      select from unnest(names) n
       where n not in (select x.counterparty from transactions x
                        where x.user_id = account and x.environment = env and x.type = 'transfer_out'
                        order by x.created_at desc limit known_transfers)
         and not exists (select from unknown_recipients t where t.user_id = account and t.environment = env
                            and t.name_hash = hashtextextended(n, 0))
         and not (env = 'live' and exists (
               select from users u
                 join ledger_accounts payee on payee.user_id = u.id and payee.environment = env
                      and payee.currency = cur and payee.kind = 'wallet'
                 join ledger_accounts payer on payer.user_id = account and payer.environment = env
                      and payer.currency = cur and payer.kind = 'wallet'
                where u.username = n and payer.balance_minor >= amount_minor
                  and payee.balance_minor + amount_minor <= 999999999999999))) then -- ledger_accounts.wallet_balance
    return null;
  end if;
  return (select greatest(1, ceil(extract(epoch from t.tried_at + interval '1 hour' - clock_timestamp())))
            from unknown_recipients t where t.user_id = account and t.environment = env
           order by t.tried_at desc offset most - 1 limit 1)::integer;
end $$;

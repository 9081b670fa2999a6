-- Users and their API keys, as the application may change them: a user signs up, and creates, rotates
-- and revokes keys of his own. What only operators may do is in operators.sql.

-- Signs a user up, without an identity check. The trigger of `users` opens the wallets; `funds` are the
-- sandbox's opening balances, {reference, currency, amount_minor} each: sandbox money is free.
create or replace function create_user(fields jsonb, funds jsonb) returns setof users
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
begin
  insert into users (username, email, password_hash, first_name, last_name, country)
  select f.username, f.email, f.password_hash, f.first_name, f.last_name, f.country
    from jsonb_to_record(fields) f (username text, email text, password_hash text, first_name text,
         last_name text, country text)
  returning * into u;
  perform post_adjustment(f.reference, u.id, 'sandbox', f.currency, 'sandbox_source', f.amount_minor,
      'sandbox opening balance', true)
    from jsonb_to_recordset(funds) f (reference text, currency text, amount_minor bigint);
  return next u;
end $$;

-- The id of the new key; null when a live key is asked for a user whose identity check is not approved, or by a person
-- who by now may not give it what it may do.
-- `options`: {user_id, environment, name, scopes, allowed_ips, expires_at or expires_in_days, daily_limit (minor
-- units by currency)}; `material`: {key_hash (hex), key_prefix, last_four, login_id}.
create or replace function insert_api_key(
  options jsonb, material jsonb, requests_per_minute integer, writes_per_minute integer
) returns uuid language plpgsql as $$
declare
  owner uuid := (options ->> 'user_id')::uuid;
  new_id uuid;
begin
  if not may_give_scopes(owner, options ->> 'environment', material, options -> 'scopes') then
    return null;
  end if;
  -- With the user's row locked, so that an approval withdrawn meanwhile is seen, and keys made together are
  -- counted one after the other.
  insert into api_keys (user_id, environment, name, key_hash, key_prefix, last_four,
    requests_per_minute, writes_per_minute, scopes, expires_at, allowed_ips, daily_limit, login_id)
  select u.id, options ->> 'environment', options ->> 'name',
         decode(material ->> 'key_hash', 'hex'), material ->> 'key_prefix', material ->> 'last_four',
         insert_api_key.requests_per_minute, insert_api_key.writes_per_minute,
         array(select jsonb_array_elements_text(options -> 'scopes')),
         coalesce((options ->> 'expires_at')::timestamptz, expiry_in(options)), key_networks_of(options),
         nullif(options -> 'daily_limit', 'null'), (material ->> 'login_id')::uuid
    from users u
   where u.id = owner
     and (options ->> 'environment' = 'sandbox' or u.kyc_status = 'approved')
     for no key update
  returning id into new_id;
  -- A key that was valid in the last minute has calls in it.
  update users u set has_many_keys = x.has_many
    from (select count(*) > 10 as has_many from api_keys k
           where k.user_id = owner and k.requests_per_minute <= 60 and k.writes_per_minute <= 30
             and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp() - interval '61 seconds', true)) x
   where u.id = owner and u.has_many_keys <> x.has_many;
  return new_id;
end $$;

-- `material` names a person, or none when operators make the key.
create or replace function may_give_scopes(owner uuid, env text, material jsonb, scopes jsonb) returns boolean
language plpgsql as $$
begin
  return material ->> 'login_id' is null
      or scopes <@ to_jsonb(role_scopes(hold_role(owner, (material ->> 'login_id')::uuid), env));
end $$;

create or replace function expiry_in(options jsonb) returns timestamptz language sql as $$
  select clock_timestamp() + make_interval(days => (options ->> 'expires_in_days')::integer)
$$;

create or replace function key_networks_of(options jsonb) returns cidr[] language sql as $$
  select key_networks(case when jsonb_typeof(options -> 'allowed_ips') = 'array'
    then array(select jsonb_array_elements_text(options -> 'allowed_ips')) end)
$$;

-- An account has at most 50 active keys, test and live: what guards an account must not have to look through
-- keys without end. With the user's row locked, so that of several who ask at once one gets the last place. A
-- rotation replaces a key and does not ask.
create or replace function require_place_for_key(options jsonb) returns void language plpgsql as $$
begin
  perform from users u where u.id = (options ->> 'user_id')::uuid for no key update;
  if (select count(*) from api_keys k
       where k.user_id = (options ->> 'user_id')::uuid
         and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp(), true)) >= 50 then
    raise exception 'there are too many active keys' using errcode = 'KY001';
  end if;
end $$;

-- `options` has {payouts_need_addresses} where the operators want live keys that pay out to be used from known
-- addresses only.
create or replace function require_addresses(key uuid, options jsonb) returns void language plpgsql as $$
begin
  if (options ->> 'payouts_need_addresses')::boolean and exists (select from api_keys k
       where k.id = key and k.environment = 'live' and 'payouts:write' = any (k.scopes)
         and k.allowed_ips is null) then
    raise exception 'a live key with payouts:write needs addresses' using errcode = 'KY002';
  end if;
end $$;

-- Makes a key with the limits that every key begins with.
create or replace function create_api_key(options jsonb, material jsonb) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  new_id uuid;
begin
  perform require_place_for_key(options);
  new_id := insert_api_key(options, material, 60, 30);
  perform require_addresses(new_id, options);
  return new_id;
end $$;

-- The same for an account that has never had one; null for another. With the user's row locked, so that of
-- several who ask at once one gets it.
create or replace function create_first_api_key(options jsonb, material jsonb) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from users u where u.id = (options ->> 'user_id')::uuid for no key update;
  if exists (select from api_keys k where k.user_id = (options ->> 'user_id')::uuid) then
    return null;
  end if;
  return insert_api_key(options, material, 60, 30);
end $$;

-- Makes a key like the old one and revokes the old one, both or neither: at once, or after the overlap, in which
-- both are valid. Of a key that is rotated again its own predecessor ends at once, so that however often it is
-- done, two keys at most stand in one place. The new one expires with the old one, unless `material` has
-- {expires_in_days}.
-- outcome: rotated (`new_id` is set) | revoked (or expired) | kyc_required
create or replace function replace_api_key(
  old api_keys, material jsonb, overlap_seconds integer, out outcome text, out new_id uuid
) language plpgsql as $$
begin
  if old.revoked_at is not null or old.expires_at <= clock_timestamp() then
    outcome := 'revoked';
    return;
  end if;
  new_id := insert_api_key(to_jsonb(old), material, old.requests_per_minute, old.writes_per_minute);
  if new_id is null then
    outcome := 'kyc_required';
    return;
  end if;
  update api_keys k set revoked_at = clock_timestamp()
   where k.user_id = old.user_id and k.replaced_by = old.id and k.revoked_at > clock_timestamp();
  update api_keys k
     set revoked_at = clock_timestamp() + make_interval(secs => least(greatest(overlap_seconds, 0), 86400)),
         replaced_by = new_id
   where k.id = old.id;
  if material ? 'expires_in_days' then
    -- keep_key_limits has given it the old one's.
    update api_keys k set expires_at = expiry_in(material) where k.id = new_id;
  end if;
  outcome := 'rotated';
end $$;

-- Rotates as replace_api_key does, or returns not_found, also for another user's key, and for one that may do more than
-- the person who rotates it may give.
create or replace function rotate_api_key(
  key uuid, owner uuid, material jsonb, overlap_seconds integer, out outcome text, out new_id uuid
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  old api_keys;
begin
  -- Before the key, as what ends a person's rights locks them.
  perform hold_role(owner, (material ->> 'login_id')::uuid);
  select * into old from api_keys k where k.id = key and k.user_id = owner for update;
  outcome := 'not_found';
  if found and may_give_scopes(owner, old.environment, material, to_jsonb(old.scopes)) then
    select r.outcome, r.new_id into outcome, new_id from replace_api_key(old, material, overlap_seconds) r;
  end if;
end $$;

-- Changes what `changes` has of {name, scopes, allowed_ips, expires_in_days, daily_limit}; null takes a limit away.
-- No row when there is no such key, or it is revoked or has expired.
create or replace function change_api_key(key uuid, changes jsonb) returns setof api_keys
language plpgsql as $$
declare
  changed api_keys;
begin
  update api_keys k
     set name = case when changes ? 'name' then changes ->> 'name' else k.name end,
         scopes = case when changes ? 'scopes'
           then array(select jsonb_array_elements_text(changes -> 'scopes')) else k.scopes end,
         allowed_ips = case when changes ? 'allowed_ips' then key_networks_of(changes) else k.allowed_ips end,
         expires_at = case when changes ? 'expires_in_days' then expiry_in(changes) else k.expires_at end,
         daily_limit = case when changes ? 'daily_limit'
           then nullif(changes -> 'daily_limit', 'null') else k.daily_limit end
   where k.id = key and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp(), true)
  returning * into changed;
  if found then
    perform require_addresses(key, changes);
    return next changed;
  end if;
end $$;

-- The same of the user's own key.
create or replace function update_api_key(key uuid, owner uuid, changes jsonb) returns setof api_keys
language sql security definer set search_path = public, pg_temp as $$
  select c.* from api_keys k, change_api_key(k.id, changes) c where k.id = key and k.user_id = owner
$$;

-- Revoking again keeps the first time, and ends an overlap. No row for another user's key.
create or replace function revoke_api_key(key uuid, owner uuid) returns setof api_keys
language sql security definer set search_path = public, pg_temp as $$
  update api_keys k set revoked_at = least(k.revoked_at, clock_timestamp())
   where k.id = key and k.user_id = owner
  returning *
$$;

-- Changes what customers see of an account: the fields that are there, {display_name, contact}; null
-- takes one away. No row when there is no such account.
create or replace function set_public_profile(account uuid, fields jsonb) returns setof users
language sql security definer set search_path = public, pg_temp as $$
  update users u
     set display_name = case when fields ? 'display_name' then fields ->> 'display_name' else u.display_name end,
         contact = case when fields ? 'contact' then fields ->> 'contact' else u.contact end
   where u.id = account
  returning *
$$;

-- Null takes it away.
create or replace function set_logo(account uuid, picture bytea) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if picture is null then
    delete from merchant_logos l where l.user_id = account;
  else
    insert into merchant_logos (user_id, image) values (account, picture)
    on conflict (user_id) do update set image = excluded.image, set_at = clock_timestamp();
  end if;
end $$;

-- Passwords, tokens that are sent by mail, second factors, and the limits on attempts (docs/decisions/people.md).

-- Counts up to `max_count` in a window. Returns 0, or the seconds until the window ends: then nothing was
-- counted.
create or replace function take_from_window(counted bytea, max_count integer, window_seconds integer)
returns integer language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into attempt_counts as c (key, count, ends_at)
  values (counted, 1, clock_timestamp() + make_interval(secs => window_seconds))
  on conflict (key) do update
     set count = case when c.ends_at <= clock_timestamp() then 1 else c.count + 1 end,
         ends_at = case when c.ends_at <= clock_timestamp() then excluded.ends_at else c.ends_at end
   where c.ends_at <= clock_timestamp() or c.count < max_count;
  if found then return 0; end if;
  return coalesce((
    select greatest(1, ceil(extract(epoch from c.ends_at - clock_timestamp())))::integer
      from attempt_counts c where c.key = counted), 1);
end $$;

create or replace function give_back_to_window(counted bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update attempt_counts c set count = greatest(c.count - 1, 0) where c.key = counted
$$;

-- Counts an attempt before anybody looks at its password: of many at once, only as many as may are tried.
-- After ten there is a wait of 30 s, and each further attempt doubles it, up to an hour; a day without any
-- begins anew. `address` is null for a browser that has its own count. Returns 0, or the seconds to wait:
-- then nothing was counted. An address is locked before a name, in all of these functions.
create or replace function take_attempt(name bytea, address bytea, per_hour integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  wait integer := 0;
begin
  if address is not null then wait := take_from_window(address, per_hour, 3600); end if;
  if wait > 0 then return wait; end if;
  insert into attempt_counts as c (key, count, ends_at)
  values (name, 1, clock_timestamp() + interval '1 day')
  on conflict (key) do update
     set count = case when c.ends_at <= clock_timestamp() then 1 else c.count + 1 end,
         ends_at = clock_timestamp() + interval '1 day',
         blocked_until = case when c.ends_at > clock_timestamp() and c.count >= 9
           then clock_timestamp() + make_interval(secs => least(3600, 30 * 2 ^ least(c.count - 9, 10))) end
   where c.blocked_until is null or c.blocked_until <= clock_timestamp();
  if found then return 0; end if;
  if address is not null then perform give_back_to_window(address); end if;
  return coalesce((
    select greatest(1, ceil(extract(epoch from c.blocked_until - clock_timestamp())))::integer
      from attempt_counts c where c.key = name), 1);
end $$;

-- The password was not looked at, so the attempt does not count.
create or replace function give_back_attempt(name bytea, address bytea) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform give_back_to_window(address);
  update attempt_counts c set count = greatest(c.count - 1, 0), blocked_until = null where c.key = name;
end $$;

-- The attempt was right: it does not count, nor do those before it under these names.
create or replace function clear_attempts(names bytea[], address bytea) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform give_back_to_window(address);
  perform from attempt_counts c where c.key = any (names) order by c.key for update;
  delete from attempt_counts c where c.key = any (names);
end $$;

create or replace function add_login_token(
  token_hash bytea, kind text, login uuid, email text, lasts_seconds integer
) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into login_tokens (token_hash, kind, login_id, email, expires_at)
  values (add_login_token.token_hash, add_login_token.kind, login, add_login_token.email,
    clock_timestamp() + make_interval(secs => lasts_seconds))
$$;

-- Null when the token is unknown, used or too old, the person has another address by now, or another login has
-- confirmed the address.
create or replace function confirm_email(token bytea) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t login_tokens;
  confirmed uuid;
begin
  delete from login_tokens d
   where d.token_hash = token and d.kind = 'email' and d.expires_at > clock_timestamp()
  returning * into t;
  update logins l set email_verified_at = coalesce(l.email_verified_at, clock_timestamp())
   where l.id = t.login_id and l.email = t.email
  returning l.id into confirmed;
  -- Links that were sent again work no longer than the first that is used.
  delete from login_tokens d where d.login_id = confirmed and d.kind = 'email';
  return confirmed;
exception when unique_violation then
  return null;
end $$;

-- A person who has not confirmed the address writes it anew: what was sent to the old one opens nothing.
create or replace function correct_email(login uuid, email text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update logins l set email = correct_email.email where l.id = login and l.email_verified_at is null;
  if found then
    update users u set email = correct_email.email
     where u.id in (select m.user_id from memberships m where m.login_id = login and m.role = 'owner');
    delete from login_tokens d where d.login_id = login;
  end if;
end $$;

-- Sets a password and ends every session but one (null: all). No older link can set another one.
create or replace function set_password(login uuid, password_hash text, kept uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  update logins l set password_hash = set_password.password_hash where l.id = login;
  delete from login_tokens t where t.login_id = login and t.kind = 'password';
  delete from sessions s where s.login_id = login and s.id is distinct from kept
$$;

-- Resets by a token that was sent to the address, which confirms the address too. Null as
-- `confirm_email`. `mails` leave when owners of the person's account are removed.
create or replace function reset_password(token bytea, password_hash text, mails jsonb) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t login_tokens;
  l logins;
  accounts uuid[];
  had_other_owners boolean;
begin
  delete from login_tokens d
   where d.token_hash = token and d.kind = 'password' and d.expires_at > clock_timestamp()
  returning * into t;
  select * into l from logins x where x.id = t.login_id and x.email = t.email for update;
  if not found then
    return null;
  end if;
  -- The first proof of whose address this is: another person may have signed up with it, and must keep no way
  -- in, get no news of the account, and speak to no customer in its name.
  if l.email_verified_at is null then
    accounts := array(select o.user_id from memberships o where o.login_id = l.id and o.role = 'owner' for update);
    with removed as (
      delete from memberships m where m.user_id = any (accounts) and m.login_id <> l.id returning m.role
    ) select bool_or(r.role = 'owner') into had_other_owners from removed r;
    if had_other_owners then
      perform queue_mails(mails);
    end if;
    delete from invitations i where i.user_id = any (accounts);
    update api_keys k set revoked_at = clock_timestamp()
     where k.user_id = any (accounts) and (k.revoked_at is null or k.revoked_at > clock_timestamp());
    perform update_webhook_endpoint(w.id, '{"status": "disabled"}') from webhook_endpoints w
      where w.user_id = any (accounts) and w.status = 'enabled';
    perform set_public_profile(a, '{"display_name": null, "contact": null}'), set_logo(a, null)
      from unnest(accounts) a;
    perform update_payment_link(p.id, '{"is_active": false}') from payment_links p
      where p.user_id = any (accounts) and p.is_active;
    -- Their customers see that person's words and addresses, too: they end as others do whose time is over.
    update payment_intents i set expires_at = clock_timestamp()
     where i.user_id = any (accounts) and i.status = 'open' and i.expires_at > clock_timestamp();
    update logins x set email_verified_at = clock_timestamp() where x.id = l.id;
    delete from login_tokens d where d.login_id = l.id and d.kind = 'email';
  end if;
  perform set_password(l.id, reset_password.password_hash, null);
  return l.id;
exception when unique_violation then
  return null;
end $$;

-- The same password, hashed anew, unless it was changed meanwhile.
create or replace function replace_password_hash(login uuid, old_hash text, new_hash text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update logins l set password_hash = new_hash where l.id = login and l.password_hash = old_hash
$$;

create or replace function set_login_language(login uuid, language text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update logins l set language = set_login_language.language where l.id = login
$$;

-- A secret that counts once it is confirmed. False when a confirmed one is there, or the address is not
-- confirmed: who signs up with another's address sets up nothing that its owner could not switch off.
create or replace function begin_totp(login uuid, sealed_secret bytea) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update logins l set sealed_totp_secret = sealed_secret, totp_last_step = null
   where l.id = login and l.totp_confirmed_at is null and l.email_verified_at is not null;
  return found;
end $$;

create or replace function replace_recovery_codes(login uuid, hashes bytea[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from recovery_codes c where c.login_id = login;
  insert into recovery_codes (login_id, code_hash) select login, h from unnest(hashes) h
$$;

-- Switches the second factor on. Browsers that have not shown it are signed out. False when the secret is
-- not the one that was begun.
create or replace function confirm_totp(
  login uuid, sealed_secret bytea, step bigint, hashes bytea[], kept uuid
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update logins l set totp_confirmed_at = clock_timestamp(), totp_last_step = step
   where l.id = login and l.totp_confirmed_at is null and l.sealed_totp_secret = sealed_secret;
  if not found then return false; end if;
  perform replace_recovery_codes(login, hashes);
  delete from sessions s where s.login_id = login and s.id is distinct from kept;
  return true;
end $$;

-- A code is accepted once, and none that is older than an accepted one.
create or replace function accept_totp_step(login uuid, step bigint) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update logins l set totp_last_step = step
   where l.id = login and l.totp_confirmed_at is not null
     and (l.totp_last_step is null or l.totp_last_step < step);
  return found;
end $$;

-- The same secret, sealed with another key, unless it was changed meanwhile.
create or replace function reseal_totp(login uuid, old_secret bytea, new_secret bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update logins l set sealed_totp_secret = new_secret
   where l.id = login and l.sealed_totp_secret = old_secret
$$;

create or replace function use_recovery_code(login uuid, hash bytea) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update recovery_codes c set used_at = clock_timestamp()
   where c.login_id = login and c.code_hash = hash and c.used_at is null;
  return found;
end $$;

-- No session is worth more afterwards than one that is begun now; one that awaits its code ends.
create or replace function end_totp(login uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  update logins l set sealed_totp_secret = null, totp_confirmed_at = null, totp_last_step = null
   where l.id = login;
  delete from recovery_codes c where c.login_id = login;
  delete from sessions s where s.login_id = login and s.second_factor = 'awaited';
  update sessions s set second_factor = 'none' where s.login_id = login
$$;

-- Deletes what has ended, in bounded amounts: the rest has its turn in the next hour.
create or replace function purge_sign_in(batch integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from sessions s where s.id in (
    select id from sessions where expires_at < clock_timestamp() limit batch for update skip locked);
  delete from login_tokens t where t.token_hash in (
    select token_hash from login_tokens where expires_at < clock_timestamp() limit batch
       for update skip locked);
  delete from attempt_counts c where c.key in (
    select key from attempt_counts where ends_at < clock_timestamp() limit batch for update skip locked);
  delete from mails m where m.id in (
    select id from mails where created_at < clock_timestamp() - interval '30 days' limit batch
       for update skip locked);
end $$;

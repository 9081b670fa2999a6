-- Sessions of the dashboard (docs/decisions/dashboard.md). A session is its row: deleting it signs the browser out on
-- every process at once.

-- Begins a session in the account that the person has owned or joined first. `token_hash` is the SHA-256
-- of the browser's token. `shown_hash` is that of the password that was verified: null is returned when it
-- is not the person's any more, when a second factor came or went meanwhile, or when the session that is
-- `replaced` has ended. The person's row is locked against them, so that none of them leaves a session
-- behind that it would have ended.
create or replace function begin_session(
  login uuid, shown_hash text, token_hash bytea, second_factor text, ip text, user_agent text,
  lasts_seconds integer, replaced uuid
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
  new_id uuid;
begin
  perform from logins l
    where l.id = login and l.password_hash = shown_hash
      and (l.totp_confirmed_at is null) = (begin_session.second_factor = 'none')
      for no key update;
  if not found then return null; end if;
  if replaced is not null then
    delete from sessions s where s.id = replaced and s.login_id = login;
    if not found then return null; end if;
  end if;
  -- Bounds what one person's browsers leave behind: of those that are signed in, the hundred seen last.
  delete from sessions s where s.login_id = login and s.expires_at < clock_timestamp();
  delete from sessions s where s.id in (
    select o.id from sessions o where o.login_id = login order by o.last_seen_at desc offset 99);
  insert into sessions (token_hash, login_id, user_id, second_factor, ip, user_agent, expires_at)
  values (begin_session.token_hash, login,
    (select m.user_id from memberships m where m.login_id = login
      order by (m.role = 'owner') desc, m.created_at, m.user_id limit 1),
    begin_session.second_factor, begin_session.ip, left(begin_session.user_agent, 200),
    clock_timestamp() + make_interval(secs => lasts_seconds))
  returning id into new_id;
  return new_id;
end $$;

-- The password or a code was given again. False when the session has ended meanwhile.
create or replace function confirm_session(session uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions s set confirmed_at = clock_timestamp() where s.id = session;
  return found;
end $$;

create or replace function touch_session(session uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions s set last_seen_at = clock_timestamp() where s.id = session
$$;

-- Shows another account or environment. False when the person does not belong to the account.
create or replace function show_in_session(session uuid, account uuid, env text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions s set user_id = account, environment = env
    from memberships m
   where s.id = session and m.login_id = s.login_id and m.user_id = account;
  return found;
end $$;

create or replace function set_session_flash(session uuid, flash bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions s set sealed_flash = flash where s.id = session
$$;

-- Null when there is none, or another request has taken it.
create or replace function take_session_flash(session uuid) returns bytea
language sql security definer set search_path = public, pg_temp as $$
  update sessions s set sealed_flash = null
    from (select id, sealed_flash from sessions where id = session for update) old
   where s.id = old.id and old.sealed_flash is not null
  returning old.sealed_flash
$$;

-- Ends one session of the person, or all but one (null: all). Returns how many.
create or replace function end_session(login uuid, session uuid) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with ended as (delete from sessions s where s.login_id = login and s.id = session returning 1)
  select count(*)::integer from ended
$$;

create or replace function end_other_sessions(login uuid, kept uuid) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with ended as (
    delete from sessions s where s.login_id = login and s.id is distinct from kept returning 1
  )
  select count(*)::integer from ended
$$;

-- The people of an account: invitations, roles, leaving (docs/decisions/people.md). An owner approves payouts and loosens their
-- rule, so `mails` to the owners leave with a change that makes one or removes one
-- (docs/decisions/payouts.md).

-- The invitation's id. An invitation of the same address is replaced, with its role and its link.
-- outcome: invited | member (belongs to the account already) | limit | not_owner (the one who invites, by now)
create or replace function invite_member(
  account uuid, email text, role text, inviter uuid, token bytea, lasts_seconds integer,
  out outcome text, out invitation uuid
) language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  if hold_role(account, inviter) is distinct from 'owner' then outcome := 'not_owner'; return; end if;
  perform from logins l join memberships m on m.login_id = l.id
    where m.user_id = account and l.email = invite_member.email;
  if found then outcome := 'member'; return; end if;
  -- A team has fifty people at most, those included who have not answered.
  if (select count(*) from memberships m where m.user_id = account)
     + (select count(*) from invitations i where i.user_id = account
         and i.email <> invite_member.email) >= 50 then
    outcome := 'limit'; return;
  end if;
  insert into invitations as i (user_id, email, role, invited_by)
  values (account, invite_member.email, invite_member.role, inviter)
  on conflict (user_id, email) do update
     set role = excluded.role, invited_by = excluded.invited_by
  returning i.id into invite_member.invitation;
  perform renew_invitation(account, invitation, token, lasts_seconds);
  outcome := 'invited';
end $$;

-- A new link; the old one is worth nothing from now on. No row for another account's invitation.
create or replace function renew_invitation(
  account uuid, invitation uuid, token bytea, lasts_seconds integer
) returns setof invitations language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
    update invitations i set sent_at = clock_timestamp() where i.id = invitation and i.user_id = account
    returning i.*;
  if not found then return; end if;
  delete from login_tokens t where t.invitation_id = invitation;
  insert into login_tokens (token_hash, kind, invitation_id, email, expires_at)
  select token, 'invitation', i.id, i.email, clock_timestamp() + make_interval(secs => lasts_seconds)
    from invitations i where i.id = invitation;
end $$;

create or replace function withdraw_invitation(account uuid, invitation uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from invitations i where i.id = invitation and i.user_id = account;
  return found;
end $$;

-- The account that the person belongs to now; null when the link is unknown, used, withdrawn or too
-- old, or makes an owner of a person whose address is not confirmed: a person who proves to have the address
-- gets the login, and with it the account. A person who belongs to it already keeps the role.
create or replace function accept_invitation(token bytea, login uuid, mails jsonb) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i invitations;
begin
  delete from invitations d using login_tokens t
   where t.token_hash = token and t.invitation_id = d.id and t.expires_at > clock_timestamp()
     and (d.role <> 'owner' or is_confirmed_login(login))
  returning d.* into i;
  if i.id is null then return null; end if;
  insert into memberships (login_id, user_id, role) values (login, i.user_id, i.role)
  on conflict (login_id, user_id) do nothing;
  if found and i.role = 'owner' then
    perform queue_mails(mails);
  end if;
  return i.user_id;
end $$;

-- A new person, whose address the link has confirmed. Null as `accept_invitation`. Throws 23505
-- when another login has the address by now.
create or replace function join_by_invitation(
  token bytea, password_hash text, language text, mails jsonb
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
  joined uuid;
begin
  insert into logins (email, password_hash, language, email_verified_at)
  select i.email, join_by_invitation.password_hash, join_by_invitation.language, clock_timestamp()
    from invitations i join login_tokens t on t.invitation_id = i.id
   where t.token_hash = token and t.expires_at > clock_timestamp()
     for update of i
  returning id into joined;
  if joined is not null and accept_invitation(token, joined, mails) is null then
    raise exception 'the invitation is gone';
  end if;
  return joined;
end $$;

-- Whom the account's username means where people sign in or are named by it: the owner who has belonged to it for
-- longest.
create or replace function account_owner(account uuid) returns uuid language sql stable as $$
  select m.login_id from memberships m
   where m.user_id = account and m.role = 'owner' order by m.created_at, m.login_id limit 1
$$;

create or replace function is_confirmed_login(login uuid) returns boolean language sql stable as $$
  select exists (select from logins l where l.id = login and l.email_verified_at is not null)
$$;

-- Whether the account keeps an owner without this person. Owners are locked first: of two who remove each other at
-- once, the second finds itself the last one.
create or replace function has_other_owner(account uuid, login uuid) returns boolean language plpgsql as $$
begin
  perform from memberships m where m.user_id = account and m.role = 'owner' order by m.login_id for update;
  return exists (select from memberships m
                  where m.user_id = account and m.role = 'owner' and m.login_id <> login);
end $$;

-- The role of the person in the account, which nobody changes until the caller's transaction ends; null: none. What a
-- person makes by a right is made under it, so that what ends the right finds it all.
create or replace function hold_role(account uuid, login uuid) returns text language sql as $$
  select m.role from memberships m where m.user_id = account and m.login_id = login for share
$$;

-- The scopes of a key that a person in this role makes (scopesFor in domain/members.ts).
create or replace function role_scopes(role text, env text) returns text[] language sql immutable as $$
  select case
    when role = 'owner' or (role = 'developer' and env = 'sandbox')
      then array['read', 'transfers:write', 'payment_intents:write', 'refunds:write', 'payouts:write',
                 'payouts:approve', 'webhooks:write', 'sandbox']
    when role = 'developer' then array['read', 'webhooks:write', 'sandbox']
    else '{}' end
$$;

-- Takes from a person's keys what the role does not give (null: no role), and ends the invitations of a person who may
-- no longer invite. Null when there was nothing to take, else {keys: [{name, key_prefix, last_four, is_revoked}],
-- invitations: [address]}.
create or replace function end_rights(account uuid, login uuid, role text) returns jsonb
language plpgsql as $$
declare
  keys jsonb;
  addresses jsonb;
begin
  with cut as (
    update api_keys k
       set revoked_at = case when c.kept = '{}' then clock_timestamp() else k.revoked_at end,
           scopes = case when c.kept = '{}' then k.scopes else c.kept end
      from (select x.id, array(select s from unnest(x.scopes) with ordinality n (s, place)
                                where s = any (role_scopes(end_rights.role, x.environment)) order by place) as kept
              from api_keys x where x.user_id = account and x.login_id = login) c
     where k.id = c.id and c.kept <> k.scopes
       and coalesce(least(k.revoked_at, k.expires_at) > clock_timestamp(), true)
    returning k.name, k.key_prefix, k.last_four, c.kept = '{}' as is_revoked, k.created_at
  ) select jsonb_agg(to_jsonb(cut) - 'created_at' order by cut.created_at) into keys from cut;
  if end_rights.role is distinct from 'owner' then
    with ended as (
      delete from invitations i where i.user_id = account and i.invited_by = login returning i.email
    ) select jsonb_agg(e.email order by e.email) into addresses from ended e;
  end if;
  return case when keys is not null or addresses is not null
    then jsonb_build_object('keys', coalesce(keys, '[]'), 'invitations', coalesce(addresses, '[]')) end;
end $$;

-- outcome: done | last_owner | unconfirmed (an owner has a confirmed address) | not_found. `ended` as in end_rights.
create or replace function change_member_role(
  account uuid, login uuid, role text, mails jsonb, out outcome text, out ended jsonb
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  others boolean := has_other_owner(account, login);
  old_role text;
begin
  select m.role into old_role from memberships m
   where m.user_id = account and m.login_id = login for update;
  outcome := case
    when not found then 'not_found'
    when change_member_role.role = 'owner' and not is_confirmed_login(login) then 'unconfirmed'
    when old_role = 'owner' and change_member_role.role <> 'owner' and not others then 'last_owner'
    else 'done' end;
  if outcome <> 'done' then
    return;
  end if;
  update memberships m set role = change_member_role.role where m.user_id = account and m.login_id = login;
  if (old_role = 'owner') <> (change_member_role.role = 'owner') then
    perform queue_mails(mails);
  end if;
  ended := end_rights(account, login, change_member_role.role);
end $$;

-- No page shows the account to the person from the commit on. outcome: done | last_owner | not_found. `ended` as in
-- end_rights.
create or replace function remove_member(
  account uuid, login uuid, mails jsonb, out outcome text, out ended jsonb
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  others boolean := has_other_owner(account, login);
  old_role text;
begin
  select m.role into old_role from memberships m
   where m.user_id = account and m.login_id = login for update;
  outcome := case when not found then 'not_found' when old_role = 'owner' and not others then 'last_owner'
                  else 'done' end;
  if outcome <> 'done' then
    return;
  end if;
  delete from memberships m where m.user_id = account and m.login_id = login;
  if old_role = 'owner' then
    perform queue_mails(mails);
  end if;
  update sessions s set environment = 'sandbox', user_id = (
    select m.user_id from memberships m where m.login_id = login
     order by (m.role = 'owner') desc, m.created_at, m.user_id limit 1)
   where s.login_id = login and s.user_id = account;
  ended := end_rights(account, login, null);
end $$;

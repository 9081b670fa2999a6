-- Acts that only operators may do. Each function takes the operator's name and adds a row to the audit log in
-- the transaction of its effect; none of them may be called by the application's role.

create or replace function create_user(fields jsonb, funds jsonb, actor text) returns setof users
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
begin
  select * into strict u from create_user(fields, funds);
  -- An address that an operator has typed is confirmed.
  update logins l set email_verified_at = clock_timestamp()
    from memberships m where m.user_id = u.id and l.id = m.login_id;
  perform add_audit_row(actor, 'users.create', 'user/' || u.username,
    jsonb_build_object('username', u.username, 'country', u.country));
  return next u;
end $$;

-- Sets what an identity check comes to, without a check and without telling the merchant: for the
-- demo and for measurements. Operators decide by decide_identity_check. No row when there is no
-- such user.
create or replace function set_kyc_status(name text, new_status text, actor text) returns setof users
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
  before text;
begin
  select * into u from users x where x.username = name for no key update;
  if not found then
    return;
  end if;
  perform refuse_own_account(actor, u.id);
  before := u.kyc_status;
  update users x set kyc_status = new_status where x.id = u.id returning * into u;
  perform add_audit_row(actor,
    case new_status when 'approved' then 'kyc.approve' when 'rejected' then 'kyc.reject'
      else 'kyc.set' end,
    'user/' || name, jsonb_build_object('username', name, 'before', before, 'after', new_status));
  return next u;
end $$;

-- Makes the owner of an account an operator of the dashboard, who signs in anew, or ends it: from the next
-- request on, on every process. Returns whether that changed anything; null when there is no such account. The constraint
-- logins_operator_confirmed refuses an owner whose address is not confirmed.
create or replace function set_operator(name text, is_one boolean, actor text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  l logins;
begin
  select x.* into l from users u
    join logins x on x.id = account_owner(u.id)
   where u.username = name for update of x;
  if not found then
    return null;
  end if;
  if l.is_operator = is_one then
    return false;
  end if;
  -- A request that waits for a second operator has lost its first one.
  if not is_one then
    perform reject_request(a.id, 'Who requested it is no operator any more.', actor)
      from (select w.id from approvals w
             where w.status = 'waiting' and operator_person(w.requested_by) = l.id::text
             order by w.requested_at) a;
  end if;
  update logins x set is_operator = is_one where x.id = l.id;
  -- A session that the application's role began for the person is worth nothing for an operator.
  if is_one then
    delete from sessions s where s.login_id = l.id;
    delete from login_tokens t where t.login_id = l.id;
  end if;
  perform add_audit_row(actor, case when is_one then 'users.grant' else 'users.revoke-role' end,
    'user/' || name, jsonb_build_object('username', name, 'role', 'operator',
      'operator', operator_name(l.email)));
  return true;
end $$;

-- `picture`: as in set_logo, when `changes_logo`. No row when there is no such account.
create or replace function set_public_profile(
  name text, fields jsonb, changes_logo boolean, picture bytea, actor text
) returns setof users
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
begin
  select x.* into u from users x where x.username = name;
  if not found then
    return;
  end if;
  select * into strict u from set_public_profile(u.id, fields);
  if changes_logo then
    perform set_logo(u.id, picture);
  end if;
  perform add_audit_row(actor, 'users.update', 'user/' || name, jsonb_build_object('username', name)
    || fields || case when changes_logo then jsonb_build_object('logo', picture is not null) else '{}' end);
  return next u;
end $$;

create or replace function username_of(account uuid) returns text language sql stable as $$
  select u.username from users u where u.id = account
$$;

-- Makes a key as the application's function of this name does, with limits in `options`:
-- {requests_per_minute, writes_per_minute}.
create or replace function create_api_key(options jsonb, material jsonb, actor text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  new_id uuid;
begin
  perform require_place_for_key(options);
  new_id := insert_api_key(options, material, (options ->> 'requests_per_minute')::integer,
    (options ->> 'writes_per_minute')::integer);
  perform require_addresses(new_id, options);
  if new_id is not null then
    perform add_audit_row(actor, 'keys.create', 'key/' || new_id,
      (options - 'user_id' - 'payouts_need_addresses') || jsonb_build_object('username',
        username_of((options ->> 'user_id')::uuid)));
  end if;
  return new_id;
end $$;

create or replace function rotate_api_key(
  key uuid, material jsonb, overlap_seconds integer, actor text, out outcome text, out new_id uuid
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  old api_keys;
begin
  select * into old from api_keys k where k.id = key for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  select r.outcome, r.new_id into outcome, new_id from replace_api_key(old, material, overlap_seconds) r;
  if outcome = 'rotated' then
    perform add_audit_row(actor, 'keys.rotate', 'key/' || key, jsonb_build_object(
      'username', username_of(old.user_id), 'environment', old.environment, 'new_key', new_id,
      'overlap_seconds', overlap_seconds));
  end if;
end $$;

-- Changes a key as the application's function of this name does.
create or replace function update_api_key(key uuid, changes jsonb, actor text) returns setof api_keys
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  k api_keys;
begin
  for k in select * from change_api_key(key, changes) loop
    perform add_audit_row(actor, 'keys.update', 'key/' || key,
      (changes - 'payouts_need_addresses') || jsonb_build_object(
        'username', username_of(k.user_id), 'environment', k.environment));
    return next k;
  end loop;
end $$;

-- Revoking again keeps the first time, and adds no row; it ends an overlap.
create or replace function revoke_api_key(key uuid, actor text) returns setof api_keys
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  k api_keys;
begin
  select * into k from api_keys x where x.id = key for update;
  if not found then
    return;
  end if;
  if k.revoked_at is null or k.revoked_at > clock_timestamp() then
    update api_keys x set revoked_at = clock_timestamp() where x.id = key returning * into k;
    perform add_audit_row(actor, 'keys.revoke', 'key/' || key, jsonb_build_object(
      'username', username_of(k.user_id), 'environment', k.environment));
  end if;
  return next k;
end $$;

-- Credits a wallet from a system account, once for each reference.
-- outcome: credited | repeated (the reference credited the same before: nothing is written, and the
-- balance is the one after that credit) | reference_used (by anything else: nothing is written)
create or replace function credit_wallet(
  ref text, owner uuid, env text, cur text, source_kind text, amount bigint, reason text, actor text,
  out outcome text, out balance_minor bigint
) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- No money moves with a reference that is used.
  if not exists (select from ledger_transactions t where t.reference = ref) then
    perform refuse_without_approval(cur, amount);
    perform refuse_own_account(actor, owner);
  end if;
  select c.outcome, c.balance_minor into outcome, balance_minor
    from credit_wallet_as(ref, owner, env, cur, source_kind, amount, reason, actor, '{}') c;
end $$;

-- `more` is added to what the audit log says.
create or replace function credit_wallet_as(
  ref text, owner uuid, env text, cur text, source_kind text, amount bigint, reason text, actor text,
  more jsonb, out outcome text, out balance_minor bigint
) language plpgsql as $$
begin
  begin
    balance_minor := post_adjustment(ref, owner, env, cur, source_kind, amount, reason);
    outcome := 'credited';
  exception when unique_violation then
    -- The reference is used by a transaction that has committed. All that this call wrote is
    -- undone.
    select e.balance_after_minor into balance_minor
      from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id
     where t.reference = ref and t.kind = 'adjustment' and t.description = reason
       and e.account_id = wallet_account(owner, env, cur) and e.amount_minor = amount
       and exists (select from ledger_entries s where s.transaction_id = t.id
                    and s.account_id = system_account(env, cur, source_kind));
    outcome := case when found then 'repeated' else 'reference_used' end;
    return;
  end;
  perform add_audit_row(actor, 'wallets.credit', 'wallet/' || username_of(owner) || '/' || env || '/' || cur,
    jsonb_build_object('username', username_of(owner), 'reference', ref, 'environment', env,
      'currency', cur, 'amount', (amount * 0.01)::text, 'source', source_kind, 'reason', reason) || more);
end $$;

create or replace function accept_suspense(item uuid, actor text)
returns table (reference text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status = 'held' and s.user_id is not null then
    perform refuse_without_approval(s.currency, s.amount_minor);
    perform refuse_own_account(actor, s.user_id);
  end if;
  return query select a.reference, a.balance_minor from accept_suspense_as(item, actor, '{}') a;
end $$;

create or replace function accept_suspense_as(item uuid, actor text, more jsonb)
returns table (reference text, balance_minor bigint) language plpgsql as $$
declare
  s suspense_items;
begin
  select a.reference, a.balance_minor into strict reference, balance_minor from accept_suspense(item) a;
  select * into strict s from suspense_items x where x.id = item;
  perform add_audit_row(actor, 'suspense.accept', 'suspense/' || item, jsonb_build_object(
    'username', username_of(s.user_id), 'environment', s.environment, 'currency', s.currency,
    'amount', (s.amount_minor * 0.01)::text, 'reference', reference) || more);
  return next;
end $$;

-- Accepts as accept_suspense does, and the item's intent ends with it.
create or replace function accept_suspense_closing(item uuid, pay_url_base text, actor text)
returns table (reference text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c record;
begin
  select * into strict c from accept_suspense_closing_as(item, pay_url_base, actor, '{}');
  -- The intent is locked before the item, so the item is looked at afterwards: what raises here undoes it all.
  perform refuse_without_approval(s.currency, s.amount_minor), refuse_own_account(actor, s.user_id)
     from suspense_items s where s.id = item;
  return query select c.reference, c.balance_minor;
end $$;

create or replace function accept_suspense_closing_as(
  item uuid, pay_url_base text, actor text, more jsonb,
  out reference text, out balance_minor bigint
) language plpgsql as $$
declare
  s suspense_items;
begin
  select a.reference, a.balance_minor into strict reference, balance_minor
    from accept_for_intent(item, pay_url_base) a;
  select * into strict s from suspense_items x where x.id = item;
  perform add_audit_row(actor, 'suspense.accept', 'suspense/' || item, jsonb_build_object(
    'username', username_of(s.user_id), 'environment', s.environment, 'currency', s.currency,
    'amount', (s.amount_minor * 0.01)::text, 'reference', reference, 'closes_intent', s.intent_id) || more);
end $$;

-- Identity checks (docs/decisions/people.md): submitted by the account's owner, decided by an operator, and expired by
-- their workflow. All lock the user's row before the check's. What was submitted is sealed, and only
-- view_identity_check returns it.

-- The cause for which the status may change so; raises check_violation when it may not.
create or replace function kyc_edge_cause(before text, after text) returns text
language plpgsql stable as $$
declare
  found_cause text;
begin
  select e.cause into found_cause from kyc_edges e
   where e.from_status = before and e.to_status = after;
  if not found then
    raise exception 'an identity check cannot go from % to %', before, after
      using errcode = 'check_violation';
  end if;
  return found_cause;
end $$;

-- False when the account's check is under way or approved. `remind_after`: seconds from now, ascending.
create or replace function submit_identity_check(
  account uuid, login uuid, new_check uuid, sealed bytea, remind_after integer[],
  expires_after integer
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before text;
  now timestamptz := clock_timestamp();
begin
  select u.kyc_status into strict before from users u where u.id = account for no key update;
  if not exists (select from kyc_edges e where e.from_status = before and e.to_status = 'pending'
                  and e.cause = 'submitted') then
    return false;
  end if;
  insert into identity_checks (id, user_id, status, created_at, submitted_by, remind_at, expires_at,
    due_at)
  values (new_check, account, 'pending', now, login,
    -- The first one says that the check is there.
    array[now] || array(select now + make_interval(secs => r) from unnest(remind_after) r order by r),
    now + make_interval(secs => expires_after), now);
  insert into identity_data (check_id, sealed) values (new_check, submit_identity_check.sealed);
  update users u set kyc_status = 'pending' where u.id = account;
  return true;
end $$;

-- Does the next thing that is due about an account's checks, the oldest first, and says which message it
-- calls for: received and reminder (for operators; a reminder also for the merchant), approved, rejected
-- or expired (for the merchant). The caller queues the message in the same transaction. `wait_ms` is null
-- when nothing is left to do. No row for an unknown account.
create or replace function advance_identity_check(account uuid)
returns table (check_id uuid, status text, message text, wait_ms double precision)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c identity_checks;
  now timestamptz;
  passed integer;
  next_at timestamptz;
begin
  perform 1 from users u where u.id = account for no key update;
  if not found then
    return;
  end if;
  select * into c from identity_checks x
   where x.user_id = account and x.due_at is not null order by x.created_at limit 1 for update;
  if not found then
    return query select x.id, x.status, null::text, null::double precision from identity_checks x
      where x.user_id = account order by x.created_at desc limit 1;
    return;
  end if;
  now := clock_timestamp();
  next_at := c.due_at;
  status := c.status;
  if c.due_at <= now and c.status <> 'pending' then
    message := c.status;
    next_at := null;
  elsif c.due_at <= now and c.expires_at <= now then
    perform kyc_edge_cause('pending', 'expired');
    update users u set kyc_status = 'expired' where u.id = account and u.kyc_status = 'pending';
    status := 'expired';
    message := 'expired';
    next_at := null;
  elsif c.due_at <= now then
    -- One message after an outage, and not one for each that was missed.
    select count(*) into passed from unnest(c.remind_at) r where r <= now;
    if passed > c.reminders then
      message := case when c.reminders = 0 and passed = 1 then 'received' else 'reminder' end;
    end if;
    next_at := least(c.remind_at[passed + 1], c.expires_at);
  end if;
  update identity_checks x
     set status = advance_identity_check.status, due_at = next_at,
         reminders = greatest(x.reminders, coalesce(passed, 0)),
         decided_at = case when advance_identity_check.status = 'expired'
                        then coalesce(x.decided_at, now) else x.decided_at end
   where x.id = c.id;
  check_id := c.id;
  -- Another check of this account may be due.
  select min(x.due_at) into next_at from identity_checks x where x.user_id = account;
  wait_ms := greatest(0, ceil(extract(epoch from next_at - now) * 1000));
  return next;
end $$;

-- An operator decides. `only_check`: only when this check is the one that waits; null decides whatever the
-- status is. outcome: decided | not_found | not_waiting
create or replace function decide_identity_check(
  name text, only_check uuid, decision text, why text, actor text, out outcome text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
  waiting uuid;
begin
  select * into u from users x where x.username = name for no key update;
  outcome := 'not_found';
  if not found then
    return;
  end if;
  perform refuse_own_account(actor, u.id);
  select c.id into waiting from identity_checks c
   where c.user_id = u.id and c.status = 'pending' for update;
  outcome := 'not_waiting';
  if only_check is not null and waiting is distinct from only_check then
    return;
  end if;
  perform kyc_edge_cause(u.kyc_status, decision);
  update identity_checks c
     set status = decision, decided_at = clock_timestamp(), decided_by = actor, reason = why,
         due_at = clock_timestamp()
   where c.id = waiting;
  if waiting is null and u.kyc_status <> decision then
    -- A decision without a submission is told to the merchant as well.
    insert into identity_checks (id, user_id, status, decided_at, decided_by, reason, due_at)
    values (uuidv7(), u.id, decision, clock_timestamp(), actor, why, clock_timestamp());
  end if;
  update users x set kyc_status = decision where x.id = u.id;
  outcome := 'decided';
  perform add_audit_row(actor, case decision when 'approved' then 'kyc.approve' else 'kyc.reject' end,
    'user/' || name, jsonb_strip_nulls(jsonb_build_object('username', name, 'before', u.kyc_status,
      'after', decision, 'reason', why, 'check', waiting)));
end $$;

-- Returns what was submitted, still sealed, and adds a row that says who looked. Null when there is nothing.
create or replace function view_identity_check(viewed uuid, actor text) returns bytea
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
  content bytea;
begin
  select u.username, d.sealed into name, content
    from identity_checks c join users u on u.id = c.user_id join identity_data d on d.check_id = c.id
   where c.id = viewed;
  if found then
    perform add_audit_row(actor, 'kyc.view', 'user/' || name,
      jsonb_build_object('username', name, 'check', viewed));
  end if;
  return content;
end $$;

-- A photo of the document for a check that waits, of the person who submitted it; another one replaces it. False when
-- there is no such check.
create or replace function set_identity_picture(check_of uuid, login uuid, side_of text, picture bytea)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- A decision or a deletion comes before it, or after.
  perform from identity_checks c join identity_data d on d.check_id = c.id
    where c.id = check_of and c.submitted_by = login and c.status = 'pending' for share;
  if not found then
    return false;
  end if;
  insert into identity_pictures (check_id, side, sealed) values (check_of, side_of, picture)
  on conflict (check_id, side) do update set sealed = excluded.sealed;
  return true;
end $$;

create or replace function identity_picture_sides(check_of uuid) returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  select array(select p.side from identity_pictures p where p.check_id = check_of order by p.side desc)
$$;

-- Like view_identity_check, it leaves in the audit log who looked.
create or replace function view_identity_picture(viewed uuid, side_of text, actor text) returns bytea
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
  content bytea;
begin
  select u.username, p.sealed into name, content
    from identity_checks c join users u on u.id = c.user_id join identity_pictures p on p.check_id = c.id
   where c.id = viewed and p.side = side_of;
  if found then
    perform add_audit_row(actor, 'kyc.view', 'user/' || name,
      jsonb_build_object('username', name, 'check', viewed, 'picture', side_of));
  end if;
  return content;
end $$;

-- Like list_identity_data, but some at a time: they are large.
create or replace function list_identity_pictures(after_check uuid, after_side text, actor text)
returns table (check_id uuid, side text, sealed bytea)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  listed integer;
begin
  return query
    select p.check_id, p.side, p.sealed from identity_pictures p
     where (p.check_id, p.side) > (after_check, after_side) order by p.check_id, p.side limit 10;
  get diagnostics listed = row_count;
  if listed > 0 then
    perform add_audit_row(actor, 'kyc.reseal', 'identity_pictures',
      jsonb_build_object('pictures', listed, 'after', after_check));
  end if;
end $$;

create or replace function reseal_identity_picture(
  check_of uuid, side_of text, old_sealed bytea, new_sealed bytea
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update identity_pictures p set sealed = new_sealed
   where p.check_id = check_of and p.side = side_of and p.sealed = old_sealed;
  return found;
end $$;

-- The same for the person who submitted it, to correct it: of the account's latest check, when it
-- was not approved. No other person gets it so, and nothing of an approval.
create or replace function own_identity_check(account uuid, login uuid)
returns table (check_id uuid, sealed bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id, d.sealed
    from (select x.* from identity_checks x where x.user_id = account
           order by x.created_at desc limit 1) c
    join identity_data d on d.check_id = c.id
   where c.submitted_by = login and c.status in ('rejected', 'expired')
$$;

-- Lists what was submitted, page by page, for sealing it with another key: who gets a page is in the audit log.
create or replace function list_identity_data(after uuid, page integer, actor text)
returns table (check_id uuid, sealed bytea)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  listed integer;
begin
  return query
    select d.check_id, d.sealed from identity_data d
     where d.check_id > after order by d.check_id limit least(page, 500);
  get diagnostics listed = row_count;
  if listed > 0 then
    perform add_audit_row(actor, 'kyc.reseal', 'identity_data',
      jsonb_build_object('checks', listed, 'after', after));
  end if;
end $$;

-- The same data, sealed with another key. False when it was sealed anew, or deleted, meanwhile.
create or replace function reseal_identity_data(check_of uuid, old_sealed bytea, new_sealed bytea)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update identity_data d set sealed = new_sealed where d.check_id = check_of and d.sealed = old_sealed;
  return found;
end $$;

-- Deletes what was submitted for checks that were decided so many days ago. What the account's approval rests on
-- stays for as long as it is approved. Looks at `page` of them after the given check, so that a call is short
-- however many approvals stand; `next_check` is where to go on, null when none is left. No caller can ask for less
-- than a month.
create or replace function purge_identity_data(
  days integer, after_check uuid, page integer, out deleted integer, out next_check uuid
) language plpgsql security definer set search_path = public, pg_temp
-- A page is a small part of large tables, whatever their statistics say.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with looked_at as materialized (
    select x.check_id from identity_data x where x.check_id > after_check order by x.check_id limit page
  ), due as materialized (
    select x.check_id from looked_at l
      join identity_data x on x.check_id = l.check_id
      join identity_checks c on c.id = l.check_id join users u on u.id = c.user_id
     where c.decided_at < clock_timestamp() - make_interval(days => greatest(days, 30))
       and not (u.kyc_status = 'approved' and c.status = 'approved' and c.id = (
         select a.id from identity_checks a join identity_data y on y.check_id = a.id
          where a.user_id = c.user_id and a.status = 'approved'
          order by a.decided_at desc, a.id limit 1))
       for update of x skip locked
  ), gone as (
    delete from identity_data d using due where d.check_id = due.check_id returning d.check_id
  )
  select (select count(*) from gone),
         (select l.check_id from looked_at l order by l.check_id offset page - 1 limit 1)
    into deleted, next_check;
  if deleted > 0 then
    perform add_audit_row('service', 'kyc.purge', 'identity_data',
      jsonb_build_object('checks', deleted, 'days', days));
  end if;
end $$;

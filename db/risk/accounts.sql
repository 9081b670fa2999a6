-- Accounts whose names are like those of a list: they are compared soon after either changes, and what is found is a case
-- that holds what the account sends and receives until an operator has decided.

-- The job looks at the account again, also when a turn of it is under way.
create or replace function make_due(account uuid) returns void language sql as $$
  insert into risk_due_accounts as d (user_id) values (account)
  on conflict (user_id) do update set since = clock_timestamp(), taken_until = '-infinity'
$$;

-- Has the account's names compared. A list that is put into force meanwhile waits for them, or they see it.
create or replace function screen_soon(account uuid) returns void language plpgsql as $$
begin
  perform 1 from risk_screening for share;
  perform make_due(account) where is_screening();
end $$;

-- Has those of all accounts compared, also when a turn of them is under way.
create or replace function screen_all_accounts() returns void language sql as $$
  update risk_screening s set after = case when is_screening() then '00000000-0000-0000-0000-000000000000'::uuid end
$$;

-- Takes the accounts that are due for a minute, the oldest first. When none is, the next of a turn of all become due.
create or replace function take_due_accounts(most integer) returns setof risk_due_accounts
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last uuid;
  added integer;
begin
  if not exists (select from risk_due_accounts) then
    select s.after into last from risk_screening s where s.after is not null for update skip locked;
    if found then
      with next as (
        select u.id from users u where u.id > last order by u.id limit most
      ), due as (
        insert into risk_due_accounts as d (user_id) select n.id from next n
        on conflict (user_id) do update set since = clock_timestamp(), taken_until = '-infinity'
      )
      select count(*), (array_agg(n.id order by n.id desc))[1] into added, last from next n;
      update risk_screening s set after = case when added = most then last end;
    end if;
  end if;
  return query
    update risk_due_accounts d set taken_until = clock_timestamp() + interval '1 minute'
     where d.user_id in (
       select x.user_id from risk_due_accounts x where x.taken_until < clock_timestamp()
        order by x.since limit most for update skip locked)
    returning d.*;
end $$;

-- Its names were compared, unless something has changed since.
create or replace function end_screening(account uuid, as_of timestamptz) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from risk_due_accounts d where d.user_id = account and d.since = as_of
$$;

-- The account's submitted data about its owner that were not rejected, sealed: its legal name is compared, too. Nothing
-- is told of it while nothing is compared.
create or replace function identity_to_screen(account uuid, out check_id uuid, out sealed bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.check_id, d.sealed
    from identity_checks c join identity_data d on d.check_id = c.id
   where c.user_id = account and c.status in ('pending', 'approved') and is_screening()
   order by c.created_at desc limit 1
$$;

-- Opens a case of what was found of an account's names: `reasons` as in risk_cases, of which each `name` is the list and
-- the entry. What an operator has released of this account is never found again, and what waits, or has frozen it, not
-- twice. Returns the case; null: there is nothing new.
create or replace function open_account_case(account uuid, reasons jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
  fresh jsonb;
  ref text;
begin
  select * into strict u from users x where x.id = account for no key update;
  select jsonb_agg(r order by place) into fresh
    from jsonb_array_elements(reasons) with ordinality x (r, place)
   where not exists (
     select from risk_cases c
      where c.user_id = account and c.subject_type = 'account'
        and (c.status in ('held', 'released') or u.frozen_at is not null)
        and c.reasons @> jsonb_build_array(jsonb_build_object('name', r ->> 'name')));
  if fresh is null then
    return null;
  end if;
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = account));
  -- It begins after what was posted before it, also where a posting is a little ahead of the clock.
  insert into risk_cases (reference, decision, status, subject_type, subject, user_id, reasons, created_at)
  select risk_reference(), 'hold', 'held', 'account', u.username, u.id, fresh,
         greatest(clock_timestamp(), max(a.last_posted_at) + interval '1 microsecond')
    from ledger_accounts a where a.user_id = account
  returning reference into ref;
  perform mark_questioned(account);
  return ref;
end $$;

-- The caller has locked the account's row.
create or replace function mark_questioned(account uuid) returns void language plpgsql as $$
declare
  is_one constant boolean := exists (
    select from risk_cases c where c.user_id = account and c.subject_type = 'account' and c.status = 'held');
begin
  perform lock_accounts(array(select a.id from ledger_accounts a where a.user_id = account));
  update ledger_accounts a set is_questioned = is_one where a.user_id = account and a.is_questioned <> is_one;
end $$;

-- Ends an account's case: a release lets the entries be, and a job what was held for it alone (release_cleared_case); a
-- refusal freezes the account. The caller has locked its row.
create or replace function decide_account(c risk_cases, actor text) returns text language plpgsql as $$
begin
  if c.status = 'refused' then
    perform freeze_account(c.user_id, coalesce(c.reason, 'risk ' || c.reference), actor);
  else
    perform make_due(c.user_id);
  end if;
  perform mark_questioned(c.user_id);
  return 'done';
end $$;

-- Why an order of these accounts is held: their open cases, as reasons of it.
create or replace function account_reasons(accounts uuid[]) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('source', 'screening', 'name', c.reference,
           'detail', format('the name of %s is like %s', c.subject, c.reasons -> 0 ->> 'detail'), 'decision', 'hold')
           order by c.created_at, c.reference), '[]')
    from risk_cases c
   where c.user_id = any (accounts) and c.subject_type = 'account' and c.status = 'held'
$$;

-- The case whose release releases an order: the last of accounts' cases for which alone it was held, when all of them
-- are released. Null: it is held for more, it takes two operators, or the one who has released is of an account of it.
create or replace function cleared_by(c risk_cases) returns risk_cases language plpgsql stable as $$
declare
  last constant risk_cases := (
    select (array_agg(a order by a.decided_at desc))[1]
      from jsonb_array_elements(c.reasons) r
      join risk_cases a on a.reference = r ->> 'name' and a.subject_type = 'account' and a.status = 'released'
    having count(*) = jsonb_array_length(c.reasons));
begin
  return case when not needs_approval(c.currency, c.amount_minor) and not exists (
    select from memberships m
     where m.user_id in (c.user_id, c.recipient_id) and m.login_id::text = operator_person(last.decided_by)) then last end;
end $$;

-- The orders from and to the account that are held and need not be, the oldest first.
create or replace function list_cleared_cases(account uuid, most integer) returns setof risk_cases
language sql stable security definer set search_path = public, pg_temp as $$
  select c.* from risk_cases c
   where c.status = 'held' and (c.user_id = account or c.recipient_id = account) and (cleared_by(c)).reference is not null
   order by c.created_at, c.reference limit most
$$;

-- Releases one of them, as the operator who has released the account would. What forbids it leaves it held.
create or replace function release_cleared_case(ref text, pay_url_base text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  k record;
begin
  select x.* into strict k from risk_cases c cross join lateral cleared_by(c) x where c.reference = ref;
  if k.reference is not null then
    perform change_setting_as('risk.release', jsonb_build_object('reference', ref, 'pay_url_base', pay_url_base,
      'reason', 'with ' || k.reference), k.decided_by, '{}');
  end if;
end $$;

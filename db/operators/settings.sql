-- Settings that operators change: rows that hold from the next posting on (docs/decisions/operators.md). Each change is
-- a row of the audit log with before and after, and where decisions about money need a second operator, so does a
-- setting: in its currency, or without one in any, whatever the figure.
--
-- A new action, such as `tiers.set`, takes
--   1. a function `apply_tiers_set(given jsonb, actor text) returns setting_change`, which locks what it changes,
--      changes it, and returns `before` and `after` of it; they are equal, or nothing is changed and `refusal` says why.
--      It checks its values itself, writes no row of the audit log and asks for no second operator. `subject` names
--      the thing, one request about which may wait; with an `amount_minor` a second operator is needed above the limit only;
--   2. its name in the check of `approvals.action` (0008-operators.sql), in ACTIONS of dashboard/operators/words.ts and
--      in DEEDS of audit-words.ts there, and its arguments' labels in approval-words.ts;
--   3. a command that calls `change` of cli/settings.ts with a sentence for each refusal.
-- Requests, their approval and their mails follow.

-- Changes a setting. `refusal` is null, or why nothing was changed. The same again has `changed` false, and leaves no row.
-- Raises AP001 where a second operator is needed, and AP002 for an account of the operator's own.
create or replace function change_setting(action text, given jsonb, actor text)
returns table (refusal text, changed boolean, before jsonb, after jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c setting_change;
begin
  select * into c from change_setting_as(action, given, actor, '{}');
  changed := c.refusal is null and c.before is distinct from c.after;
  -- The locks that are held by now tell what changes: an error that is raised here undoes it all.
  if changed then
    perform refuse_without_approval(c.currency, c.amount_minor),
            refuse_own_account(actor, (select u.id from users u where u.username = c.username));
  end if;
  return query select c.refusal, changed, c.before, c.after;
end $$;

-- `more` is added to what the audit log says.
create or replace function change_setting_as(action text, given jsonb, actor text, more jsonb)
returns setting_change language plpgsql as $$
declare
  c setting_change := apply_setting(action, given, actor);
begin
  if c.refusal is null and c.before is distinct from c.after then
    perform add_audit_row(actor, action, c.subject, jsonb_strip_nulls(jsonb_build_object(
      'username', c.username, 'environment', c.environment, 'currency', c.currency,
      'amount', (c.amount_minor * 0.01)::text, 'reason', nullif(given ->> 'reason', '')))
      || jsonb_build_object('before', c.before, 'after', c.after) || more);
  end if;
  return c;
end $$;

create or replace function apply_setting(action text, given jsonb, actor text)
returns setting_change language plpgsql as $$
declare
  applies regprocedure := to_regprocedure(quote_ident('apply_' || replace(action, '.', '_')) || '(jsonb,text)');
  c setting_change;
begin
  if applies is null then
    raise exception 'there is no setting %', action using errcode = 'invalid_parameter_value';
  end if;
  execute format('select * from %s($1, $2)', applies::regproc) into strict c using given, actor;
  return c;
end $$;

-- The request for a change: it is applied and taken back, so that one that is refused or changes nothing has no row.
create or replace function setting_subject(action text, given jsonb)
returns table (subject text, username text, environment text, currency text, amount_minor bigint)
language plpgsql as $$
declare
  c setting_change;
begin
  begin
    c := apply_setting(action, given, session_user::text);
    raise exception using errcode = 'ST001';
  exception when sqlstate 'ST001' then
    null;
  end;
  if c.refusal is null and c.before is distinct from c.after then
    return query select c.subject, c.username, c.environment, c.currency, c.amount_minor;
  end if;
end $$;

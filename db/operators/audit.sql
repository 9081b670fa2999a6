-- The audit log. add_audit_row is its only writer, for the functions and commands of operators.

-- Adds a row. Call it last in a transaction: from here to the commit no other transaction can add
-- one, so that ids have no gaps and are in the order of the commits, which seal_ledger relies on.
create or replace function add_audit_row(actor text, action text, subject text, details jsonb)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- A lock of the table and not an advisory one: a role that only reads cannot take it.
  lock table audit_log in share row exclusive mode;
  insert into audit_log (id, at, actor, database_role, action, subject, details)
  select coalesce(max(l.id), 0) + 1, greatest(clock_timestamp(), max(l.at)), add_audit_row.actor,
         session_user, add_audit_row.action, add_audit_row.subject, add_audit_row.details
    from (select x.id, x.at from audit_log x order by x.id desc limit 1) l;
end $$;

-- The audit log. add_audit_row is its only writer, for the functions and commands of operators.

-- Adds a row. Call it last in a transaction: from here to the commit nobody else can add one, so that
-- the chain is in the order of the commits. The content of `hash` is that of auditHash in db/audit.ts.
create or replace function add_audit_row(actor text, action text, subject text, details jsonb)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last audit_log;
  a audit_log;
begin
  -- A lock of the table and not an advisory one: a role that only reads cannot take it.
  lock table audit_log in share row exclusive mode;
  select * into last from audit_log x order by x.id desc limit 1;
  a.id := coalesce(last.id, 0) + 1;
  a.at := greatest(clock_timestamp(), last.at);
  a.actor := add_audit_row.actor;
  a.database_role := session_user;
  a.action := add_audit_row.action;
  a.subject := add_audit_row.subject;
  a.details := add_audit_row.details;
  a.previous_hash := coalesce(last.hash, decode(repeat('00', 32), 'hex'));
  -- No field contains a line break, so no two rows have the same lines.
  a.hash := sha256(convert_to(concat_ws(e'\n', a.id,
    to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), a.actor, a.database_role,
    a.action, a.subject, a.details, encode(a.previous_hash, 'hex')), 'UTF8'));
  insert into audit_log values (a.*);
end $$;

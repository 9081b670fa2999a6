-- Sealing the ledger and the audit log (docs/decisions/ledger.md). seal_ledger is the only
-- writer of seals.

-- Seals what no seal covers yet: the entries of accounts after the given one, and before all accounts the audit
-- log, as account 0, whose ids are its versions; a first call passes -1. A call seals at most 5,000 rows of at
-- most 20,000 accounts, so that it is short. `next_account` is where to go on; null when no account is left. No
-- row is returned when another process seals. It takes no lock that a posting or an operator waits for: what
-- commits meanwhile is for a later call. db/verify/verify-seals.ts computes the same hashes.
create or replace function seal_ledger(after_account bigint)
returns table (sealed bigint, next_account bigint)
language plpgsql security definer set search_path = public, pg_temp
-- Ranges are small parts of large tables, whatever the statistics of a table that has just grown say.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_entries constant integer := 5000;
  max_accounts constant integer := 20000;
  last ledger_seals;
  s ledger_seals;
  range_lines text;
begin
  begin
    -- A lock of the table and not an advisory one: a role that only reads cannot take it.
    lock table ledger_seals in share row exclusive mode nowait;
  exception when lock_not_available then
    return;
  end;
  select * into last from ledger_seals x order by x.id desc limit 1;
  s.id := coalesce(last.id, 0) + 1;

  with looked_at as materialized (
    select a.id, a.version, coalesce(r.to_version, 0) as sealed_version
      from (select 0::bigint as id, coalesce(max(l.id), 0) as version from audit_log l
            having after_account < 0
            union all
            (select b.id, b.version from ledger_accounts b
              where b.id > after_account order by b.id limit max_accounts)) a
      left join lateral (
        select x.to_version from ledger_seal_ranges x
         where a.version > 0 and x.account_id = a.id
         order by x.from_version desc limit 1) r on true
  ), waiting as materialized (
    select l.id, e.latest, l.sealed_version,
           sum(e.latest - l.sealed_version) over (order by l.id) as up_to_here
      from looked_at l
     -- An account's version may count entries that are not there: no more is sealed than is there.
     cross join lateral (select case l.id when 0 then l.version else
                           (select max(x.account_version) from ledger_entries x where x.account_id = l.id)
                         end as latest) e
     where l.version > l.sealed_version and e.latest > l.sealed_version
  ), ranges as materialized (
    select w.id as account_id, w.sealed_version + 1 as from_version,
           least(w.latest, w.latest - (w.up_to_here - max_entries))::bigint as to_version
      from waiting w where w.up_to_here - (w.latest - w.sealed_version) < max_entries
  ), added as (
    insert into ledger_seal_ranges (seal_id, account_id, from_version, to_version, digest)
    select s.id, r.account_id, r.from_version, r.to_version,
           sha256(convert_to(concat_ws(e'\n',
             concat_ws(' ', r.account_id, a.public_id, a.user_id, a.environment, a.currency, a.kind, a.name),
             string_agg(x.line, e'\n' order by x.version)), 'UTF8'))
      from ranges r
      left join ledger_accounts a on a.id = r.account_id
     cross join lateral (
       -- Free text is JSON, which has no line breaks.
       select e.account_version as version,
              concat_ws(' ', e.account_version, e.amount_minor, e.balance_after_minor,
                e.environment, e.currency, e.transaction_id, t.kind,
                to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                to_json(t.reference), to_json(t.description)) as line
         from ledger_entries e
         -- A superuser can remove a transaction from under its entries: they are sealed all the same.
         left join ledger_transactions t on t.id = e.transaction_id and t.environment = e.environment
        where e.account_id = r.account_id
          and e.account_version between r.from_version and r.to_version
       union all
       select l.id, concat_ws(' ', l.id,
                to_char(l.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), l.actor,
                to_json(l.database_role), l.action, to_json(l.subject), l.details)
         from audit_log l
        where r.account_id = 0 and l.id between r.from_version and r.to_version) x
     group by r.account_id, r.from_version, r.to_version, a.id
    returning account_id, from_version, to_version, digest
  )
  select sum(n.to_version - n.from_version + 1),
         string_agg(concat_ws(' ', n.account_id, n.from_version, n.to_version,
           encode(n.digest, 'hex')), e'\n' order by n.account_id),
         coalesce(
           -- The first account that is not sealed to its end is the next call's first.
           (select min(w.id) - 1 from waiting w where w.up_to_here > max_entries),
           (select max(l.id) from looked_at l having count(*) = max_accounts))
    into s.entries, range_lines, next_account
    from added n;

  sealed := coalesce(s.entries, 0);
  if sealed > 0 then
    s.sealed_at := greatest(clock_timestamp(), last.sealed_at);
    s.database_role := session_user;
    s.previous_hash := coalesce(last.hash, decode(repeat('00', 32), 'hex'));
    s.hash := sha256(convert_to(concat_ws(e'\n', s.id,
      to_char(s.sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), s.database_role,
      s.entries, encode(s.previous_hash, 'hex'), range_lines), 'UTF8'));
    insert into ledger_seals values (s.*);
  end if;
  return next;
end $$;

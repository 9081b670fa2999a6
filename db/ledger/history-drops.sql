-- Dropping the histories of a month (docs/decisions/growth.md). The journal, the transfers and the answers stay, so that
-- balances, seals and repeated requests are as before.

-- The moment from which histories are whole.
create or replace function history_since() returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select (max(d.month) + interval '1 month') at time zone 'UTC' from history_drops d), '-infinity')
$$;

-- Rows that were posted from then on are shown, also where a history shows it a moment later. For `ledger verify`.
create or replace function shown_since() returns timestamptz language sql stable as $$
  select history_since() + interval '1 hour'
$$;

-- The first id of version 7 of a moment.
create or replace function first_id(at timestamptz) returns uuid language sql immutable as $$
  select case when isfinite(at) and at > 'epoch'
         then (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
         else '00000000-0000-0000-0000-000000000000' end
$$;

-- Begins to drop a month, or goes on with it. The caller has read its archive back, compared each row, and verified its
-- seals; `rows` and `manifest` are of the archive. The month is over since 92 days, and the ones before it are dropped or
-- have no rows.
--
-- outcome: begun | too_young | not_the_oldest | not_invoiced (invoices of fees are made from histories) | other_archive (it
-- was begun with another one).
create or replace function begin_history_drop(drop_month date, rows bigint, manifest text, actor text)
returns text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  starts timestamptz := drop_month::timestamp at time zone 'UTC';
  ends timestamptz := (drop_month + interval '1 month') at time zone 'UTC';
  d history_drops;
begin
  lock table history_drops in share row exclusive mode;
  select * into d from history_drops x where x.month = drop_month;
  if found then
    return case when (d.archived_rows, d.manifest_hash) = (rows, manifest) then 'begun' else 'other_archive' end;
  end if;
  if ends > clock_timestamp() - interval '92 days' then
    return 'too_young';
  elsif exists (select from history_drops x where x.ended_at is null)
     or exists (select from transactions t where t.id < first_id(starts) and t.created_at < starts) then
    return 'not_the_oldest';
  elsif exists (select from fee_rules r where r.percent > 0 or r.fixed_minor > 0 or r.minimum_minor > 0)
    and not exists (select from fee_invoice_months m where m.until >= ends and m.finished_at is not null) then
    return 'not_invoiced';
  end if;
  insert into history_drops (month, archived_rows, manifest_hash, dropped_by) values (drop_month, rows, manifest, actor);
  perform add_audit_row(actor, 'archive.drop', 'books-' || to_char(drop_month, 'YYYY-MM'),
    jsonb_build_object('rows', rows, 'sha256', manifest));
  return 'begun';
end $$;

-- Deletes at most 5,000 rows after the given id of a month whose drop has begun. `last` is the last one's id; null when no
-- row is left, and then the drop has ended.
create or replace function drop_history_rows(drop_month date, after uuid)
returns table (deleted integer, last uuid)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ends timestamptz := (drop_month + interval '1 month') at time zone 'UTC';
begin
  if not exists (select from history_drops x where x.month = drop_month) then
    raise exception 'the drop of % has not begun', drop_month using errcode = 'check_violation';
  end if;
  with found as (
    -- An id may tell a moment a little after that of its row.
    select t.id from transactions t
     where t.id > after and t.id < first_id(ends + interval '1 day') and t.created_at < ends
     order by t.id limit 5000
  ), gone as (
    delete from transactions t using found f where t.id = f.id
  )
  select count(*), (array_agg(f.id order by f.id desc))[1] into deleted, last from found f;
  if last is null then
    -- They count the rows that are gone, and no limit reads them: the longest is of the month that runs.
    delete from limit_days d where d.day < drop_month + interval '1 month';
    update history_drops x set ended_at = clock_timestamp() where x.month = drop_month and x.ended_at is null;
  end if;
  return next;
end $$;

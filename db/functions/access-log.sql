-- The access log in days. The application's role owns no table, so these functions make and drop its
-- partitions (docs/decisions/0039-access-log-in-days.md).

-- True when the day had none. Attaching a finished table, unlike `create table … partition of`, waits for
-- no insert and holds none up.
create or replace function make_access_day(day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  name text := 'access_entries_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  -- Of two processes that make the same day, the second waits and then finds it: unlike an advisory lock,
  -- that of a table shows what was made meanwhile. It keeps no insert and no reader waiting.
  lock table access_entries in share update exclusive mode;
  if to_regclass(name) is not null then
    return false;
  end if;
  execute format('create table %I (like access_entries including all)', name);
  execute format('alter table access_entries attach partition %I for values from (%L) to (%L)',
    name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  return true;
end $$;

-- Existing rows stay as they are, so a rebuild from the lines may overlap. Returns how many are new.
-- Rows of a day long past or in the future are left out: no partition is made for a clock that is wrong.
create or replace function add_access_entries(entries jsonb) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
  added integer;
begin
  perform make_access_day(d.day)
     from (select distinct ((e ->> 'at')::timestamptz at time zone 'UTC')::date as day
             from jsonb_array_elements(entries) e) d
    where d.day between today - 3660 and today + 7;
  insert into access_entries (id, at, ip, key_id, requests, method, route, status, request_id,
    duration_ms)
  select e.id, e.at, e.ip, e.key_id, coalesce(e.requests, 1), e.method, e.route, e.status,
         e.request_id, e.duration_ms
    from jsonb_to_recordset(entries) e (id uuid, at timestamptz, ip text, key_id uuid,
         requests integer, method text, route text, status integer, request_id text,
         duration_ms numeric)
   where (e.at at time zone 'UTC')::date between today - 3660 and today + 7
     -- Written by a process of the version before.
     and not exists (select from access_log l where l.id = e.id)
  on conflict (id, at) do nothing;
  get diagnostics added = row_count;
  return added;
end $$;

-- Makes the days to come, and drops those that are older than the retention; zero keeps them for ever.
-- Never less than a week is kept, so that whoever gets the application's role cannot wipe their traces.
-- No row when another process is at it.
create or replace function tend_access_log(retention_days integer)
returns table (made integer, dropped integer, deleted integer)
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
  oldest date := today - greatest(retention_days, 7);
  partition text;
begin
  if not pg_try_advisory_xact_lock(7203912) then
    return;
  end if;
  select count(*) filter (where make_access_day(today + n)) into made from generate_series(0, 7) n;
  dropped := 0;
  deleted := 0;
  if retention_days > 0 then
    for partition in
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'access_entries'::regclass
         and to_date(substr(c.relname, 16), 'YYYYMMDD') < oldest
       order by c.relname
    loop
      begin
        execute format('drop table %I', partition);
        dropped := dropped + 1;
      exception when lock_not_available then
        -- A long query reads the log: the next turn tries again.
        exit;
      end;
    end loop;
    -- The table of the version before, a piece at a time.
    delete from access_log l
     where l.ctid = any (array(select o.ctid from access_log o
                                where o.at < oldest::timestamp at time zone 'UTC' limit 10000));
    get diagnostics deleted = row_count;
  end if;
  return next;
end $$;

-- A database that was just migrated has its first days.
select make_access_day((clock_timestamp() at time zone 'UTC')::date + n) from generate_series(0, 7) n;

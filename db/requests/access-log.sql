-- The access log in days. The application's role owns no table, so these functions make and drop its
-- partitions (docs/decisions/database.md).

-- Does nothing when the day is there. Attaching a finished table, unlike `create table … partition of`,
-- waits for no insert and holds none up.
create or replace function make_access_day(day date) returns void
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  name text := 'access_entries_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(name) is not null then
    return;
  end if;
  -- The second of two processes that make the same day waits and then finds it: unlike an advisory
  -- lock, that of a table shows what was made meanwhile. It keeps no insert and no reader waiting.
  lock table access_entries in share update exclusive mode;
  if to_regclass(name) is not null then
    return;
  end if;
  execute format('create table %I (like access_entries including all)', name);
  execute format('alter table access_entries attach partition %I for values from (%L) to (%L)',
    name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;

-- The first row of a day makes the day. Existing rows stay as they are: a process that does not know
-- whether its rows were written sends them again. Rows of a day long past or in the future are left out:
-- no partition is made for a clock that is wrong.
create or replace function add_access_entries(entries jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
begin
  perform make_access_day(d.day)
     from (select distinct ((e ->> 'at')::timestamptz at time zone 'UTC')::date as day
             from jsonb_array_elements(entries) e) d
    where d.day between today - 3660 and today + 7;
  insert into access_entries (id, at, ip, key_id, method, route, status, request_id, duration_ms, code, refusal,
         path, idempotency_key, fault, names)
  select e.id, e.at, e.ip, e.key_id, e.method, e.route, e.status, e.request_id, e.duration_ms, e.code, e.refusal,
         e.path, e.idempotency_key, e.fault, e.names
    from jsonb_to_recordset(entries) e (id uuid, at timestamptz, ip text, key_id uuid, method text,
         route text, status integer, request_id text, duration_ms numeric,
         code text, refusal text, path text, idempotency_key text, fault text, names text[])
   where (e.at at time zone 'UTC')::date between today - 3660 and today + 7
  on conflict (id, at) do nothing;
end $$;

-- Drops the days that are older than the retention and returns how many; zero keeps them for ever.
-- Never less than a week is kept, so that an attacker with the application's role cannot wipe their
-- traces. Processes may do it at once: the second waits for the first and finds nothing left.
create or replace function drop_access_days(retention_days integer) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
  partition text;
  dropped integer := 0;
begin
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'access_entries'::regclass and retention_days <> 0
       and to_date(substr(c.relname, 16), 'YYYYMMDD') < today - greatest(retention_days, 7)
     order by c.relname
  loop
    begin
      execute format('drop table if exists %I', partition);
      dropped := dropped + 1;
    exception when lock_not_available then
      -- A long query reads the log: the next turn tries again.
      exit;
    end;
  end loop;
  return dropped;
end $$;

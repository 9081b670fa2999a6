-- Attempts by month. The application's role owns no table, so these functions make and drop the partitions
-- (docs/decisions/database.md).

-- True when the month had none. Attaching a finished table, unlike `create table … partition of`, waits for
-- no insert and holds none up.
create or replace function make_attempt_month(month date) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  first timestamp := date_trunc('month', month::timestamp);
  name text := 'webhook_attempts_' || to_char(month, 'YYYYMM');
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  -- The second of two processes that make the same month waits and then finds it: unlike an
  -- advisory lock, that of a table shows what was made meanwhile. It keeps no insert and no reader
  -- waiting.
  lock table webhook_attempts in share update exclusive mode;
  if to_regclass(name) is not null then
    return false;
  end if;
  execute format('create table %I (like webhook_attempts including all)', name);
  -- That of the whole table does not see a statement that names the partition.
  execute format('create trigger %I before update or delete or truncate on %I
    for each statement execute function refuse_change()', name || '_append_only', name);
  execute format('alter table webhook_attempts attach partition %I for values from (%L) to (%L)',
    name, first at time zone 'UTC', (first + interval '1 month') at time zone 'UTC');
  return true;
end $$;

-- This month and the next two. Returns how many were missing.
create or replace function make_attempt_months() returns integer
language sql security definer set search_path = public, pg_temp as $$
  select count(*) filter (where make_attempt_month(
           ((clock_timestamp() at time zone 'UTC')::date + n * interval '1 month')::date))::integer
    from generate_series(0, 2) n
$$;

-- Drops a month that ended at least 31 days ago, so that an attacker with the application's role
-- cannot wipe their traces. Returns how many attempts were dropped; null when the month is not
-- there, too young or in use. Refuses a month that has another number of attempts than those that
-- were archived (`expected`; null: none were).
create or replace function drop_attempt_month(month date, expected bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  name text := 'webhook_attempts_' || to_char(month, 'YYYYMM');
  first timestamp := date_trunc('month', month::timestamp);
  starts timestamptz := first at time zone 'UTC';
  ends timestamptz := (first + interval '1 month') at time zone 'UTC';
  attempts bigint;
begin
  begin
    lock table webhook_attempts in share update exclusive mode nowait;
  exception when lock_not_available then
    -- Another process is at it.
    return null;
  end;
  if ends > clock_timestamp() - interval '31 days' or to_regclass(name) is null then
    return null;
  end if;
  -- No row is added to a month that is over, so they are counted before all others have to wait.
  select count(*) into attempts from webhook_attempts a
   where a.recorded_at >= starts and a.recorded_at < ends;
  if attempts <> expected then
    raise exception '% attempts of % were archived, and there are %', expected, to_char(first, 'YYYY-MM'), attempts
      using errcode = 'restrict_violation';
  end if;
  begin
    execute format('drop table %I', name);
  exception when lock_not_available then
    -- A long query reads attempts: the next turn tries again.
    return null;
  end;
  insert into webhook_attempt_drops (month, attempts) values (first::date, attempts);
  return attempts;
end $$;

-- A database that was just migrated has its first months.
select make_attempt_months();

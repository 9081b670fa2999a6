-- Lists of names (docs/decisions/risk.md): a file is read in by steps that hold nothing up, and put into force by one row.

-- A file that is to be read in. Null: this one was.
create or replace function begin_risk_list(name text, sha256 text, count integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  new_id bigint;
begin
  -- The day of its own begins anew, so that it is not dropped before it is approved.
  update risk_lists l set began_at = clock_timestamp()
   where l.list = name and l.version = sha256 and l.state in ('read', 'current');
  if not found then
    insert into risk_lists (list, version, entries, state) values (name, sha256, count, 'reading')
    returning id into new_id;
  end if;
  return new_id;
end $$;

-- `rows`: arrays of [number, entry, name, called, facts].
create or replace function add_risk_names(file bigint, rows jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into risk_list_names (list_id, number, entry, name, called, facts)
  select l.id, (r ->> 0)::integer, r ->> 1, r ->> 2, r ->> 3, r ->> 4
    from jsonb_array_elements(rows) r
    join risk_lists l on l.id = file and l.state = 'reading'
$$;

-- `names` and `of_keys` are texts of arrays, or null.
create or replace function add_risk_keys(file bigint, keys text[], names text[], of_keys text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into risk_list_keys (list_id, key, names, of_keys)
  select l.id, k.key, k.names::integer[], k.of_keys::text[]
    from unnest(keys, names, of_keys) k (key, names, of_keys)
    join risk_lists l on l.id = file and l.state = 'reading'
$$;

create or replace function end_risk_list(file bigint) returns void
language sql security definer set search_path = public, pg_temp as $$
  update risk_lists l set state = 'read' where l.id = file and l.state = 'reading'
$$;

create or replace function risk_list_json(l risk_lists) returns jsonb language sql immutable as $$
  select jsonb_build_object('list', l.list, 'version', l.version, 'entries', l.entries) where l.id is not null
$$;

-- `given` is {list, version}, or {list, remove: true}. The names of the version before are found until the commit, and
-- those of this one from then on.
create or replace function apply_risk_load(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  before risk_lists;
  after risk_lists;
  change setting_change;
begin
  -- Whatever refreshes what is watched waits for the other.
  lock table risk_rules in share row exclusive mode;
  select * into before from risk_lists l where l.list = given ->> 'list' and l.state = 'current';
  change.subject := 'risk-list/' || (given ->> 'list');
  change.before := risk_list_json(before);
  if given ? 'remove' then
    if before.id is null then
      change.refusal := 'list_not_found';
      return change;
    end if;
  elsif before.version = given ->> 'version' then
    change.after := change.before;
    return change;
  else
    select * into after from risk_lists l
     where l.list = given ->> 'list' and l.version = given ->> 'version' and l.state = 'read' order by l.id limit 1;
    if after.id is null then
      change.refusal := 'version_not_found';
      return change;
    end if;
  end if;
  update risk_lists l set state = 'gone' where l.id = before.id;
  update risk_lists l set state = 'current', loaded_at = clock_timestamp(), loaded_by = actor where l.id = after.id;
  change.after := risk_list_json(after);
  perform screen_all_accounts(), refresh_watched();
  return change;
end $$;

create or replace function risk_screening_json(s risk_screening) returns jsonb language sql immutable as $$
  select jsonb_build_object('mode', s.mode, 'url', s.url, 'minimum', s.minimum, 'deadline_ms', s.deadline_ms,
    'on_silence', s.on_silence)
$$;

-- `given` is {mode, url, minimum, deadline_ms, on_silence}.
create or replace function apply_risk_screening(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  before risk_screening;
  after risk_screening;
  change setting_change;
begin
  lock table risk_rules in share row exclusive mode;
  select * into strict before from risk_screening s for update;
  update risk_screening s
     set mode = given ->> 'mode', url = given ->> 'url', minimum = (given ->> 'minimum')::numeric,
         deadline_ms = (given ->> 'deadline_ms')::integer, on_silence = given ->> 'on_silence',
         set_at = clock_timestamp()
  returning * into after;
  change.subject := 'risk-screening';
  change.before := risk_screening_json(before);
  change.after := risk_screening_json(after);
  if change.before <> change.after then
    perform screen_all_accounts(), refresh_watched();
  end if;
  return change;
end $$;

-- Whether there is anything to compare names with.
create or replace function is_screening() returns boolean language sql stable as $$
  select s.mode = 'url' or (s.mode = 'local' and exists (select from risk_lists l where l.state = 'current'))
    from risk_screening s
$$;

-- Drops some rows of files that no longer hold, that were not read to their end, or that no operator has approved while
-- a request waits. False: there are none.
create or replace function drop_risk_lists(most integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  old bigint;
  dropped integer;
begin
  select l.id into old from risk_lists l
   where l.state = 'gone'
      or l.began_at < clock_timestamp() - case l.state when 'reading' then interval '1 hour' when 'read' then interval '8 days' end
   order by l.id limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  update risk_lists l set state = 'gone' where l.id = old and l.state <> 'gone';
  delete from risk_list_keys k where k.ctid = any (array(select x.ctid from risk_list_keys x where x.list_id = old limit most));
  get diagnostics dropped = row_count;
  if dropped = 0 then
    delete from risk_list_names n where n.ctid = any (array(select x.ctid from risk_list_names x where x.list_id = old limit most));
    get diagnostics dropped = row_count;
  end if;
  if dropped = 0 then
    delete from risk_lists l where l.id = old;
  end if;
  return true;
end $$;

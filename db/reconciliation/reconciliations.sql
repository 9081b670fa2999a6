-- Reconciliations: their course and what they find (docs/decisions/production.md).

-- Begins one, once for each run of a workflow. One workflow runs at a time, so whatever else has no end was
-- broken off. Results are kept for 400 days.
create or replace function begin_reconciliation(run uuid) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  begun bigint;
begin
  insert into reconciliations (run_id) values (run) on conflict (run_id) do nothing;
  select r.id into strict begun from reconciliations r where r.run_id = run;
  update reconciliation_checks c
     set status = 'not_checked', detail = 'the reconciliation was broken off', ended_at = clock_timestamp()
   where c.reconciliation_id < begun and c.status = 'running';
  update reconciliations r set ended_at = clock_timestamp(), is_broken_off = true
   where r.id < begun and r.ended_at is null;
  delete from reconciliations r
   where r.id in (select o.id from reconciliations o
                   where o.started_at < now() - interval '400 days' order by o.id limit 100);
  return begun;
end $$;

-- A check begins to compare at `since`, or where the last one ended that came to its end, less an overlap, and
-- never before the beginning. A step that is repeated goes on with the same times.
create or replace function begin_reconciliation_check(
  reconciliation bigint, check_name text, since timestamptz, overlap_seconds integer
) returns table (checked_from timestamptz, checked_to timestamptz)
language sql security definer set search_path = public, pg_temp as $$
  insert into reconciliation_checks as c (reconciliation_id, name, checked_from, checked_to)
  select r.id, check_name, least(now(), greatest(coalesce(since, (
           select max(l.checked_to) from reconciliation_checks l
            where l.name = check_name and l.status in ('clean', 'found')
         ) - overlap_seconds * interval '1 second', '-infinity'), (
           -- No payment and no event is older than the first account.
           select coalesce(min(u.created_at), now()) from users u))), now()
    from reconciliations r where r.id = reconciliation and r.ended_at is null
  on conflict (reconciliation_id, name) do update set checked_to = c.checked_to
  returning c.checked_from, c.checked_to
$$;

-- Counts what was found, and keeps of each check as many as `max_kept`. What was found before is not counted
-- again; it may be repaired by now.
create or replace function add_reconciliation_findings(
  reconciliation bigint, check_name text, findings jsonb, max_kept integer
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c reconciliation_checks;
  f record;
  known reconciliation_findings;
begin
  select * into strict c from reconciliation_checks x
   where x.reconciliation_id = reconciliation and x.name = check_name and x.status = 'running'
     for update;
  for f in select * from jsonb_to_recordset(findings) q (
             kind text, reference text, detail text, is_repaired boolean) loop
    select * into known from reconciliation_findings x
     where x.reconciliation_id = reconciliation and x.check_name = add_reconciliation_findings.check_name
       and x.kind = f.kind and x.reference = f.reference and x.detail = f.detail;
    if not found then
      if c.found < max_kept then
        insert into reconciliation_findings
          (reconciliation_id, check_name, kind, reference, detail, is_repaired)
        values (reconciliation, check_name, f.kind, f.reference, f.detail, f.is_repaired);
      end if;
      c.found := c.found + 1;
      c.repaired := c.repaired + f.is_repaired::integer;
    elsif f.is_repaired and not known.is_repaired then
      update reconciliation_findings x set is_repaired = true where x.id = known.id;
      c.repaired := c.repaired + 1;
    end if;
  end loop;
  update reconciliation_checks x set found = c.found, repaired = c.repaired
   where x.reconciliation_id = reconciliation and x.name = check_name;
end $$;

-- `outcome`: 'compared', 'not_checked' or 'not_configured'. Once ended, a check stays as it is.
create or replace function end_reconciliation_check(
  reconciliation bigint, check_name text, outcome text, compared bigint, why text
) returns void
language sql security definer set search_path = public, pg_temp as $$
  update reconciliation_checks c
     set status = case when outcome <> 'compared' then outcome
                       when c.found > 0 then 'found' else 'clean' end,
         compared = end_reconciliation_check.compared, detail = left(why, 500),
         ended_at = clock_timestamp()
   where c.reconciliation_id = reconciliation and c.name = check_name and c.status = 'running'
$$;

create or replace function end_reconciliation(reconciliation bigint) returns void
language sql security definer set search_path = public, pg_temp as $$
  update reconciliations r set ended_at = clock_timestamp()
   where r.id = reconciliation and r.ended_at is null
$$;

-- Returns for metrics what each check that was made found last, whether it came to its end, and how
-- long ago it last did. A check that never has is as old as the first try.
create or replace function reconciliation_readings() returns jsonb
language sql stable as $$
  with latest as (
    select n.name, l.status, l.found,
           extract(epoch from now() - coalesce(
             (select max(c.checked_to) from reconciliation_checks c
               where c.name = n.name and c.status in ('clean', 'found', 'not_configured')),
             (select min(c.started_at) from reconciliation_checks c where c.name = n.name))) as age
      from unnest(array['books', 'losses', 'gateway_live', 'gateway_sandbox', 'events', 'workflows']) n (name)
     cross join lateral (
       select c.status, c.found from reconciliation_checks c
        where c.name = n.name and c.status <> 'running'
        order by c.reconciliation_id desc limit 1) l
  )
  select coalesce(jsonb_agg(jsonb_build_object('gauge', g.gauge, 'check', l.name, 'value', g.value)), '[]')
    from latest l cross join lateral (values
      ('reconciliation_findings', l.found::float8),
      ('reconciliation_not_checked', (l.status = 'not_checked')::integer::float8),
      ('reconciliation_age_seconds', l.age::float8)) g (gauge, value)
$$;

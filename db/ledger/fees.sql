-- Fees, as operators set them (docs/decisions/ledger.md). Where decisions about money need a second operator, so does a
-- fee: the first one's call is written to the audit log as a request, and the same call by another person carries it out.

-- Finds the last request that has not been carried out; no row when there is none, or it is too old.
create or replace function waiting_fee_request(of_kind text, cur text)
returns table (requested_by text, requested_at timestamptz, basis_points integer, fixed_minor bigint)
language plpgsql stable as $$
declare
  -- Long enough for a weekend, as of other requests.
  lasts constant interval := interval '7 days';
begin
  return query
    select a.actor, a.at, (a.details ->> 'basis_points')::integer, (a.details ->> 'fixed_minor')::bigint
      from (select * from audit_log x where x.subject = 'fee/' || of_kind || '/' || cur
             order by x.id desc limit 1) a
     where a.action = 'fees.request' and a.at > clock_timestamp() - lasts;
end $$;

-- outcome: set | unchanged | requested | same_person (the same was requested by this person before) | not_found
create or replace function set_fee(
  of_kind text, cur text, points integer, fixed bigint, actor text, out outcome text, out requested_by text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  subject constant text := 'fee/' || of_kind || '/' || cur;
  wanted jsonb := jsonb_build_object('basis_points', points, 'fixed_minor', fixed);
  before fee_policies;
begin
  -- The second of two who confirm at once finds it set. Postings read the row without a lock.
  select * into before from fee_policies f where f.kind = of_kind and f.currency = cur for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if (before.basis_points, before.fixed_minor) = (points, fixed) then
    outcome := 'unchanged';
    return;
  end if;
  if exists (select from approval_limits l where l.currency = cur and l.above_minor is not null) then
    select w.requested_by into requested_by from waiting_fee_request(of_kind, cur) w
     where (w.basis_points, w.fixed_minor) = (points, fixed);
    if not found then
      outcome := 'requested';
      perform add_audit_row(actor, 'fees.request', subject, wanted);
      return;
    end if;
    if operator_person(requested_by) = operator_person(actor) then
      outcome := 'same_person';
      return;
    end if;
    wanted := wanted || jsonb_build_object('requested_by', requested_by, 'approved_by', actor);
  end if;
  update fee_policies f set basis_points = points, fixed_minor = fixed
   where f.kind = of_kind and f.currency = cur;
  outcome := 'set';
  perform add_audit_row(actor, 'fees.set', subject, wanted || jsonb_build_object(
    'basis_points_before', before.basis_points, 'fixed_minor_before', before.fixed_minor));
end $$;

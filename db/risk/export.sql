-- A case with all that belongs to it, for a financial intelligence unit. What happened after it was decided is no part of
-- it: the same case in the same state is the same file.

-- A side of a case.
create or replace function risk_person_json(u users, env text) returns json language sql stable as $$
  select row_to_json(p)
    from (select u.username, u.first_name, u.last_name, u.display_name, u.email, u.country, u.kyc_status,
                 account_tier(u, env) as tier, u.frozen_at is not null as frozen, instant(u.created_at) as created_at) p
$$;

-- JSON of the parts that are read from the books, and a row of the audit log. No row: there is no such case.
create or replace function export_risk_case(ref text, actor text)
returns table (subject text, account text, counterparty text, transactions text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  lasts constant interval := interval '90 days';
  most constant integer := 1000;
  c risk_cases;
  u users;
begin
  select * into c from risk_cases x where x.reference = ref;
  if not found then
    return;
  end if;
  select * into strict u from users x where x.id = c.user_id;
  perform add_audit_row(actor, 'risk.export', 'risk/' || c.reference,
    jsonb_strip_nulls(jsonb_build_object('username', u.username, 'environment', c.environment)));
  -- That of an account is about its money.
  c.environment := coalesce(c.environment, 'live');
  account := risk_person_json(u, c.environment);
  subject := case c.subject_type
    when 'transfer' then (
      select j.body::text from transfers t join users r on r.id = t.recipient_id
       cross join lateral transfer_json(t, 'out', u.username, r.username) j where t.reference = c.subject)
    when 'payout' then (
      select j.body::text from payouts p cross join lateral payout_json(p) j where p.reference = c.subject)
    -- Where it leads to may let others in.
    else (select (j.body::jsonb - array['checkout_url', 'pay_url', 'return_url', 'cancel_url'])::text
            from payment_intents i cross join lateral intent_json(i, '') j where i.reference = c.subject) end;
  counterparty := coalesce(
    (select risk_person_json(r, c.environment)::text from users r where r.id = c.recipient_id),
    (select row_to_json(d)::text
       from (select p.destination_type as type, p.phone, p.operator, p.account, p.bank_code,
                    coalesce(p.name, p.holder) as name, p.name_found, p.name_match
               from payouts p where p.reference = c.subject and p.user_id = c.user_id) d),
    (select row_to_json(d)::text from (select c.counterparty as recipient where c.counterparty is not null) d));
  transactions := (
    select coalesce(json_agg(h.body order by h.created_at desc, h.username), '[]')
      from (select t.created_at, s.username,
                   ('{"account":' || to_json(s.username) || ',' || substr(transaction_json(t), 2))::json as body
              from users s
             cross join lateral (
                   select x.* from transactions x
                    where x.user_id = s.id and x.environment = c.environment and x.created_at > c.created_at - lasts
                      and (x.created_at <= coalesce(c.decided_at, c.created_at) or x.reference = c.subject)
                    order by x.created_at desc limit most) t
             where s.id in (c.user_id, c.recipient_id)
             order by t.created_at desc, s.username limit most) h);
  return next;
end $$;

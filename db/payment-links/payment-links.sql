-- Payment links that any number of customers may pay.

-- A place that an unpaid payment holds is free again when that payment ends, so a link that is sold out may become
-- active again.
create or replace function payment_link_status(l payment_links) returns text language sql stable as $$
  select case when not l.is_active then 'inactive'
              when l.active_until <= clock_timestamp() then 'expired'
              when l.places >= l.max_payments then 'sold_out'
              else 'active' end
$$;

create or replace function payment_link_json(l payment_links, pay_url_base text) returns table (body json)
language sql stable as $$
  select row_to_json(shown)
    from (select l.id, l.code, pay_url_base || '/l/' || l.code as url,
                 pay_url_base || '/l/' || l.code || '/qr.svg' as qr_url, payment_link_status(l) as status,
                 l.title, l.currency, decimal_amount(l.amount_minor) as amount,
                 case when l.amount_minor is null then (
                   select row_to_json(o)
                     from (select decimal_amount(l.minimum_minor) as minimum,
                                  decimal_amount(l.maximum_minor) as maximum,
                                  array(select decimal_amount(s.minor)
                                          from unnest(l.suggestions_minor) with ordinality s (minor, place)
                                         order by s.place) as suggestions) o) end as open_amount,
                 case when l.quantity_minimum is not null then (
                   select row_to_json(q)
                     from (select l.quantity_minimum as minimum, l.quantity_maximum as maximum) q) end as quantity,
                 l.max_payments, instant(l.active_until) as active_until,
                 (select concat('[', string_agg(row_to_json(c)::text, ',' order by f.place), ']')::json
                    from jsonb_array_elements(l.collect) with ordinality f (field, place)
                   cross join lateral jsonb_to_record(f.field) c (key text, label text, required boolean)
                 ) as collect,
                 l.description, l.return_url, flat_json(l.metadata) as metadata, l.payments,
                 decimal_amount(l.paid_minor) as paid_amount, l.environment, instant(l.created_at) as created_at,
                 instant(l.updated_at) as updated_at) shown
$$;

-- Holds a place for a payment of the link, until it ends without one (count_payment_of_link). Null when it is
-- held, else why it is not.
create or replace function take_link_place(link uuid) returns text language plpgsql as $$
declare
  l payment_links;
begin
  select * into strict l from payment_links p where p.id = link for update;
  if payment_link_status(l) <> 'active' then
    return 'link_' || payment_link_status(l);
  end if;
  update payment_links p set places = p.places + 1 where p.id = link;
  return null;
end $$;

-- Writes a link once per idempotency key. outcome: created | lapsed (past `accept_before`) | account_frozen |
-- kyc_required; nothing is written but with the first.
create or replace function create_payment_link(request jsonb, pay_url_base text)
returns table (outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r payment_links;
  q record;
  at timestamptz;
begin
  r := jsonb_populate_record(null::payment_links, request);
  select * into strict q from jsonb_to_record(request) x (
    idempotency_key text, fingerprint jsonb, request_id text, accept_before timestamptz);
  perform pg_advisory_xact_lock(
    idempotency_lock(r.user_id, r.environment, 'payment_link', q.idempotency_key));
  select k.status, k.body, k.fingerprint into status, body, fingerprint
    from idempotency_keys k
   where k.user_id = r.user_id and k.environment = r.environment
     and k.operation = 'payment_link' and k.key = q.idempotency_key;
  is_replay := found;
  if is_replay then
    outcome := 'created';
    return next;
    return;
  end if;
  at := clock_timestamp();
  if at > q.accept_before then
    outcome := 'lapsed';
    return next;
    return;
  end if;
  select a.held_by into strict outcome from ledger_accounts a
   where a.user_id = r.user_id and a.environment = r.environment and a.currency = r.currency;
  if outcome is not null then
    return next;
    return;
  end if;
  outcome := 'created';
  r.is_active := true;
  r.places := 0;
  r.payments := 0;
  r.paid_minor := 0;
  loop
    r.created_at := at;
    r.updated_at := at;
    insert into payment_links select r.* on conflict (user_id, environment, created_at) do nothing;
    exit when found;
    -- Another link of this user has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  status := 201;
  select ok_json(s.body) into strict body from payment_link_json(r, pay_url_base) s;
  fingerprint := q.fingerprint;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, request_id)
  values (r.user_id, r.environment, 'payment_link', q.idempotency_key, fingerprint, status, body, q.request_id);
  return next;
end $$;

-- Changes what `changes` names; null removes what may be left out. Payments that hold a place keep it: a lower
-- limit only ends the sale.
create or replace function update_payment_link(link uuid, changes jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  l payment_links;
begin
  select * into strict l from payment_links p where p.id = link for update;
  l := jsonb_populate_record(l, changes);
  update payment_links p
     set title = l.title, description = l.description, is_active = l.is_active, active_until = l.active_until,
         max_payments = l.max_payments, return_url = l.return_url, metadata = l.metadata,
         updated_at = clock_timestamp()
   where p.id = link;
end $$;

-- The whole row comes back from its creation: whoever opens the checkout next in the same process
-- need not read it again.
drop function create_intent(jsonb);

-- Writes the row before anything else happens, once per id: the id is made from the idempotency key.
create function create_intent(request jsonb)
returns table (intent payment_intents, is_new boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  at timestamptz := clock_timestamp();
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, environment text, account_id uuid, short_code text, reference text,
    amount_minor bigint, currency text, country text, description text, customer_email text,
    customer_phone text, metadata jsonb, gateway text, expires_in_seconds integer,
    idempotency_key text, fingerprint jsonb, request_id text);
  loop
    insert into payment_intents as i (id, environment, account_id, status, short_code, reference,
      amount_minor, currency, country, description, customer_email, customer_phone, metadata,
      gateway, idempotency_key, fingerprint, request_id, created_at, updated_at, expires_at)
    values (r.id, r.environment, r.account_id, 'creating', r.short_code, r.reference,
      r.amount_minor, r.currency, r.country, r.description, r.customer_email, r.customer_phone,
      r.metadata, r.gateway, r.idempotency_key, r.fingerprint, r.request_id, at, at,
      at + r.expires_in_seconds * interval '1 second')
    on conflict do nothing
    returning i.* into intent;
    is_new := found;
    exit when is_new;
    select i.* into intent from payment_intents i where i.id = r.id for update;
    exit when found;
    -- Another of this account's intents has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  if is_new then
    perform note_intent(r.id, 'api', 'requested', jsonb_build_object('request_id', r.request_id));
  elsif intent.status = 'abandoned' and intent.fingerprint = r.fingerprint then
    -- It was never seen: its life begins now.
    update payment_intents i
       set status = 'creating', created_at = at, updated_at = at, request_id = r.request_id,
           expires_at = at + r.expires_in_seconds * interval '1 second'
     where i.id = r.id
    returning i.* into intent;
    perform note_intent(r.id, 'api', 'requested_again', jsonb_build_object('request_id', r.request_id));
  end if;
  return next;
end $$;

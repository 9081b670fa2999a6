-- Whether a customer was asked to confirm on a phone, and may still do it: the intent waits for the attempt's end, as for
-- a payment that the gateway calls pending.
create or replace function is_asked_by_phone(intent uuid) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from payment_attempts a
                  where a.intent_id = intent and a.status = 'waiting' and a.charge_asked_at is not null)
$$;

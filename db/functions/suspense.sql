-- Suspense: money that no intent can take is held apart until an operator accepts it for the merchant
-- or refunds it. Every step is one balanced posting.

create or replace function suspense_reference() returns text language sql volatile as $$
  select 'SUS-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20))
$$;

-- Holds money that no intent can take.
create or replace function hold_in_suspense(
  n gateway_notifications, i payment_intents, why text, payment text, cur text, amount bigint
) returns void language plpgsql as $$
declare
  ref text := suspense_reference();
  clearing bigint := system_account(n.environment, cur, 'gateway_clearing');
  held bigint := system_account(n.environment, cur, 'suspense');
  at timestamptz;
begin
  perform lock_accounts(array[clearing, held]);
  at := post_entries(gen_random_uuid(), ref, 'suspense', why, n.environment, cur,
    array[row(clearing, -amount)::ledger_leg, row(held, amount)::ledger_leg]);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, currency,
    amount_minor, booked_as, ledger_reference, booked_at)
  values (n.gateway, n.environment, payment, i.id, cur, amount, 'suspense', ref, at);
  insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id,
    user_id, reason, currency, amount_minor, created_at)
  values (ref, n.gateway, n.environment, payment, i.id, i.user_id, why, cur, amount, at);
  if i.id is not null then
    perform note_intent(i.id, 'ledger', 'held_in_suspense', jsonb_build_object(
      'reference', ref, 'reason', why, 'currency', cur, 'amount_minor', amount::text));
  end if;
end $$;

-- The operator decides that the money is the merchant's after all.
create or replace function accept_suspense(item uuid)
returns table (reference text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  held bigint;
  wallet bigint;
  journal uuid := gen_random_uuid();
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status <> 'held' or s.user_id is null then
    raise exception 'suspense item % cannot be accepted: it is % and % merchant', item, s.status,
      case when s.user_id is null then 'has no' else 'has a' end using errcode = 'check_violation';
  end if;
  held := system_account(s.environment, s.currency, 'suspense');
  wallet := wallet_account(s.user_id, s.environment, s.currency);
  perform lock_accounts(array[held, wallet]);
  reference := suspense_reference();
  at := post_entries(journal, reference, 'suspense_accepted', s.reference, s.environment, s.currency,
    array[row(held, -s.amount_minor)::ledger_leg, row(wallet, s.amount_minor)::ledger_leg]);
  select a.balance_minor into strict balance_minor from ledger_accounts a where a.id = wallet;
  perform add_transactions(
    array[row(gen_random_uuid(), s.user_id, 'deposit', 'in', balance_minor, null)::transaction_side],
    'completed', s.environment, s.currency, s.amount_minor, 0, reference,
    'payment accepted by an operator', null, journal, at);
  update suspense_items x set status = 'accepted', resolved_at = at where x.id = item;
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', 'suspense_accepted',
      jsonb_build_object('reference', accept_suspense.reference));
  end if;
  return next;
end $$;

-- A refund has two steps, with the gateway's refund between them: it is decided here, and posted by
-- finish_suspense_refund when the gateway has refunded.
create or replace function begin_suspense_refund(item uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
begin
  update suspense_items x set status = 'refunding' where x.id = item and x.status = 'held';
  select x.status into strict now_status from suspense_items x where x.id = item;
  return now_status;
end $$;

create or replace function finish_suspense_refund(item uuid, gateway_refund text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  ref text := suspense_reference();
  held bigint;
  clearing bigint;
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status <> 'refunding' then
    return s.status;
  end if;
  held := system_account(s.environment, s.currency, 'suspense');
  clearing := system_account(s.environment, s.currency, 'gateway_clearing');
  perform lock_accounts(array[held, clearing]);
  at := post_entries(gen_random_uuid(), ref, 'refund', s.reference, s.environment, s.currency,
    array[row(held, -s.amount_minor)::ledger_leg, row(clearing, s.amount_minor)::ledger_leg]);
  update suspense_items x
     set status = 'refunded', resolved_at = at, refund_id = gateway_refund
   where x.id = item;
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', 'suspense_refunded',
      jsonb_build_object('reference', ref, 'refund_id', gateway_refund));
  end if;
  return 'refunded';
end $$;

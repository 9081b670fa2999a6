-- Suspense: money that no intent can take is held apart until an operator accepts it for the merchant
-- or refunds it. Every step is one balanced posting.

create or replace function suspense_reference() returns text language sql volatile as $$
  select 'SUS-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20))
$$;

-- Money that an intent cannot take: kept apart, never lost.
create or replace function hold_in_suspense(
  n gateway_notifications, i payment_intents, why text, payment text, cur text, amount bigint
) returns void language plpgsql as $$
declare
  ref text := suspense_reference();
  at timestamptz;
begin
  at := post_from_clearing(gen_random_uuid(), ref, 'suspense', why, n.environment, cur, amount,
    array[system_account(n.environment, cur, 'suspense')], array[amount]);
  insert into gateway_payments values
    (n.gateway, n.environment, payment, i.id, cur, amount, 'suspense', ref, at);
  insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id,
    user_id, reason, currency, amount_minor, created_at)
  values (ref, n.gateway, n.environment, payment, i.id, i.user_id, why, cur, amount, at);
  if i.id is not null then
    perform note_intent(i.id, 'ledger', 'held_in_suspense', jsonb_build_object(
      'reference', ref, 'reason', why, 'currency', cur, 'amount_minor', amount::text));
  end if;
end $$;

-- An operator's decision: the money is the merchant's after all.
create or replace function accept_suspense(item uuid)
returns table (reference text, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  wallet ledger_accounts;
  held ledger_accounts;
  journal uuid := gen_random_uuid();
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status <> 'held' or s.user_id is null then
    raise exception 'suspense item % cannot be accepted: it is % and % merchant', item, s.status,
      case when s.user_id is null then 'has no' else 'has a' end using errcode = 'check_violation';
  end if;
  perform 1 from ledger_accounts a
    where a.environment = s.environment and a.currency = s.currency
      and (a.user_id = s.user_id or a.user_id is null and a.kind = 'suspense')
    order by a.id for no key update;
  select * into strict held from ledger_accounts a
   where a.id = system_account(s.environment, s.currency, 'suspense');
  select * into strict wallet from ledger_accounts a where a.user_id = s.user_id
     and a.environment = s.environment and a.currency = s.currency and a.kind = 'wallet';
  at := greatest(clock_timestamp(), held.last_posted_at + interval '1 microsecond',
    wallet.last_posted_at + interval '1 microsecond');
  reference := suspense_reference();
  balance_minor := wallet.balance_minor + s.amount_minor;
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  values (journal, accept_suspense.reference, s.environment, 'suspense_accepted', s.reference, at);
  update ledger_accounts a
     set balance_minor = a.balance_minor + case a.id when wallet.id then s.amount_minor else -s.amount_minor end,
         version = a.version + 1, last_posted_at = at
   where a.id in (held.id, wallet.id);
  insert into ledger_entries values
    (journal, held.id, s.environment, s.currency, -s.amount_minor, held.balance_minor - s.amount_minor, held.version + 1),
    (journal, wallet.id, s.environment, s.currency, s.amount_minor, accept_suspense.balance_minor, wallet.version + 1);
  perform add_transaction(s.user_id, s.environment, 'deposit', 'completed', 'in', s.currency,
    s.amount_minor, 0, accept_suspense.balance_minor, accept_suspense.reference, null,
    'payment accepted by an operator', null, journal, at);
  update suspense_items x set status = 'accepted', resolved_at = at where x.id = item;
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', 'suspense_accepted',
      jsonb_build_object('reference', accept_suspense.reference));
  end if;
  return next;
end $$;

-- A refund in two steps around the gateway's own: decided first, booked when the gateway has done it.
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
  at timestamptz;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status = 'refunding' then
    at := post_from_clearing(gen_random_uuid(), ref, 'refund', s.reference, s.environment, s.currency,
      -s.amount_minor, array[system_account(s.environment, s.currency, 'suspense')], array[-s.amount_minor]);
    update suspense_items x set status = 'refunded', resolved_at = at, refund_id = gateway_refund
     where x.id = item;
    if s.intent_id is not null then
      perform note_intent(s.intent_id, 'ledger', 'suspense_refunded',
        jsonb_build_object('reference', ref, 'refund_id', gateway_refund));
    end if;
    return 'refunded';
  end if;
  return s.status;
end $$;

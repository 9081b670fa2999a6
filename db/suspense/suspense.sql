-- Suspense: money that no intent can take is held apart until an operator accepts it for the merchant
-- or refunds it. Every step is one balanced posting.

create or replace function suspense_reference() returns text language sql volatile as $$
  select 'SUS-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20))
$$;

-- Tells on the intent that money has come which it could not take, and, while it can still be paid, why.
create or replace function note_arrival(
  i payment_intents, why text, cur text, amount bigint, at timestamptz
) returns void language sql as $$
  update payment_intents p
     set updated_at = at,
         received_minor = case when cur = p.currency then coalesce(p.received_minor, 0) + amount
                               else p.received_minor end,
         last_payment_error = case when why = 'limit_exceeded' then jsonb_build_object('code', why, 'message',
             'The payment was received, and is above a limit of the account: it waits for the operator.')
           when why in ('amount', 'currency') then jsonb_build_object(
             'code', why || '_mismatch', 'message', format('%s %s arrived instead of %s %s.',
               (amount * 0.01)::text, cur, (p.amount_minor * 0.01)::text, p.currency))
           else p.last_payment_error end
   where p.id = i.id
$$;

-- Holds money that no intent can take; `over` is the limit of the wallet that it is above.
create or replace function hold_in_suspense(
  n gateway_notifications, i payment_intents, why text, payment text, cur text, amount bigint, over text default null
) returns void language plpgsql as $$
declare
  ref text := suspense_reference();
  clearing bigint := clearing_account(n.environment, cur, n.gateway);
  held bigint := system_account(n.environment, cur, 'suspense');
  at timestamptz;
begin
  perform lock_accounts(array[clearing, held]);
  at := post_entries(uuidv7(), ref, 'suspense', why, n.environment, cur,
    array[row(clearing, -amount)::ledger_leg, row(held, amount)::ledger_leg]);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, currency,
    amount_minor, booked_as, ledger_reference, booked_at)
  values (n.gateway, n.environment, payment, i.id, cur, amount, 'suspense', ref, at);
  insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id,
    user_id, reason, currency, amount_minor, created_at, limit_name)
  values (ref, n.gateway, n.environment, payment, i.id, i.user_id, why, cur, amount, at, over);
  if i.id is not null then
    perform note_arrival(i, why, cur, amount, at);
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
  posted record;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  reference := suspense_reference();
  posted := post_accepted(s, reference, uuidv7(), 'payment accepted by an operator', null);
  balance_minor := posted.balance;
  return next;
end $$;

-- Posts a held item's money to the merchant's wallet; above a limit of it it raises account_limit. `shown` is the id of its row in the history.
create or replace function post_accepted(
  s suspense_items, ref text, shown uuid, description text, related text,
  out at timestamptz, out balance bigint
) language plpgsql as $$
declare
  held bigint := system_account(s.environment, s.currency, 'suspense');
  wallet bigint;
  marked timestamptz;
  journal uuid := uuidv7();
begin
  if s.status <> 'held' or s.user_id is null then
    raise exception 'suspense item % cannot be accepted: it is % and % merchant', s.id, s.status,
      case when s.user_id is null then 'has no' else 'has a' end using errcode = 'check_violation';
  end if;
  wallet := wallet_account(s.user_id, s.environment, s.currency);
  perform lock_accounts(array[held, wallet]);
  select a.limited_at, a.balance_minor into strict marked, balance from ledger_accounts a where a.id = wallet;
  if marked is not null then
    perform refuse_above_limit(wallet, s.amount_minor, balance);
  end if;
  at := post_entries(journal, ref, 'suspense_accepted', s.reference, s.environment, s.currency,
    array[row(held, -s.amount_minor)::ledger_leg, row(wallet, s.amount_minor)::ledger_leg]);
  balance := balance + s.amount_minor;
  perform add_transactions(
    array[row(shown, s.user_id, 'deposit', 'in', balance, null)::transaction_side],
    'completed', s.environment, s.currency, s.amount_minor, 0, ref, description, related, journal, at);
  if marked is not null then
    perform count_in_limits(array[shown]);
  end if;
  update suspense_items x set status = 'accepted', resolved_at = at where x.id = s.id;
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', 'suspense_accepted', jsonb_build_object('reference', ref));
  end if;
end $$;

-- Accepts a held item as what its intent was paid with: the intent ends as succeeded, under its own
-- reference, with what arrived.
--
-- Locks, in this order: the intent, the item, accounts by id, the day of its sales, the event counter.
create or replace function accept_for_intent(
  item uuid, pay_url_base text, out reference text, out balance_minor bigint
) language plpgsql as $$
declare
  shown constant uuid := uuidv7();
  s suspense_items;
  i payment_intents;
  posted record;
begin
  select p.* into i from payment_intents p
   where p.id = (select x.intent_id from suspense_items x where x.id = item) for no key update;
  select * into strict s from suspense_items x where x.id = item for update;
  if i.id is null or i.status not in ('open', 'processing') or i.hold is not null or i.currency <> s.currency then
    raise exception 'suspense item % cannot end its intent', item using errcode = 'check_violation';
  end if;
  reference := i.reference;
  posted := post_accepted(s, i.reference, shown, i.description, i.id::text);
  balance_minor := posted.balance;
  update payment_intents p
     set status = 'succeeded', settled_minor = s.amount_minor, transaction_id = shown,
         succeeded_at = posted.at, updated_at = posted.at, last_payment_error = null
   where p.id = i.id
  returning p.* into i;
  perform order_receipt(i);
  perform add_intent_event(i, pay_url_base);
end $$;

-- Posts a refund of the item's money from suspense to the account that gave it back, or, with
-- direction -1, undoes that. Returns the moment and the reference of the posting.
create or replace function post_suspense_refund(
  s suspense_items, account_kind text, direction integer, out at timestamptz, out ref text
) language plpgsql as $$
declare
  held bigint := system_account(s.environment, s.currency, 'suspense');
  other bigint := case account_kind when 'operator' then system_account(s.environment, s.currency, 'operator')
                                    else clearing_account(s.environment, s.currency, s.gateway) end;
begin
  perform lock_accounts(array[held, other]);
  ref := suspense_reference();
  at := post_entries(uuidv7(), ref, 'refund', s.reference, s.environment, s.currency,
    array[row(held, -direction * s.amount_minor)::ledger_leg,
          row(other, direction * s.amount_minor)::ledger_leg]);
end $$;

-- The order to refund a held item; one that is being refunded keeps the order that it has. For
-- order_suspense_refund only: without an operator there is no order.
create or replace function add_refund_order(item uuid, actor text)
returns table (status text, number integer, is_new boolean) language plpgsql as $$
begin
  select x.status into strict status from suspense_items x where x.id = item for update;
  select coalesce(max(r.number), 0) into number from suspense_refunds r where r.item_id = item;
  is_new := status = 'held';
  if is_new then
    number := number + 1;
    insert into suspense_refunds (item_id, number, ordered_by) values (item, number, actor);
    update suspense_items x set status = 'refunding' where x.id = item;
    status := 'refunding';
  end if;
  return next;
end $$;

-- An operator orders a refund, on record. Whether there is an order now, the status says.
create or replace function order_suspense_refund(item uuid, actor text)
returns table (status text, is_new boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status = 'held' then
    perform refuse_without_approval(s.currency, s.amount_minor);
    perform refuse_own_account(actor, s.user_id);
  end if;
  return query
    select o.status, o.is_new from order_suspense_refund_as(item, actor, '{}', actor) o;
end $$;

-- `more` is added to what the audit log says, here and below.
create or replace function order_suspense_refund_as(
  item uuid, actor text, more jsonb, ordered_by text
) returns table (status text, is_new boolean) language plpgsql as $$
declare
  o record;
begin
  select * into strict o from add_refund_order(item, ordered_by);
  status := o.status;
  is_new := o.is_new;
  if is_new then
    perform add_audit_row(actor, 'suspense.refund', 'suspense/' || item,
      suspense_audit(item) || jsonb_build_object('number', o.number) || more);
  end if;
  return next;
end $$;

-- The audit log says this of an item.
create or replace function suspense_audit(item uuid) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('username', u.username, 'environment', s.environment,
           'currency', s.currency, 'amount', (s.amount_minor * 0.01)::text, 'reference', s.reference))
    from suspense_items s left join users u on u.id = s.user_id
   where s.id = item
$$;

-- The orders about which the gateway has to be asked now: the open one, and those that it has notified of. To ask
-- about one without an id orders the refund, so an order that has ended needs an id. `may_exist`: an order of before may
-- have got through.
create or replace function begin_asking_refund(item uuid)
returns table (number integer, asks integer, refund_id text, may_exist boolean, reference text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  at timestamptz;
  of_item text := (select s.reference from suspense_items s where s.id = item);
begin
  perform from suspense_refunds r where r.item_id = item for update;
  at := (select next_moment(max(r.asked_at)) from suspense_refunds r where r.item_id = item);
  return query
    update suspense_refunds r
       set asks = r.asks + 1, asked_at = at, send_begun_at = coalesce(r.send_begun_at, at)
     where r.item_id = item
       and (r.status in ('ordered', 'pending') or (r.notified_at is not null and r.refund_id is not null))
    returning r.number, r.asks, r.refund_id, r.send_begun_at < r.asked_at, of_item || '/' || r.number;
end $$;

-- Records the gateway's answer to question `asked` about an order, and books what follows from it. The
-- gateway's word about its own refund is always recorded: a refund that succeeded may fail later.
-- Returns the item's status afterwards.
create or replace function record_refund_answer(
  item uuid, order_number integer, asked integer, answer text, gateway_refund text, words text
) returns text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s suspense_items;
  r suspense_refunds;
  doubt text;
  posted record;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  select * into strict r from suspense_refunds x
   where x.item_id = item and x.number = order_number for update;
  -- A later question was asked since: its answer counts.
  if r.asks <> asked then
    return s.status;
  end if;
  doubt := refund_doubt(r.send_begun_at, r.asked_at, r.refund_id, answer, gateway_refund, words);
  if doubt is not null then
    -- With an id, the next question is a look.
    update suspense_refunds x set detail = doubt, refund_id = coalesce(x.refund_id, gateway_refund)
     where x.item_id = item and x.number = order_number;
    return s.status;
  end if;
  update suspense_refunds x
     set notified_at = case when x.notified_at > x.asked_at then x.notified_at end,
         refund_id = coalesce(gateway_refund, x.refund_id)
   where x.item_id = item and x.number = order_number;
  if answer = 'pending' and r.status in ('ordered', 'pending') then
    update suspense_refunds x set status = 'pending', detail = words
     where x.item_id = item and x.number = order_number;
  elsif answer in ('succeeded', 'failed') and answer <> r.status then
    update suspense_refunds x
       set status = answer, detail = words, ended_at = clock_timestamp()
     where x.item_id = item and x.number = order_number;
    if answer = 'succeeded' and s.status in ('held', 'refunding') then
      posted := post_suspense_refund(s, 'gateway_clearing', 1);
      update suspense_items x
         set status = 'refunded', resolved_at = posted.at, refund_id = gateway_refund
       where x.id = item returning x.status into s.status;
      perform note_suspense(s, 'suspense_refunded', posted.ref, gateway_refund, null);
    elsif s.status = 'refunding' then
      update suspense_items x set status = 'held' where x.id = item returning x.status into s.status;
      perform note_suspense(s, 'suspense_refund_failed', null, gateway_refund, words);
    elsif answer = 'failed' and s.refund_id = r.refund_id then
      -- The money is back at the gateway, and an operator has to decide again.
      posted := post_suspense_refund(s, 'gateway_clearing', -1);
      update suspense_items x set status = 'held', resolved_at = null, refund_id = null
       where x.id = item returning x.status into s.status;
      perform note_suspense(s, 'suspense_refund_failed', posted.ref, gateway_refund, words);
    end if;
  end if;
  return s.status;
end $$;

-- The gateway could not be asked, or did not answer: what is known stays, and operators see why. `nothing_done`: it says
-- that it has made no refund because of this question, and will not.
create or replace function record_refund_fault(
  item uuid, order_number integer, asked integer, words text, nothing_done boolean
) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update suspense_refunds r
     set detail = words,
         send_begun_at = case when is_undone(nothing_done, r.send_begun_at, r.asked_at, r.notified_at) then null
                              else r.send_begun_at end
   where r.item_id = item and r.number = order_number and r.asks = asked
     and r.status in ('ordered', 'pending');
end $$;

-- The gateway notified that the refund of a payment has changed. Returns the item when it is one of
-- ours; what has changed, the gateway is asked. Which of them a notice is about: as in note_payment_refund_notice.
create or replace function note_refund_notice(
  from_gateway text, env text, payment text, gateway_refund text, our_reference text
) returns setof uuid language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
    update suspense_refunds r
       set notified_at = clock_timestamp(),
           refund_id = case when r.status = 'failed' then coalesce(r.refund_id, gateway_refund) else r.refund_id end
      from suspense_items s
     where s.gateway = from_gateway and s.environment = env and s.provider_payment_id = payment
       and r.item_id = s.id
       and (r.refund_id = gateway_refund
            or (r.refund_id is null and r.status in ('ordered', 'failed')
                and coalesce(our_reference = s.reference || '/' || r.number, r.status = 'ordered')))
    returning s.id;
end $$;

-- The operator has paid the money back outside of the gateway. `closing` is {item, reason, payment_reference,
-- unmade_order, gateway_refund}: the order that is under way and has led to no refund, as the operator has seen at
-- the gateway, and the gateway's id of it when the gateway has it and will never make it. Above the limit it raises
-- AP001.
--
-- outcome: done | accepted | refunded | closed (it was before) | refunding (an order is under way, and it is not
-- the one that is named) | at_gateway (the gateway has its refund, and `gateway_refund` does not name it)
create or replace function close_suspense(closing jsonb, actor text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outcome text := close_suspense_as(closing, actor, '{}');
begin
  -- The item is locked by now: what raises here undoes the closing.
  if outcome = 'done' then
    perform refuse_without_approval(s.currency, s.amount_minor), refuse_own_account(actor, s.user_id)
       from suspense_items s where s.id = (closing ->> 'item')::uuid;
  end if;
  return outcome;
end $$;

create or replace function close_suspense_as(closing jsonb, actor text, more jsonb) returns text
language plpgsql as $$
declare
  item uuid := (closing ->> 'item')::uuid;
  why text := closing ->> 'reason';
  s suspense_items;
  outcome text;
  posted record;
begin
  select * into strict s from suspense_items x where x.id = item for update;
  -- No question about them begins from here on.
  perform from suspense_refunds r where r.item_id = item for update;
  outcome := closing_outcome(s, closing);
  if outcome <> 'done' then
    return outcome;
  end if;
  perform refuse_while_asked(r.asked_at) from suspense_refunds r
    where r.item_id = item and r.status in ('ordered', 'pending');
  update suspense_refunds r
     set status = 'failed', detail = 'ended by an operator: ' || left(why, 400),
         ended_at = clock_timestamp()
   where r.item_id = item and r.status in ('ordered', 'pending');
  posted := post_suspense_refund(s, 'operator', 1);
  update suspense_items x
     set status = 'closed', resolved_at = posted.at, closed_reason = why,
         closed_reference = closing ->> 'payment_reference'
   where x.id = item;
  perform note_suspense(s, 'suspense_closed', posted.ref, null, null);
  perform add_audit_row(actor, 'suspense.close', 'suspense/' || item,
    suspense_audit(item) || jsonb_strip_nulls(jsonb_build_object('reason', why,
      'payment', closing -> 'payment_reference', 'unmade_order', closing -> 'unmade_order',
      'gateway_refund', closing -> 'gateway_refund')) || more);
  return outcome;
end $$;

-- The answer of close_suspense for the item as it is.
create or replace function closing_outcome(s suspense_items, closing jsonb) returns text
language sql stable as $$
  select case s.status
    when 'held' then 'done'
    when 'refunding' then (
      select case when r.number is distinct from (closing ->> 'unmade_order')::integer then 'refunding'
                  when r.refund_id is null or r.refund_id = closing ->> 'gateway_refund' then 'done'
                  else 'at_gateway' end
        from suspense_refunds r where r.item_id = s.id and r.status in ('ordered', 'pending'))
    else s.status end
$$;

-- Raises a violation of gateway_is_asked while a question about a refund may be under way: it may be the order
-- itself, and what an operator saw at the gateway says nothing about it (docs/decisions/refunds.md).
create or replace function refuse_while_asked(asked_at timestamptz) returns void
language plpgsql as $$
declare
  -- A process sends no question later than 10 s after `asked_at` (use-cases/questions.ts), and waits at most
  -- 8 s for the answer (GATEWAY_TIMEOUT_MS). The rest is for the gateway to show what it has made.
  longest constant interval := interval '30 seconds';
begin
  if asked_at > clock_timestamp() - longest then
    raise exception 'the gateway is being asked about this refund'
      using errcode = 'check_violation', constraint = 'gateway_is_asked';
  end if;
end $$;

-- One line of the intent's timeline.
create or replace function note_suspense(
  s suspense_items, kind text, ref text, gateway_refund text, words text
) returns void language plpgsql as $$
begin
  if s.intent_id is not null then
    perform note_intent(s.intent_id, 'ledger', kind, jsonb_strip_nulls(jsonb_build_object(
      'item_id', s.id, 'reference', ref, 'refund_id', gateway_refund, 'detail', words)));
  end if;
end $$;

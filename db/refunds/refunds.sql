-- Refunds of payments, from the order to the gateway's last word. Whatever changes a refund locks its intent
-- first, then the refund, accounts by id, and the event counter: the intent's row decides every race.

-- The gateway's payment with which an intent has succeeded: the one booked under its reference, or the one
-- that an operator accepted for it from suspense. What that one brought is what can be
-- refunded. Other payments of the intent, second ones and those of a wrong amount, are no part of it: an
-- operator has them refunded from suspense, or has accepted them as a deposit of their own.
create or replace function payment_of_intent(i payment_intents) returns setof gateway_payments
language sql stable as $$
  select p.* from gateway_payments p
   where p.ledger_reference = case when i.settled_minor is null then i.reference
           else (select j.description from ledger_transactions j where j.reference = i.reference) end
$$;

create or replace function refund_json(r refunds) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select r.id, r.reference, r.intent_id as payment_intent_id, decimal_amount(r.amount_minor) as amount,
                 r.currency, r.status, r.environment, r.reason, flat_json(r.metadata) as metadata,
                 flat_json(r.failure) as failure, instant(r.created_at) as created_at,
                 instant(r.updated_at) as updated_at) shown
$$;

-- Reserves the money and writes the refund, once per idempotency key. `refusals` has a StoredRefusal
-- (domain/error-body.ts) for insufficient_funds.
--
-- outcome: created | insufficient_funds (both stored for the key), or lapsed (past `accept_before`, if there is
-- one) | payment_intent_not_refundable | refund_exceeds_payment | too_many_refunds | account_frozen |
-- kyc_required | payment_disputed | limit_exceeded, of the account with its figures, or of the key in `limited_key`, which
-- has no name (nothing written, the key stays free). `left_minor` is what can be refunded still, before this one.
create or replace function create_refund(request jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean,
  intent_status text, left_minor bigint,
  limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  -- MAX_REFUNDS in domain/intent.ts; those that failed count, because the gateway lists them too.
  max_refunds constant integer := 50;
  r record;
  i payment_intents;
  made refunds;
  paid gateway_payments;
  amount bigint;
  wallet bigint;
  reserved bigint;
  held_by text;
  balance bigint;
  marked timestamptz;
  over limit_facts;
  shown constant uuid := uuidv7();
  journal uuid := uuidv7();
  at timestamptz;
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, reference text, environment text, user_id uuid, intent_id uuid, amount_minor bigint,
    reason text, metadata jsonb, idempotency_key text, fingerprint jsonb, request_id text,
    refusals jsonb, accept_before timestamptz, limited_key uuid);
  perform pg_advisory_xact_lock(
    idempotency_lock(r.user_id, r.environment, 'refund', r.idempotency_key));
  fingerprint := r.fingerprint;
  is_replay := false;
  select k.status, k.body, k.fingerprint into status, body, fingerprint
    from idempotency_keys k
   where k.user_id = r.user_id and k.environment = r.environment
     and k.operation = 'refund' and k.key = r.idempotency_key;
  if found then
    is_replay := true;
    outcome := case status when 201 then 'created' else 'insufficient_funds' end;
    return next;
    return;
  end if;
  fingerprint := r.fingerprint;

  select * into strict i from payment_intents p
   where p.id = r.intent_id and p.user_id = r.user_id and p.environment = r.environment
     for no key update;
  intent_status := i.status;
  if i.status <> 'succeeded' then
    outcome := 'payment_intent_not_refundable';
    return next;
    return;
  end if;
  select * into strict paid from payment_of_intent(i);
  left_minor := paid.amount_minor - i.refunded_minor;
  amount := coalesce(r.amount_minor, left_minor);
  if amount > left_minor or left_minor = 0 then
    outcome := 'refund_exceeds_payment';
    return next;
    return;
  end if;

  if (select count(*) from refunds x where x.intent_id = i.id) >= max_refunds then
    outcome := 'too_many_refunds';
    return next;
    return;
  end if;

  r.limited_key := limited_by(r.limited_key);
  wallet := wallet_account(i.user_id, i.environment, i.currency);
  reserved := system_account(i.environment, i.currency, 'refunds');
  perform lock_accounts(array[wallet, reserved]);
  -- Read after the locks: past this moment nothing of this request is ever written.
  if clock_timestamp() > r.accept_before then
    outcome := 'lapsed';
    return next;
    return;
  end if;
  select a.balance_minor, a.held_by, a.limited_at into strict balance, held_by, marked
    from ledger_accounts a where a.id = wallet;
  if held_by is not null then
    outcome := held_by;
    return next;
    return;
  end if;
  -- The customer has this money back already, or may get it. Read after the lock of the wallet, which a dispute
  -- takes too.
  if exists (select from disputes d
              where d.intent_id = i.id
                and (d.gateway, d.provider_payment_id) = (paid.gateway, paid.provider_payment_id)
                and d.status <> 'won') then
    outcome := 'payment_disputed';
    return next;
    return;
  end if;
  over := exceeded_limit(wallet, marked, false, amount, balance);
  if balance < amount then
    outcome := 'insufficient_funds';
    status := (r.refusals -> outcome ->> 'status')::smallint;
    body := (select s.body from refusal_json(r.refusals -> outcome, r.request_id) s);
  elsif over.limit_name is not null then
    outcome := 'limit_exceeded';
    limit_name := over.limit_name;
    maximum_minor := over.maximum_minor;
    used_minor := over.used_minor;
    resets_at := over.resets_at;
    return next;
    return;
  elsif not count_key_spending(r.limited_key, i.currency, amount) then
    outcome := 'limit_exceeded';
    return next;
    return;
  else
    outcome := 'created';
    status := 201;
    at := post_entries(journal, r.reference, 'refund_reserved', i.reference, i.environment, i.currency,
      array[row(wallet, -amount)::ledger_leg, row(reserved, amount)::ledger_leg]);
    loop
      insert into refunds (id, reference, environment, user_id, intent_id, currency, amount_minor,
        reason, metadata, gateway, provider_payment_id, idempotency_key, request_id, limited_key, created_at,
        updated_at)
      values (r.id, r.reference, i.environment, i.user_id, i.id, i.currency, amount, r.reason,
        r.metadata, paid.gateway, paid.provider_payment_id, r.idempotency_key, r.request_id, r.limited_key, at, at)
      on conflict (user_id, environment, created_at) do nothing
      returning * into made;
      exit when found;
      -- Another refund of this account, of another wallet, has this microsecond.
      at := at + interval '1 microsecond';
    end loop;
    update payment_intents p
       set refunded_minor = p.refunded_minor + amount, updated_at = greatest(p.updated_at, at)
     where p.id = i.id;
    perform add_transactions(
      array[row(shown, i.user_id, 'refund', 'out', balance - amount,
        null)::transaction_side],
      'completed', i.environment, i.currency, amount, 0, r.reference, r.reason, i.id::text, journal, at);
    if marked is not null then
      perform count_in_limits(array[shown]);
    end if;
    perform note_intent(i.id, 'api', 'refund_requested', jsonb_build_object(
      'refund_id', r.id, 'reference', r.reference, 'currency', i.currency,
      'amount_minor', amount::text, 'request_id', r.request_id));
    body := (select ok_json(s.body) from refund_json(made) s);
  end if;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  values (r.user_id, r.environment, 'refund', r.idempotency_key, r.fingerprint, status, body,
    case outcome when 'created' then r.reference end, r.request_id);
  return next;
end $$;

-- An operator orders a refund for a merchant, on record; above the limit it raises AP001.
create or replace function order_refund(request jsonb, actor text)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean,
  intent_status text, left_minor bigint,
  limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c record;
begin
  select * into strict c from order_refund_as(request, actor, '{}');
  -- How much it is, where no amount was given, is known under the locks that are held by now: what raises here
  -- undoes it all.
  if not c.is_replay then
    perform refuse_without_approval(r.currency, r.amount_minor), refuse_own_account(actor, r.user_id)
       from refunds r where r.id = (request ->> 'id')::uuid;
  end if;
  return query select c.outcome, c.status, c.body, c.fingerprint, c.is_replay, c.intent_status,
                      c.left_minor, c.limit_name, c.maximum_minor, c.used_minor, c.resets_at;
end $$;

-- `more` is added to what the audit log says.
create or replace function order_refund_as(request jsonb, actor text, more jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean,
  intent_status text, left_minor bigint,
  limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
) language plpgsql as $$
declare
  c record;
begin
  select * into strict c from create_refund(request);
  if c.outcome = 'created' and not c.is_replay then
    perform add_audit_row(actor, 'refunds.create', 'refund/' || (request ->> 'id'),
      refund_audit((request ->> 'id')::uuid) || more);
  end if;
  return query select c.outcome, c.status, c.body, c.fingerprint, c.is_replay, c.intent_status,
                      c.left_minor, c.limit_name, c.maximum_minor, c.used_minor, c.resets_at;
end $$;

-- The question that the gateway has to be asked now about a refund, with its number; no row when the refund
-- has ended and nothing was notified since. One that was given back and that the gateway still has is asked about
-- until the gateway has ended it too. To ask about one without an id orders it, so one that has ended needs an id.
-- `may_exist`: an order of before may have got through.
create or replace function begin_asking_payment_refund(refund uuid)
returns table (asks integer, gateway_refund_id text, may_exist boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  at timestamptz;
begin
  select next_moment(r.asked_at) into at from refunds r where r.id = refund for update;
  return query
    update refunds r set asks = r.asks + 1, asked_at = at, send_begun_at = coalesce(r.send_begun_at, at)
     where r.id = refund
       and (r.status = 'pending'
            or (r.gateway_refund_id is not null
                and (r.notified_at is not null or (r.status = 'failed' and r.gateway_status = 'pending'))))
    returning r.asks, r.gateway_refund_id, r.send_begun_at < r.asked_at;
end $$;

-- Why the answer to the last question does not count; null when it does. Both kinds of refunds have it: `ordered_at` is
-- when the first order left that may have got through, and `known` the gateway's id of the refund.
create or replace function refund_doubt(
  ordered_at timestamptz, asked_at timestamptz, known text, answer text, gateway_refund text, words text
) returns text language sql immutable as $$
  select left(case
    when known is null and answer = 'failed' and ordered_at < asked_at then
      'The gateway does not take the order again: ' || coalesce(words, 'it does not say why.')
    when known <> gateway_refund then format('The gateway says %s of another refund: %s.', answer, gateway_refund) end, 1000)
$$;

-- Locks the intent first, as every function that changes a refund does.
create or replace function lock_refund(refund uuid) returns refunds language plpgsql as $$
declare
  r refunds;
begin
  perform from payment_intents p
   where p.id = (select x.intent_id from refunds x where x.id = refund) for no key update;
  select * into strict r from refunds x where x.id = refund for update;
  return r;
end $$;

-- Records the gateway's answer to question `asked` about a refund, and books what follows from it: made, or
-- given back to the wallet. A refund that succeeded may fail later.
create or replace function record_payment_refund_answer(
  refund uuid, asked integer, answer text, gateway_refund text, words text, why jsonb, out status text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r refunds;
  doubt text;
begin
  r := lock_refund(refund);
  -- A later question was asked since: its answer counts. And an operator who has ended a refund by
  -- its name knew that it was pending: a question from before says nothing new by that, and would
  -- have it asked about for ever.
  if r.asks <> asked or (answer = 'pending' and r.gateway_status = 'failed' and r.asked_at < r.updated_at) then
    status := r.status;
    return;
  end if;
  doubt := refund_doubt(r.send_begun_at, r.asked_at, r.gateway_refund_id, answer, gateway_refund, words);
  if doubt is not null then
    -- With an id, the next question is a look.
    update refunds x set detail = doubt, gateway_refund_id = coalesce(x.gateway_refund_id, gateway_refund)
     where x.id = refund returning x.status into status;
    return;
  end if;
  update refunds x
     set gateway_status = answer, detail = words,
         gateway_refund_id = coalesce(gateway_refund, x.gateway_refund_id),
         notified_at = case when x.notified_at > x.asked_at then x.notified_at end
   where x.id = refund
  returning * into r;
  if answer = 'succeeded' and r.status = 'pending' then
    perform settle_refund(r);
  elsif answer = 'failed' and r.status in ('pending', 'succeeded') then
    perform give_back_refund(r, why);
  elsif answer not in ('pending', 'succeeded', 'failed') then
    raise exception '% is no answer about a refund', answer using errcode = 'check_violation';
  end if;
  select x.status into strict status from refunds x where x.id = refund;
end $$;

-- The gateway has made it: the money has left us.
create or replace function settle_refund(r refunds) returns void
language plpgsql as $$
declare
  reserved bigint := system_account(r.environment, r.currency, 'refunds');
  clearing bigint := clearing_account(r.environment, r.currency, r.gateway);
  at timestamptz;
begin
  perform lock_accounts(array[reserved, clearing]);
  at := post_entries(uuidv7(), r.reference || '/made', 'refund_made', r.reference,
    r.environment, r.currency,
    array[row(reserved, -r.amount_minor)::ledger_leg, row(clearing, r.amount_minor)::ledger_leg]);
  update refunds x set status = 'succeeded', updated_at = at where x.id = r.id returning * into r;
  perform note_intent(r.intent_id, 'ledger', 'refund_succeeded', jsonb_build_object(
    'refund_id', r.id, 'reference', r.reference, 'currency', r.currency,
    'amount_minor', r.amount_minor::text));
  perform add_refund_event(r);
end $$;

-- The gateway has not made it, or has taken it back: the merchant has the money again. A wallet that is too
-- full for it leaves the refund as it was, and the gateway is asked again: for one that had succeeded, because
-- the notice stands.
create or replace function give_back_refund(r refunds, why jsonb) returns void language plpgsql as $$
declare
  limit_minor constant bigint := 999999999999999; -- ledger_accounts.wallet_balance
  wallet bigint := wallet_account(r.user_id, r.environment, r.currency);
  source bigint := case r.status when 'pending' then system_account(r.environment, r.currency, 'refunds')
                                 else clearing_account(r.environment, r.currency, r.gateway) end;
  journal uuid := uuidv7();
  balance bigint;
  marked timestamptz;
  at timestamptz;
begin
  perform lock_accounts(array[wallet, source]);
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = wallet;
  if balance + r.amount_minor > limit_minor then
    update refunds x
       set detail = left('It failed, and the wallet is too full to take it back: ' || x.detail, 1000),
           notified_at = case x.status when 'succeeded' then clock_timestamp() else x.notified_at end
     where x.id = r.id;
    return;
  end if;
  at := post_entries(journal, r.reference || '/returned', 'refund_returned', r.reference,
    r.environment, r.currency,
    array[row(source, -r.amount_minor)::ledger_leg, row(wallet, r.amount_minor)::ledger_leg]);
  update payment_intents p
     set refunded_minor = p.refunded_minor - r.amount_minor, updated_at = greatest(p.updated_at, at)
   where p.id = r.intent_id;
  -- The refund's own reference stands in the history, which is what the merchant reads.
  perform add_transactions(
    array[row(uuidv7(), r.user_id, 'reversal', 'in', balance + r.amount_minor,
      null)::transaction_side],
    'completed', r.environment, r.currency, r.amount_minor, 0, r.reference, r.reason,
    r.intent_id::text, journal, at);
  if marked is not null then
    perform give_back_limit(wallet, r.reference, r.created_at, r.amount_minor);
  end if;
  update refunds x set status = 'failed', failure = why, updated_at = at where x.id = r.id
  returning * into r;
  perform note_intent(r.intent_id, 'ledger', 'refund_failed', jsonb_build_object(
    'refund_id', r.id, 'reference', r.reference, 'currency', r.currency,
    'amount_minor', r.amount_minor::text, 'detail', r.failure ->> 'message'));
  perform add_refund_event(r);
end $$;

-- The event of a refund that has just ended: `r` is the changed row.
create or replace function add_refund_event(r refunds) returns void language plpgsql as $$
declare
  event_id uuid := uuidv7();
  event_type text := 'refund.' || r.status;
  number bigint := next_event_sequence(r.user_id, r.environment);
begin
  insert into events (id, user_id, environment, sequence, type, refund_id, body, created_at)
  select event_id, r.user_id, r.environment, number, event_type, r.id, e.body, r.updated_at
    from refund_json(r) s
   cross join lateral event_json(event_id, event_type, r.updated_at, r.environment, number, s.body) e;
  perform note_intent(r.intent_id, 'webhook', 'event',
    jsonb_build_object('event_id', event_id, 'type', event_type));
  perform add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = r.user_id and w.environment = r.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- An operator has looked: the gateway has made no refund, and never will. The merchant has the money again.
-- `failing` is {refund, gateway_refund, failure}; above the limit it raises AP001 (decision
-- 60), a violation of wallet_has_room when the wallet is too full, and one of gateway_is_asked.
--
-- outcome: done | succeeded | failed (it was before) | at_gateway (the gateway has it, and `gateway_refund` does
-- not name it)
create or replace function fail_refund(failing jsonb, actor text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outcome constant text := fail_refund_as(failing, actor, '{}');
begin
  -- The refund is locked by now: what raises here undoes it all.
  if outcome = 'done' then
    perform refuse_without_approval(r.currency, r.amount_minor), refuse_own_account(actor, r.user_id)
       from refunds r where r.id = (failing ->> 'refund')::uuid;
  end if;
  return outcome;
end $$;

-- `more` is added to what the audit log says.
create or replace function fail_refund_as(failing jsonb, actor text, more jsonb, out outcome text) language plpgsql as $$
declare
  refund uuid := (failing ->> 'refund')::uuid;
  why jsonb := failing -> 'failure';
  r refunds;
begin
  r := lock_refund(refund);
  outcome := case when r.status <> 'pending' then r.status
                  when is_unmade(r, failing ->> 'gateway_refund') then 'done' else 'at_gateway' end;
  if outcome = 'done' then
    perform refuse_while_asked(r.asked_at);
    update refunds x
       set detail = 'ended by an operator: ' || (why ->> 'message'), notified_at = null,
           gateway_status = case when x.gateway_refund_id is not null then 'failed' end
     where x.id = refund returning * into r;
    perform give_back_refund(r, why);
    if exists (select from refunds x where x.id = refund and x.status = 'pending') then
      raise exception 'the wallet is too full to take refund % back', r.reference
        using errcode = 'check_violation', constraint = 'wallet_has_room';
    end if;
    perform add_audit_row(actor, 'refunds.fail', 'refund/' || refund, refund_audit(refund)
      || jsonb_strip_nulls(jsonb_build_object('reason', why ->> 'message',
           'gateway_refund', r.gateway_refund_id)) || more);
  end if;
end $$;

-- Whether the gateway has made no refund, as far as is known, or the one that `named` names, which the operator
-- says it will never make. One that failed there waits for room in the wallet.
create or replace function is_unmade(r refunds, named text) returns boolean language sql immutable as $$
  select r.gateway_refund_id is null or r.gateway_status = 'failed'
         or coalesce(r.gateway_refund_id = named, false)
$$;

-- The audit log says this of a refund.
create or replace function refund_audit(refund uuid) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('username', u.username, 'environment', r.environment,
           'currency', r.currency, 'amount', (r.amount_minor * 0.01)::text, 'reference', r.reference,
           'payment_intent', r.intent_id, 'reason', r.reason))
    from refunds r join users u on u.id = r.user_id
   where r.id = refund
$$;

-- The gateway could not be asked, or did not answer: what is known stays, and operators see why. `nothing_done`: it says
-- that it has made no refund because of this question, and will not.
create or replace function record_payment_refund_fault(refund uuid, asked integer, words text, nothing_done boolean)
returns void language sql security definer set search_path = public, pg_temp as $$
  update refunds r
     set detail = words,
         send_begun_at = case when is_undone(nothing_done, r.send_begun_at, r.asked_at, r.notified_at) then null
                              else r.send_begun_at end
   where r.id = refund and r.asks = asked and (r.status = 'pending' or r.notified_at is not null)
$$;

-- The gateway notified that the refund of a payment has changed. Returns the refunds of ours that this may
-- be about; what has changed, the gateway is asked. Where the notice says which, by our reference, no other is
-- asked about; where it does not, all that are pending are, at most max_refunds of create_refund. One that was given back, and that the gateway has made
-- all the same, gets its id from the notice: it is asked about by that.
create or replace function note_payment_refund_notice(
  from_gateway text, env text, payment text, gateway_refund text, our_reference text
) returns setof uuid language sql security definer set search_path = public, pg_temp as $$
  update refunds r
     set notified_at = clock_timestamp(),
         gateway_refund_id = case when r.status = 'failed' then coalesce(r.gateway_refund_id, gateway_refund)
                                  else r.gateway_refund_id end
   where r.provider_payment_id = payment and r.gateway = from_gateway and r.environment = env
     and (r.gateway_refund_id = gateway_refund
          or (r.gateway_refund_id is null and r.status in ('pending', 'failed')
              and r.reference = coalesce(our_reference, case r.status when 'pending' then r.reference end)))
  returning r.id
$$;

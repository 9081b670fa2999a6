-- Functions that only processes of an earlier version call, beside which this schema runs while they are
-- replaced. Each says which release may drop it.

-- Called by 0.1; the release after the next may drop it (authenticate_call replaces it). It knows no
-- frozen account and no key's limits, so it refuses such callers like unknown ones.
create or replace function authenticate(
  hash bytea, is_write boolean, operation text, idem_key text, may_reserve boolean
)
returns table (
  key_id uuid, user_id uuid, username text, environment text, allowed boolean,
  request_limit integer, request_remaining integer,
  write_limit integer, write_remaining integer, retry_after_seconds integer,
  now timestamptz,
  stored_status smallint, stored_body text, stored_fingerprint jsonb,
  reserved_requests integer, reserved_writes integer,
  reservation_ms integer
)
language plpgsql as $$
begin
  return query
    select c.key_id, c.user_id, c.username, c.environment, c.allowed, c.request_limit,
           c.request_remaining, c.write_limit, c.write_remaining, c.retry_after_seconds, c.now,
           c.stored_status, c.stored_body, c.stored_fingerprint, c.reserved_requests,
           c.reserved_writes, c.reservation_ms
      from authenticate_call(hash, null, is_write, operation, idem_key, may_reserve) c
     where c.is_address_allowed and not c.is_frozen and not (c.is_read_only and is_write);
end $$;

-- These two are called by a worker of 0.1 that refunds an item of suspense; the release after the next may
-- drop them (order_suspense_refund and record_refund_answer replace them). They leave an order too.
create or replace function begin_suspense_refund(item uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
  s suspense_items;
begin
  -- No way around a second operator: the worker tries again until one has approved.
  select * into strict s from suspense_items x where x.id = item for update;
  if s.status = 'held' then
    perform refuse_without_approval(s.currency, s.amount_minor);
  end if;
  select o.status into strict now_status
    from add_refund_order(item, 'unknown (a process of the previous version)') o;
  return now_status;
end $$;

create or replace function finish_suspense_refund(item uuid, gateway_refund text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  latest suspense_refunds;
begin
  perform begin_asking_refund(item);
  select * into latest from suspense_refunds r
   where r.item_id = item order by r.number desc limit 1;
  return record_refund_answer(item, latest.number, latest.asks, 'succeeded', gateway_refund, null);
end $$;

-- In 0.1 an intent was settled in a transaction of several statements, between which the application
-- rendered the event. The release after the next may drop these four.

-- Now book_payment.
create or replace function post_payment(n gateway_notifications, i payment_intents, payment text)
returns text language plpgsql as $$
declare
  wallet bigint := wallet_account(i.user_id, i.environment, i.currency);
  clearing bigint := system_account(i.environment, i.currency, 'gateway_clearing');
  fees bigint := system_account(i.environment, i.currency, 'fees');
  suspense bigint := system_account(i.environment, i.currency, 'suspense');
  fee bigint;
  balance bigint;
  journal uuid := gen_random_uuid();
  at timestamptz;
  shown uuid := gen_random_uuid();
begin
  select fee_for(p.basis_points, p.fixed_minor, c.step_minor, i.amount_minor) into strict fee
    from fee_policies p join currencies c on c.code = p.currency
   where p.kind = 'payment_intent' and p.currency = i.currency;
  -- The accounts of both outcomes, because all locks are taken in one order.
  perform lock_accounts(array[wallet, clearing, fees, suspense]);
  select a.balance_minor into strict balance from ledger_accounts a where a.id = wallet;
  if balance + i.amount_minor - fee > 999999999999999 then -- ledger_accounts.wallet_balance
    perform hold_in_suspense(n, i, 'balance_limit', payment, i.currency, i.amount_minor);
    return 'suspense';
  end if;
  at := post_entries(journal, i.reference, 'payment', '', i.environment, i.currency, array[
    row(wallet, i.amount_minor - fee)::ledger_leg,
    row(fees, fee)::ledger_leg,
    row(clearing, -i.amount_minor)::ledger_leg]);
  insert into gateway_payments (gateway, environment, provider_payment_id, intent_id, currency,
    amount_minor, booked_as, ledger_reference, booked_at)
  values (n.gateway, n.environment, payment, i.id, i.currency, i.amount_minor, 'payment', i.reference,
    at);
  perform add_transactions(
    array[row(shown, i.user_id, 'deposit', 'in', balance + i.amount_minor - fee,
      null)::transaction_side],
    'completed', i.environment, i.currency, i.amount_minor, fee, i.reference, i.description,
    i.id::text, journal, at);
  update payment_intents p
     set status = 'succeeded', fee_minor = fee, transaction_id = shown,
         succeeded_at = at, updated_at = at, last_payment_error = null
   where p.id = i.id;
  perform note_intent(i.id, 'ledger', 'posted', jsonb_build_object(
    'reference', i.reference, 'currency', i.currency,
    'amount_minor', i.amount_minor::text, 'fee_minor', fee::text));
  return 'succeeded';
end $$;

-- Now apply_stored_notification.
create or replace function apply_notification(notification_id bigint)
returns table (
  outcome text, intent_id uuid, status text, event_id uuid, event_sequence bigint
)
language plpgsql security definer set search_path = public, pg_temp
-- Planned once, by index and in one function, as in post_transfers.
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  n gateway_notifications;
  r record;
  i payment_intents;
  at timestamptz;
  matches boolean;
begin
  select * into strict n from gateway_notifications g where g.id = notification_id for update;
  select * into strict r from jsonb_to_record(n.notification) q (
    type text, final boolean, intent_id uuid, reference text, provider_payment_id text,
    amount_minor bigint, currency text, failure jsonb);
  select p.* into i from payment_intents p
   where p.id = (select f.id from find_notified_intent(n.gateway, n.environment, r.intent_id, r.reference) f)
     and p.status <> 'creating'
     for update;
  intent_id := i.id;
  if n.outcome is not null then
    outcome := n.outcome;
    status := i.status;
    return next;
    return;
  end if;
  matches := coalesce(i.amount_minor = r.amount_minor and i.currency = r.currency, false);
  at := clock_timestamp();

  if r.type = 'payment.succeeded' then
    if exists (select from gateway_payments p where p.gateway = n.gateway
         and p.environment = n.environment and p.provider_payment_id = r.provider_payment_id) then
      outcome := 'duplicate';
    elsif i.id is null then
      outcome := 'suspense';
      perform hold_in_suspense(n, i, 'unknown_intent', r.provider_payment_id, r.currency, r.amount_minor);
    elsif i.status not in ('open', 'processing') then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case i.status when 'succeeded' then 'second_payment' else 'late' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    elsif not matches then
      outcome := 'suspense';
      perform hold_in_suspense(n, i,
        case when i.currency = r.currency then 'amount' else 'currency' end,
        r.provider_payment_id, r.currency, r.amount_minor);
    else
      outcome := post_payment(n, i, r.provider_payment_id);
    end if;
  elsif i.id is null then
    outcome := 'unknown_intent';
  elsif i.status not in ('open', 'processing') then
    outcome := 'stale';
  elsif not matches then
    outcome := 'mismatch';
  elsif r.type = 'payment.pending' then
    outcome := 'processing';
    if i.status = 'open' then
      update payment_intents p set status = 'processing', updated_at = at where p.id = i.id;
    end if;
  elsif r.final then
    outcome := 'failed';
    update payment_intents p
       set status = 'failed', failed_at = at, updated_at = at, last_payment_error = r.failure
     where p.id = i.id;
  else
    outcome := 'attempt_failed';
    update payment_intents p set last_payment_error = r.failure, updated_at = at where p.id = i.id;
  end if;

  if i.id is not null then
    perform note_intent(i.id, 'gateway', 'notified', jsonb_build_object(
      'event_id', n.event_id, 'type', r.type, 'outcome', outcome,
      'provider_payment_id', r.provider_payment_id));
    select p.status into strict status from payment_intents p where p.id = i.id;
    if status <> i.status and status in ('succeeded', 'failed') then
      event_id := gen_random_uuid();
      event_sequence := next_event_sequence(i.user_id, i.environment);
    end if;
  end if;
  update gateway_notifications g
     set outcome = apply_notification.outcome, applied_at = clock_timestamp(),
         intent_id = apply_notification.intent_id
   where g.id = notification_id;
  return next;
end $$;

-- Now close_intent.
create or replace function end_intent(intent uuid, final text)
returns table (
  status text, early_ms integer, event_id uuid, event_sequence bigint
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
  at timestamptz;
  changed boolean := false;
begin
  select * into strict i from payment_intents p where p.id = intent for update;
  at := clock_timestamp();
  status := i.status;
  if final = 'expired' then
    if i.status in ('open', 'processing') then
      if at < i.expires_at then
        -- The timer's clock is ahead of the database's.
        early_ms := ceil(extract(epoch from i.expires_at - at) * 1000);
      else
        update payment_intents p set status = 'expired', expired_at = at, updated_at = at
         where p.id = intent;
        changed := true;
        event_id := gen_random_uuid();
        event_sequence := next_event_sequence(i.user_id, i.environment);
      end if;
    end if;
  elsif final = 'canceled' then
    if i.status = 'open' then
      update payment_intents p set status = 'canceled', canceled_at = at, updated_at = at
       where p.id = intent;
      changed := true;
    end if;
  else
    raise exception '% does not end an intent', final using errcode = 'check_violation';
  end if;
  if changed then
    status := final;
    perform note_intent(intent, 'workflow', final);
  end if;
  return next;
end $$;

-- Now add_intent_event.
create or replace function add_event(
  event_id uuid, intent uuid, event_type text, sequence bigint, body text
) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payment_intents;
begin
  select * into strict i from payment_intents p where p.id = intent;
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event_id, i.user_id, i.environment, sequence, event_type, intent, body, i.updated_at);
  perform note_intent(intent, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
  return add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = i.user_id and w.environment = i.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- Called by 0.1; the release after the next may drop it, and the type transfer_parties
-- (post_transfer_batch replaces them). Posts the transfers and returns one row for each, in the order given. Many in one call: all locks
-- are taken first, in one sorted order. One function, because each call of another costs some 2-10 µs
-- and loses the plan.
--
-- Each element: {reference, environment, sender_id, key, fingerprint, request_id, accept_before,
-- to_username, currency, amount_minor, responses}. `responses` maps each possible outcome to its
-- {status, body}; the response to the actual outcome is stored with the posting, so that a replay is
-- the first response byte for byte.
--
-- outcome: completed | simulated | insufficient_funds | recipient_not_found (stored, `status` and
-- `body` set), or lapsed | account_frozen | balance_limit | self_transfer | unknown_recipient_limit
-- (nothing written, the key stays free).
create or replace function post_transfers(requests jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, reference text,
  is_replay boolean
)
language plpgsql security definer set search_path = public, pg_temp
-- Always index look-ups: a plan made while the tables were small must not scan them when they grow.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  r record;
  key_locks bigint[];
  -- By position in `requests`.
  parties transfer_parties[];
  p transfer_parties;
  payer_balance bigint;
  payer_is_frozen boolean;
  payee_balance bigint;
  journal uuid;
  at timestamptz;
begin
  -- Whoever names an unknown recipient also locks its account's count of them (may_learn_recipient).
  select array_agg(idempotency_lock(q.sender_id, q.environment, 'transfer', q.key))
           || array_agg(idempotency_lock(q.sender_id, q.environment, 'unknown_recipient', ''))
                filter (where u.id is null),
         array_agg(row(s.username, u.id, payer.id, payee.id, fees.id,
                     fee_for(f.basis_points, f.fixed_minor, c.step_minor, q.amount_minor),
                     q.environment = 'live' and s.id <> u.id
                   )::transfer_parties order by q.position)
    into key_locks, parties
    from rows from (jsonb_to_recordset(requests) as (
           sender_id uuid, environment text, key text, to_username text, currency text,
           amount_minor bigint)) with ordinality
         as q (sender_id, environment, key, to_username, currency, amount_minor, position)
    join users s on s.id = q.sender_id
    join currencies c on c.code = q.currency
    join fee_policies f on f.kind = 'transfer' and f.currency = q.currency
    join ledger_accounts payer
      on payer.user_id = s.id and payer.environment = q.environment
         and payer.currency = q.currency and payer.kind = 'wallet'
    left join users u on u.username = q.to_username
    left join ledger_accounts payee
      on payee.user_id = u.id and payee.environment = q.environment
         and payee.currency = q.currency and payee.kind = 'wallet'
    left join ledger_accounts fees
      on fees.user_id is null and fees.environment = q.environment
         and fees.currency = q.currency and fees.kind = 'fees';
  if coalesce(cardinality(parties), 0) <> jsonb_array_length(requests) then
    raise exception 'a transfer names an unknown sender or currency' using errcode = 'check_violation';
  end if;
  perform pg_advisory_xact_lock(l.lock)
     from (select distinct lock from unnest(key_locks) lock order by lock) l;
  perform lock_accounts(array(
    select unnest(array[x.payer_id, x.payee_id, case when x.fee_minor > 0 then x.fees_id end])
      from unnest(parties) x where x.moves_funds));

  for r in
    select * from rows from (jsonb_to_recordset(requests) as (
      reference text, environment text, sender_id uuid, key text, fingerprint jsonb,
      request_id text, accept_before timestamptz, to_username text, currency text,
      amount_minor bigint, responses jsonb)) with ordinality
      as q (reference, environment, sender_id, key, fingerprint, request_id, accept_before,
            to_username, currency, amount_minor, responses, position)
  loop
    select k.status, k.body, k.fingerprint, k.reference
      into status, body, fingerprint, reference
      from idempotency_keys k
     where k.user_id = r.sender_id and k.environment = r.environment
       and k.operation = 'transfer' and k.key = r.key;
    if found then
      is_replay := true;
      outcome := case when status = 200 then
          case r.environment when 'live' then 'completed' else 'simulated' end
        when status = 402 then 'insufficient_funds' else 'recipient_not_found' end;
      return next;
      continue;
    end if;
    is_replay := false;
    fingerprint := r.fingerprint;

    -- Read after the locks: past this moment nothing of this request is ever written.
    at := clock_timestamp();
    if at > r.accept_before then
      outcome := 'lapsed';
      return next;
      continue;
    end if;

    -- Also after the locks: a wallet is marked as frozen under its own.
    p := parties[r.position];
    select payer.balance_minor, payer.is_frozen, payee.balance_minor
      into payer_balance, payer_is_frozen, payee_balance
      from ledger_accounts payer left join ledger_accounts payee on payee.id = p.payee_id
     where payer.id = p.payer_id;
    outcome := case
      when payer_is_frozen then 'account_frozen'
      when p.recipient_id is null then 'recipient_not_found'
      when p.recipient_id = r.sender_id then 'self_transfer'
      when payer_balance < r.amount_minor then 'insufficient_funds'
      when payee_balance + r.amount_minor - p.fee_minor > 999999999999999 -- ledger_accounts.wallet_balance
        then 'balance_limit'
      when r.environment = 'live' then 'completed'
      else 'simulated' end;
    -- Each of these would tell whether anyone has the username, and cost nothing.
    if outcome in ('recipient_not_found', 'insufficient_funds', 'balance_limit', 'simulated')
       and not may_learn_recipient(
         r.sender_id, r.environment, r.to_username, p.recipient_id is not null, at) then
      outcome := 'unknown_recipient_limit';
    end if;
    if outcome in ('account_frozen', 'self_transfer', 'balance_limit', 'unknown_recipient_limit') then
      return next;
      continue;
    end if;

    if outcome in ('completed', 'simulated') then
      reference := r.reference;
      journal := null;
      if outcome = 'completed' then
        journal := gen_random_uuid();
        at := post_entries(journal, r.reference, 'transfer', '', r.environment, r.currency, array[
          row(p.payer_id, -r.amount_minor)::ledger_leg,
          row(p.payee_id, r.amount_minor - p.fee_minor)::ledger_leg,
          row(p.fees_id, p.fee_minor)::ledger_leg]);
        payer_balance := payer_balance - r.amount_minor;
        payee_balance := payee_balance + r.amount_minor - p.fee_minor;
      end if;
      insert into transfers (reference, environment, sender_id, recipient_id, currency,
        amount_minor, fee_minor, status, idempotency_key, request_id, created_at)
      values (r.reference, r.environment, r.sender_id, p.recipient_id, r.currency,
        r.amount_minor, p.fee_minor, outcome, r.key, r.request_id, at);
      perform add_transactions(array[
          row(gen_random_uuid(), r.sender_id, 'transfer_out', 'out', payer_balance,
            r.to_username)::transaction_side,
          row(gen_random_uuid(), p.recipient_id, 'transfer_in', 'in', payee_balance,
            p.sender)::transaction_side],
        outcome, r.environment, r.currency, r.amount_minor, p.fee_minor, r.reference, null, null,
        journal, at);
    end if;

    status := (r.responses -> outcome ->> 'status')::smallint;
    body := r.responses -> outcome ->> 'body';
    insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status,
      body, reference, request_id)
    values (r.sender_id, r.environment, 'transfer', r.key, r.fingerprint, status, body,
      reference, r.request_id);
    return next;
  end loop;
end $$;

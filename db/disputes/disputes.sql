-- Disputes of payments, from the gateway's first notice to its last word (docs/decisions/refunds.md).
-- Locks, in this order: the notice, the dispute, accounts by id, the event counter.

create or replace function dispute_json(d disputes) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select d.id, d.reference, d.intent_id as payment_intent_id, decimal_amount(d.amount_minor) as amount,
                 d.currency, decimal_amount(d.fee_minor) as fee, d.status, d.reason,
                 instant(d.evidence_due_by) as evidence_due_by, decimal_amount(d.owed_minor) as owed_amount,
                 d.environment, instant(d.created_at) as created_at, instant(d.closed_at) as closed_at) shown
$$;

-- An operator has to look at these: nothing was booked (DISPUTE_PROBLEMS).
create or replace function dispute_problems() returns text[] language sql immutable as $$
  select array['unknown_payment', 'in_suspense', 'currency', 'amount', 'contradiction', 'limit_exceeded', 'gateway_gone']
$$;

-- The gateway notified that a dispute has changed: it has to be asked.
create or replace function note_dispute_notice(from_gateway text, env text, dispute text) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into dispute_notices as n (gateway, environment, dispute_id, noted_at, next_try_at)
  values (from_gateway, env, dispute, clock_timestamp(), clock_timestamp())
  on conflict (gateway, environment, dispute_id) do update
     set noted_at = excluded.noted_at, next_try_at = excluded.next_try_at, tries = 0
$$;

-- The questions that are due at a gateway. Of several callers only one gets each, and again after a pause that
-- doubles, should it not come back with the answer.
create or replace function claim_dispute_notices(from_gateway text, env text, max_claimed integer)
returns table (dispute_id text, asks integer)
language sql security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select n.dispute_id from dispute_notices n
     where n.gateway = from_gateway and n.environment = env and n.next_try_at <= clock_timestamp()
     order by n.next_try_at limit max_claimed for update skip locked
  )
  update dispute_notices n
     set asks = n.asks + 1, asked_at = clock_timestamp(), tries = n.tries + 1,
         next_try_at = clock_timestamp()
           + least(interval '10 seconds' * power(2, least(n.tries, 10)), interval '1 hour')
    from due d
   where n.gateway = from_gateway and n.environment = env and n.dispute_id = d.dispute_id
  returning n.dispute_id, n.asks
$$;

-- The gateway could not be asked. The question comes again.
create or replace function note_dispute_fault(
  from_gateway text, env text, dispute text, asked integer, words text
) returns void language sql security definer set search_path = public, pg_temp as $$
  update dispute_notices n set problem = left(words, 1000)
   where n.gateway = from_gateway and n.environment = env and n.dispute_id = dispute and n.asks = asked
$$;

-- A gateway that is configured no more is not asked, so an operator has to end what is open there. An answer of one that
-- is back takes the problem away.
create or replace function mark_gone_gateways(env text, configured text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into dispute_notices as n (gateway, environment, dispute_id, noted_at, next_try_at, problem)
  select d.gateway, env, d.provider_dispute_id, clock_timestamp(), clock_timestamp(), 'gateway_gone'
    from disputes d
   where d.environment = env and d.status = 'open' and d.gateway <> all (configured)
  on conflict (gateway, environment, dispute_id) do update set problem = excluded.problem
   where coalesce(n.problem <> all (dispute_problems()), true)
$$;

-- Records the gateway's answer to question `asked` about a dispute, and books what follows from it, once. `answer`
-- is a DisputeState of domain/dispute.ts; its status `none` says that no money was claimed, or no longer is, and
-- `inquiry` that it may be claimed yet: the gateway is asked again, as about an open one.
--
-- outcome: opened | won | lost | unchanged | stale (a later question was asked), or what an operator has to look
-- at, and nothing is booked: unknown_payment | in_suspense | currency | amount | contradiction | limit_exceeded
create or replace function record_dispute_answer(
  from_gateway text, env text, dispute text, asked integer, answer jsonb
) returns table (outcome text, reference text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  problems constant text[] := dispute_problems();
  is_final boolean;
  n dispute_notices;
  d disputes;
  r record;
  o record;
begin
  select * into n from dispute_notices x
   where x.gateway = from_gateway and x.environment = env and x.dispute_id = dispute for update;
  if n.asks is distinct from asked then
    outcome := 'stale';
    return next;
    return;
  end if;
  select * into strict r from jsonb_to_record(answer) q (
    status text, provider_payment_id text, currency text, amount_minor bigint, fee_minor bigint, reason text,
    evidence_due_by timestamptz);
  is_final := r.status not in ('open', 'inquiry');
  r.status := case r.status when 'inquiry' then 'none' else r.status end;
  outcome := 'unchanged';
  select * into d from disputes x
   where x.gateway = from_gateway and x.environment = env and x.provider_dispute_id = dispute for update;
  if d.id is null and r.status <> 'none' then
    select * into strict o from open_dispute(n, answer);
    outcome := coalesce(o.problem, 'opened');
    d := o.opened;
    if o.problem is null then
      perform add_dispute_event(d);
    end if;
  end if;
  if d.id is not null then
    if (d.provider_payment_id, d.currency, d.amount_minor)
         is distinct from (r.provider_payment_id, r.currency, r.amount_minor) then
      outcome := 'amount';
    elsif r.status in ('won', 'none') and (d.status = 'open' or d.status || r.status = 'lostwon') then
      outcome := case when give_back_dispute(d) then 'won' else 'limit_exceeded' end;
    elsif r.status = 'lost' and d.status = 'open' then
      outcome := 'lost';
      perform lose_dispute(d, r.fee_minor);
    elsif d.status = 'won' and r.status not in ('won', 'none') or d.status = 'lost' and r.status = 'none' then
      outcome := 'contradiction';
    end if;
    update disputes x set reason = r.reason, evidence_due_by = r.evidence_due_by where x.id = d.id
    returning * into strict d;
    reference := d.reference;
    if outcome in ('won', 'lost') then
      perform add_dispute_event(d);
    end if;
  end if;
  if n.noted_at <= n.asked_at and not outcome = any (problems) and is_final then
    delete from dispute_notices x
     where x.gateway = from_gateway and x.environment = env and x.dispute_id = dispute;
  else
    update dispute_notices x
       set problem = case when outcome = any (problems) then outcome end,
           next_try_at = case
             when x.noted_at > x.asked_at then clock_timestamp()
             -- Notices are lost, too.
             when not outcome = any (problems) then clock_timestamp() + interval '6 hours'
             -- The payment's own notification may be late, for a day. Then it is none of ours.
             when outcome = 'unknown_payment' and x.noted_at < clock_timestamp() - interval '1 day' then 'infinity'
             else x.next_try_at end
     where x.gateway = from_gateway and x.environment = env and x.dispute_id = dispute;
  end if;
  return next;
end $$;

-- Writes the dispute, and takes what the wallet has. `problem` is why an operator has to look instead.
create or replace function open_dispute(n dispute_notices, answer jsonb, out problem text, out opened disputes)
language plpgsql as $$
declare
  r record;
  paid gateway_payments;
  i payment_intents;
  at timestamptz := clock_timestamp();
begin
  select * into strict r from jsonb_to_record(answer) q (
    provider_payment_id text, currency text, amount_minor bigint, reason text, evidence_due_by timestamptz);
  select * into paid from gateway_payments p
   where p.gateway = n.gateway and p.environment = n.environment
     and p.provider_payment_id = r.provider_payment_id;
  -- Locked first, as by all who change what is paid for it.
  select * into i from payment_intents p where p.id = paid.intent_id for no key update;
  problem := case
    when paid.currency is null then 'unknown_payment'
    when paid.currency <> r.currency then 'currency'
    -- No merchant has got money that is held, waits in suspense or was given back from there.
    when i.id is null or paid.booked_as = 'hold' or (paid.booked_as = 'suspense' and not exists (
           select from suspense_items s
            where s.gateway = paid.gateway and s.environment = paid.environment
              and s.provider_payment_id = paid.provider_payment_id and s.status = 'accepted'))
      then 'in_suspense' end;
  if problem is not null then
    return;
  end if;
  loop
    insert into disputes (reference, environment, user_id, intent_id, currency, amount_minor, reason,
      evidence_due_by, gateway, provider_payment_id, provider_dispute_id, created_at)
    values ('DSP-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20)), n.environment, i.user_id,
      i.id, paid.currency, r.amount_minor, r.reason, r.evidence_due_by, n.gateway, paid.provider_payment_id,
      n.dispute_id, at)
    on conflict (user_id, environment, created_at) do nothing
    returning * into opened;
    exit when found;
    -- Another dispute of this account has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  opened := take_owed(opened);
end $$;

-- All accounts that a dispute may move money between, whatever comes of it: a gateway's first answer may already
-- be its last.
create or replace function lock_dispute_accounts(d disputes) returns void language sql as $$
  select lock_accounts(array[wallet_account(d.user_id, d.environment, d.currency),
    system_account(d.environment, d.currency, 'disputes'),
    clearing_account(d.environment, d.currency, d.gateway)])
$$;

-- The account that has what the wallet gave: the money waits, or has left us.
create or replace function dispute_account(d disputes) returns bigint language plpgsql as $$
begin
  return case d.status when 'open' then system_account(d.environment, d.currency, 'disputes')
                       else clearing_account(d.environment, d.currency, d.gateway) end;
end $$;

-- Takes from the wallet what it has of what it owes for a dispute: of the amount first, then of the fee. While the
-- dispute is open, the money waits; once it is lost, it has left us.
create or replace function take_owed(d disputes) returns disputes language plpgsql as $$
declare
  wallet bigint := wallet_account(d.user_id, d.environment, d.currency);
  target bigint := dispute_account(d);
  journal uuid := uuidv7();
  balance bigint;
  taken bigint;
  fee bigint;
  at timestamptz;
begin
  perform lock_dispute_accounts(d);
  select a.balance_minor into strict balance from ledger_accounts a where a.id = wallet;
  taken := least(balance, d.amount_minor - d.taken_minor);
  fee := least(balance - taken, d.fee_minor - d.fee_taken_minor);
  if taken + fee > 0 then
    at := post_entries(journal, d.reference || '/' || d.takes + 1, 'dispute_taken', d.reference, d.environment,
      d.currency, array[row(wallet, -taken - fee)::ledger_leg, row(target, taken + fee)::ledger_leg]);
    perform add_transactions(
      array[row(uuidv7(), d.user_id, 'dispute', 'out', balance - taken - fee, null)::transaction_side],
      'completed', d.environment, d.currency, taken + fee, 0, d.reference,
      case taken when 0 then 'fee' else d.reason end, d.intent_id::text, journal, at);
    update disputes x
       set taken_minor = x.taken_minor + taken, fee_taken_minor = x.fee_taken_minor + fee, takes = x.takes + 1
     where x.id = d.id
    returning * into d;
  end if;
  return d;
end $$;

-- Takes for one dispute whose merchant has got money since; false when there is none.
create or replace function take_next_owed() returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  d disputes;
begin
  select x.* into d from disputes x
    join ledger_accounts a on a.user_id = x.user_id and a.environment = x.environment
         and a.currency = x.currency and a.balance_minor > 0
   where x.owed_minor > 0 order by x.created_at limit 1 for update of x skip locked;
  if found then
    perform take_owed(d);
  end if;
  return d.id is not null;
end $$;

-- The bank has decided for the merchant, who gets back what was taken; what was owed lapses. The fee of one that was
-- lost before stays. False when the wallet is too full: nothing is done.
create or replace function give_back_dispute(d disputes) returns boolean language plpgsql as $$
declare
  limit_minor constant bigint := 999999999999999; -- ledger_accounts.wallet_balance
  wallet bigint := wallet_account(d.user_id, d.environment, d.currency);
  source bigint := dispute_account(d);
  journal uuid := uuidv7();
  balance bigint;
  at timestamptz := clock_timestamp();
begin
  perform lock_dispute_accounts(d);
  select a.balance_minor into strict balance from ledger_accounts a where a.id = wallet;
  if balance + d.taken_minor > limit_minor then
    return false;
  end if;
  if d.taken_minor > 0 then
    at := post_entries(journal, d.reference || '/won', 'dispute_won', d.reference, d.environment, d.currency,
      array[row(source, -d.taken_minor)::ledger_leg, row(wallet, d.taken_minor)::ledger_leg]);
    perform add_transactions(
      array[row(uuidv7(), d.user_id, 'reversal', 'in', balance + d.taken_minor, null)::transaction_side],
      'completed', d.environment, d.currency, d.taken_minor, 0, d.reference, null, d.intent_id::text, journal, at);
  end if;
  update disputes x set status = 'won', closed_at = at where x.id = d.id;
  return true;
end $$;

-- The bank has decided for the customer: what was taken has left us, and the merchant owes the gateway's fee, too.
create or replace function lose_dispute(d disputes, fee bigint) returns void language plpgsql as $$
declare
  waiting bigint := system_account(d.environment, d.currency, 'disputes');
  clearing bigint := clearing_account(d.environment, d.currency, d.gateway);
begin
  perform lock_dispute_accounts(d);
  if d.taken_minor > 0 then
    perform post_entries(uuidv7(), d.reference || '/lost', 'dispute_lost', d.reference, d.environment,
      d.currency,
      array[row(waiting, -d.taken_minor)::ledger_leg, row(clearing, d.taken_minor)::ledger_leg]);
  end if;
  update disputes x set status = 'lost', fee_minor = fee, closed_at = clock_timestamp()
   where x.id = d.id returning * into d;
  perform take_owed(d);
end $$;

-- The event of the state that `d` has now, and its line in the payment's timeline.
create or replace function add_dispute_event(d disputes) returns void language plpgsql as $$
declare
  event_id uuid := uuidv7();
  what text := case d.status when 'open' then 'opened' else d.status end;
  event_type text := 'dispute.' || what;
  at timestamptz := clock_timestamp();
  number bigint := next_event_sequence(d.user_id, d.environment);
begin
  insert into events (id, user_id, environment, sequence, type, dispute_id, body, created_at)
  select event_id, d.user_id, d.environment, number, event_type, d.id, e.body, at
    from dispute_json(d) s
   cross join lateral event_json(event_id, event_type, at, d.environment, number, s.body) e;
  perform note_intent(d.intent_id, 'ledger', 'dispute_' || what, jsonb_build_object(
    'dispute_id', d.id, 'reference', d.reference, 'currency', d.currency,
    'amount_minor', d.amount_minor::text));
  perform note_intent(d.intent_id, 'webhook', 'event',
    jsonb_build_object('event_id', event_id, 'type', event_type));
  perform add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = d.user_id and w.environment = d.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- An operator has settled by hand what could not be booked, on record: it is no longer asked about, until a new notice
-- comes. One that is open ends as the operator says: `verdict` is won or lost, and lost takes no fee.
--
-- outcome: done | verdict_due | limit_exceeded | not_found (nothing to settle, as when the gateway could only not be
-- asked: that question comes again)
create or replace function settle_dispute(
  from_gateway text, env text, dispute text, verdict text, why text, actor text,
  out outcome text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  d disputes;
  was_open boolean;
begin
  outcome := 'not_found';
  perform from dispute_notices n
    where n.gateway = from_gateway and n.environment = env and n.dispute_id = dispute
      and n.problem = any (dispute_problems()) for update;
  if not found then
    return;
  end if;
  select * into d from disputes x
   where x.gateway = from_gateway and x.environment = env and x.provider_dispute_id = dispute for update;
  perform refuse_own_account(actor, d.user_id);
  was_open := coalesce(d.status = 'open', false);
  outcome := case
    when not was_open then 'done'
    when verdict = 'won' then case when give_back_dispute(d) then 'done' else 'limit_exceeded' end
    when verdict = 'lost' then 'done'
    else 'verdict_due' end;
  if outcome <> 'done' then
    return;
  end if;
  if was_open then
    if verdict = 'lost' then
      perform lose_dispute(d, 0);
    end if;
    select * into strict d from disputes x where x.id = d.id;
    perform add_dispute_event(d);
  end if;
  delete from dispute_notices n
   where n.gateway = from_gateway and n.environment = env and n.dispute_id = dispute;
  perform add_audit_row(actor, 'disputes.settle', 'dispute/' || left(dispute, 190), jsonb_strip_nulls(
    jsonb_build_object('gateway', from_gateway, 'environment', env, 'dispute', dispute, 'reason', why,
      'verdict', case when was_open then verdict end)));
end $$;

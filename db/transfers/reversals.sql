-- Reversals of transfers: the recipient gives money back to the sender, at once and for good.

-- The response to a reversal.
create or replace function reversal_json(v reversals) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select v.reference, v.transfer_reference, decimal_amount(v.amount_minor) as amount, v.currency,
                 v.reason, v.environment, v.environment = 'sandbox' as simulated,
                 instant(v.created_at) as created_at) shown
$$;

-- Posts one reversal, once per idempotency key of the recipient. `refusals` has a StoredRefusal
-- (domain/error-body.ts) for insufficient_funds. Locks: the key, the transfer, accounts by id.
--
-- outcome: reversed | insufficient_funds (stored for the key, by this call or an earlier one), or lapsed |
-- transfer_not_found | reversal_exceeds_transfer | account_frozen | kyc_required | limit_exceeded (the first sender's
-- balance; nothing written, the key
-- stays free). `left_minor` is what could still be reversed before this one; null when the key had its
-- response before.
create or replace function post_reversal(request jsonb) returns table (outcome text, left_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  t transfers;
  made reversals;
  amount bigint;
  is_live boolean;
  payer bigint;
  payee bigint;
  payer_balance bigint;
  payer_held_by text;
  payee_balance bigint;
  payee_marked timestamptz;
  payee_most bigint := 999999999999999; -- ledger_accounts.wallet_balance
  status smallint;
  body text;
  journal uuid;
  at timestamptz;
begin
  select * into strict r from jsonb_to_record(request) q (
    reference text, environment text, user_id uuid, username text, transfer_reference text,
    amount_minor bigint, reason text, key text, fingerprint jsonb, request_id text,
    accept_before timestamptz, refusals jsonb);
  perform pg_advisory_xact_lock(idempotency_lock(r.user_id, r.environment, 'reversal', r.key));
  select case k.status when 201 then 'reversed' else 'insufficient_funds' end into outcome
    from idempotency_keys k
   where k.user_id = r.user_id and k.environment = r.environment
     and k.operation = 'reversal' and k.key = r.key;
  if found then
    return next;
    return;
  end if;

  is_live := r.environment = 'live';
  select * into t from transfers x
   where x.reference = r.transfer_reference and x.environment = r.environment
     and x.recipient_id = r.user_id and x.status not in ('held', 'refused')
     for update;
  if found then
    payer := wallet_account(t.recipient_id, t.environment, t.currency);
    payee := wallet_account(t.sender_id, t.environment, t.currency);
    -- Nothing moves in the sandbox.
    perform lock_accounts(case when is_live then array[payer, payee] end);
  end if;
  -- Read after the locks: past this moment nothing of this request is ever written.
  at := clock_timestamp();
  left_minor := t.amount_minor - t.reversed_minor;
  amount := coalesce(r.amount_minor, left_minor);
  select a.balance_minor, a.held_by into payer_balance, payer_held_by
    from ledger_accounts a where a.id = payer;
  select a.balance_minor, a.limited_at into payee_balance, payee_marked from ledger_accounts a where a.id = payee;
  if payee_marked is not null then
    select least(payee_most, l.most[1]) into payee_most from lock_limits(array[payee]) l;
  end if;
  outcome := case
    when at > r.accept_before
         or is_given_up(r.user_id, r.environment, 'reversal', r.key, r.accept_before) then 'lapsed'
    when t.reference is null then 'transfer_not_found'
    when payer_held_by is not null then payer_held_by
    when amount > left_minor or left_minor = 0 then 'reversal_exceeds_transfer'
    when payer_balance < amount then 'insufficient_funds'
    when payee_balance + amount > payee_most then 'limit_exceeded'
    else 'reversed' end;
  if outcome not in ('reversed', 'insufficient_funds') then
    return next;
    return;
  end if;
  if outcome = 'insufficient_funds' then
    status := (r.refusals -> outcome ->> 'status')::smallint;
    body := (select s.body from refusal_json(r.refusals -> outcome, r.request_id) s);
  else
    status := 201;
    if is_live then
      journal := uuidv7();
      at := post_entries(journal, r.reference, 'reversal', t.reference, t.environment, t.currency,
        array[row(payer, -amount)::ledger_leg, row(payee, amount)::ledger_leg]);
      payer_balance := payer_balance - amount;
      payee_balance := payee_balance + amount;
    end if;
    insert into reversals (reference, environment, transfer_reference, user_id, sender_id, currency,
      amount_minor, reason, idempotency_key, request_id, created_at)
    values (r.reference, t.environment, t.reference, t.recipient_id, t.sender_id, t.currency, amount,
      r.reason, r.key, r.request_id, at)
    returning * into made;
    update transfers x set reversed_minor = x.reversed_minor + amount where x.reference = t.reference;
    perform add_transactions(
      (select array[
         row(uuidv7(), t.recipient_id, 'reversal', 'out', payer_balance,
           sender.username)::transaction_side,
         row(uuidv7(), t.sender_id, 'reversal', 'in', payee_balance,
           r.username)::transaction_side]
         from users sender where sender.id = t.sender_id),
      case when is_live then 'completed' else 'simulated' end, t.environment, t.currency, amount, 0,
      r.reference, r.reason, t.reference, journal, at);
    body := (select ok_json(s.body) from reversal_json(made) s);
  end if;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  values (r.user_id, r.environment, 'reversal', r.key, r.fingerprint, status, body,
    case outcome when 'reversed' then r.reference end, r.request_id);
  return next;
end $$;

-- Posting transfers, each exactly once per (sender, environment, idempotency key).

-- Posts the transfers and returns one row for each, in the order given. Many in one call: all locks
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

-- What a transfer would come to, for a person who is about to send it: the fee, and the wallet's balance
-- now. Nothing is reserved. It tells whether anyone has the username, and costs nothing, so it counts
-- against the account's limit exactly as a refused transfer does (may_learn_recipient).
--
-- outcome: possible | account_frozen | self_transfer | unknown_recipient_limit | recipient_not_found |
-- insufficient_funds.
create or replace function preview_transfer(
  sender uuid, env text, to_name text, cur text, amount bigint
) returns table (outcome text, fee_minor bigint, balance_minor bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  recipient uuid;
  is_frozen boolean;
begin
  select a.balance_minor, a.is_frozen,
         fee_for(f.basis_points, f.fixed_minor, c.step_minor, amount)
    into strict balance_minor, is_frozen, fee_minor
    from ledger_accounts a
    join currencies c on c.code = a.currency
    join fee_policies f on f.kind = 'transfer' and f.currency = a.currency
   where a.user_id = sender and a.environment = env and a.currency = cur and a.kind = 'wallet';
  select u.id into recipient from users u where u.username = to_name;
  if is_frozen then
    outcome := 'account_frozen';
  elsif recipient = sender then
    outcome := 'self_transfer';
  else
    if recipient is null then
      perform pg_advisory_xact_lock(idempotency_lock(sender, env, 'unknown_recipient', ''));
    end if;
    outcome := case
      when not may_learn_recipient(sender, env, to_name, recipient is not null, clock_timestamp())
        then 'unknown_recipient_limit'
      when recipient is null then 'recipient_not_found'
      when balance_minor < amount then 'insufficient_funds'
      else 'possible' end;
  end if;
  return next;
end $$;

-- post_transfers posts transfers, each exactly once per (sender, environment, idempotency key).

-- Posts transfers, each exactly once per (sender, environment, key), and returns one row each, in
-- the order given. Many in one call: all locks are taken first, in one sorted order.
--
-- Each element: {reference, environment, sender_id, key, fingerprint, request_id, accept_before,
-- to_username, currency, amount_minor, responses}. `responses` maps each possible outcome to its
-- {status, body}; the one that comes true is stored with the posting, so that a replay is the
-- first answer byte for byte.
--
-- outcome: completed | simulated | insufficient_funds | recipient_not_found (stored, `status` and
-- `body` set), or lapsed | balance_limit | self_transfer (nothing written).
create or replace function post_transfers(requests jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, reference text,
  is_replay boolean
)
language plpgsql security definer set search_path = public, pg_temp
-- Always index look-ups: a plan made while the tables were small must not scan them when they grow.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  r record;
  key_locks bigint[] := '{}';
  account_locks bigint[] := '{}';
  -- Who and where, by position in `requests`: looked up once, and none of it ever changes.
  senders text[] := '{}';
  recipients uuid[] := '{}';
  payer_ids bigint[] := '{}';
  payee_ids bigint[] := '{}';
  fee_ids bigint[] := '{}';
  charges bigint[] := '{}';
  i integer := 0;
  recipient uuid;
  fee bigint;
  net bigint;
  journal uuid;
  at timestamptz;
  payer ledger_accounts;
  payee ledger_accounts;
  fees ledger_accounts;
  shown integer;
  shown_ids uuid[];
begin
  for r in
    select q.sender_id, q.environment, q.key, s.username as sender, u.id as recipient,
           payer_wallet.id as payer_id, payee_wallet.id as payee_id, fee_account.id as fee_id,
           fee_for(p.basis_points, p.fixed_minor, c.step_minor, q.amount_minor) as fee
      from rows from (jsonb_to_recordset(requests) as (
             sender_id uuid, environment text, key text, to_username text, currency text,
             amount_minor bigint)) with ordinality
           as q (sender_id, environment, key, to_username, currency, amount_minor, position)
      join users s on s.id = q.sender_id
      join currencies c on c.code = q.currency
      join fee_policies p on p.kind = 'transfer' and p.currency = q.currency
      join ledger_accounts payer_wallet
        on payer_wallet.user_id = s.id and payer_wallet.environment = q.environment
           and payer_wallet.currency = q.currency and payer_wallet.kind = 'wallet'
      left join users u on u.username = q.to_username
      left join ledger_accounts payee_wallet
        on payee_wallet.user_id = u.id and payee_wallet.environment = q.environment
           and payee_wallet.currency = q.currency and payee_wallet.kind = 'wallet'
      left join ledger_accounts fee_account
        on fee_account.user_id is null and fee_account.environment = q.environment
           and fee_account.currency = q.currency and fee_account.kind = 'fees'
     order by q.position
  loop
    key_locks := key_locks || idempotency_lock(r.sender_id, r.environment, 'transfer', r.key);
    senders := senders || r.sender;
    recipients := recipients || r.recipient;
    payer_ids := payer_ids || r.payer_id;
    payee_ids := payee_ids || r.payee_id;
    fee_ids := fee_ids || r.fee_id;
    charges := charges || r.fee;
    if r.environment = 'live' and r.recipient <> r.sender_id then
      account_locks := account_locks || array[r.payer_id, r.payee_id];
      if r.fee > 0 then
        account_locks := account_locks || r.fee_id;
      end if;
    end if;
  end loop;

  if cardinality(senders) <> jsonb_array_length(requests) then
    raise exception 'a transfer names an unknown sender or currency' using errcode = 'check_violation';
  end if;
  perform pg_advisory_xact_lock(l.lock)
     from (select distinct lock from unnest(key_locks) lock order by lock) l;
  perform 1 from ledger_accounts a where a.id = any (account_locks)
    order by a.id for no key update;

  for r in
    select * from jsonb_to_recordset(requests) q (
      reference text, environment text, sender_id uuid, key text, fingerprint jsonb,
      request_id text, accept_before timestamptz, to_username text, currency text,
      amount_minor bigint, responses jsonb)
  loop
    i := i + 1;
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

    recipient := recipients[i];
    if recipient is null then
      outcome := 'recipient_not_found';
    elsif recipient = r.sender_id then
      outcome := 'self_transfer';
      return next;
      continue;
    else
      fee := charges[i];
      net := r.amount_minor - fee;
      select * into payer from ledger_accounts a where a.id = payer_ids[i];
      select * into payee from ledger_accounts a where a.id = payee_ids[i];
      if payer.balance_minor < r.amount_minor then
        outcome := 'insufficient_funds';
      elsif payee.balance_minor + net > 999999999999999 then
        outcome := 'balance_limit';
        return next;
        continue;
      else
        outcome := case r.environment when 'live' then 'completed' else 'simulated' end;
      end if;
    end if;

    if outcome in ('completed', 'simulated') then
      reference := r.reference;
      journal := null;
      if outcome = 'completed' then
        journal := gen_random_uuid();
        payer.balance_minor := payer.balance_minor - r.amount_minor;
        payee.balance_minor := payee.balance_minor + net;
        -- Under the locks the wallet's own order and the clock agree, even if the clock steps back.
        at := greatest(at, payer.last_posted_at + interval '1 microsecond',
          payee.last_posted_at + interval '1 microsecond');
        insert into ledger_transactions (id, reference, environment, kind, created_at)
        values (journal, r.reference, r.environment, 'transfer', at);
        update ledger_accounts a
           set balance_minor = case a.id when payer.id then payer.balance_minor
                                         else payee.balance_minor end,
               version = a.version + 1, last_posted_at = at
         where a.id in (payer.id, payee.id);
        if fee > 0 then
          update ledger_accounts a
             set balance_minor = a.balance_minor + fee, version = a.version + 1, last_posted_at = at
           where a.id = fee_ids[i]
          returning a.* into fees;
        end if;
        insert into ledger_entries
        select journal, e.account_id, r.environment, r.currency, e.amount, e.balance_after, e.version
          from (values
            (payer.id, -r.amount_minor, payer.balance_minor, payer.version + 1),
            (payee.id, net, payee.balance_minor, payee.version + 1),
            (fees.id, fee, fees.balance_minor, fees.version)
          ) e (account_id, amount, balance_after, version)
         where e.amount <> 0;
      end if;
      insert into transfers (reference, environment, sender_id, recipient_id, currency,
        amount_minor, fee_minor, status, idempotency_key, request_id, created_at)
      values (r.reference, r.environment, r.sender_id, recipient, r.currency,
        r.amount_minor, fee, outcome, r.key, r.request_id, at);
      -- Both rows in one statement, unless one's microsecond is taken by another wallet's posting.
      shown_ids := array[gen_random_uuid(), gen_random_uuid()];
      insert into transactions (id, user_id, environment, type, status, direction, currency,
        amount_minor, fee_minor, balance_after_minor, reference, counterparty,
        ledger_transaction_id, created_at, json)
      values
        (shown_ids[1], r.sender_id, r.environment, 'transfer_out', outcome, 'out', r.currency, r.amount_minor,
         fee, payer.balance_minor, r.reference, r.to_username, journal, at,
         transaction_json(shown_ids[1], 'transfer_out', outcome, 'out', r.currency, r.amount_minor, fee,
           payer.balance_minor, r.reference, r.to_username, null, null, at)),
        (shown_ids[2], recipient, r.environment, 'transfer_in', outcome, 'in', r.currency, r.amount_minor,
         fee, payee.balance_minor, r.reference, senders[i], journal, at,
         transaction_json(shown_ids[2], 'transfer_in', outcome, 'in', r.currency, r.amount_minor, fee,
           payee.balance_minor, r.reference, senders[i], null, null, at))
      on conflict (user_id, environment, created_at) do nothing;
      get diagnostics shown = row_count;
      if shown < 2 then
        if not exists (select from transactions t where t.user_id = r.sender_id
             and t.environment = r.environment and t.created_at = at and t.reference = r.reference) then
          perform add_transaction(r.sender_id, r.environment, 'transfer_out', outcome, 'out',
            r.currency, r.amount_minor, fee, payer.balance_minor, r.reference, r.to_username, null,
            null, journal, at);
        end if;
        if not exists (select from transactions t where t.user_id = recipient
             and t.environment = r.environment and t.created_at = at and t.reference = r.reference) then
          perform add_transaction(recipient, r.environment, 'transfer_in', outcome, 'in',
            r.currency, r.amount_minor, fee, payee.balance_minor, r.reference, senders[i], null,
            null, journal, at);
        end if;
      end if;
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

-- Transfers, the answers kept for their idempotency keys, and the one function that posts them.

create table fee_policies (
  kind         text not null check (kind in ('transfer', 'payment_intent')),
  currency     text not null references currencies,
  basis_points integer not null default 0 check (basis_points between 0 and 10000),
  fixed_minor  bigint not null default 0 check (fixed_minor between 0 and 999999999999999),
  primary key (kind, currency)
);
insert into fee_policies (kind, currency)
select k, code from unnest(array['transfer', 'payment_intent']) k, currencies;

-- Rounded half up to the currency's step; at least one step always reaches the recipient.
create function fee_for(policy text, cur text, amount bigint) returns bigint
language sql stable as $$
  select least(amount - c.step_minor,
    round((amount::numeric * p.basis_points / 10000 + p.fixed_minor) / c.step_minor) * c.step_minor
  )::bigint
    from fee_policies p join currencies c on c.code = p.currency
   where p.kind = policy and p.currency = cur
$$;

-- The first final answer of each key, kept for ever: this key, not Temporal's memory of workflow
-- ids, is what makes a retry safe. `fingerprint` holds one hash per body field, enough to name the
-- fields that differ and nothing to read.
create table idempotency_keys (
  account_id  uuid not null references users,
  environment text not null,
  operation   text not null check (operation in ('transfer', 'payment_intent')),
  key         text not null check (length(key) between 1 and 255),
  fingerprint jsonb not null,
  status      smallint not null check (status between 200 and 499),
  body        text not null,
  reference   text,
  request_id  text not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, environment, operation, key)
);

create table transfers (
  reference    text primary key,
  environment  text not null,
  sender_id    uuid not null references users,
  recipient_id uuid not null references users,
  currency     text not null references currencies,
  amount_minor bigint not null check (amount_minor > 0),
  fee_minor    bigint not null check (fee_minor between 0 and amount_minor),
  status       text not null check (status in ('completed', 'reversed', 'simulated')),
  simulated    boolean generated always as (status = 'simulated') stored,
  idempotency_key text not null,
  request_id   text not null,
  created_at   timestamptz not null,
  check (sender_id <> recipient_id),
  check ((status = 'simulated') = (environment = 'sandbox')),
  unique (sender_id, environment, idempotency_key)
);

-- One lock per idempotency key. It is held until after the commit, so whoever takes it next sees
-- either the stored answer or the certainty that there is none.
create function idempotency_lock(account uuid, env text, op text, idem_key text) returns bigint
language sql immutable as $$
  select hashtextextended(account || '/' || env || '/' || op || '/' || idem_key, 0)
$$;

-- Posts transfers, each exactly once per (sender, environment, key), and returns one row each, in
-- the order given. Many in one call: all locks are taken first, in one sorted order.
--
-- Each element: {attempt, environment, sender_id, key, fingerprint, request_id, accept_before,
-- to_username, currency, amount_minor, answers}. `answers` maps each possible outcome to its
-- {status, body}; the one that comes true is stored with the posting, so that a replay is the
-- first answer byte for byte.
--
-- outcome: completed | simulated | insufficient_funds | recipient_not_found (stored, `status` and
-- `body` set), or lapsed | balance_limit | self_transfer (nothing written).
create function post_transfers(requests jsonb)
returns table (
  attempt text, outcome text, status smallint, body text, fingerprint jsonb, reference text,
  replayed boolean
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  recipient uuid;
  sender_name text;
  fee bigint;
  net bigint;
  journal uuid;
  at timestamptz;
  payer ledger_accounts;
  payee ledger_accounts;
  fees ledger_accounts;
  balance_after_payer bigint;
  balance_after_payee bigint;
begin
  perform pg_advisory_xact_lock(l.lock)
     from (select distinct idempotency_lock(q.sender_id, q.environment, 'transfer', q.key) as lock
             from jsonb_to_recordset(requests) q (sender_id uuid, environment text, key text)
            order by lock) l;

  -- Wallets of both sides, and the fee account where a fee is due, by ascending id.
  perform 1 from ledger_accounts a
    where a.id in (
      select w.id
        from jsonb_to_recordset(requests)
               q (sender_id uuid, environment text, to_username text, currency text, amount_minor bigint)
        join users u on u.username = q.to_username
        join ledger_accounts w on w.environment = q.environment and w.currency = q.currency
             and (w.owner_id in (q.sender_id, u.id) and w.kind = 'wallet'
                  or w.owner_id is null and w.kind = 'fees'
                     and fee_for('transfer', q.currency, q.amount_minor) > 0)
       where q.environment = 'live')
    order by a.id for no key update;

  for r in
    select * from jsonb_to_recordset(requests) q (
      attempt text, environment text, sender_id uuid, key text, fingerprint jsonb,
      request_id text, accept_before timestamptz, to_username text, currency text,
      amount_minor bigint, answers jsonb)
  loop
    attempt := r.attempt;
    select k.status, k.body, k.fingerprint, k.reference
      into status, body, fingerprint, reference
      from idempotency_keys k
     where k.account_id = r.sender_id and k.environment = r.environment
       and k.operation = 'transfer' and k.key = r.key;
    if found then
      replayed := true;
      outcome := case when status = 200 then
          case r.environment when 'live' then 'completed' else 'simulated' end
        when status = 402 then 'insufficient_funds' else 'recipient_not_found' end;
      return next;
      continue;
    end if;
    replayed := false;
    status := null; body := null; reference := null;
    fingerprint := r.fingerprint;

    -- Read after the locks: past this moment nothing of this attempt is ever written.
    if clock_timestamp() > r.accept_before then
      outcome := 'lapsed';
      return next;
      continue;
    end if;

    select u.id into recipient from users u where u.username = r.to_username;
    if recipient is null then
      outcome := 'recipient_not_found';
    elsif recipient = r.sender_id then
      outcome := 'self_transfer';
      return next;
      continue;
    else
      select * into payer from ledger_accounts a where a.owner_id = r.sender_id
         and a.environment = r.environment and a.currency = r.currency and a.kind = 'wallet';
      select * into payee from ledger_accounts a where a.owner_id = recipient
         and a.environment = r.environment and a.currency = r.currency and a.kind = 'wallet';
      fee := fee_for('transfer', r.currency, r.amount_minor);
      net := r.amount_minor - fee;
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
      reference := r.attempt;
      journal := null;
      balance_after_payer := payer.balance_minor;
      balance_after_payee := payee.balance_minor;
      at := clock_timestamp();
      if outcome = 'completed' then
        journal := gen_random_uuid();
        balance_after_payer := balance_after_payer - r.amount_minor;
        balance_after_payee := balance_after_payee + net;
        -- Under the locks the wallet's own order and the clock agree, even if the clock steps back.
        at := greatest(at, payer.last_posted_at + interval '1 microsecond',
          payee.last_posted_at + interval '1 microsecond');
        insert into ledger_transactions (id, reference, environment, kind, created_at)
        values (journal, r.attempt, r.environment, 'transfer', at);
        update ledger_accounts a
           set balance_minor = case a.id when payer.id then balance_after_payer
                                         else balance_after_payee end,
               version = a.version + 1, last_posted_at = at
         where a.id in (payer.id, payee.id);
        if fee > 0 then
          update ledger_accounts a
             set balance_minor = a.balance_minor + fee, version = a.version + 1, last_posted_at = at
           where a.owner_id is null and a.environment = r.environment
             and a.currency = r.currency and a.kind = 'fees'
          returning a.* into fees;
        end if;
        insert into ledger_entries
        select journal, e.account_id, r.environment, r.currency, e.amount, e.balance_after, e.version
          from (values
            (payer.id, -r.amount_minor, balance_after_payer, payer.version + 1),
            (payee.id, net, balance_after_payee, payee.version + 1),
            (fees.id, fee, fees.balance_minor, fees.version)
          ) e (account_id, amount, balance_after, version)
         where e.amount <> 0;
      end if;
      select u.username into sender_name from users u where u.id = r.sender_id;
      insert into transfers (reference, environment, sender_id, recipient_id, currency,
        amount_minor, fee_minor, status, idempotency_key, request_id, created_at)
      values (r.attempt, r.environment, r.sender_id, recipient, r.currency,
        r.amount_minor, fee, outcome, r.key, r.request_id, at);
      perform add_transaction(r.sender_id, r.environment, 'transfer_out', outcome, 'out',
        r.currency, r.amount_minor, fee, balance_after_payer, r.attempt, r.to_username, null,
        journal, at);
      perform add_transaction(recipient, r.environment, 'transfer_in', outcome, 'in',
        r.currency, r.amount_minor, fee, balance_after_payee, r.attempt, sender_name, null,
        journal, at);
    end if;

    status := (r.answers -> outcome ->> 'status')::smallint;
    body := r.answers -> outcome ->> 'body';
    insert into idempotency_keys (account_id, environment, operation, key, fingerprint, status,
      body, reference, request_id)
    values (r.sender_id, r.environment, 'transfer', r.key, r.fingerprint, status, body,
      reference, r.request_id);
    return next;
  end loop;
end $$;

-- What became of an attempt, once nobody can change it any more: waits for a posting that is under
-- way to commit or roll back. `lapsed` and no answer is final; neither means it may still happen.
create function settle_idempotency_key(
  account uuid, env text, op text, idem_key text, accept_before timestamptz
) returns table (lapsed boolean, status smallint, body text, fingerprint jsonb)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(idempotency_lock(account, env, op, idem_key));
  lapsed := clock_timestamp() > accept_before;
  select k.status, k.body, k.fingerprint into status, body, fingerprint
    from idempotency_keys k
   where k.account_id = account and k.environment = env and k.operation = op and k.key = idem_key;
  return next;
end $$;

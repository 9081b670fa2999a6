-- Posting transfers, each exactly once per (sender, environment, idempotency key).

-- Posts the transfers and returns one row for each, in the order given. All locks are taken first, in
-- one sorted order; then the outcomes are decided one after the other, each by the balances that those
-- before it leave, without a statement; then there is one statement per table. One function, because
-- each call of another costs some 2-10 µs and loses the plan.
--
-- Each element of `requests`: {reference, environment, sender_id, key, fingerprint, request_id,
-- accept_before, to_username, currency, amount_minor, batch_id, description, metadata (JSON as text)}, of which
-- the last two may be left out. Without `key` and `fingerprint` nothing
-- is kept that would make a repetition a replay, and no response is made: the caller sees to it that the
-- transfer is made once, and names its batch in `batch_id`.
--
-- `responses` has a {status, format} for each outcome that is kept: `format` takes reference,
-- environment, username, currency and amount, the request id, description and metadata
-- (renderResponseFormats in domain/transfer.ts). The response is stored with the posting, so that a replay is the first response
-- byte for byte.
--
-- outcome: completed | simulated | insufficient_funds | recipient_not_found (kept under the key, `status`
-- and `body` set when there is one), or lapsed | account_frozen | balance_limit | self_transfer |
-- unknown_recipient_limit (nothing written, the key stays free).
--
-- With `locks_are_held` the caller's transaction has locked the sender's wallets and all recipients', for
-- more requests than one call posts. It takes no advisory locks: for 10,000 transfers they would not fit
-- into Postgres' table of locks.
create or replace function post_transfer_batch(
  requests jsonb, responses jsonb, locks_are_held boolean default false
)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, reference text,
  is_replay boolean
)
language plpgsql security definer set search_path = public, pg_temp
-- Always index look-ups: a plan made while the tables were small must not scan them when they grow.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  tick constant interval := '1 microsecond';
  items transfer_posting[];
  p transfer_posting;
  r record;
  locks bigint[];
  -- Of each sender that names a recipient whom nobody knows: its count of them.
  counts bigint[];
  -- By more senders than one.
  is_shared boolean;
  moved_ids bigint[];
  -- By ascending id; the other arrays of accounts have the same order.
  account_ids bigint[];
  owners uuid[];
  environments text[];
  balances bigint[];
  versions bigint[];
  last_times timestamptz[];
  frozen boolean[];
  -- Where the first account of the same history is, and by that the latest moment that it shows.
  histories integer[] := '{1,2,3}';
  shown_at timestamptz[];
  -- The first position with the same key, and by that the position that has the answer, or 0.
  first_with_key integer[] := '{1}';
  answered integer[];
  answer integer;
  -- Null until it matters: whether a sender has lately tried usernames that nobody has.
  has_tried boolean;
  learning recipient_learning;
  learner transfer_posting;
  payer integer;
  payee integer;
  fees integer;
  at timestamptz;
  waiting integer := 0;
  shown integer;
  delay interval := '0';
begin
  -- Whoever names an unknown recipient also locks its account's count of them (may_learn_recipient).
  select array_agg(row(q.position, q.reference, q.environment, q.sender_id, q.key, q.fingerprint,
             q.request_id, q.accept_before, q.to_username, q.currency, q.amount_minor, q.batch_id,
             s.username, u.id, payer.id, payee.id, fees.id, fee.minor,
             null, false, null, null, null, null, null, null, null, null, null, null, null, null,
             q.description, q.metadata
           )::transfer_posting order by q.position),
         array_agg(idempotency_lock(q.sender_id, q.environment, 'transfer', q.key)),
         array_agg(idempotency_lock(q.sender_id, q.environment, 'unknown_recipient', ''))
           filter (where u.id is null),
         array_agg(payer.id) || array_agg(payee.id) || array_agg(fees.id),
         -- Nothing moves in the sandbox, and to oneself.
         array_agg(payer.id) filter (where q.environment = 'live' and s.id <> u.id)
           || array_agg(payee.id) filter (where q.environment = 'live' and s.id <> u.id)
           || array_agg(fees.id) filter (where q.environment = 'live' and s.id <> u.id and fee.minor > 0)
    into items, locks, counts, account_ids, moved_ids
    from rows from (jsonb_to_recordset(requests) as (
           reference text, environment text, sender_id uuid, key text, fingerprint jsonb,
           request_id text, accept_before timestamptz, to_username text, currency text,
           amount_minor bigint, batch_id uuid, description text, metadata text)) with ordinality
         as q (reference, environment, sender_id, key, fingerprint, request_id, accept_before,
               to_username, currency, amount_minor, batch_id, description, metadata, position)
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
         and fees.currency = q.currency and fees.kind = 'fees'
   cross join lateral (
     select fee_for(f.basis_points, f.fixed_minor, c.step_minor, q.amount_minor) as minor) fee;
  if coalesce(cardinality(items), 0) <> jsonb_array_length(requests) then
    raise exception 'a transfer names an unknown sender or currency' using errcode = 'check_violation';
  elsif items is null then
    return;
  end if;

  if cardinality(items) > 1 then
    select array_agg(k.first order by k.position) into first_with_key
      from (select d.position, min(d.position) over (
                     partition by d.sender_id, d.environment, d.key collate "C",
                                  case when d.key is null then d.position end) as first
              from unnest(items) d) k;
    -- Two sessions that write many rows into one history would wait for each other's moments. No more
    -- than 500 such locks: the server has memory for some thousands.
    select locks || array_agg(idempotency_lock(h.user_id, h.environment, 'history', '')) into locks
      from (select x.user_id, d.environment
              from unnest(items) d cross join lateral (values (d.sender_id), (d.recipient_id)) x (user_id)
             group by x.user_id, d.environment
            having count(*) >= greatest(2, cardinality(items) / 250)) h;
  end if;
  if not locks_are_held then
    is_shared := counts is not null and exists (select from unnest(items) d where d.sender_id <> items[1].sender_id);
    -- A sender's bulk transfers hold its count of unknown recipients for long. In a batch of several senders
    -- nobody waits for that: each transfer is then tried alone. All in one order, so that no two transactions
    -- wait for each other; `exists` ends with the first that is not to be had.
    if exists (
      select from (select distinct lock from unnest(locks || counts) lock where lock is not null order by lock) l
       where not case when is_shared and l.lock = any (counts) then pg_try_advisory_xact_lock(l.lock)
                      else pg_advisory_xact_lock(l.lock) is not null end) then
      raise exception 'the count of unknown recipients of a sender is in use'
        using errcode = 'lock_not_available';
    end if;
    perform lock_accounts(moved_ids);
  end if;

  -- From here on each statement sees what the holders of the locks before have committed.
  answered := array_fill(0, array[cardinality(items)]);
  for r in
    select d.position, k.status, k.body, k.fingerprint, k.reference
      from unnest(items) d
     cross join lateral (
       -- With the limit each key is looked up, whatever the planner thinks of a table that is small.
       select * from idempotency_keys x
        where x.user_id = d.sender_id and x.environment = d.environment
          and x.operation = 'transfer' and x.key = d.key limit 1) k
  loop
    p := items[r.position];
    p.outcome := case when r.status = 200 then
        case p.environment when 'live' then 'completed' else 'simulated' end
      when r.status = 402 then 'insufficient_funds' else 'recipient_not_found' end;
    p.status := r.status;
    p.body := r.body;
    p.fingerprint := r.fingerprint;
    p.reference := r.reference;
    items[r.position] := p;
    answered[first_with_key[r.position]] := r.position;
  end loop;
  select array_agg(a.id), array_agg(a.user_id), array_agg(a.environment), array_agg(a.balance_minor),
         array_agg(a.version), array_agg(a.last_posted_at), array_agg(a.is_frozen),
         array_agg(a.shown_at)
    into account_ids, owners, environments, balances, versions, last_times, frozen, shown_at
    from (
      select *, (select t.created_at from transactions t
                  where t.user_id = x.user_id and t.environment = x.environment
                  order by t.created_at desc limit 1) as shown_at
        from ledger_accounts x where x.id = any (account_ids) order by x.id) a;
  -- Those of one transfer have histories of their own.
  if cardinality(items) > 1 then
    select array_agg(a.first order by a.place) into histories
      from (select x.place, min(x.place) over (partition by x.owner, x.environment) as first
              from unnest(account_ids, owners, environments)
                   with ordinality x (id, owner, environment, place)) a;
  end if;

  for i in 1 .. cardinality(items) loop
    p := items[i];
    answer := answered[first_with_key[i]];
    if answer > 0 then
      p := items[answer];
      outcome := p.outcome;
      status := p.status;
      body := p.body;
      fingerprint := p.fingerprint;
      reference := p.reference;
      is_replay := true;
      return next;
      continue;
    end if;
    fingerprint := p.fingerprint;
    status := null;
    body := null;
    reference := null;
    is_replay := false;

    payer := width_bucket(p.payer_id, account_ids);
    payee := width_bucket(p.payee_id, account_ids);
    fees := case when p.fee_minor > 0 then width_bucket(p.fees_id, account_ids) end;
    -- Read after the locks: past this moment nothing of this request is ever written.
    at := clock_timestamp();
    outcome := case
      when at > p.accept_before then 'lapsed'
      when frozen[payer] then 'account_frozen'
      when p.recipient_id is null then 'recipient_not_found'
      when p.recipient_id = p.sender_id then 'self_transfer'
      when balances[payer] < p.amount_minor then 'insufficient_funds'
      when balances[payee] + p.amount_minor - p.fee_minor > 999999999999999 -- ledger_accounts.wallet_balance
        then 'balance_limit'
      when p.environment = 'live' then 'completed'
      else 'simulated' end;
    -- Each of these would tell whether anyone has the username, and cost nothing.
    if outcome in ('recipient_not_found', 'insufficient_funds', 'balance_limit', 'simulated') then
      has_tried := coalesce(has_tried, exists (
        select from unnest(items) d
          join unknown_recipients t on t.user_id = d.sender_id and t.environment = d.environment));
      if p.recipient_id is null or has_tried then
        has_tried := true;
        if (p.sender_id, p.environment) is distinct from (learner.sender_id, learner.environment) then
          learning := null;
          learner := p;
        end if;
        learning := learn_recipient(
          p.sender_id, p.environment, p.to_username, p.recipient_id is not null, at, learning);
        if not learning.allowed
           -- Recipients of this batch are known, but not yet in the history.
           and not exists (
             select from unnest(items) d
              where d.posted_at is not null and d.sender_id = p.sender_id
                and d.environment = p.environment and d.to_username = p.to_username) then
          outcome := 'unknown_recipient_limit';
        end if;
      end if;
    end if;
    if outcome in ('lapsed', 'account_frozen', 'self_transfer', 'balance_limit',
                   'unknown_recipient_limit') then
      return next;
      continue;
    end if;

    if outcome in ('completed', 'simulated') then
      -- Later than what both histories show, by two, so that a row whose moment a payment takes meanwhile
      -- can move up by one and stays in order.
      at := greatest(at, shown_at[histories[payer]] + 2 * tick,
        shown_at[histories[payee]] + 2 * tick);
    end if;
    if outcome = 'completed' then
      if frozen[payer] then
        raise exception 'transfer % takes from a frozen wallet', p.reference
          using errcode = 'check_violation';
      end if;
      -- The order of each account and the clock agree, even if the clock steps back.
      at := greatest(at, last_times[payer] + tick, last_times[payee] + tick,
        last_times[fees] + tick);
      p.journal_id := gen_random_uuid();
      balances[payer] := balances[payer] - p.amount_minor;
      versions[payer] := versions[payer] + 1;
      last_times[payer] := at;
      p.payer_version := versions[payer];
      balances[payee] := balances[payee] + p.amount_minor - p.fee_minor;
      versions[payee] := versions[payee] + 1;
      last_times[payee] := at;
      p.payee_version := versions[payee];
      if p.fee_minor > 0 then
        balances[fees] := balances[fees] + p.fee_minor;
        versions[fees] := versions[fees] + 1;
        last_times[fees] := at;
        p.fees_balance := balances[fees];
        p.fees_version := versions[fees];
      end if;
    end if;
    if outcome in ('completed', 'simulated') then
      reference := p.reference;
      p.posted_at := at;
      p.payer_balance := balances[payer];
      p.payee_balance := balances[payee];
      shown_at[histories[payer]] := at;
      shown_at[histories[payee]] := at;
      p.payer_row := gen_random_uuid();
      p.payee_row := gen_random_uuid();
      waiting := waiting + 2;
    else
      p.reference := null;
    end if;
    if p.key is not null then
      status := (responses -> outcome ->> 'status')::smallint;
      body := format(responses -> outcome ->> 'format', to_json(p.reference), to_json(p.environment),
        to_json(p.to_username), to_json(p.currency), p.amount_minor * 0.01, to_json(p.request_id),
        coalesce(to_json(p.description), 'null'), coalesce(p.metadata, '{}'));
    end if;
    p.outcome := outcome;
    p.is_final := true;
    p.status := status;
    p.body := body;
    items[i] := p;
    answered[first_with_key[i]] := i;
    return next;
  end loop;

  with final as materialized (
    select * from unnest(items) x where x.is_final
  ), journal as (
    insert into ledger_transactions (id, reference, environment, kind, created_at)
    select d.journal_id, d.reference, d.environment, 'transfer', d.posted_at
      from final d where d.journal_id is not null
  ), entries as materialized (
    select d.journal_id, d.environment, d.currency, d.posted_at, e.*
      from final d
     cross join lateral (values
       (d.payer_id, -d.amount_minor, d.payer_balance, d.payer_version),
       (d.payee_id, d.amount_minor - d.fee_minor, d.payee_balance, d.payee_version),
       (d.fees_id, d.fee_minor, d.fees_balance, d.fees_version)
     ) e (account_id, amount_minor, balance_minor, version)
     where d.journal_id is not null and e.amount_minor <> 0
  ), posted as (
    insert into ledger_entries (transaction_id, account_id, environment, currency, amount_minor,
      balance_after_minor, account_version)
    select e.journal_id, e.account_id, e.environment, e.currency, e.amount_minor, e.balance_minor,
           e.version
      from entries e
  ), moved as (
    update ledger_accounts a
       set balance_minor = a.balance_minor + m.amount_minor, version = a.version + m.entries,
           last_posted_at = m.posted_at
      from (select e.account_id, sum(e.amount_minor)::bigint as amount_minor, count(*) as entries,
                   max(e.posted_at) as posted_at
              from entries e group by e.account_id) m
     where a.id = m.account_id
  ), made as (
    insert into transfers (reference, environment, sender_id, recipient_id, currency, amount_minor,
      fee_minor, status, idempotency_key, request_id, batch_id, created_at, description, metadata)
    select d.reference, d.environment, d.sender_id, d.recipient_id, d.currency, d.amount_minor,
           d.fee_minor, d.outcome, d.key, d.request_id, d.batch_id, d.posted_at, d.description,
           d.metadata::json
      from final d where d.posted_at is not null
  )
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  select d.sender_id, d.environment, 'transfer', d.key, d.fingerprint, d.status, d.body, d.reference,
         d.request_id
    from final d where d.key is not null;

  -- At the first microsecond from there on that is free: a payment into another wallet of the user may
  -- have taken it since.
  while waiting > 0 loop
    insert into transactions (id, user_id, environment, type, status, direction, currency, amount_minor,
      fee_minor, balance_after_minor, reference, counterparty, description, ledger_transaction_id,
      created_at, json)
    select s.id, s.user_id, d.environment, s.type, d.outcome, s.direction, d.currency, d.amount_minor,
           d.fee_minor, s.balance_minor, d.reference, s.counterparty, d.description, d.journal_id,
           d.posted_at + delay,
           transaction_json(s.id, s.type, d.outcome, s.direction, d.currency, d.amount_minor,
             d.fee_minor, s.balance_minor, d.reference, s.counterparty, d.description, null,
             d.posted_at + delay)
      from unnest(items) d
     cross join lateral (values
       (d.payer_row, d.sender_id, 'transfer_out', 'out', d.payer_balance, d.to_username),
       (d.payee_row, d.recipient_id, 'transfer_in', 'in', d.payee_balance, d.sender)
     ) s (id, user_id, type, direction, balance_minor, counterparty)
     where d.posted_at is not null
       and (delay = interval '0' or not exists (select from transactions t where t.id = s.id))
    on conflict (user_id, environment, created_at) do nothing;
    get diagnostics shown = row_count;
    waiting := waiting - shown;
    delay := delay + tick;
  end loop;

  -- After all rows: the accounts' event counters are the last that is locked.
  if exists (select from webhook_endpoints w
              where w.user_id = any (owners) and w.status <> 'deleted'
                and w.types && array['transfer.received', 'transfer.sent']) then
    perform add_transfer_events(items);
  end if;
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

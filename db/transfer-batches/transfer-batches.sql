-- Bulk transfers. The row of a batch is locked before anything is done for it, so a step, a repetition of it
-- and a cancellation never meet; each step posts and marks its items in one transaction, so that whatever
-- dies, nothing is posted twice.

-- Fingerprints as fingerprintFields (secrets/hash.ts) does for POST /transfers: an item's key is a
-- single transfer's.
create or replace function transfer_fingerprint(
  to_username text, currency text, amount_minor bigint, description text
) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'to_username', left(encode(sha256(convert_to(to_username, 'UTF8')), 'hex'), 16),
    'currency', left(encode(sha256(convert_to(currency, 'UTF8')), 'hex'), 16),
    'amount', left(encode(sha256(convert_to(amount_minor::text, 'UTF8')), 'hex'), 16),
    -- Left out when there is none, as there.
    'description', left(encode(sha256(convert_to(description, 'UTF8')), 'hex'), 16)))
$$;

create or replace function batch_json(b transfer_batches) returns table (body json)
language sql stable as $$
  select row_to_json(shown)
    from (select b.id, b.status, b.mode, b.dry_run, b.environment, b.total, b.completed, b.failed, b.held,
                 instant(b.created_at) as created_at, instant(b.finished_at) as finished_at) shown
$$;

-- Stores an order, once per idempotency key: the batch, its items and the response. `items`: {to_username, currency, amount_minor,
-- idempotency_key, description} each, in order; the last may be left out.
--
-- outcome: created | stored (what the key has already: `status`, `body`, `fingerprint`) | lapsed (past
-- `accept_before`, if there is one: nothing was stored) | too_many (of the account are waiting: nothing was
-- stored)
create or replace function create_transfer_batch(request jsonb, items jsonb, max_waiting integer)
returns table (outcome text, status smallint, body text, fingerprint jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  made transfer_batches;
  at timestamptz := clock_timestamp();
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, user_id uuid, environment text, mode text, dry_run boolean, idempotency_key text,
    fingerprint jsonb, request_id text, accept_before timestamptz, limited_key uuid, ip text);
  perform pg_advisory_xact_lock(
    idempotency_lock(r.user_id, r.environment, 'transfer_batch', r.idempotency_key));
  select k.status, k.body, k.fingerprint into status, body, fingerprint from idempotency_keys k
   where k.user_id = r.user_id and k.environment = r.environment and k.operation = 'transfer_batch'
     and k.key = r.idempotency_key;
  if found then
    outcome := 'stored';
    return next;
    return;
  end if;
  if clock_timestamp() > r.accept_before then
    outcome := 'lapsed';
    return next;
    return;
  end if;
  outcome := account_hold(r.user_id, r.environment);
  if outcome is not null then
    return next;
    return;
  end if;
  if max_waiting <= (select count(*) from transfer_batches b
                      where b.user_id = r.user_id and b.environment = r.environment
                        and b.status = 'processing') then
    outcome := 'too_many';
    return next;
    return;
  end if;
  loop
    insert into transfer_batches (id, user_id, environment, mode, dry_run, total, idempotency_key,
      request_id, limited_key, ip, created_at, progressed_at)
    values (r.id, r.user_id, r.environment, r.mode, r.dry_run, jsonb_array_length(items),
      r.idempotency_key, r.request_id, r.limited_key, r.ip, at, at)
    on conflict (user_id, environment, created_at) do nothing
    returning * into made;
    exit when found;
    -- Another batch of this account has this microsecond.
    at := at + interval '1 microsecond';
  end loop;
  insert into transfer_batch_items (batch_id, index, to_username, currency, amount_minor, idempotency_key,
    description)
  select r.id, q.position - 1, q.to_username, q.currency, q.amount_minor, q.idempotency_key, q.description
    from rows from (jsonb_to_recordset(items) as (
           to_username text, currency text, amount_minor bigint, idempotency_key text,
           description text)) with ordinality
         as q (to_username, currency, amount_minor, idempotency_key, description, position);
  outcome := 'created';
  status := 202;
  body := (select ok_json(s.body) from batch_json(made) s);
  fingerprint := r.fingerprint;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id, created_at)
  values (r.user_id, r.environment, 'transfer_batch', r.idempotency_key, r.fingerprint, status, body,
    r.id::text, r.request_id, at);
  return next;
end $$;

-- The batch, locked, or an error (no_data_found).
create or replace function lock_transfer_batch(batch uuid) returns transfer_batches
language plpgsql as $$
declare
  b transfer_batches;
begin
  select * into strict b from transfer_batches x where x.id = batch for no key update;
  return b;
end $$;

-- Posts the items from `first` on, one for each of `refs`, which are the references of their transfers.
-- The caller holds the batch; `refusals` are post_transfer_batch's.
create or replace function post_batch_items(
  b transfer_batches, first integer, refs text[], refusals jsonb
) returns table (index integer, outcome text, reference text, is_replay boolean)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  requests jsonb;
begin
  select jsonb_agg(jsonb_build_object(
           'reference', refs[i.index - first + 1], 'environment', b.environment,
           'sender_id', b.user_id, 'key', i.idempotency_key,
           'fingerprint', case when i.idempotency_key is not null
             then transfer_fingerprint(i.to_username, i.currency, i.amount_minor, i.description) end,
           'request_id', b.request_id, 'accept_before', 'infinity', 'to_username', i.to_username,
           'currency', i.currency, 'amount_minor', i.amount_minor, 'batch_id', b.id,
           'description', i.description, 'limited_key', b.limited_key, 'ip', b.ip, 'heard', i.heard)
         order by i.index)
    into requests
    from transfer_batch_items i
   where i.batch_id = b.id and i.index >= first and i.index < first + cardinality(refs);
  return query
    select (first + p.position - 1)::integer,
           case when p.fingerprint <> requests -> (p.position - 1)::integer -> 'fingerprint'
                then 'idempotency_key_reuse'
                when p.is_replay and p.outcome = 'held' then outcome_of_held(p.reference) else p.outcome end,
           p.reference, p.is_replay
      from post_transfer_batch(requests, refusals) with ordinality
           as p (outcome, status, body, fingerprint, reference, is_replay, limit_name, maximum_minor, used_minor,
                 resets_at, position);
end $$;

-- Keeps what was heard of items that are not posted yet: by the places of the arrays.
create or replace function note_heard_items(batch uuid, indexes integer[], heard jsonb[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  update transfer_batch_items i set heard = h.heard
    from unnest(indexes, note_heard_items.heard) h (index, heard)
   where i.batch_id = batch and i.index = h.index and i.status = 'pending' and i.heard is null
$$;

-- The end, by now, of a transfer that was held. Its decision waits for the transaction that asks, and then
-- finds the items that show it as held.
create or replace function outcome_of_held(ref text) returns text language plpgsql as $$
declare
  status_now text;
begin
  select t.status into strict status_now from transfers t where t.reference = ref for share;
  return case status_now when 'held' then 'held' when 'refused' then 'risk_refused' else 'completed' end;
end $$;

-- Says whether an item's outcome is a success.
create or replace function is_batch_success(outcome text) returns boolean language sql immutable as $$
  select outcome in ('completed', 'simulated')
$$;

-- Posts the next items, and all of an atomic batch or none. Returns the batch as it is after that; nothing
-- changes once it is over. `refs` are as many as there may be items; an atomic batch needs one for each.
create or replace function advance_transfer_batch(batch uuid, refs text[], refusals jsonb)
returns transfer_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b transfer_batches := lock_transfer_batch(batch);
  first integer := b.completed + b.failed + b.held;
  outcomes batch_outcome[];
  succeeded integer;
  waits integer;
begin
  if b.status <> 'processing' then
    return b;
  end if;
  if b.mode = 'atomic' and cardinality(refs) < b.total then
    raise exception 'an atomic batch is posted as a whole' using errcode = 'check_violation';
  end if;
  begin
    select array_agg(row(p.outcome, p.reference, p.is_replay)::batch_outcome order by p.index),
           count(*) filter (where is_batch_success(p.outcome)), count(*) filter (where p.outcome = 'held')
      into outcomes, succeeded, waits
      from post_batch_items(b, first, refs, refusals) p;
    if b.mode = 'atomic' and succeeded < b.total then
      -- Undoes the posting. What its variables hold stays.
      raise exception 'a transfer of an atomic batch was refused' using errcode = 'TB001';
    end if;
  exception when sqlstate 'TB001' then
    return refuse_batch_items(b, outcomes);
  end;
  perform mark_batch_items(b, first, outcomes);
  return count_batch_items(b, succeeded, cardinality(outcomes) - succeeded - waits, waits);
end $$;

-- Adds to the counters of a batch that the caller holds, and closes it when all items are done.
create or replace function count_batch_items(b transfer_batches, succeeded integer, refused integer, waits integer)
returns transfer_batches language plpgsql as $$
declare
  is_over boolean := b.completed + b.failed + b.held + succeeded + refused + waits = b.total;
  is_refused boolean := b.mode = 'atomic' and refused > 0;
begin
  update transfer_batches x
     set completed = x.completed + succeeded, failed = x.failed + refused, held = x.held + waits,
         progressed_at = clock_timestamp(),
         status = case when not is_over then 'processing'
                       when is_refused then 'failed' else 'completed' end,
         finished_at = case when is_over then clock_timestamp() end
   where x.id = b.id
  returning * into strict b;
  return b;
end $$;

-- Postgres has refused the item with this index, or an atomic batch, whose first it is: a fault of ours, and no
-- other try would change it. Two attempts may have met the same refusal: the second does not fail the next item.
create or replace function fail_batch_items(batch uuid, refused_index integer, refusal text)
returns transfer_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b transfer_batches := lock_transfer_batch(batch);
  refused integer;
begin
  if b.status <> 'processing' or b.completed + b.failed + b.held <> refused_index then
    return b;
  end if;
  update transfer_batch_items i set status = 'failed', refusal = fail_batch_items.refusal
   where i.batch_id = b.id and (b.mode = 'atomic' or i.index = refused_index);
  get diagnostics refused = row_count;
  return count_batch_items(b, 0, refused, 0);
end $$;

-- Says what would become of each item if the batch were posted now, each after those before it. Nothing is
-- locked, and nothing changes.
create or replace function check_batch_items(b transfer_batches)
returns table (index integer, outcome text, reference text, is_replay boolean)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  r record;
  sender_held_by text;
  sender_questioned boolean;
  codes text[];
  -- The rest in the sender's wallet of each currency, and what each recipient's has got.
  remaining bigint[];
  gained bigint[];
  -- The key that ordered may still send so much of each; null: any amount.
  rooms bigint[];
  c integer;
  -- Limits of the sender's wallets and of each recipient's; null: none.
  sender_ids bigint[];
  sender_limits wallet_limits[];
  recipient_limits wallet_limits[] := '{}';
  w wallet_limits;
  is_limited boolean;
  o risk_order;
  counted risk_order[] := '{}';
begin
  select array_agg(a.currency), array_agg(a.balance_minor), max(a.held_by),
         array_agg(case when a.limited_at is not null then a.id end), bool_or(a.is_questioned)
    into strict codes, remaining, sender_held_by, sender_ids, sender_questioned
    from ledger_accounts a
   where a.user_id = b.user_id and a.environment = b.environment;
  gained := array_fill(0::bigint, array[b.total]);
  rooms := array(select key_room(b.limited_key, x.code)
                   from unnest(codes) with ordinality x (code, place) order by x.place);
  if num_nonnulls(variadic sender_ids) > 0 then
    sender_limits := array(
      select l from unnest(sender_ids) with ordinality x (id, place)
        left join limits_of_wallets(sender_ids, clock_timestamp()) l on l.account_id = x.id order by x.place);
  end if;
  for r in
    select i.index, i.to_username, i.currency, i.amount_minor, u.id as recipient_id,
           payee.balance_minor as payee_balance, payee.limited_id,
           'transfer/' || b.environment = any (cu.watched) or has_heard(i.heard)
             or sender_questioned or payee.is_questioned as is_watched, i.heard,
           dense_rank() over (order by payee.id) as payee_rank,
           i.amount_minor + case f.bearer when 'payer' then f.fee_minor else 0 end as debit_minor,
           i.amount_minor - case f.bearer when 'payer' then 0 else f.fee_minor end as credit_minor,
           k.status as stored_status, k.reference as stored_reference,
           k.fingerprint = transfer_fingerprint(i.to_username, i.currency, i.amount_minor, i.description)
             as is_same
      from transfer_batch_items i
      -- The limits have each item looked up by itself, whatever the planner thinks of tables that
      -- are small or were: without, it may read all keys of the account for each item.
      left join lateral (select x.id from users x where x.username = i.to_username limit 1) u on true
      left join lateral (
        select a.id, a.balance_minor, a.is_questioned, case when a.limited_at is not null then a.id end as limited_id
          from ledger_accounts a
         where a.user_id = u.id and a.environment = b.environment
           and a.currency = i.currency limit 1) payee on true
      left join lateral (
        select x.status, x.reference, x.fingerprint from idempotency_keys x
         where x.user_id = b.user_id and x.environment = b.environment and x.operation = 'transfer'
           and x.key = i.idempotency_key limit 1) k on true
     cross join lateral fee_of('transfer', i.currency, i.amount_minor, b.user_id, u.id, null, statement_timestamp()) f
      join currencies cu on cu.code = i.currency
     where i.batch_id = b.id
     order by i.index
  loop
    index := r.index;
    reference := null;
    is_replay := r.stored_status is not null;
    if is_replay then
      outcome := case when not r.is_same then 'idempotency_key_reuse'
        when r.stored_status = 200 then 'completed'
        when r.stored_status = 202 then outcome_of_held(r.stored_reference)
        when r.stored_status = 402 then 'insufficient_funds' else 'recipient_not_found' end;
      if outcome in ('completed', 'held') then
        reference := r.stored_reference;
      end if;
      return next;
      continue;
    end if;
    c := array_position(codes, r.currency);
    -- The order is that of decide_transfers.
    outcome := case
      when sender_held_by is not null then sender_held_by
      when r.recipient_id is null then 'recipient_not_found'
      when r.recipient_id = b.user_id then 'self_transfer'
      when remaining[c] < r.debit_minor then 'insufficient_funds'
      when r.payee_balance + gained[r.payee_rank] + r.credit_minor > 999999999999999
        then 'limit_exceeded'
      when r.debit_minor > rooms[c] then 'limit_exceeded'
      else 'completed' end;
    is_limited := r.limited_id is not null or sender_ids[c] is not null;
    if outcome = 'completed' and is_limited then
      w := recipient_limits[r.payee_rank];
      if r.limited_id is not null and w.account_id is null then
        select * into w from limits_of_wallets(array[r.limited_id], clock_timestamp());
      end if;
      if (exceeded_limit(sender_limits[c], false, r.debit_minor, 0)).limit_name is not null
         or (exceeded_limit(w, true, r.credit_minor,
              r.payee_balance + coalesce(gained[r.payee_rank], 0))).limit_name is not null then
        outcome := 'limit_exceeded';
      end if;
    end if;
    if outcome = 'completed' and r.is_watched then
      o := row('transfer', b.environment, b.user_id, r.recipient_id, r.to_username, b.ip, r.currency, r.amount_minor, r.heard);
      outcome := case strictest(account_reasons(array[b.user_id, r.recipient_id]) || risk_reasons(o, counted)) when 'refuse' then 'risk_refused' when 'hold' then 'held'
                                                          else outcome end;
      counted := case when outcome = 'risk_refused' then counted else counted || o end;
    end if;
    if outcome in ('completed', 'held') and is_limited then
      sender_limits[c].day_out := sender_limits[c].day_out + r.debit_minor;
      sender_limits[c].month_out := sender_limits[c].month_out + r.debit_minor;
      -- It comes in at its release, when it is held.
      if outcome = 'completed' then
        w.day_in := w.day_in + r.credit_minor;
        w.month_in := w.month_in + r.credit_minor;
      end if;
      recipient_limits[r.payee_rank] := w;
    end if;
    if outcome in ('completed', 'held') then
      rooms[c] := rooms[c] - r.debit_minor;
    end if;
    -- Nothing is used up in the sandbox.
    if outcome in ('completed', 'held') and b.environment = 'live' then
      remaining[c] := remaining[c] - r.debit_minor;
    end if;
    if outcome = 'completed' and b.environment = 'live' then
      gained[r.payee_rank] := gained[r.payee_rank] + r.credit_minor;
    end if;
    return next;
  end loop;
end $$;

-- Carries out a dry run.
create or replace function check_transfer_batch(batch uuid) returns transfer_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b transfer_batches := lock_transfer_batch(batch);
  checked batch_outcome[];
  refused integer;
  waits integer;
begin
  if b.status <> 'processing' or not b.dry_run then
    return b;
  end if;
  select array_agg(row(c.outcome, c.reference, c.is_replay)::batch_outcome order by c.index),
         count(*) filter (where c.outcome <> 'held' and not is_batch_success(c.outcome)),
         count(*) filter (where c.outcome = 'held')
    into checked, refused, waits
    from check_batch_items(b) c;
  if b.mode = 'atomic' and refused + waits > 0 then
    return refuse_batch_items(b, checked);
  end if;
  perform mark_batch_items(b, 0, checked);
  return count_batch_items(b, b.total - refused - waits, refused, waits);
end $$;

-- Writes what became of the items from `first` on. By the place in an array: to join 10,000 rows of which
-- Postgres has no statistics yet may take it minutes.
create or replace function mark_batch_items(
  b transfer_batches, first integer, outcomes batch_outcome[]
) returns void
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  update transfer_batch_items i
     set status = case when is_batch_success((outcomes[i.index - first + 1]).outcome) then 'completed'
                       when (outcomes[i.index - first + 1]).outcome = 'held' then 'held' else 'failed' end,
         refusal = case when not is_batch_success((outcomes[i.index - first + 1]).outcome)
                          and (outcomes[i.index - first + 1]).outcome <> 'held'
                        then (outcomes[i.index - first + 1]).outcome end,
         reference = case when is_batch_success((outcomes[i.index - first + 1]).outcome)
                            or (outcomes[i.index - first + 1]).outcome = 'held'
                          then (outcomes[i.index - first + 1]).reference end,
         is_replay = (outcomes[i.index - first + 1]).is_replay
   where i.batch_id = b.id and i.index >= first and i.index < first + cardinality(outcomes);
end $$;

-- Every item of an atomic batch fails: those that were refused for their reasons, and the others because of them.
create or replace function refuse_batch_items(b transfer_batches, outcomes batch_outcome[])
returns transfer_batches language plpgsql as $$
begin
  outcomes := array(
    select case when is_batch_success(o.outcome) then row('batch_refused', null, false)::batch_outcome
                when o.outcome = 'held' then row('risk_held', null, false)::batch_outcome
                else row(o.outcome, o.reference, o.is_replay)::batch_outcome end
      from unnest(outcomes) with ordinality o (outcome, reference, is_replay, position) order by o.position);
  perform mark_batch_items(b, 0, outcomes);
  return count_batch_items(b, 0, b.total, 0);
end $$;

-- Stops what is not posted yet. A step under way is waited for. No row for another account's batch;
-- otherwise the batch as it is after that, which is not `canceled` when it was over before.
create or replace function cancel_transfer_batch(batch uuid, account uuid, env text)
returns setof transfer_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b transfer_batches;
begin
  select * into b from transfer_batches x
   where x.id = batch and x.user_id = account and x.environment = env for no key update;
  if not found then
    return;
  end if;
  if b.status = 'processing' then
    update transfer_batches x set status = 'canceled', finished_at = clock_timestamp()
     where x.id = batch
    returning * into strict b;
  end if;
  return next b;
end $$;

-- An operator orders for an account; create_transfer_batch's rows. Not from or to an account of their own (AP002),
-- and what operators order for one account within a day is together no more than one may decide alone (AP001).
create or replace function order_transfer_batch(request jsonb, items jsonb, max_waiting integer, actor text)
returns table (outcome text, status smallint, body text, fingerprint jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
  account users;
  amounts jsonb;
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, user_id uuid, environment text, mode text, dry_run boolean);
  -- Two orders for one account see each other's amounts.
  select * into strict account from users u where u.id = r.user_id for no key update;
  select jsonb_object_agg(q.currency, q.amount_minor) into amounts
    from (select i.currency, sum(i.amount_minor)::bigint as amount_minor
            from jsonb_to_recordset(items) i (currency text, amount_minor bigint)
           group by i.currency) q;
  select c.* into outcome, status, body, fingerprint
    from create_transfer_batch(request, items, max_waiting) c;
  -- No money moves with a key that is used.
  if outcome <> 'created' then
    return next;
    return;
  end if;
  if not r.dry_run then
    perform refuse_own_account(actor, u.id)
       from memberships m join users u on u.id = m.user_id
      where m.login_id::text = operator_person(actor)
        and (u.id = account.id
          or u.username in (select i.to_username from jsonb_to_recordset(items) i (to_username text)));
  end if;
  if r.environment = 'live' and not r.dry_run then
    perform refuse_without_approval(a.key, a.value::bigint + coalesce((
              select sum((o.details -> 'amounts_minor' ->> a.key)::bigint)::bigint from audit_log o
               where o.details ->> 'username' = account.username and o.action = 'batches.create'
                 and o.at > clock_timestamp() - interval '1 day'
                 and o.details ->> 'environment' = 'live' and not (o.details ->> 'dry_run')::boolean), 0))
       from jsonb_each_text(amounts) a;
  end if;
  perform add_audit_row(actor, 'batches.create', 'transfer_batch/' || r.id,
    jsonb_build_object('environment', r.environment, 'mode', r.mode, 'dry_run', r.dry_run,
      'total', jsonb_array_length(items), 'amounts_minor', amounts, 'username', account.username));
  return next;
end $$;

-- Cancels as cancel_transfer_batch does, by an operator.
create or replace function stop_transfer_batch(batch uuid, actor text) returns transfer_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b transfer_batches := lock_transfer_batch(batch);
  was_processing boolean := b.status = 'processing';
begin
  select c.* into b from cancel_transfer_batch(b.id, b.user_id, b.environment) c;
  if was_processing then
    perform add_audit_row(actor, 'batches.cancel', 'transfer_batch/' || b.id,
      jsonb_build_object('environment', b.environment, 'total', b.total, 'completed', b.completed,
        'failed', b.failed, 'username', (select u.username from users u where u.id = b.user_id)));
  end if;
  return b;
end $$;

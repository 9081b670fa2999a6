-- Payouts ordered together. A caller that decides about a batch, or moves it to its next step, takes its lock first;
-- then come items, then payouts and accounts, and the row of the batch last, because the end of each payout counts in
-- it. An item is locked while it becomes a payout, so a cancellation stops it before that or not at all.

create or replace function payout_batch_json(b payout_batches) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select b.id, b.status, b.confirm, b.dry_run, b.environment, b.total, b.completed, b.failed,
                 (select row_to_json(c)
                    from (select b.matched as match, b.close, b.not_matched as no_match, b.unavailable,
                                 b.unreachable) c) as checks,
                 case when b.approvals_needed > 0 then (
                   select row_to_json(a)
                     from (select b.approvals_needed as needed,
                                  (select concat('[', string_agg(row_to_json(g)::text, ',' order by g.at), ']')::json
                                     from (select l.email as by, instant(x.at) as at
                                             from payout_batch_approvals x join logins l on l.id = x.login_id
                                            where x.batch_id = b.id) g) as given) a) end as approval,
                 b.reject_reason, instant(b.created_at) as created_at, instant(b.finished_at) as finished_at,
                 instant(shown_due(b.expires_at, b.clock_seconds)) as expires_at) shown
$$;

-- Stores an order, once per idempotency key: the batch, its items and the response. `items`: the columns of
-- payout_batch_items that an order has, in order.
--
-- outcome: created | stored (what the key has already) | lapsed | too_many | account_frozen | kyc_required (nothing was
-- stored)
create or replace function create_payout_batch(request jsonb, items jsonb, max_waiting integer)
returns table (outcome text, status smallint, body text, fingerprint jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := jsonb_populate_record(null::payout_batches, request);
  q record;
begin
  select * into strict q from jsonb_to_record(request) x (fingerprint jsonb, accept_before timestamptz, key_id uuid);
  perform pg_advisory_xact_lock(idempotency_lock(b.user_id, b.environment, 'payout_batch', b.idempotency_key));
  select k.status, k.body, k.fingerprint into status, body, fingerprint from idempotency_keys k
   where k.user_id = b.user_id and k.environment = b.environment and k.operation = 'payout_batch'
     and k.key = b.idempotency_key;
  outcome := case
    when found then 'stored'
    when clock_timestamp() > q.accept_before then 'lapsed'
    else coalesce(
      account_hold(b.user_id, b.environment),
      case when max_waiting <= (select count(*) from payout_batches x
                                 where x.user_id = b.user_id and x.environment = b.environment
                                   and x.finished_at is null) then 'too_many' end) end;
  if outcome is not null then
    return next;
    return;
  end if;
  b.clock_seconds := hold_sandbox_clock(b.user_id, b.environment);
  b.status := 'processing';
  b.step := 'check';
  b.total := jsonb_array_length(items);
  b.ordered_by := coalesce(b.ordered_by, (select k.login_id from api_keys k where k.id = q.key_id));
  b.next_index := 0;
  b.completed := 0;
  b.failed := 0;
  b.matched := 0;
  b.close := 0;
  b.not_matched := 0;
  b.unavailable := 0;
  b.unreachable := 0;
  b.approvals_needed := 0;
  b.created_at := clock_timestamp();
  loop
    b.progressed_at := b.created_at;
    insert into payout_batches select b.* on conflict (user_id, environment, created_at) do nothing;
    exit when found;
    -- Another batch of this account has this microsecond.
    b.created_at := b.created_at + interval '1 microsecond';
  end loop;
  insert into payout_batch_items (batch_id, index, destination_type, phone, operator, account, bank_code, holder,
    name, description, currency, amount_minor)
  select b.id, i.position - 1, i.destination_type, i.phone, i.operator, i.account, i.bank_code, i.holder, i.name,
         i.description, i.currency, i.amount_minor
    from rows from (jsonb_to_recordset(items) as (
           destination_type text, phone text, operator text, account text, bank_code text, holder text, name text,
           description text, currency text, amount_minor bigint)) with ordinality
         as i (destination_type, phone, operator, account, bank_code, holder, name, description, currency,
               amount_minor, position);
  outcome := 'created';
  status := 202;
  body := (select ok_json(s.body) from payout_batch_json(b) s);
  fingerprint := q.fingerprint;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, reference,
    request_id, created_at)
  values (b.user_id, b.environment, 'payout_batch', b.idempotency_key, q.fingerprint, status, body, b.id::text,
    b.request_id, b.created_at);
  return next;
end $$;

-- Returns the batch; no other worker takes its next step until this transaction ends. Raises no_data_found when there
-- is no such batch.
create or replace function lock_payout_batch(batch uuid) returns payout_batches language plpgsql as $$
declare
  b payout_batches;
begin
  perform pg_advisory_xact_lock(hashtextextended('payout_batch/' || batch, 0));
  select * into strict b from payout_batches x where x.id = batch;
  return b;
end $$;

-- Counts items that have ended, and closes the batch with the last one.
create or replace function count_payout_batch_items(batch uuid, succeeded integer, refused integer)
returns void language sql as $$
  update payout_batches b
     set completed = b.completed + succeeded, failed = b.failed + refused, progressed_at = clock_timestamp(),
         status = case when b.completed + b.failed + succeeded + refused < b.total or b.status = 'canceled'
                       then b.status else 'completed' end,
         step = case when b.completed + b.failed + succeeded + refused < b.total then b.step end,
         expires_at = case when b.completed + b.failed + succeeded + refused < b.total then b.expires_at end,
         finished_at = case when b.completed + b.failed + succeeded + refused = b.total then clock_timestamp() end
   where b.id = batch and succeeded + refused > 0
$$;

-- The payout of an item has ended. `p` is the changed row.
create or replace function end_payout_batch_item(p payouts) returns void language plpgsql as $$
begin
  update payout_batch_items i
     set status = case p.status when 'succeeded' then 'completed' else 'failed' end
   where i.payout_id = p.id and i.status = 'pending';
  if found then
    perform count_payout_batch_items(p.batch_id, (p.status = 'succeeded')::integer,
      (p.status <> 'succeeded')::integer);
  end if;
end $$;

-- An item that becomes no payout; nothing changes when it has one, or has ended.
create or replace function fail_payout_batch_item(batch uuid, item integer, why text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_payout_batch(batch);
  update payout_batch_items i set status = 'failed', refusal = why
   where i.batch_id = batch and i.index = item and i.status = 'pending' and i.payout_id is null;
  if found then
    perform count_payout_batch_items(batch, 0, 1);
  end if;
end $$;

-- All items that are no payout yet end so; those of `which` only, when it is given. Returns how many.
create or replace function fail_payout_batch_items(batch uuid, why text, which text[] default null)
returns integer language plpgsql as $$
declare
  ended integer;
begin
  update payout_batch_items i set status = 'failed', refusal = why
   where i.batch_id = batch and i.status = 'pending' and i.payout_id is null
     and (which is null or i.found = any (which));
  get diagnostics ended = row_count;
  return ended;
end $$;

-- The batch, which is canceled when it has waited for people for too long.
create or replace function begin_payout_batch(batch uuid) returns payout_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
begin
  if b.expires_at <= clock_timestamp() then
    perform end_payout_batch(b);
    select * into strict b from payout_batches x where x.id = batch;
  end if;
  return b;
end $$;

-- Cancels what is no payout yet, and with it the batch. False when there is nothing of that.
create or replace function end_payout_batch(b payout_batches) returns boolean language plpgsql as $$
declare
  ended integer := fail_payout_batch_items(b.id, 'canceled');
begin
  if ended = 0 then
    return false;
  end if;
  update payout_batches x set status = 'canceled', step = null, expires_at = null where x.id = b.id;
  perform count_payout_batch_items(b.id, 0, ended);
  return true;
end $$;

-- Records what was found of a destination. The first answer counts.
create or replace function record_payout_batch_check(
  batch uuid, item integer, what text, name_found text, name_match text, operator text
) returns void language sql security definer set search_path = public, pg_temp as $$
  update payout_batch_items i
     set found = what, name_found = record_payout_batch_check.name_found,
         name_match = record_payout_batch_check.name_match,
         operator = coalesce(record_payout_batch_check.operator, i.operator)
   where i.batch_id = batch and i.index = item and i.status = 'pending' and i.found is null
$$;

-- The items from `first` up to `next` have had the step. A repetition changes nothing. Returns the batch as it is then.
create or replace function advance_payout_batch(batch uuid, step_done text, first integer, next integer)
returns payout_batches
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
begin
  if b.step is distinct from step_done or b.next_index <> first then
    return b;
  end if;
  if step_done = 'check' and next = b.total and not b.dry_run then
    -- Another order of the account waits until this batch is decided about, or counts in it.
    perform lock_payout_limits(b.user_id, b.environment, c.currency)
       from (select distinct i.currency from payout_batch_items i where i.batch_id = batch order by i.currency) c;
  end if;
  update payout_batches x
     set next_index = next, progressed_at = clock_timestamp(), matched = x.matched + c.matched,
         close = x.close + c.close, not_matched = x.not_matched + c.not_matched,
         unavailable = x.unavailable + c.unavailable, unreachable = x.unreachable + c.unreachable
    from (select count(*) filter (where i.found = 'match') as matched, count(*) filter (where i.found = 'close') as close,
                 count(*) filter (where i.found = 'no_match') as not_matched,
                 count(*) filter (where i.found = 'unavailable') as unavailable,
                 count(*) filter (where i.found = 'unreachable') as unreachable
            from payout_batch_items i
           where step_done = 'check' and i.batch_id = batch and i.index >= first and i.index < next) c
   where x.id = batch
  returning x.* into strict b;
  if b.step is not null and b.next_index = b.total then
    if b.step = 'send' then
      -- Each item is a payout now, or has ended. The end of the last one closes the batch.
      update payout_batches x set step = null where x.id = batch;
    elsif b.dry_run then
      perform check_payout_batch(b);
    else
      b.approvals_needed := payout_batch_approvals_needed(b);
      update payout_batches x set approvals_needed = b.approvals_needed where x.id = batch;
      perform next_payout_batch_step(b);
    end if;
    select * into strict b from payout_batches x where x.id = batch;
  end if;
  return b;
end $$;

-- The batch goes to the next people who decide, or to sending. The caller holds it.
create or replace function next_payout_batch_step(b payout_batches) returns void language plpgsql as $$
declare
  -- An approval counts as long as its person may give one.
  given integer := (select count(*) from payout_batch_approvals a
                     where a.batch_id = b.id and may_approve_payout(b.user_id, b.environment, a.login_id));
begin
  b.status := case when given < b.approvals_needed then 'requires_approval'
                   when not b.confirm and b.confirmed_at is null then 'requires_confirmation' else 'processing' end;
  update payout_batches x
     set status = b.status, step = case b.status when 'processing' then 'send' end, next_index = 0,
         progressed_at = clock_timestamp(),
         expires_at = case b.status when 'requires_approval' then clock_timestamp() + interval '7 days'
                                    when 'requires_confirmation' then clock_timestamp() + interval '24 hours' end
   where x.id = b.id;
end $$;

-- How many owners have to approve it: by the sum of each currency, and by what goes to each destination that is new,
-- with what is under way there. Its caller holds the locks of lock_payout_limits.
create or replace function payout_batch_approvals_needed(b payout_batches) returns smallint language sql stable as $$
  select coalesce(max(s.approvers), 0)
    from (select i.currency, sum(i.amount_minor) as amount_minor from payout_batch_items i
           where i.batch_id = b.id and i.status = 'pending' group by i.currency) t
    join payout_settings s on s.user_id = b.user_id and s.currency = t.currency
   where t.amount_minor > s.approval_above_minor
      or (s.new_destination_above_minor is not null and exists (
            select from (
                   select i.phone, i.account, i.bank_code, sum(i.amount_minor) as amount_minor
                     from payout_batch_items i
                    where i.batch_id = b.id and i.status = 'pending' and i.currency = s.currency
                    group by i.phone, i.account, i.bank_code) d
             where not is_known_destination(b.user_id, b.environment, d.phone, d.account, d.bank_code)
               and d.amount_minor
                   + unfinished_to_destination(b.user_id, b.environment, s.currency, d.phone, d.account, d.bank_code)
                   > s.new_destination_above_minor))
$$;

-- Ends a dry run: what would become of each item if all were ordered now, one after the other. Nothing is reserved.
create or replace function check_payout_batch(b payout_batches) returns void language plpgsql as $$
declare
  w record;
  i record;
  remaining bigint;
  of_day numeric;
  of_month numeric;
  room bigint;
  limits wallet_limits;
  why text;
  refused integer := 0;
  succeeded integer;
begin
  for w in
    select a.id, a.currency, a.balance_minor, a.held_by, a.limited_at, s.single_minor, s.daily_minor, s.monthly_minor,
           p.of_day, p.of_month, key_room(b.limited_key, a.currency) as room
      from ledger_accounts a
      left join payout_settings s on s.user_id = a.user_id and s.currency = a.currency
     cross join lateral (
       select coalesce(sum(x.amount_minor) filter (
                where x.created_at >= date_trunc('day', clock_timestamp(), 'UTC')), 0) as of_day,
              coalesce(sum(x.amount_minor), 0) as of_month
         from payouts x
        where x.user_id = b.user_id and x.environment = b.environment and x.currency = a.currency
          and x.created_at >= date_trunc('month', clock_timestamp(), 'UTC')
          and x.status not in ('failed', 'canceled')) p
     where a.user_id = b.user_id and a.environment = b.environment
  loop
    remaining := w.balance_minor;
    room := w.room;
    of_day := w.of_day;
    of_month := w.of_month;
    limits := null;
    if w.limited_at is not null then
      select * into limits from limits_of_wallets(array[w.id], clock_timestamp());
    end if;
    for i in
      select x.index, x.found, x.amount_minor, x.amount_minor
               + payout_fee(b.user_id, x.currency, x.amount_minor, x.account, x.operator) as total
        from payout_batch_items x
       where x.batch_id = b.id and x.currency = w.currency and x.status = 'pending'
       order by x.index
    loop
      -- The order is that of create_payout; what the provider refuses gives its money back.
      why := case
        when w.held_by is not null then w.held_by
        when i.amount_minor > w.single_minor or of_day + i.amount_minor > w.daily_minor
             or of_month + i.amount_minor > w.monthly_minor then 'limit_exceeded'
        when remaining < i.total then 'insufficient_funds'
        when (exceeded_limit(limits, false, i.total, remaining)).limit_name is not null then 'limit_exceeded'
        when room < i.total then 'limit_exceeded'
        when i.found = 'unreachable' then 'recipient_not_found' end;
      if why is not null then
        update payout_batch_items x set status = 'failed', refusal = why
         where x.batch_id = b.id and x.index = i.index;
        refused := refused + 1;
      else
        remaining := remaining - i.total;
        room := room - i.total;
        limits.day_out := limits.day_out + i.total;
        limits.month_out := limits.month_out + i.total;
        of_day := of_day + i.amount_minor;
        of_month := of_month + i.amount_minor;
      end if;
    end loop;
  end loop;
  update payout_batch_items x set status = 'completed' where x.batch_id = b.id and x.status = 'pending';
  get diagnostics succeeded = row_count;
  perform count_payout_batch_items(b.id, succeeded, refused);
end $$;

-- An item becomes its payout, once; `request` is create_payout's. What is refused here ends, and holds up no other.
-- Returns the payout's id, null when there is none, or `unasked` as create_payout does.
create or replace function send_payout_batch_item(batch uuid, item integer, request jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i payout_batch_items;
  b record;
  ordered text;
begin
  select * into strict i from payout_batch_items x where x.batch_id = batch and x.index = item for update;
  select x.step, x.limited_key, x.ip into b from payout_batches x where x.id = batch;
  if i.status <> 'pending' or i.payout_id is not null or b.step is distinct from 'send' then
    return i.payout_id;
  end if;
  ordered := (select c.outcome from create_payout(request
    || jsonb_build_object('limited_key', b.limited_key, 'ip', b.ip)) c);
  if ordered = 'unasked' then
    return ordered;
  elsif ordered <> 'created' then
    update payout_batch_items x set status = 'failed', refusal = ordered
     where x.batch_id = batch and x.index = item;
    perform count_payout_batch_items(batch, 0, 1);
    return null;
  end if;
  update payout_batch_items x set payout_id = (request ->> 'id')::uuid where x.batch_id = batch and x.index = item;
  return request ->> 'id';
end $$;

-- How many of the last payouts of a batch wait for their provider's first answer.
create or replace function payout_batch_in_flight(batch uuid) returns integer language sql stable as $$
  select count(*)::integer
    from (select p.status, p.asks, p.stage, p.asked_at from payouts p
           where p.batch_id = batch order by p.created_at desc limit 100) x
   where x.status = 'pending'
     and (x.asks = 0 or (x.asks = 1 and x.stage = 'unknown' and x.asked_at > clock_timestamp() - interval '30 seconds'))
$$;

-- It does for a batch what approve_payout does. outcome: done | approval_by_creator | forbidden |
-- payout_batch_not_approvable
create or replace function approve_payout_batch(batch uuid, login uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
  refused text := case
    when not may_approve_payout(b.user_id, b.environment, login) then 'forbidden'
    when exists (select from payout_batch_approvals a where a.batch_id = batch and a.login_id = login) then 'done'
    when b.status <> 'requires_approval' or b.expires_at <= clock_timestamp() then 'payout_batch_not_approvable'
    when b.ordered_by = login then 'approval_by_creator' end;
begin
  if refused is not null then
    return refused;
  end if;
  insert into payout_batch_approvals (batch_id, login_id) values (batch, login);
  if (select count(*) from payout_batch_approvals a
       where a.batch_id = batch and may_approve_payout(b.user_id, b.environment, a.login_id)) >= b.approvals_needed then
    perform next_payout_batch_step(b);
  end if;
  return 'done';
end $$;

-- outcome: done | forbidden | payout_batch_not_approvable
create or replace function reject_payout_batch(batch uuid, login uuid, reason text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
begin
  if not may_approve_payout(b.user_id, b.environment, login) then
    return 'forbidden';
  elsif b.rejected_by is not null then
    return 'done';
  elsif b.status <> 'requires_approval' then
    return 'payout_batch_not_approvable';
  end if;
  perform end_payout_batch(b);
  update payout_batches x set rejected_by = login, reject_reason = reason where x.id = batch;
  return 'done';
end $$;

-- Has a batch sent without the items of which one of `exclude` was found; the same once more changes nothing.
-- outcome: done | payout_batch_not_confirmable | account_frozen | kyc_required
create or replace function confirm_payout_batch(batch uuid, exclude text[], who jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
  refused text := case
    -- A person who excludes something else would believe that it was left out.
    when b.excluded @> exclude and b.excluded <@ exclude then 'done'
    when b.status <> 'requires_confirmation' or b.expires_at <= clock_timestamp()
      then 'payout_batch_not_confirmable'
    else account_hold(b.user_id, b.environment) end;
  excluded integer;
begin
  if refused is not null then
    return refused;
  end if;
  excluded := fail_payout_batch_items(batch, 'excluded', exclude);
  update payout_batches x set confirmed_at = clock_timestamp(), confirmed_by = who, excluded = exclude
   where x.id = batch
  returning * into strict b;
  perform next_payout_batch_step(b);
  perform count_payout_batch_items(batch, 0, excluded);
  return 'done';
end $$;

-- Stops what is no payout yet; what is one stays. outcome: done | payout_batch_not_cancelable
create or replace function cancel_payout_batch(batch uuid, who jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  b payout_batches := lock_payout_batch(batch);
begin
  if b.status = 'canceled' then
    return 'done';
  elsif end_payout_batch(b) then
    update payout_batches x set canceled_by = who where x.id = batch;
    return 'done';
  end if;
  return 'payout_batch_not_cancelable';
end $$;

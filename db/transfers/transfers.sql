-- Posting transfers, each exactly once per (sender, environment, idempotency key): all locks are taken first,
-- in one order (lock_transfers); then the outcomes are decided one after the other, each by the balances that
-- those before it leave, without a statement (decide_transfers); then there is one statement per table
-- (write_transfers).

-- Posts the transfers and returns one row for each, in the order given.
--
-- Each element of `requests`: {reference, environment, sender_id, key, fingerprint, request_id,
-- accept_before, to_username, currency, amount_minor, batch_id, description, metadata (JSON as text), limited_key (the
-- id of the key that ordered it, when that has a daily limit), ip, heard (what was found of it before: domain/risk.ts)},
-- of which the last five may be left out.
-- Without `key` and `fingerprint` nothing
-- is kept that would make a repetition a replay, and no response is made: the caller sees to it that the
-- transfer is made once, and names its batch in `batch_id`.
--
-- `refusals` has a StoredRefusal (domain/error-body.ts) for each refusal that is kept. The response is stored with the
-- posting, and what is returned is read from there, so that a replay is the first response byte for byte.
--
-- outcome: completed | simulated | held | insufficient_funds | recipient_not_found (kept under the key, `status`
-- and `body` set when there is one), or lapsed | account_frozen | kyc_required | self_transfer |
-- limit_exceeded (nothing written, the key stays free): the sender's own with its figures, `recipient` without any, or,
-- without a name, that of the key; or risk_refused (so, too, but for its case); or unasked (others are to be asked first,
-- and it comes without `heard`).
create or replace function post_transfer_batch(requests jsonb, refusals jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, reference text,
  is_replay boolean, limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
)
language plpgsql security definer set search_path = public, pg_temp
-- Always index look-ups, in the functions that it calls, too: a plan made while the tables were small must not
-- scan them when they grow.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  orders transfer_order[];
  decisions transfer_decision[];
  read_at constant timestamptz := hold_fee_rules();
begin
  select array_agg(o order by o.position) into orders from read_transfers(requests, read_at) o;
  if coalesce(cardinality(orders), 0) <> jsonb_array_length(requests) then
    raise exception 'a transfer names an unknown sender or currency' using errcode = 'check_violation';
  elsif orders is null then
    return;
  end if;
  perform lock_transfers(orders);
  decisions := decide_transfers(orders);
  perform write_transfers(orders, decisions, refusals);
  return query
    select d.outcome, k.status, k.body, k.fingerprint, d.kept_reference, d.is_replay, (d.over).*
      from rows from (unnest(orders), unnest(decisions)) d
      left join lateral (
        select * from idempotency_keys x
         where x.user_id = d.sender_id and x.environment = d.environment and x.operation = 'transfer'
           and x.key = d.key limit 1) k on d.is_final or d.is_replay
     order by d.position;
end $$;

-- The response to a transfer.
create or replace function transfer_receipt(
  reference text, status text, environment text, to_username text, currency text, amount_minor bigint,
  description text, metadata text
) returns table (body json) language sql stable as $$
  select row_to_json(receipt)
    from (select true as ok, transfer_receipt.reference, transfer_receipt.status,
                 transfer_receipt.environment, transfer_receipt.to_username, transfer_receipt.currency,
                 decimal_amount(amount_minor) as amount, transfer_receipt.environment = 'sandbox' as simulated,
                 transfer_receipt.description, coalesce(transfer_receipt.metadata, '{}')::json as metadata
         ) receipt
$$;

-- The response to one that is held.
create or replace function with_hold(receipt json, hold json) returns json language sql immutable as $$
  select (left(receipt::text, -1) || ',"hold":' || hold || '}')::json
$$;

-- The row keeps what became of the posting; that all of it was reversed is seen from the sum.
create or replace function transfer_status(t transfers) returns text language sql immutable as $$
  select case when t.reversed_minor = t.amount_minor then 'reversed' else t.status end
$$;

-- A transfer as one of its sides sees it: what the sender bears is no fee of the recipient's.
create or replace function transfer_json(
  t transfers, direction text, from_username text, to_username text
) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select t.reference, t.environment, transfer_status(t) as status, t.simulated,
                 transfer_json.direction, transfer_json.from_username, transfer_json.to_username,
                 t.currency, decimal_amount(t.amount_minor) as amount, decimal_amount(f.fee) as fee,
                 decimal_amount(f.tax) as tax,
                 decimal_amount(t.amount_minor + f.on_top) as total, t.fee_bearer,
                 decimal_amount(t.amount_minor + f.on_top - f.fee) as net_amount,
                 decimal_amount(t.reversed_minor) as reversed_amount, t.description,
                 -- The sender's alone.
                 case transfer_json.direction when 'out' then coalesce(t.metadata, '{}') end as metadata,
                 case transfer_json.direction when 'out' then t.batch_id end as batch_id, t.hold,
                 instant(t.created_at) as created_at
            from (select case when x.is_paid_by_other then 0 else t.fee_minor end as fee,
                         case when x.is_paid_by_other then 0 else t.tax_minor end as tax,
                         case when t.fee_bearer = 'payer' and not x.is_paid_by_other then t.fee_minor else 0 end as on_top
                    from (select t.fee_bearer = 'payer' and transfer_json.direction = 'in' as is_paid_by_other) x) f
         ) shown
$$;

-- Reads what is looked up before the locks, because it never changes, or only once. Its columns are the
-- attributes of transfer_order.
create or replace function read_transfers(requests jsonb, read_at timestamptz) returns setof transfer_order
language sql stable as $$
  select q.position, q.reference, q.environment, q.sender_id, q.key, q.fingerprint, q.request_id,
         q.accept_before, q.to_username, q.currency, q.amount_minor, q.batch_id, q.description, q.metadata,
         limited_by(q.limited_key), s.username, u.id, payer.id, payee.id,
         case when fee.fee_minor > fee.tax_minor then (
           select a.id from ledger_accounts a where a.user_id is null and a.environment = q.environment
              and a.currency = q.currency and a.kind = 'fees') end,
         case when fee.tax_minor > 0 then (
           select a.id from ledger_accounts a where a.user_id is null and a.environment = q.environment
              and a.currency = q.currency and a.kind = 'taxes') end,
         fee.fee_minor, fee.tax_minor, fee.bearer, fee.holds_until,
         q.amount_minor + case fee.bearer when 'payer' then fee.fee_minor else 0 end,
         q.amount_minor - case fee.bearer when 'payer' then 0 else fee.fee_minor end,
         num_nonnulls(payer.limited_at, payee.limited_at) > 0, q.ip, q.heard,
         'transfer/' || q.environment = any (c.watched) or has_heard(q.heard)
           or payer.is_questioned or coalesce(payee.is_questioned, false),
         'ask/transfer/' || q.environment = any (c.watched) and q.heard is null and q.batch_id is null
    from rows from (jsonb_to_recordset(requests) as (
           reference text, environment text, sender_id uuid, key text, fingerprint jsonb,
           request_id text, accept_before timestamptz, to_username text, currency text,
           amount_minor bigint, batch_id uuid, description text, metadata text, limited_key uuid, ip text,
           heard jsonb))
         with ordinality
         as q (reference, environment, sender_id, key, fingerprint, request_id, accept_before,
               to_username, currency, amount_minor, batch_id, description, metadata, limited_key, ip, heard, position)
    join users s on s.id = q.sender_id
    join currencies c on c.code = q.currency
    join ledger_accounts payer
      on payer.user_id = s.id and payer.environment = q.environment
         and payer.currency = q.currency
    left join users u on u.username = q.to_username
    left join ledger_accounts payee
      on payee.user_id = u.id and payee.environment = q.environment
         and payee.currency = q.currency
   cross join lateral fee_of('transfer', q.currency, q.amount_minor, s.id, u.id, null, read_at) fee
$$;

-- The amount that left the sender.
create or replace function transfer_total(t transfers) returns bigint language sql immutable as $$
  select t.amount_minor + case t.fee_bearer when 'payer' then t.fee_minor else 0 end
$$;

-- A transfer as rules see it.
create or replace function looked_at_order(o transfer_order) returns risk_order language sql immutable as $$
  select row('transfer', o.environment, o.sender_id, o.recipient_id, o.to_username, o.ip, o.currency,
    o.amount_minor, o.heard)::risk_order
$$;

-- All in one order, so that no two transactions wait for each other: the keys and histories, then the accounts.
create or replace function lock_transfers(orders transfer_order[]) returns void language plpgsql as $$
declare
  one transfer_order;
  locks bigint[] := array(
    select idempotency_lock(o.sender_id, o.environment, 'transfer', o.key) from unnest(orders) o);
  is_watched boolean := false;
begin
  foreach one in array orders loop
    is_watched := is_watched or one.is_watched;
  end loop;
  if is_watched then
    -- Its clock comes before all that its mover may wait for.
    perform hold_sandbox_clock(x.sender_id, x.environment)
       from (select distinct o.sender_id, o.environment from unnest(orders) o where o.is_watched and o.environment = 'sandbox') x;
    locks := locks || risk_locks(array(select looked_at_order(o) from unnest(orders) o where o.is_watched));
  end if;
  if cardinality(orders) > 1 then
    -- Two sessions that write many rows into one history would wait for each other's moments. No more than 500
    -- such locks: the server has memory for some thousands.
    locks := locks || array(
      select idempotency_lock(x.user_id, o.environment, 'history', '')
        from unnest(orders) o cross join lateral (values (o.sender_id), (o.recipient_id)) x (user_id)
       group by x.user_id, o.environment
      having count(*) >= greatest(2, cardinality(orders) / 250));
  end if;
  perform pg_advisory_xact_lock(l.lock)
     from (select distinct lock from unnest(locks) lock where lock is not null order by lock) l;
  -- Nothing moves in the sandbox, and to oneself; what a key sends and limits of wallets are counted in both.
  perform lock_accounts(array(
    select x.id from unnest(orders) o
     cross join lateral (values (o.payer_id), (o.payee_id), (o.fees_id), (o.taxes_id)) x (id)
     where o.sender_id <> o.recipient_id
       and (o.environment = 'live' or o.is_limited or (o.limited_key is not null and x.id = o.payer_id))));
end $$;

-- One for each order. The caller holds the locks: each statement sees what their holders before have committed. Only
-- what a key with a daily limit sends takes statements of its own, which count it, and wallets that have limits, and what
-- rules look at, which decide and open its case.
create or replace function decide_transfers(orders transfer_order[])
returns transfer_decision[] language plpgsql as $$
declare
  tick constant interval := '1 microsecond';
  decisions transfer_decision[] := array_fill(null::transfer_decision, array[cardinality(orders)]);
  -- The first position with the same key, and by that the position that has its answer, or 0.
  first_with_key integer[] := '{1}';
  given_up constant integer[] := array(
    select q.position from unnest(orders) q
     where is_given_up(q.sender_id, q.environment, 'transfer', q.key, q.accept_before));
  answered integer[] := array_fill(0, array[cardinality(orders)]);
  -- The ids ascend, as they are locked.
  account_ids bigint[];
  accounts posting_account[];
  -- Limits of the same accounts; null when none of them has any.
  limits wallet_limits[];
  has_limits boolean;
  -- Days that have ended while this group is decided.
  ended wallet_limits[] := '{}';
  room constant interval := '1 millisecond';
  -- The latest of each history, which several wallets may share (posting_account.history).
  moments timestamptz[];
  r record;
  o transfer_order;
  d transfer_decision;
  payer posting_account;
  payee posting_account;
  fees posting_account;
  taxes posting_account;
  payer_limits wallet_limits;
  payee_limits wallet_limits;
  -- The accounts of what is held, which are not locked before something is.
  hold_currencies text[];
  hold_ids bigint[];
  hold_balances bigint[];
  hold_versions bigint[];
  held_at timestamptz;
  h integer;
  -- Rules look at this, and at what of it has passed or is held.
  looked_at risk_order;
  counted risk_order[] := '{}';
  -- Places of orders about which they may say something; null: nothing is looked at.
  suspects integer[];
  keeps_origins boolean;
  is_questioned boolean;
  reasons jsonb;
  c risk_cases;
  at timestamptz;
begin
  if cardinality(orders) > 1 then
    select array_agg(k.first order by k.position) into first_with_key
      from (select q.position, min(q.position) over (
                     partition by q.sender_id, q.environment, q.key collate "C",
                                  case when q.key is null then q.position end) as first
              from unnest(orders) q) k;
  end if;
  for r in
    select q.position, q.environment, k.status, k.reference
      from unnest(orders) q
     cross join lateral (
       -- The limit has each key looked up, whatever the planner thinks of a table that is small.
       select * from idempotency_keys x
        where x.user_id = q.sender_id and x.environment = q.environment
          and x.operation = 'transfer' and x.key = q.key limit 1) k
  loop
    d := null;
    d.outcome := case when r.status = 200 then
        case r.environment when 'live' then 'completed' else 'simulated' end
      when r.status = 202 then 'held'
      when r.status = 402 then 'insufficient_funds' else 'recipient_not_found' end;
    d.kept_reference := r.reference;
    decisions[r.position] := d;
    answered[first_with_key[r.position]] := r.position;
  end loop;
  select array_agg(a.id), array_agg(a.moment),
         array_agg(row(a.balance_minor, a.version, a.held_by, a.history, a.is_questioned)::posting_account),
         bool_or(a.limited_at is not null)
    into account_ids, moments, accounts, has_limits
    from (select x.id, x.balance_minor, x.version, x.held_by, x.is_questioned, x.limited_at, min(x.place) over history as history,
                 max(greatest(x.last_posted_at, (
                   select t.created_at from transactions t
                    where t.user_id = x.user_id and t.environment = x.environment
                    order by t.created_at desc limit 1))) over history as moment
            from (select *, row_number() over (order by y.id) as place from ledger_accounts y
                   where y.id in (select z.id from unnest(orders) q
                                   cross join lateral (values (q.payer_id), (q.payee_id), (q.fees_id),
                                                       (q.taxes_id)) z (id))) x
          window history as (partition by x.user_id, x.environment)
           order by x.place) a;
  if has_limits then
    limits := array(
      select l from unnest(account_ids) with ordinality a (id, place)
        left join lock_limits(account_ids) l on l.account_id = a.id order by a.place);
  end if;
  for i in 1 .. cardinality(orders) loop
    if (orders[i]).is_watched then
      suspects := risk_suspects(array(select looked_at_order(q) from unnest(orders) q));
      keeps_origins := exists (select from risk_rules x where x.counted_by = 'ip');
      exit;
    end if;
  end loop;

  for i in 1 .. cardinality(orders) loop
    o := orders[i];
    if answered[first_with_key[i]] > 0 then
      d := decisions[answered[first_with_key[i]]];
      d.is_replay := true;
      d.is_final := false;
        d.posted_at := null;
      decisions[i] := d;
      continue;
    end if;
    payer := accounts[width_bucket(o.payer_id, account_ids)];
    payee := accounts[width_bucket(o.payee_id, account_ids)];
    fees := accounts[width_bucket(o.fees_id, account_ids)];
    taxes := accounts[width_bucket(o.taxes_id, account_ids)];
    d := null;
    d.is_replay := false;
    d.is_final := false;
    -- Read after the locks: past this moment nothing of this request is ever written.
    at := clock_timestamp();
    d.outcome := case
      when at > o.accept_before or i = any (given_up) then 'lapsed'
      when payer.held_by is not null then payer.held_by
      when o.recipient_id is null then 'recipient_not_found'
      when o.recipient_id = o.sender_id then 'self_transfer'
      when payer.balance_minor < o.debit_minor then 'insufficient_funds'
      when payee.balance_minor + o.credit_minor > 999999999999999 -- ledger_accounts.wallet_balance
        then 'limit_exceeded'
      when o.environment = 'live' then 'completed'
      else 'simulated' end;
    if d.outcome = 'limit_exceeded' then
      d.over.limit_name := 'recipient';
    elsif limits is not null and d.outcome in ('completed', 'simulated') then
      payer_limits := limits[width_bucket(o.payer_id, account_ids)];
      payee_limits := limits[width_bucket(o.payee_id, account_ids)];
      d.over := exceeded_limit(case when utc_day(at) > payer_limits.day then limits_on(payer_limits, at) else payer_limits end,
        false, o.debit_minor, payer.balance_minor);
      if (d.over).limit_name is null
         and (exceeded_limit(case when utc_day(at) > payee_limits.day then limits_on(payee_limits, at) else payee_limits end,
               true, o.credit_minor, payee.balance_minor)).limit_name is not null then
        d.over.limit_name := 'recipient';
      end if;
      if (d.over).limit_name is not null then
        d.outcome := 'limit_exceeded';
      end if;
    end if;
    reasons := null;
    is_questioned := coalesce(payer.is_questioned or payee.is_questioned, false);
    if (o.is_watched or is_questioned) and d.outcome in ('completed', 'simulated')
       and (o.limited_key is null or coalesce(o.debit_minor <= key_room(o.limited_key, o.currency), true)) then
      if o.is_unasked then
        d.outcome := 'unasked';
        decisions[i] := d;
        continue;
      end if;
      looked_at := looked_at_order(o);
      reasons := case when i = any (suspects) then risk_reasons(looked_at, counted) else '[]' end;
      if is_questioned then
        reasons := account_reasons(array[o.sender_id, o.recipient_id]) || reasons;
      end if;
      d.outcome := case strictest(reasons) when 'refuse' then 'risk_refused' when 'hold' then 'held' else d.outcome end;
    end if;
    if o.limited_key is not null and d.outcome in ('completed', 'simulated', 'held')
       and not count_key_spending(o.limited_key, o.currency, o.debit_minor) then
      d.outcome := 'limit_exceeded';
    end if;
    if d.outcome = 'risk_refused' then
      perform open_risk_case(looked_at, o.reference, reasons, null, null);
    end if;
    if d.outcome in ('lapsed', 'account_frozen', 'kyc_required', 'self_transfer', 'limit_exceeded',
                     'risk_refused') then
      decisions[i] := d;
      continue;
    end if;

    if d.outcome = 'held' then
      d.payer_row := uuidv7();
      c := open_risk_case(looked_at, o.reference, reasons, d.payer_row, sandbox_clock_of(o.sender_id, o.environment));
      d.hold := hold_json(c);
      if o.environment = 'live' then
        if hold_ids is null then
          perform lock_accounts(array(select x.id from ledger_accounts x
                                       where x.user_id is null and x.environment = 'live' and x.kind = 'holds'));
          select array_agg(x.currency), array_agg(x.id), array_agg(x.balance_minor), array_agg(x.version),
                 max(x.last_posted_at)
            into hold_currencies, hold_ids, hold_balances, hold_versions, held_at
            from ledger_accounts x where x.user_id is null and x.environment = 'live' and x.kind = 'holds';
        end if;
        h := array_position(hold_currencies, o.currency);
        hold_balances[h] := hold_balances[h] + o.debit_minor;
        hold_versions[h] := hold_versions[h] + 1;
        at := greatest(at, held_at + 2 * tick);
        d.journal_id := uuidv7();
        d.holds_id := hold_ids[h];
        d.holds_balance := hold_balances[h];
        d.holds_version := hold_versions[h];
        payer.balance_minor := payer.balance_minor - o.debit_minor;
        payer.version := payer.version + 1;
        accounts[width_bucket(o.payer_id, account_ids)] := payer;
      end if;
    elsif d.outcome = 'completed' then
      if payer.held_by is not null then
        raise exception 'transfer % takes from a wallet that is held', o.reference
          using errcode = 'check_violation';
      end if;
      d.journal_id := uuidv7();
      payer.balance_minor := payer.balance_minor - o.debit_minor;
      payer.version := payer.version + 1;
      accounts[width_bucket(o.payer_id, account_ids)] := payer;
      payee.balance_minor := payee.balance_minor + o.credit_minor;
      payee.version := payee.version + 1;
      accounts[width_bucket(o.payee_id, account_ids)] := payee;
      if o.fees_id is not null then
        fees.balance_minor := fees.balance_minor + o.fee_minor - o.tax_minor;
        fees.version := fees.version + 1;
        accounts[width_bucket(o.fees_id, account_ids)] := fees;
      end if;
      if o.taxes_id is not null then
        taxes.balance_minor := taxes.balance_minor + o.tax_minor;
        taxes.version := taxes.version + 1;
        accounts[width_bucket(o.taxes_id, account_ids)] := taxes;
      end if;
    end if;
    if reasons is not null then
      if suspects <> '{}' then
        counted := counted || looked_at;
      end if;
      if keeps_origins then
        perform note_origin(looked_at, o.reference);
      end if;
    end if;
    if d.outcome in ('completed', 'simulated', 'held') then
      -- Later than what both histories show, by two, so that a row whose moment a payment takes meanwhile
      -- can move up by one and stays in order. The order of each account and the clock agree, even if the clock
      -- steps back.
      at := greatest(at, moments[payer.history] + 2 * tick, moments[payee.history] + 2 * tick,
                     case when d.outcome = 'completed' then moments[fees.history] + 2 * tick end,
                     case when d.outcome = 'completed' then moments[taxes.history] + 2 * tick end);
      -- It is counted on the day of its rows, which may be a little later than this moment.
      if limits is not null and utc_day(at + room) > utc_day(at) then
        at := utc_day(at + room)::timestamp at time zone 'UTC';
      end if;
      if at >= o.fee_until then
        perform refuse_other_fee(at, o.fee_until);
      end if;
      if limits is not null then
        if utc_day(at) > payer_limits.day then
          ended := ended || payer_limits;
          payer_limits := limits_on(payer_limits, at);
        end if;
        payer_limits.day_out := payer_limits.day_out + o.debit_minor;
        payer_limits.month_out := payer_limits.month_out + o.debit_minor;
        payer_limits.new_out := payer_limits.new_out + o.debit_minor;
        limits[width_bucket(o.payer_id, account_ids)] := payer_limits;
        -- It comes in at its release, when it is held.
        if d.outcome <> 'held' then
          if utc_day(at) > payee_limits.day then
            ended := ended || payee_limits;
            payee_limits := limits_on(payee_limits, at);
          end if;
          payee_limits.day_in := payee_limits.day_in + o.credit_minor;
          payee_limits.month_in := payee_limits.month_in + o.credit_minor;
          payee_limits.new_in := payee_limits.new_in + o.credit_minor;
          limits[width_bucket(o.payee_id, account_ids)] := payee_limits;
        end if;
      end if;
      moments[payer.history] := at;
      moments[payee.history] := at;
      held_at := case when d.holds_id is not null then at else held_at end;
      d.posted_at := at;
      d.kept_reference := o.reference;
      d.payer_balance := payer.balance_minor;
      d.payer_version := payer.version;
      d.payer_row := coalesce(d.payer_row, uuidv7());
      d.payee_balance := payee.balance_minor;
      d.payee_version := payee.version;
      d.payee_row := uuidv7();
      if o.fees_id is not null then
        moments[fees.history] := at;
        d.fees_balance := fees.balance_minor;
        d.fees_version := fees.version;
      end if;
      if o.taxes_id is not null then
        moments[taxes.history] := at;
        d.taxes_balance := taxes.balance_minor;
        d.taxes_version := taxes.version;
      end if;
    end if;
    d.is_final := true;
    decisions[i] := d;
    answered[first_with_key[i]] := i;
  end loop;
  if limits is not null then
    perform count_added(limits || ended);
  end if;
  return decisions;
end $$;

create or replace function write_transfers(
  orders transfer_order[], decisions transfer_decision[], refusals jsonb
) returns void language plpgsql as $$
declare
  waiting integer;
  shown integer;
  tick constant interval := '1 microsecond';
  delay interval := '0';
begin
  with final as materialized (
    select * from rows from (unnest(orders), unnest(decisions)) d where d.is_final
  ), journal as (
    insert into ledger_transactions (id, reference, environment, kind, created_at, description)
    select d.journal_id, coalesce(d.hold ->> 'reference', d.reference), d.environment,
           case when d.hold is null then 'transfer' else 'hold' end, d.posted_at,
           case when d.hold is null then '' else d.reference end
      from final d where d.journal_id is not null
  ), entries as materialized (
    select d.journal_id, d.environment, d.currency, d.posted_at, e.*
      from final d
     cross join lateral (values
       (d.payer_id, -d.debit_minor, d.payer_balance, d.payer_version),
       (case when d.hold is null then d.payee_id end, d.credit_minor, d.payee_balance, d.payee_version),
       (case when d.hold is null then d.fees_id end, d.fee_minor - d.tax_minor, d.fees_balance, d.fees_version),
       (case when d.hold is null then d.taxes_id end, d.tax_minor, d.taxes_balance, d.taxes_version),
       (d.holds_id, d.debit_minor, d.holds_balance, d.holds_version)
     ) e (account_id, amount_minor, balance_minor, version)
     where d.journal_id is not null and e.account_id is not null and e.amount_minor <> 0
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
      fee_minor, tax_minor, fee_bearer, status, idempotency_key, request_id, batch_id, created_at, description, metadata,
      limited_key, hold)
    select d.reference, d.environment, d.sender_id, d.recipient_id, d.currency, d.amount_minor,
           d.fee_minor, d.tax_minor, d.fee_bearer, d.outcome, d.key, d.request_id, d.batch_id, d.posted_at, d.description,
           d.metadata::json, d.limited_key, d.hold
      from final d where d.posted_at is not null
  )
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id)
  select d.sender_id, d.environment, 'transfer', d.key, d.fingerprint,
         case when d.hold is not null then 202 when d.posted_at is not null then 200
              else (refusals -> d.outcome ->> 'status')::smallint end,
         case when d.hold is not null then with_hold(receipt.body, d.hold)
              when d.posted_at is not null then receipt.body else refusal.body end,
         d.kept_reference, d.request_id
    from final d
   cross join lateral transfer_receipt(d.reference, d.outcome, d.environment, d.to_username, d.currency,
                                       d.amount_minor, d.description, d.metadata) receipt
   cross join lateral refusal_json(refusals -> d.outcome, d.request_id) refusal
   where d.key is not null;

  -- A row takes the first microsecond from there on that is free: a payment into another wallet of
  -- the user may have taken it since.
  waiting := (select sum(case when d.hold is null then 2 else 1 end)
                from unnest(decisions) d where d.posted_at is not null);
  while waiting > 0 loop
    insert into transactions (id, user_id, environment, type, status, direction, currency, amount_minor,
      fee_minor, tax_minor, balance_after_minor, reference, counterparty, description, ledger_transaction_id,
      created_at, json)
    select s.id, s.user_id, d.environment, s.type, s.status, s.direction, d.currency, s.amount_minor,
           s.fee_minor, s.tax_minor, s.balance_minor, d.reference, s.counterparty, d.description, d.journal_id,
           d.posted_at + delay,
           transaction_json(s.id, s.type, s.status, s.direction, d.currency, s.amount_minor,
             s.fee_minor, s.tax_minor, s.balance_minor, d.reference, s.counterparty, d.description, null,
             d.posted_at + delay)
      from rows from (unnest(orders), unnest(decisions)) d
     cross join lateral (values
       (d.payer_row, d.sender_id, 'transfer_out', 'out', d.debit_minor, d.fee_minor, d.tax_minor, d.payer_balance,
        d.to_username, case when d.hold is null then d.outcome else 'pending' end),
       (d.payee_row, d.recipient_id, 'transfer_in', 'in', d.amount_minor, d.amount_minor - d.credit_minor,
        case d.fee_bearer when 'payer' then 0 else d.tax_minor end, d.payee_balance, d.sender,
        case when d.hold is null then d.outcome end)
     ) s (id, user_id, type, direction, amount_minor, fee_minor, tax_minor, balance_minor, counterparty, status)
     where d.posted_at is not null and s.status is not null
       and (delay = interval '0' or not exists (select from transactions t where t.id = s.id))
     -- In one order, so that no two postings wait for each other's moments in a circle.
     order by s.user_id, d.environment, d.posted_at
    on conflict (user_id, environment, created_at) do nothing;
    get diagnostics shown = row_count;
    waiting := waiting - shown;
    delay := delay + tick;
  end loop;

  -- Events come after all rows: the accounts' event counters are the last that is locked.
  if exists (select from webhook_endpoints w
              where w.user_id = any (array(select x.id from unnest(orders) o
                                            cross join lateral (values (o.sender_id), (o.recipient_id)) x (id)))
                and w.status <> 'deleted'
                and 'transfer' = any (event_nouns(w.types))) then
    perform add_transfer_events(orders, decisions);
  end if;
end $$;

-- Says what a transfer would come to, for a person who is about to send it: the fee and its tax, and the wallet's
-- balance now. Nothing is reserved. The caller has counted the username (count_unknown_recipients).
--
-- outcome: possible | account_frozen | kyc_required | self_transfer | recipient_not_found | insufficient_funds.
create or replace function preview_transfer(
  sender uuid, env text, to_name text, cur text, amount bigint
) returns table (outcome text, fee_minor bigint, tax_minor bigint, bearer text, balance_minor bigint)
language sql security definer set search_path = public, pg_temp as $$
  select case
      when a.held_by is not null then a.held_by
      when u.id is null then 'recipient_not_found'
      when u.id = sender then 'self_transfer'
      when a.balance_minor < amount + case f.bearer when 'payer' then f.fee_minor else 0 end then 'insufficient_funds'
      else 'possible' end,
    f.fee_minor, f.tax_minor, f.bearer, a.balance_minor
    from ledger_accounts a
    left join users u on u.username = to_name
   cross join lateral fee_of('transfer', a.currency, amount, sender, u.id, null, statement_timestamp()) f
   where a.user_id = sender and a.environment = env and a.currency = cur
$$;

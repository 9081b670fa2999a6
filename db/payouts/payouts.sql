-- Payouts, from the order to the provider's last word. Every function that changes a payout locks its row first,
-- then accounts by id, then the event counter. What was asked of a provider and not answered is unknown, and never
-- failed (docs/decisions/payouts.md).

create or replace function note_payout(payout uuid, source text, kind text, detail jsonb default '{}')
returns void language sql as $$
  insert into payout_timeline (payout_id, source, kind, detail) values (payout, source, kind, detail)
$$;

create or replace function payout_json(p payouts) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select p.id, p.reference, p.status, p.stage,
                 p.status in ('succeeded', 'failed', 'canceled', 'returned') as conclusive,
                 p.currency, decimal_amount(p.amount_minor) as amount, decimal_amount(p.fee_minor) as fee,
                 decimal_amount(p.tax_minor) as tax, decimal_amount(p.amount_minor + p.fee_minor) as total,
                 (select row_to_json(d)
                    from (select p.destination_type as type, p.phone, p.operator,
                                 '…' || right(p.account, 4) as account, p.bank_code,
                                 coalesce(p.name, p.holder) as name, p.name_found, p.name_match) d) as destination,
                 (select row_to_json(w)
                    from (select p.provider as name, p.provider_payment_id as payment_id) w) as provider,
                 flat_json(p.failure) as failure, decimal_amount(p.returned_minor) as returned_amount,
                 case when p.approvals_needed > 0 then (
                   select row_to_json(a)
                     from (select p.approvals_needed as needed,
                                  (select concat('[', string_agg(row_to_json(g)::text, ',' order by g.at), ']')::json
                                     from (select l.email as by, instant(x.at) as at
                                             from payout_approvals x join logins l on l.id = x.login_id
                                            where x.payout_id = p.id) g) as given) a) end as approval,
                 p.hold, p.batch_id, p.description, flat_json(p.metadata) as metadata, p.environment,
                 instant(p.created_at) as created_at, instant(p.updated_at) as updated_at,
                 instant(p.sent_at) as sent_at, instant(p.completed_at) as completed_at,
                 case when p.completed_at is null and p.stage is distinct from 'sent'
                           and p.stage is distinct from 'unknown' then instant(shown_due(p.expires_at, p.clock_seconds)) end
                   as expires_at) shown
$$;

-- The method of a payout, by which its fee may differ: the phone's operator, or `bank`.
create or replace function payout_method(account text, operator text) returns text language sql immutable as $$
  select case when account is not null then 'bank' else operator end
$$;

-- The fee of a payout now, which comes on top of what the recipient gets.
create or replace function payout_fee(owner uuid, cur text, amount bigint, account text, operator text)
returns bigint language sql stable security definer set search_path = public, pg_temp as $$
  select f.fee_minor
    from fee_of('payout', cur, amount, null, owner, payout_method(account, operator), statement_timestamp()) f
$$;

-- The first limit of its own for payouts that `amount` would exceed; no row when there is none. No other order of the account may be under
-- way.
create or replace function exceeded_payout_limit(owner uuid, env text, cur text, amount bigint)
returns table (limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz)
language plpgsql stable as $$
declare
  s payout_settings;
  l record;
begin
  select * into s from payout_settings x where x.user_id = owner and x.currency = cur;
  for l in
    select v.name, v.most, date_trunc(v.unit, clock_timestamp(), 'UTC') as since, v.unit
      from (values ('single', s.single_minor, null), ('daily', s.daily_minor, 'day'),
                   ('monthly', s.monthly_minor, 'month')) v (name, most, unit)
     where v.most is not null
  loop
    used_minor := case when l.unit is null then 0 else (
      select coalesce(sum(p.amount_minor), 0) from payouts p
       where p.user_id = owner and p.environment = env and p.currency = cur and p.created_at >= l.since
         and p.status not in ('failed', 'canceled')) end;
    if used_minor + amount > l.most then
      limit_name := l.name;
      maximum_minor := l.most;
      resets_at := l.since + ('1 ' || l.unit)::interval;
      return next;
      return;
    end if;
  end loop;
end $$;

-- Orders of an account in a currency are decided about one after the other, under this lock.
create or replace function lock_payout_limits(owner uuid, env text, cur text) returns void language sql as $$
  select pg_advisory_xact_lock(idempotency_lock(owner, env, 'payout_limits', cur))
$$;

-- How many owners have to approve it.
create or replace function payout_approvals_needed(p payouts) returns smallint language plpgsql stable as $$
declare
  s payout_settings;
begin
  select * into s from payout_settings x where x.user_id = p.user_id and x.currency = p.currency;
  return case
    when p.batch_id is not null then 0 -- the batch was approved as a whole
    when p.amount_minor > s.approval_above_minor then s.approvers
    when p.amount_minor
         + unfinished_to_destination(p.user_id, p.environment, p.currency, p.phone, p.account, p.bank_code)
         > s.new_destination_above_minor
         and not is_known_destination(p.user_id, p.environment, p.phone, p.account, p.bank_code) then s.approvers
    else 0 end;
end $$;

-- Whom the history names: by the name that the merchant gave, or by the phone.
create or replace function payout_recipient(p payouts) returns text language sql immutable as $$
  select coalesce(p.name, p.holder, p.phone)
$$;

-- Sums up what this account has under way to the same place before an order is decided about, with what is no payout
-- yet of batches that were: several small orders are no way round the rule of new ones.
create or replace function unfinished_to_destination(
  owner uuid, env text, cur text, to_phone text, to_account text, to_bank_code text
) returns bigint language plpgsql stable as $$
begin
  return (select coalesce(sum(x.amount_minor), 0) from payouts x
           where x.user_id = owner and x.environment = env and x.currency = cur and x.completed_at is null
             and (x.phone = to_phone
                  or (x.account = to_account and x.bank_code is not distinct from to_bank_code)))
       + (select coalesce(sum(i.amount_minor), 0)
            from payout_batch_items i
            join payout_batches b on b.id = i.batch_id
           where b.user_id = owner and b.environment = env and b.step is distinct from 'check'
             and i.currency = cur and i.status = 'pending' and i.payout_id is null
             and (i.phone = to_phone
                  or (i.account = to_account and i.bank_code is not distinct from to_bank_code)));
end $$;

-- Whether this account has paid there before: a payout that failed does not make a destination known.
create or replace function is_known_destination(
  owner uuid, env text, to_phone text, to_account text, to_bank_code text
) returns boolean language plpgsql stable as $$
begin
  if to_phone is not null then
    return exists (select from payouts x where x.user_id = owner and x.environment = env
                     and x.phone = to_phone and x.status in ('succeeded', 'returned'));
  end if;
  return exists (select from payouts x where x.user_id = owner and x.environment = env
                   and x.account = to_account and x.bank_code is not distinct from to_bank_code
                   and x.status in ('succeeded', 'returned'));
end $$;

-- Whether the account may be told how a name fits the one that a provider has found. In a day it may try five names that
-- are not the recipient's at one destination, and 300 that fit none at all: the first bounds what can be guessed of one
-- name, the second how many phones are gone through. A name that was told once is told again. Past a limit a name that
-- fits is not told either, or its absence would tell of the others.
create or replace function may_tell_name(account uuid, env text, destination text, given text, match text)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a_day constant integer := 86400;
  of_account bytea := sha256(convert_to(json_build_array('names', account, env)::text, 'UTF8'));
  of_place bytea := sha256(convert_to(json_build_array('names', account, env, destination)::text, 'UTF8'));
  of_name bytea := sha256(convert_to(json_build_array('names', account, env, destination, given)::text, 'UTF8'));
begin
  if exists (select from attempt_counts c where c.key = of_name and c.ends_at > clock_timestamp()) then
    return true;
  end if;
  if exists (select from attempt_counts c where c.ends_at > clock_timestamp()
               and ((c.key = of_place and c.count >= 5) or (c.key = of_account and c.count >= 300))) then
    return false;
  end if;
  return match = 'match'
    or (take_from_window(of_place, 5, a_day) = 0
        and (match <> 'no_match' or take_from_window(of_account, 300, a_day) = 0)
        and take_from_window(of_name, 1, a_day) = 0);
end $$;

-- Reserves the money and writes the payout, once per idempotency key. `request` has the columns of payouts, and
-- fingerprint, accept_before, key_id (or ordered_by), ip, heard (domain/risk.ts) and refusals (domain/payout.ts). An item of a batch has no
-- response: its caller holds the item, which becomes a payout once.
--
-- outcome: created | insufficient_funds (both stored for the key), or lapsed (past `accept_before`, if there is
-- one) | account_frozen | kyc_required | risk_refused (it has a case) | unasked (others are to be asked first, and it comes
-- without `heard`) | limit_exceeded with the limit, of which that of the key (`key_daily`) has no figures (nothing written,
-- the key stays free).
create or replace function create_payout(request jsonb)
returns table (
  outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean,
  limit_name text, maximum_minor bigint, used_minor bigint, resets_at timestamptz
)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts := jsonb_populate_record(null::payouts, request);
  q record;
  wallet bigint := wallet_account(p.user_id, p.environment, p.currency);
  reserved bigint := system_account(p.environment, p.currency, 'payouts');
  held_by text;
  balance bigint;
  marked timestamptz;
  over limit_facts;
  total bigint;
  is_watched boolean;
  is_questioned boolean;
  is_unasked boolean;
  o risk_order;
  reasons jsonb := '[]';
  c risk_cases;
  fee_until timestamptz;
  journal uuid := uuidv7();
  at timestamptz;
begin
  select * into strict q from jsonb_to_record(request) x (
    fingerprint jsonb, refusals jsonb, accept_before timestamptz, key_id uuid, ip text, heard jsonb);
  is_replay := false;
  if p.batch_id is null then
    perform pg_advisory_xact_lock(idempotency_lock(p.user_id, p.environment, 'payout', p.idempotency_key));
    select k.status, k.body, k.fingerprint into status, body, fingerprint from idempotency_keys k
     where k.user_id = p.user_id and k.environment = p.environment and k.operation = 'payout'
       and k.key = p.idempotency_key;
    is_replay := found;
    if is_replay then
      outcome := case status when 201 then 'created' else 'insufficient_funds' end;
      return next;
      return;
    end if;
  end if;
  fingerprint := q.fingerprint;
  p.clock_seconds := hold_sandbox_clock(p.user_id, p.environment);
  p.limited_key := limited_by(p.limited_key);
  -- The amounts that count in the limits are summed up while only this account's orders wait: the lock of `reserved` is
  -- one of all accounts. Another order of this account changes nothing meanwhile; what ends makes it less.
  perform lock_payout_limits(p.user_id, p.environment, p.currency);
  select l.*, 'payout/' || p.environment = any (u.watched) or has_heard(q.heard),
         'ask/payout/' || p.environment = any (u.watched) and q.heard is null
    into limit_name, maximum_minor, used_minor, resets_at, is_watched, is_unasked
    from currencies u
    left join exceeded_payout_limit(p.user_id, p.environment, p.currency, p.amount_minor) l on true
   where u.code = p.currency;
  o := row('payout', p.environment, p.user_id, null, coalesce(p.phone, bank_recipient(p.account, p.bank_code)), q.ip,
    p.currency, p.amount_minor, q.heard);
  if is_watched then
    perform lock_risk(o);
    reasons := risk_reasons(o, '{}');
  end if;
  perform hold_fee_rules();
  perform lock_accounts(array[wallet, reserved]);
  -- Read after the locks: past this moment nothing of this request is ever written.
  if clock_timestamp() > q.accept_before then
    outcome := 'lapsed';
    return next;
    return;
  end if;
  select a.balance_minor, a.held_by, a.limited_at, a.is_questioned into strict balance, held_by, marked, is_questioned
    from ledger_accounts a where a.id = wallet;
  if held_by is not null then
    outcome := held_by;
    return next;
    return;
  end if;
  if is_questioned then
    reasons := account_reasons(array[p.user_id]) || reasons;
  end if;
  if limit_name is not null then
    outcome := 'limit_exceeded';
    return next;
    return;
  end if;
  at := clock_timestamp();
  select f.fee_minor, f.tax_minor, f.holds_until into strict p.fee_minor, p.tax_minor, fee_until
    from fee_of('payout', p.currency, p.amount_minor, null, p.user_id, payout_method(p.account, p.operator), at) f;
  total := p.amount_minor + p.fee_minor;
  over := exceeded_limit(wallet, marked, false, total, balance);
  if balance < total then
    outcome := 'insufficient_funds';
    if p.batch_id is not null then
      return next;
      return;
    end if;
    status := (q.refusals -> outcome ->> 'status')::smallint;
    body := (select s.body from refusal_json(q.refusals -> outcome, p.request_id) s);
  elsif over.limit_name is not null then
    outcome := 'limit_exceeded';
    limit_name := over.limit_name;
    maximum_minor := over.maximum_minor;
    used_minor := over.used_minor;
    resets_at := over.resets_at;
    return next;
    return;
  elsif is_unasked and coalesce(total <= key_room(p.limited_key, p.currency), true) then
    outcome := 'unasked';
    return next;
    return;
  elsif strictest(reasons) = 'refuse' and coalesce(total <= key_room(p.limited_key, p.currency), true) then
    perform open_risk_case(o, p.reference, reasons, p.id, p.clock_seconds);
    outcome := 'risk_refused';
    return next;
    return;
  elsif not count_key_spending(p.limited_key, p.currency, total) then
    outcome := 'limit_exceeded';
    limit_name := 'key_daily';
    return next;
    return;
  else
    outcome := 'created';
    status := 201;
    p.ordered_by := coalesce(p.ordered_by, (select k.login_id from api_keys k where k.id = q.key_id));
    p.approvals_needed := payout_approvals_needed(p);
    if jsonb_array_length(reasons) > 0 then
      c := open_risk_case(o, p.reference, reasons, p.id, p.clock_seconds);
      p.hold := hold_json(c);
    end if;
    p.status := case when p.hold is not null then 'held'
                     when p.approvals_needed > 0 then 'requires_approval'
                     when not p.confirm then 'requires_confirmation' else 'pending' end;
    p.stage := case p.status when 'pending' then 'queued' end;
    p.transaction_id := uuidv7();
    p.returned_minor := 0;
    p.asks := 0;
    p.lost_minor := 0;
    p.loss_minor := 0;
    at := post_entries(journal, p.reference, 'payout', '', p.environment, p.currency,
      array[row(wallet, -total)::ledger_leg, row(reserved, total)::ledger_leg]);
    perform refuse_other_fee(at, fee_until);
    loop
      p.created_at := at;
      p.updated_at := at;
      p.expires_at := coalesce(c.expires_at, payout_expiry(p, at));
      insert into payouts select p.* on conflict (user_id, environment, created_at) do nothing;
      exit when found;
      -- Another payout of this account, of another wallet, has this microsecond.
      at := at + interval '1 microsecond';
    end loop;
    perform add_transactions(
      array[row(p.transaction_id, p.user_id, 'withdrawal', 'out', balance - total, payout_recipient(p))
              ::transaction_side],
      'pending', p.environment, p.currency, total, p.fee_minor, p.reference, p.description, p.id::text, journal, at,
      p.tax_minor);
    if marked is not null then
      perform count_in_limits(array[p.transaction_id]);
    end if;
    perform note_payout(p.id, 'api', 'requested', jsonb_build_object('request_id', p.request_id));
    if is_watched then
      perform note_origin(o, p.reference);
    end if;
    if p.status <> 'pending' then
      perform add_payout_event(p, case p.status when 'held' then 'payout.held' else 'payout.requires_action' end);
    end if;
    if p.batch_id is not null then
      return next;
      return;
    end if;
    body := (select ok_json(s.body) from payout_json(p) s);
  end if;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, reference,
    request_id)
  values (p.user_id, p.environment, 'payout', p.idempotency_key, q.fingerprint, status, body,
    case outcome when 'created' then p.reference end, p.request_id);
  return next;
end $$;

-- When the wait of its status ends.
create or replace function payout_expiry(p payouts, at timestamptz) returns timestamptz language sql immutable as $$
  select at + case p.status when 'requires_approval' then interval '7 days'
                            when 'requires_confirmation' then interval '24 hours'
                            else p.queue_seconds * interval '1 second' end
$$;

-- Adds an event of a payout, for endpoints that name the type. `p` is the changed row.
create or replace function add_payout_event(p payouts, event_type text) returns void language plpgsql as $$
declare
  event_id uuid := uuidv7();
  number bigint := next_event_sequence(p.user_id, p.environment);
begin
  insert into events (id, user_id, environment, sequence, type, payout_id, body, created_at)
  select event_id, p.user_id, p.environment, number, event_type, p.id, e.body, p.updated_at
    from payout_json(p) s
   cross join lateral event_json(event_id, event_type, p.updated_at, p.environment, number, s.body) e;
  perform note_payout(p.id, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
  perform add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = p.user_id and w.environment = p.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- Its withdrawal shows how it stands.
create or replace function set_withdrawal_status(p payouts, new_status text) returns void language sql as $$
  select set_history_status(p.transaction_id, new_status)
$$;

-- The payout goes from waiting for people to its next wait, or to being sent.
create or replace function advance_payout(p payouts) returns void language plpgsql as $$
declare
  at timestamptz := next_moment(p.updated_at);
begin
  p.status := case when not is_payout_approved(p) then 'requires_approval'
                   when not p.confirm and p.confirmed_at is null then 'requires_confirmation' else 'pending' end;
  update payouts x
     set status = p.status, stage = case p.status when 'pending' then 'queued' end, hold = null, updated_at = at,
         expires_at = payout_expiry(p, at)
   where x.id = p.id
  returning * into p;
  if p.status <> 'pending' then
    perform add_payout_event(p, 'payout.requires_action');
  end if;
end $$;

-- An owner of the account approves it, or a developer in the sandbox: another person than the one who ordered it.
--
-- outcome: done | approval_by_creator | forbidden | payout_not_approvable. The second call of a person changes
-- nothing.
create or replace function approve_payout(payout uuid, login uuid, out outcome text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
begin
  select * into strict p from payouts x where x.id = payout for update;
  outcome := case
    when not may_approve_payout(p.user_id, p.environment, login) then 'forbidden'
    when exists (select from payout_approvals a where a.payout_id = payout and a.login_id = login) then 'done'
    when p.status <> 'requires_approval' or p.expires_at <= clock_timestamp() then 'payout_not_approvable'
    when p.ordered_by = login then 'approval_by_creator' end;
  if outcome is null then
    outcome := 'done';
    insert into payout_approvals (payout_id, login_id) values (payout, login);
    perform note_payout(payout, 'api', 'approved', jsonb_build_object('login_id', login));
    if is_payout_approved(p) then
      perform advance_payout(p);
    end if;
  end if;
end $$;

create or replace function may_approve_payout(account uuid, env text, login uuid) returns boolean
language sql stable as $$
  select exists (select from memberships m
                  where m.login_id = login and m.user_id = account
                    and (m.role = 'owner' or (m.role = 'developer' and env = 'sandbox')))
$$;

-- An approval counts as long as its person may give one: a payout whose approver has left before it is confirmed waits
-- for another one.
create or replace function is_payout_approved(p payouts) returns boolean language sql stable as $$
  select count(*) >= p.approvals_needed from payout_approvals a
   where a.payout_id = p.id and may_approve_payout(p.user_id, p.environment, a.login_id)
$$;

-- outcome: done | forbidden | payout_not_approvable
create or replace function reject_payout(payout uuid, login uuid, reason text, out outcome text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
begin
  select * into strict p from payouts x where x.id = payout for update;
  outcome := case
    when not may_approve_payout(p.user_id, p.environment, login) then 'forbidden'
    when exists (select from payout_timeline t where t.payout_id = payout and t.kind = 'rejected') then 'done'
    when p.status <> 'requires_approval' then 'payout_not_approvable' end;
  if outcome is null then
    perform note_payout(payout, 'api', 'rejected', jsonb_strip_nulls(jsonb_build_object(
      'login_id', login, 'reason', reason)));
    outcome := case when give_back_payout(p, 'canceled', null) then 'done' else 'payout_not_approvable' end;
  end if;
end $$;

-- `who`: {login_id} or {key_id}. outcome: done | payout_not_confirmable | account_frozen | kyc_required. What the order
-- asked for is asked again.
create or replace function confirm_payout(payout uuid, who jsonb, out outcome text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
begin
  select * into strict p from payouts x where x.id = payout for update;
  outcome := case
    when p.confirmed_at is not null then 'done'
    when p.status <> 'requires_confirmation' or p.expires_at <= clock_timestamp() then 'payout_not_confirmable'
    else (select a.held_by from ledger_accounts a
           where a.id = wallet_account(p.user_id, p.environment, p.currency)) end;
  if outcome is null then
    outcome := 'done';
    update payouts x set confirmed_at = clock_timestamp() where x.id = payout returning * into p;
    perform note_payout(payout, 'api', 'confirmed', who);
    perform advance_payout(p);
  end if;
end $$;

-- Cancels what the provider has not been asked for. outcome: done | at_provider (it waits there, and the provider
-- has to be asked) | payout_not_cancelable
create or replace function cancel_payout(payout uuid, who jsonb, out outcome text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
begin
  select * into strict p from payouts x where x.id = payout for update;
  outcome := case
    when p.status = 'canceled' then 'done'
    when p.stage = 'queued' and p.provider_payment_id is not null then 'at_provider'
    when p.status not in ('held', 'requires_approval', 'requires_confirmation')
         and p.stage is distinct from 'queued' then 'payout_not_cancelable' end;
  if outcome is null then
    outcome := case when case p.status
                      when 'held' then close_risk_case(p.hold ->> 'reference', 'withdrawn', null, null, null) = 'done'
                      else give_back_payout(p, 'canceled', null) end
                    then 'done' else 'payout_not_cancelable' end;
    if outcome = 'done' then
      perform note_payout(payout, 'api', 'canceled', who);
    end if;
  end if;
end $$;

-- The next question to the provider, with its number; no row when there is none. What has waited for too long and
-- was not asked for is canceled instead. From the commit on a payout that is to be sent counts as asked for. What is
-- not sent yet waits while its account is frozen, or its identity check is not approved, or while it requires a name
-- that the provider has not told.
--
-- action: send | find | cancel (it waits at the provider for too long)
create or replace function begin_asking_payout(payout uuid)
returns table (action text, asks integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
  at timestamptz;
begin
  select * into strict p from payouts x where x.id = payout for update;
  at := next_moment(p.asked_at);
  if p.completed_at is null and p.expires_at <= at and p.provider_payment_id is null
     and p.status <> 'held' and (p.status <> 'pending' or p.stage = 'queued') then
    if give_back_payout(p, 'canceled', null) is not null then
      perform note_payout(payout, 'workflow', 'expired');
    end if;
    return;
  end if;
  action := case
    when p.stage = 'queued' and p.provider_payment_id is null then 'send'
    when p.stage = 'queued' and p.expires_at <= at then 'cancel'
    when p.status = 'pending' or (p.completed_at is not null and p.notified_at is not null) then 'find' end;
  if action is null then
    return;
  end if;
  if action = 'send' and (
       (p.name_check = 'require' and p.name_match is distinct from 'match')
       or exists (select from ledger_accounts a
                   where a.id = wallet_account(p.user_id, p.environment, p.currency)
                     and (a.held_by is not null or a.is_questioned))) then
    -- The sweep takes payouts first that were asked about longest ago, so this one leaves its place to others.
    update payouts x set asked_at = at where x.id = payout;
    return;
  end if;
  update payouts x
     set asks = x.asks + 1, asked_at = at,
         stage = case action when 'send' then 'unknown' else x.stage end,
         send_asked_at = case action when 'send' then at else x.send_asked_at end,
         send_begun_at = case action when 'send' then at else x.send_begun_at end
   where x.id = payout
  returning x.asks into asks;
  return next;
end $$;

-- The provider answers question `asked` by saying that it has never seen the payout, which is in doubt then. Returns
-- whether it is to be ordered once more, as a part of this question: never once the provider has given it an id.
-- `promises`: PayoutPromises.
create or replace function begin_sending_payout_again(payout uuid, asked integer, promises jsonb) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  update payouts x
     set stage = 'unknown',
         send_asked_at = case when x.provider_payment_id is null
                                   and may_order_again(promises, x.asked_at - x.send_asked_at)
                              then next_moment(x.asked_at) else x.send_asked_at end
   where x.id = payout and x.asks = asked and x.status = 'pending'
  returning is_repeated(x.send_asked_at, x.asked_at)
$$;

-- The merchant cancels what waits at the provider. No row when it no longer does.
create or replace function begin_canceling_payout(payout uuid, who jsonb) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  question integer;
begin
  update payouts x set asks = x.asks + 1, asked_at = clock_timestamp()
   where x.id = payout and x.stage = 'queued' and x.provider_payment_id is not null
  returning x.asks into question;
  if found then
    perform note_payout(payout, 'api', 'cancel_requested', who);
  end if;
  return question;
end $$;

-- The provider's name of the recipient, asked for after the order. A payout that requires a match and has none
-- fails before it is sent. False when it cannot fail yet: it keeps waiting for its check, so that it is not sent.
create or replace function record_payout_check(payout uuid, holder_name text, match text, why jsonb)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
begin
  update payouts x set name_found = holder_name, name_match = match
   where x.id = payout and x.stage = 'queued' and x.name_match is null
  returning * into p;
  if p.id is null or why is null or give_back_payout(p, 'failed', why) then
    return true;
  end if;
  update payouts x set name_found = null, name_match = null where x.id = payout;
  return false;
end $$;

-- Records the provider's answer to question `asked`, and books what follows from it. `answer` is {status,
-- provider_payment_id, paid_minor, returned_minor, days_under_way, failure}. `is_contradiction`: it has paid what was given back. What
-- contradicts the provider's own words, and a refusal to take the payout once more, books nothing.
create or replace function record_payout_answer(payout uuid, asked integer, answer jsonb)
returns table (status text, stage text, is_contradiction boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p payouts;
  told text := answer ->> 'status';
  paid bigint := (answer ->> 'paid_minor')::bigint;
  why jsonb := jsonb_build_object('code', 'unspecified', 'message', 'The provider does not say why.',
    'provider_code', null) || coalesce(answer -> 'failure', '{}');
  is_refusal boolean;
  doubt text;
  returned bigint;
  lost bigint;
begin
  is_contradiction := false;
  select * into strict p from payouts x where x.id = payout for update;
  if p.asks = asked then
    if told not in ('queued', 'sent', 'succeeded', 'failed', 'canceled', 'returned') then
      raise exception '% is no answer about a payout', told using errcode = 'check_violation';
    end if;
    -- The order of before may be on its way all the same.
    is_refusal := told in ('failed', 'canceled') and is_repeated(p.send_asked_at, p.asked_at);
    doubt := case
      when p.status in ('failed', 'canceled') then null
      when is_refusal then
        format('The provider does not take the order again: %s', why ->> 'message')
      when p.provider_payment_id <> answer ->> 'provider_payment_id' then
        format('The provider says %s of another payment: %s.', told, answer ->> 'provider_payment_id')
      when paid <> p.amount_minor and p.status = 'pending' then
        format('The provider says that it has paid %s %s.', paid * 0.01, p.currency) end;
    update payouts x
       set provider_payment_id = case when is_refusal then x.provider_payment_id
             else coalesce(x.provider_payment_id, answer ->> 'provider_payment_id') end,
           detail = left(doubt, 1000),
           days_under_way = least(greatest((answer ->> 'days_under_way')::numeric, 1), 14),
           stage = case when doubt is not null and x.status = 'pending' then 'unknown' else x.stage end,
           notified_at = case when x.notified_at > x.asked_at or doubt is not null then x.notified_at end
     where x.id = payout returning * into p;
    returned := case told when 'returned' then least((answer ->> 'returned_minor')::bigint, p.amount_minor)
                          when 'failed' then p.amount_minor when 'canceled' then p.amount_minor else 0 end;
    if doubt is not null then
      -- Which of the two is right is for people to find out.
      null;
    elsif p.status in ('failed', 'canceled') then
      lost := case told when 'succeeded' then coalesce(paid, p.amount_minor)
                        when 'returned' then greatest(coalesce(paid, p.amount_minor)
                          - (answer ->> 'returned_minor')::bigint, 0)
                        when 'failed' then 0 when 'canceled' then 0 else p.lost_minor end;
      is_contradiction := lost > p.lost_minor;
      if lost <> p.lost_minor then
        update payouts x
           set lost_minor = lost, contradicted_at = coalesce(x.contradicted_at, clock_timestamp())
         where x.id = payout;
        perform note_payout(payout, 'gateway', case when lost = 0 then 'not_paid_after_end' else 'paid_after_end' end,
          jsonb_build_object('amount_minor', lost::text, 'currency', p.currency));
      end if;
    elsif p.status = 'pending' and told in ('queued', 'sent') then
      perform move_payout(p, told);
    elsif p.status = 'pending' and told in ('failed', 'canceled') then
      perform give_back_payout(p, told, case told when 'failed' then why end);
    else
      -- All at once, in their order: what comes back takes the wallet after the event counter otherwise.
      perform lock_accounts(array[wallet_account(p.user_id, p.environment, p.currency),
        system_account(p.environment, p.currency, 'payouts'), system_account(p.environment, p.currency, 'fees'),
        system_account(p.environment, p.currency, 'taxes'),
        clearing_account(p.environment, p.currency, p.provider)]);
      if p.status = 'pending' then
        perform settle_payout(p);
        select * into strict p from payouts x where x.id = payout;
      end if;
      if returned > p.returned_minor then
        perform return_payout(p, returned - p.returned_minor);
      end if;
    end if;
  end if;
  select x.status, x.stage into strict status, stage from payouts x where x.id = payout;
  return next;
end $$;

-- The provider has it: it waits there, or is on its way.
create or replace function move_payout(p payouts, new_stage text) returns void language plpgsql as $$
declare
  is_first boolean := new_stage = 'sent' and p.sent_at is null;
begin
  if p.stage = new_stage then
    return;
  end if;
  update payouts x
     set stage = new_stage, updated_at = next_moment(x.updated_at),
         sent_at = case when is_first then clock_timestamp() else x.sent_at end
   where x.id = p.id returning * into p;
  perform note_payout(p.id, 'gateway', new_stage,
    jsonb_build_object('provider_payment_id', p.provider_payment_id));
  if is_first then
    perform add_payout_event(p, 'payout.sent');
  end if;
end $$;

-- The provider has paid it: the money has left us.
create or replace function settle_payout(p payouts) returns void language plpgsql as $$
declare
  reserved bigint := system_account(p.environment, p.currency, 'payouts');
  clearing bigint := clearing_account(p.environment, p.currency, p.provider);
  fees bigint := system_account(p.environment, p.currency, 'fees');
  taxes bigint := system_account(p.environment, p.currency, 'taxes');
  at timestamptz;
begin
  perform lock_accounts(array[reserved, clearing, fees, taxes]);
  at := post_entries(uuidv7(), p.reference || '/made', 'payout_made', p.reference, p.environment,
    p.currency, array[row(reserved, -p.amount_minor - p.fee_minor)::ledger_leg,
      row(clearing, p.amount_minor)::ledger_leg, row(fees, p.fee_minor - p.tax_minor)::ledger_leg,
      row(taxes, p.tax_minor)::ledger_leg]);
  update payouts x
     set status = 'succeeded', stage = null, completed_at = at, updated_at = greatest(at, next_moment(x.updated_at)),
         sent_at = coalesce(x.sent_at, at)
   where x.id = p.id returning * into p;
  perform set_withdrawal_status(p, 'completed');
  perform end_payout_batch_item(p);
  perform note_payout(p.id, 'ledger', 'succeeded');
  perform add_payout_event(p, 'payout.succeeded');
end $$;

-- It was not paid, and will not be: the wallet has all of it again. False when the wallet is too full for it: the
-- payout stays as it was, and the provider is asked again.
create or replace function give_back_payout(p payouts, new_status text, why jsonb) returns boolean
language plpgsql as $$
declare
  total bigint := p.amount_minor + p.fee_minor;
  reserved bigint := system_account(p.environment, p.currency, 'payouts');
  wallet bigint := wallet_account(p.user_id, p.environment, p.currency);
  at timestamptz;
begin
  perform lock_accounts(array[reserved, wallet]);
  at := credit_back_payout(p, p.reference || '/given-back', 'payout_given_back', reserved, wallet, total);
  if at is null then
    return false;
  end if;
  update payouts x
     set status = new_status, stage = null, hold = null, failure = why, completed_at = at,
         updated_at = greatest(at, next_moment(x.updated_at))
   where x.id = p.id returning * into p;
  perform set_withdrawal_status(p, 'failed');
  perform end_payout_batch_item(p);
  perform note_payout(p.id, 'ledger', case new_status when 'failed' then 'failed' else 'given_back' end);
  if new_status = 'failed' then
    perform add_payout_event(p, 'payout.failed');
  end if;
  return true;
end $$;

-- Books that a payout came back, or a part of it; the fee stays.
create or replace function return_payout(p payouts, amount bigint) returns void language plpgsql as $$
declare
  clearing bigint := clearing_account(p.environment, p.currency, p.provider);
  wallet bigint := wallet_account(p.user_id, p.environment, p.currency);
  whole boolean := p.returned_minor + amount = p.amount_minor;
  number bigint;
  at timestamptz;
begin
  perform lock_accounts(array[clearing, wallet]);
  number := 1 + (select count(*) from payout_timeline t where t.payout_id = p.id and t.kind = 'returned');
  at := credit_back_payout(p, format('%s/returned/%s', p.reference, number), 'payout_returned', clearing, wallet,
    amount);
  if at is null then
    return;
  end if;
  update payouts x
     set returned_minor = x.returned_minor + amount, status = case when whole then 'returned' else x.status end,
         updated_at = greatest(at, next_moment(x.updated_at))
   where x.id = p.id returning * into p;
  if whole then
    perform set_withdrawal_status(p, 'reversed');
  end if;
  perform note_payout(p.id, 'ledger', 'returned', jsonb_build_object('amount_minor', amount::text,
    'currency', p.currency));
  perform add_payout_event(p, 'payout.returned');
end $$;

-- Credits the wallet from an account that the caller has locked with it. Null when the wallet is too full: the
-- provider is asked again, and operators see why.
create or replace function credit_back_payout(
  p payouts, ref text, kind text, source bigint, wallet bigint, amount bigint
) returns timestamptz language plpgsql as $$
declare
  limit_minor constant bigint := 999999999999999; -- ledger_accounts.wallet_balance
  journal uuid := uuidv7();
  balance bigint;
  marked timestamptz;
  at timestamptz;
begin
  select a.balance_minor, a.limited_at into strict balance, marked from ledger_accounts a where a.id = wallet;
  if balance + amount > limit_minor then
    update payouts x
       set detail = 'The wallet is too full to take it back.',
           notified_at = case when x.completed_at is not null then clock_timestamp() else x.notified_at end
     where x.id = p.id;
    return null;
  end if;
  at := post_entries(journal, ref, kind, p.reference, p.environment, p.currency,
    array[row(source, -amount)::ledger_leg, row(wallet, amount)::ledger_leg]);
  -- The payout's own reference stands in the history, which is what the merchant reads.
  perform add_transactions(
    array[row(uuidv7(), p.user_id, 'reversal', 'in', balance + amount, payout_recipient(p))
            ::transaction_side],
    'completed', p.environment, p.currency, amount, 0, p.reference, p.description, p.id::text, journal, at);
  if marked is not null then
    perform give_back_limit(wallet, p.reference, p.created_at, amount);
  end if;
  return at;
end $$;

-- The provider could not be asked, or did not answer. `nothing_done`: it says that it has done nothing, and will not. If
-- that is so, the payout waits as it did; otherwise it stays in doubt.
create or replace function record_payout_fault(payout uuid, asked integer, words text, nothing_done boolean)
returns void language sql security definer set search_path = public, pg_temp as $$
  update payouts x
     set detail = words,
         stage = case when is_undone(nothing_done, x.send_asked_at, x.asked_at, x.notified_at) then 'queued'
                      else x.stage end
   where x.id = payout and x.asks = asked and (x.status = 'pending' or x.notified_at is not null)
$$;

-- The provider notified that something has changed: it has to be asked. Returns whether the payout is one of its own.
-- A payout that it seemed not to have taken it has after all: the payout is looked for, and not sent anew.
create or replace function note_payout_notice(payout uuid, env text, from_provider text) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  update payouts x
     set notified_at = clock_timestamp(),
         stage = case when x.stage = 'queued' and x.provider_payment_id is null and x.send_asked_at is not null
                      then 'unknown' else x.stage end
   where x.id = payout and x.environment = env and x.provider = from_provider
  returning true
$$;

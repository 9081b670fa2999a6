-- Attempts to pay by phone, from the order to the gateway's last word. Whatever changes an attempt locks its row; what
-- needs the intent as well locks the intent first. What was asked of a gateway and not answered is unknown: the
-- attempt waits, and the gateway is asked what became of it (docs/decisions/phones.md).

create or replace function attempt_json(a payment_attempts) returns table (body json) language sql stable as $$
  select row_to_json(shown)
    from (select a.id, a.intent_id as payment_intent_id, a.status, a.operator, a.phone,
                 case when a.status = 'waiting' then
                   flat_json(a.next_step || jsonb_build_object(
                     'expires_at', instant(shown_due(a.expires_at, a.clock_seconds)))) end as next_step,
                 flat_json(a.failure) as failure, instant(a.created_at) as created_at,
                 instant(shown_due(a.expires_at, a.clock_seconds)) as expires_at,
                 instant(a.ended_at) as ended_at) shown
$$;

-- Adds an attempt to the intent's timeline, with the last two digits of the phone.
create or replace function note_attempt(a payment_attempts, source text, kind text, detail jsonb default '{}')
returns void language sql as $$
  select note_intent(a.intent_id, source, kind, jsonb_build_object(
    'attempt_id', a.id, 'operator', a.operator_name, 'phone_end', right(a.phone, 2)) || detail)
$$;

-- Whether the page of a reusable link, where anybody types any number, is used to ring people: of the newest 200 phones
-- that it rang within the hour, fewer than ten paid.
create or replace function is_ringing_strangers(link uuid) returns boolean language sql stable as $$
  select count(*) = 200 and count(*) filter (where n.status = 'succeeded') < 10
    from (select x.status
            from payment_intents p join payment_attempts x on x.intent_id = p.id
           where p.payment_link_id = link and p.created_at > clock_timestamp() - interval '1 hour'
             and x.charge_asked_at is not null
           order by p.created_at desc limit 200) n
$$;

-- Writes the attempt before any gateway is asked, once per idempotency key. `request` has the columns of
-- payment_attempts, and accept_before, rings and attempt_seconds (domain/payment-attempt.ts). An
-- attempt that waits for its one-time code has its response at once; any other one when the gateway was asked.
--
-- outcome: begun (by this request or an earlier one, whose fingerprint it is), or nothing was written: lapsed |
-- payment_intent_not_payable | attempt_in_progress | rate_limited (in `wait_s` the phone may be rung again) |
-- link_rings_strangers (is_ringing_strangers) |
-- account_frozen | kyc_required
--
-- Locks, in this order: the key, the sandbox's clock, the intent, the phone.
create or replace function create_attempt(request jsonb)
returns table (outcome text, fingerprint jsonb, is_new boolean, wait_s integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a payment_attempts := jsonb_populate_record(null::payment_attempts, request);
  i payment_intents;
  q record;
begin
  select * into strict q from jsonb_to_record(request) x (
    accept_before timestamptz, attempt_seconds integer);
  perform pg_advisory_xact_lock(
    idempotency_lock(a.user_id, a.environment, 'payment_attempt', a.idempotency_key));
  outcome := 'begun';
  select x.fingerprint into fingerprint from payment_attempts x where x.id = a.id;
  is_new := not found;
  if not is_new then
    return next;
    return;
  end if;
  fingerprint := a.fingerprint;
  a.clock_seconds := hold_sandbox_clock(a.user_id, a.environment);
  select * into strict i from payment_intents p
   where p.id = a.intent_id and p.user_id = a.user_id and p.environment = a.environment for update;
  a.created_at := clock_timestamp();
  outcome := case
    when a.created_at > q.accept_before then 'lapsed'
    when i.status <> 'open' or i.expires_at <= a.created_at then 'payment_intent_not_payable'
    when exists (select from payment_attempts x where x.intent_id = i.id and x.status = 'waiting')
      then 'attempt_in_progress'
    else (select w.held_by from ledger_accounts w
           where w.id = wallet_account(a.user_id, a.environment, i.currency)) end;
  if outcome is null then
    -- One lock for all accounts: a phone is its owner's, whichever account has it rung.
    perform pg_advisory_xact_lock(hashtextextended('phone/' || a.environment || '/' || a.phone, 0));
    a.created_at := clock_timestamp();
    -- The one that has to be old enough before the phone is rung again. What ended before it was asked for rang
    -- nobody.
    select max(r.wait) into wait_s
      from jsonb_to_recordset(request -> 'rings') l (most integer, seconds integer, counts_paid boolean)
     cross join lateral (
       select ceil(extract(epoch from x.created_at - a.created_at) + l.seconds)::integer as wait
         from payment_attempts x
        where x.phone = a.phone and x.environment = a.environment
          and x.created_at > a.created_at - l.seconds * interval '1 second'
          and (x.status = 'waiting' or x.charge_asked_at is not null)
          and (l.counts_paid or x.status <> 'succeeded')
        order by x.created_at desc offset l.most - 1 limit 1) r;
    outcome := case when wait_s is not null then 'rate_limited' when is_ringing_strangers(i.payment_link_id)
                    then 'link_rings_strangers' end;
    wait_s := greatest(1, wait_s);
  end if;
  if outcome is not null then
    return next;
    return;
  end if;
  outcome := 'begun';
  a.status := 'waiting';
  a.asks := 0;
  a.updated_at := a.created_at;
  a.expires_at := a.created_at + q.attempt_seconds * interval '1 second';
  if a.is_otp_due then
    -- No gateway is asked once the link is over.
    a.expires_at := least(a.expires_at, i.expires_at);
  end if;
  insert into payment_attempts select a.*;
  perform note_attempt(a, 'api', 'attempt_begun', jsonb_build_object('request_id', a.request_id));
  if a.is_otp_due then
    perform keep_attempt_response(a);
  end if;
  return next;
end $$;

-- The response for its key, once.
create or replace function keep_attempt_response(a payment_attempts) returns void language sql as $$
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, reference,
    request_id)
  select a.user_id, a.environment, 'payment_attempt', a.idempotency_key, a.fingerprint, 201, ok_json(s.body),
         a.id::text, a.request_id
    from attempt_json(a) s
  on conflict do nothing
$$;

-- The customer has typed the one-time code. outcome: done | otp_not_expected. The same code again changes nothing.
create or replace function give_otp(attempt uuid, code text, attempt_seconds integer) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a payment_attempts;
begin
  select * into strict a from payment_attempts x where x.id = attempt for update;
  if a.otp = code and a.answered_at is null then
    return 'done';
  end if;
  if not a.is_otp_due or not is_attempt_payable(a) then
    return 'otp_not_expected';
  end if;
  update payment_attempts x
     set otp = code, is_otp_due = false, next_step = null, updated_at = next_moment(x.updated_at),
         -- The gateway has its whole time: an attempt that is given up while it charges would be paid twice.
         expires_at = clock_timestamp() + attempt_seconds * interval '1 second'
   where x.id = attempt;
  return 'done';
end $$;

-- Whether its intent can still be paid in time.
create or replace function is_attempt_payable(a payment_attempts) returns boolean language sql as $$
  select a.status = 'waiting' and a.expires_at > clock_timestamp()
         and exists (select from payment_intents i
                      where i.id = a.intent_id and i.status = 'open' and i.expires_at > clock_timestamp())
$$;

-- The next question to the gateway, with its number; no row when there is none. From the commit on an attempt that is
-- to be charged counts as asked for, and its intent waits for it: the intent is locked first, so that it does not end
-- meanwhile.
--
-- action: charge | find | expire (nobody was asked, and its time is over: it fails without a question)
create or replace function begin_asking_attempt(attempt uuid)
returns table (action text, asks integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a payment_attempts;
  at timestamptz;
begin
  perform from payment_intents i join payment_attempts x on x.intent_id = i.id where x.id = attempt for update of i;
  select * into strict a from payment_attempts x where x.id = attempt for update;
  at := next_moment(a.asked_at);
  if a.look_until <= at then
    update payment_attempts x set look_until = null where x.id = attempt returning * into a;
  end if;
  action := case
    when a.charge_asked_at is not null then
      case when a.status = 'waiting' or a.look_until is not null or a.notified_at is not null then 'find' end
    when a.status <> 'waiting' then null
    when not is_attempt_payable(a) then 'expire'
    when not a.is_otp_due then 'charge' end;
  if action is null then
    return;
  end if;
  update payment_attempts x
     set asks = x.asks + 1, asked_at = at,
         charge_asked_at = case action when 'charge' then at else x.charge_asked_at end
   where x.id = attempt
  returning x.asks into asks;
  return next;
end $$;

-- Whether the phone is to be rung once more as a part of question `asked`, to which the gateway says that it has never
-- seen the attempt: never once it has given it an id. `promises`: ChargePromises.
create or replace function begin_charging_again(attempt uuid, asked integer, promises jsonb) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  update payment_attempts x set charge_asked_at = next_moment(x.asked_at)
   where x.id = attempt and x.asks = asked and x.provider_payment_id is null and is_attempt_payable(x)
     and may_order_again(promises, x.asked_at - x.charge_asked_at)
  returning true
$$;

-- Whether a failure that question `asked` has brought ends it. A gateway that does not ring once more, or seems to have
-- rung nobody and has it after all, leaves it waiting until its time is over; then money is looked for.
create or replace function is_attempt_failed(a payment_attempts, asked integer, why jsonb, nothing_done boolean)
returns boolean language sql immutable as $$
  select a.status = 'waiting' and a.asks = asked
         and (why ->> 'code' = 'expired'
              or (not is_repeated(a.charge_asked_at, a.asked_at)
                  and (nothing_done is not true
                       or is_undone(nothing_done, a.charge_asked_at, a.asked_at, a.notified_at))))
$$;

-- Records the answer to question `asked`: {provider_payment_id, next_step} leaves the customer time, {is_final} was
-- booked as a notification (apply_stored_notification), and null with `words` is none. Until when it waits the first
-- answer says. What is said of another payment than before is no answer.
create or replace function record_attempt_answer(attempt uuid, asked integer, answer jsonb, words text)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a payment_attempts;
begin
  select * into strict a from payment_attempts x where x.id = attempt for update;
  if a.provider_payment_id <> answer ->> 'provider_payment_id' then
    words := format('The gateway speaks of another payment: %s.', answer ->> 'provider_payment_id');
    answer := null;
  end if;
  update payment_attempts x
     set detail = words, answered_at = coalesce(x.answered_at, clock_timestamp()),
         notified_at = case when answer is null or x.notified_at > x.asked_at then x.notified_at end,
         look_until = case when (answer ->> 'is_final')::boolean then null else x.look_until end
   where x.id = attempt and x.asks = asked returning * into a;
  if a.status = 'waiting' and answer ? 'next_step' then
    update payment_attempts x
       set otp = null, provider_payment_id = answer ->> 'provider_payment_id',
           updated_at = next_moment(x.updated_at), next_step = nullif(answer -> 'next_step', 'null') - 'expires_at',
           expires_at = case when x.provider_payment_id is null
             then coalesce((answer #>> '{next_step,expires_at}')::timestamptz, x.expires_at) else x.expires_at end
     where x.id = attempt returning * into a;
  end if;
  if a.id is not null then
    perform keep_attempt_response(a);
  end if;
end $$;

-- Ends it as a notification says, or the customer; the caller has locked the intent, then the attempt. `nothing_done`:
-- the gateway has rung nobody.
create or replace function end_attempt(
  a payment_attempts, new_status text, why jsonb, payment text, nothing_done boolean, by_customer boolean default false
) returns void language plpgsql as $$
begin
  update payment_attempts x
     set status = new_status, next_step = null, otp = null, is_otp_due = false, detail = null,
         failure = jsonb_build_object('provider_code', null) || why,
         provider_payment_id = coalesce(payment, x.provider_payment_id),
         answered_at = coalesce(x.answered_at, clock_timestamp()),
         ended_at = clock_timestamp(), updated_at = next_moment(x.updated_at),
         charge_asked_at = case when nothing_done then null else x.charge_asked_at end,
         -- A secret code may arrive after its time: the gateway is asked for a day.
         look_until = case when (by_customer or why ->> 'code' = 'expired') and x.charge_asked_at is not null
                           then clock_timestamp() + interval '1 day' end
   where x.id = a.id returning * into a;
  perform keep_attempt_response(a);
  perform note_attempt(a, case when by_customer then 'api' else 'gateway' end, 'attempt_' || new_status, jsonb_strip_nulls(jsonb_build_object(
    'code', a.failure ->> 'code', 'provider_payment_id', a.provider_payment_id)));
end $$;

-- The customer chooses another way to pay. What the operator was asked may still be confirmed: the gateway is asked for
-- late money, as after its time. Never while the customer has nothing left to do, or the gateway has news: the money may
-- be on its way. An attempt that has ended has no next step, and stays as it is.
create or replace function give_up_attempt(attempt uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a payment_attempts;
begin
  perform from payment_intents i join payment_attempts x on x.intent_id = i.id where x.id = attempt for update of i;
  select * into strict a from payment_attempts x where x.id = attempt for update;
  if a.next_step is not null and a.notified_at is null then
    perform end_attempt(a, 'failed', jsonb_build_object(
      'code', 'not_approved', 'message', 'The customer chose another way to pay.'), null, false, true);
  end if;
end $$;

-- The gateway notified that something has changed: it has to be asked. Returns whether the attempt is one that it can
-- know of.
-- One that it seemed not to have taken it has after all: it is looked for, and the phone is not rung anew.
create or replace function note_attempt_notice(attempt uuid, env text, from_gateway text) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  update payment_attempts x
     set notified_at = clock_timestamp(), charge_asked_at = coalesce(x.charge_asked_at, clock_timestamp())
   where x.id = attempt and x.environment = env and x.gateway = from_gateway and not x.is_otp_due
  returning true
$$;

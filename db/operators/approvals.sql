-- Maker and checker (docs/decisions/operators.md): above a limit a decision about money is requested by one operator and
-- approved by another. The functions of operators that move money call refuse_without_approval; only
-- approve_request_with goes past it.

-- Raises AP001 when an amount needs a second operator.
create or replace function refuse_without_approval(cur text, amount bigint) returns void
language plpgsql stable as $$
begin
  if needs_approval(cur, amount) then
    raise exception 'this amount needs a second operator' using errcode = 'AP001';
  end if;
end $$;

-- Without an amount any limit asks for a second operator, whatever its figure; without a currency that of any.
create or replace function needs_approval(cur text, amount bigint) returns boolean
language plpgsql stable as $$
begin
  return exists (select from approval_limits l
                  where l.currency = coalesce(cur, l.currency) and coalesce(amount > l.above_minor, l.above_minor is not null));
end $$;

-- How the audit log names the person with this e-mail address; operatorName in use-cases/operators.ts does the same.
create or replace function operator_name(email text) returns text language sql immutable as $$
  select case when email ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$' then email
              else left('x' || regexp_replace(email, '[^A-Za-z0-9._@+-]', '-', 'g'), 55) || '-'
                   || left(encode(sha256(convert_to(email, 'UTF8')), 'hex'), 8) end
$$;

-- Finds the person who is meant by a name: the login whose e-mail address it is, or whose account has it as username;
-- else the name itself, whatever its capitals.
create or replace function operator_person(actor text) returns text language plpgsql stable as $$
begin
  return coalesce(
    (select l.id::text from logins l where l.email = lower(actor)),
    (select l.id::text from logins l
      where l.is_operator and lower(operator_name(l.email)) = lower(actor) limit 1),
    (select account_owner(u.id)::text from users u where u.username = lower(actor)),
    lower(actor));
end $$;

-- Raises AP002 when the operator belongs to the account: operators do not decide about their own
-- money or identity. They may request what is above a limit; another operator approves.
create or replace function refuse_own_account(actor text, account uuid) returns void
language plpgsql stable as $$
begin
  if exists (select from memberships m
              where m.user_id = account and m.login_id::text = operator_person(actor)) then
    raise exception 'an operator does not decide about an account of their own' using errcode = 'AP002';
  end if;
end $$;

-- Finds the subject of the action; no row when there is no such thing, or the action is not possible now.
create or replace function approval_subject(action text, arguments jsonb)
returns table (subject text, username text, environment text, currency text, amount_minor bigint)
language plpgsql as $$
begin
  if action = 'wallets.credit' then
    return query
      select 'credit/' || (arguments ->> 'reference'), u.username, arguments ->> 'environment',
             arguments ->> 'currency', (arguments ->> 'amount_minor')::bigint
        from users u
       where u.id = (arguments ->> 'user_id')::uuid
         and not exists (select from ledger_transactions t where t.reference = arguments ->> 'reference');
  elsif action = 'refunds.create' then
    -- One that waits for each payment. Without an amount all that is left now is meant.
    return query
      select 'refund/' || i.reference, u.username, i.environment, i.currency, r.amount
        from payment_intents i
        join users u on u.id = i.user_id
       cross join lateral payment_of_intent(i) p
       cross join lateral (select coalesce((arguments ->> 'amount_minor')::bigint,
                                           p.amount_minor - i.refunded_minor) as amount) r
       where i.id = (arguments ->> 'intent_id')::uuid and i.status = 'succeeded'
         and r.amount > 0 and i.refunded_minor + r.amount <= p.amount_minor;
  elsif action = 'refunds.fail' then
    return query
      select 'refund/' || r.reference, u.username, r.environment, r.currency, r.amount_minor
        from refunds r join users u on u.id = r.user_id
       where r.id = (arguments ->> 'refund')::uuid and r.status = 'pending'
         and is_unmade(r, arguments ->> 'gateway_refund');
  elsif action = 'payouts.settle' then
    return query
      select 'payout/' || p.reference, u.username, p.environment, p.currency, p.amount_minor
        from payouts p join users u on u.id = p.user_id
       where p.id = (arguments ->> 'payout')::uuid and deciding_outcome(p, arguments) = 'done';
  elsif action = 'losses.settle' then
    return query
      select 'loss/' || l.reference, u.username, l.environment, l.currency, abs(l.amount_minor)
        from unsettled_losses() l left join users u on u.id = l.user_id
       where l.reference = arguments ->> 'reference'
         and l.amount_minor = (arguments ->> 'amount_minor')::bigint;
  elsif action not like 'suspense.%' then
    return query select * from setting_subject(action, arguments);
  else
    return query
      select 'suspense/' || s.id, u.username, s.environment, s.currency, s.amount_minor
        from suspense_items s left join users u on u.id = s.user_id
       where s.id = (arguments ->> 'item')::uuid
         and case action when 'suspense.close' then closing_outcome(s, arguments) = 'done'
               else s.status = 'held' end
         and (action <> 'suspense.accept' or s.user_id is not null)
         and (not coalesce((arguments ->> 'closes_intent')::boolean, false)
              or exists (select from payment_intents p where p.id = s.intent_id
                          and p.status in ('open', 'processing') and p.currency = s.currency));
  end if;
end $$;

-- Stores what one operator wants. outcome: requested | waiting (the same was requested before: its id) |
-- other_waiting (something else about the same subject: its id) | not_needed | not_possible
create or replace function request_approval(
  action text, arguments jsonb, why text, actor text, out outcome text, out approval uuid
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  -- Long enough for a weekend, and short enough that both still remember why.
  lasts constant interval := interval '7 days';
  about record;
  before approvals;
begin
  select * into about from approval_subject(action, arguments);
  outcome := 'not_possible';
  if not found then
    return;
  end if;
  if not needs_approval(about.currency, about.amount_minor) then
    outcome := 'not_needed';
    return;
  end if;
  update approvals a set status = 'expired', decided_at = clock_timestamp()
   where a.subject = about.subject and a.status = 'waiting' and a.expires_at <= clock_timestamp();
  insert into approvals (action, subject, arguments, username, environment, currency, amount_minor,
    reason, requested_by, expires_at)
  values (request_approval.action, about.subject, request_approval.arguments, about.username,
    about.environment, about.currency, about.amount_minor, why, actor, clock_timestamp() + lasts)
  on conflict (subject) where status = 'waiting' do nothing
  returning id into approval;
  if not found then
    select * into strict before from approvals a where a.subject = about.subject and a.status = 'waiting';
    approval := before.id;
    outcome := case when before.action = request_approval.action
                     and before.arguments = request_approval.arguments
                    then 'waiting' else 'other_waiting' end;
    return;
  end if;
  outcome := 'requested';
  perform add_audit_row(actor, 'approvals.request', 'approval/' || approval,
    approval_audit(approval) || jsonb_build_object('action', action));
end $$;

create or replace function approval_audit(approval uuid) returns jsonb
language plpgsql stable as $$
begin
  return (select jsonb_strip_nulls(jsonb_build_object('username', a.username,
                   'environment', a.environment, 'currency', a.currency,
                   'amount', (a.amount_minor * 0.01)::text, 'subject', a.subject,
                   'reason', nullif(a.reason, '')))
            from approvals a where a.id = approval);
end $$;

-- A second operator approves, and the effect is in the same transaction: both or neither, once. What is no
-- longer possible raises check_violation, and the request goes on waiting.
-- outcome: approved | not_found | same_person | expired, or the status of a request that was decided
create or replace function approve_request_with(
  approval uuid, pay_url_base text, actor text, out outcome text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  a approvals;
begin
  select * into a from approvals x where x.id = approval for update;
  outcome := 'not_found';
  if not found then
    return;
  end if;
  outcome := case when a.status <> 'waiting' then a.status
                  when a.expires_at <= clock_timestamp() then 'expired'
                  when operator_person(actor) = operator_person(a.requested_by) then 'same_person'
                  else 'approved' end;
  if outcome = 'approved' and a.status = 'waiting' then
    perform refuse_own_account(actor, u.id) from users u where u.username = a.username;
    -- The row comes before the effect, which ends with its row in the audit log.
    update approvals x set status = 'approved', decided_by = actor, decided_at = clock_timestamp()
     where x.id = approval;
    perform perform_approved(a, pay_url_base, actor);
  end if;
end $$;

create or replace function perform_approved(a approvals, pay_url_base text, actor text) returns void
language plpgsql as $$
declare
  g jsonb := a.arguments;
  held_item uuid := (g ->> 'item')::uuid;
  both_names jsonb := jsonb_build_object('approval', a.id, 'requested_by', a.requested_by,
    'approved_by', actor);
  is_done boolean := true;
begin
  case a.action
    when 'suspense.accept' then
      if coalesce((g ->> 'closes_intent')::boolean, false) then
        perform accept_suspense_closing_as(held_item, pay_url_base, actor, both_names);
      else
        perform 1 from accept_suspense_as(held_item, actor, both_names);
      end if;
    when 'suspense.refund' then
      select o.is_new into is_done from order_suspense_refund_as(held_item, actor, both_names,
        a.requested_by || ', approved by ' || actor) o;
    when 'suspense.close' then
      is_done := close_suspense_as(g, actor, both_names) = 'done';
    when 'refunds.create' then
      -- Both have read this amount; it holds also when no amount was asked for and more is left by now.
      select o.outcome = 'created' and not o.is_replay into is_done
        from order_refund_as(g || jsonb_build_object('amount_minor', a.amount_minor), actor, both_names) o;
    when 'refunds.fail' then
      is_done := fail_refund_as(g, actor, both_names) = 'done';
    when 'payouts.settle' then
      is_done := decide_payout_as(g, actor, both_names) = 'done';
    when 'losses.settle' then
      is_done := settle_loss_as(g ->> 'reference', (g ->> 'amount_minor')::bigint, g ->> 'reason', actor,
        both_names);
    when 'wallets.credit' then
      select c.outcome = 'credited' into is_done
        from credit_wallet_as(g ->> 'reference', (g ->> 'user_id')::uuid, g ->> 'environment',
          g ->> 'currency', g ->> 'source', (g ->> 'amount_minor')::bigint, g ->> 'reason', actor,
          both_names) c;
    else
      select c.refusal is null and c.before is distinct from c.after into is_done
        from change_setting_as(a.action, g, actor, both_names) c;
  end case;
  if not is_done then
    raise exception 'what was requested is no longer possible' using errcode = 'check_violation';
  end if;
end $$;

-- Any operator may reject, also who requested it. outcome: rejected | not_found, or the status of a
-- request that was decided
create or replace function reject_request(approval uuid, why text, actor text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before text;
begin
  select a.status into before from approvals a where a.id = approval for update;
  if not found then
    return 'not_found';
  end if;
  if before <> 'waiting' then
    return before;
  end if;
  update approvals a
     set status = 'rejected', decided_by = actor, decided_at = clock_timestamp(), decision_reason = why
   where a.id = approval;
  perform add_audit_row(actor, 'approvals.reject', 'approval/' || approval,
    approval_audit(approval) || jsonb_strip_nulls(jsonb_build_object('why', nullif(why, ''))));
  return 'rejected';
end $$;

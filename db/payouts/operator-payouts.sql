-- Operators' decisions about payouts: what became of one whose provider does not say it.

-- An operator has looked: the provider has paid it, or has not and never will. `deciding` is {payout, is_paid,
-- provider_payment, reason}; above the limit it raises AP001, a violation of wallet_has_room when the
-- wallet is too full, and one of gateway_is_asked.
--
-- outcome: done | not_asked (nothing was asked of the provider: it can be canceled) | at_provider (the provider has
-- it, and `provider_payment` does not name it) | the status in which it was before
create or replace function decide_payout(deciding jsonb, actor text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outcome constant text := decide_payout_as(deciding, actor, '{}');
begin
  -- The payout is locked by now: what raises here undoes it all.
  if outcome = 'done' then
    perform refuse_without_approval(p.currency, p.amount_minor), refuse_own_account(actor, p.user_id)
       from payouts p where p.id = (deciding ->> 'payout')::uuid;
  end if;
  return outcome;
end $$;

-- `more` is added to what the audit log says.
create or replace function decide_payout_as(deciding jsonb, actor text, more jsonb, out outcome text) language plpgsql as $$
declare
  payout uuid := (deciding ->> 'payout')::uuid;
  is_paid boolean := (deciding ->> 'is_paid')::boolean;
  why text := nullif(deciding ->> 'reason', '');
  p payouts;
begin
  select * into strict p from payouts x where x.id = payout for update;
  outcome := deciding_outcome(p, deciding);
  if outcome = 'done' then
    perform refuse_while_asked(p.asked_at);
    update payouts x set notified_at = null, detail = null where x.id = payout returning * into p;
    perform note_payout(payout, 'api', case when is_paid then 'settled_paid' else 'settled_not_paid' end,
      jsonb_strip_nulls(jsonb_build_object('reason', why)));
    if is_paid then
      perform settle_payout(p);
    elsif not give_back_payout(p, 'failed', jsonb_build_object('code', 'unspecified', 'message',
        coalesce(why, 'The provider has not paid it.'), 'provider_code', null)) then
      raise exception 'the wallet is too full to take payout % back', p.reference
        using errcode = 'check_violation', constraint = 'wallet_has_room';
    end if;
    perform add_audit_row(actor, 'payouts.settle', 'payout/' || payout, jsonb_strip_nulls(jsonb_build_object(
      'username', username_of(p.user_id), 'environment', p.environment, 'currency', p.currency,
      'amount', (p.amount_minor * 0.01)::text, 'reference', p.reference, 'is_paid', is_paid,
      'provider_payment', p.provider_payment_id, 'reason', why)) || more);
  end if;
end $$;

-- An operator may decide about a payout that the provider was asked for and that has not ended. Where the provider has
-- given it an id, the operator names that id, which shows that they have looked there.
create or replace function deciding_outcome(p payouts, deciding jsonb) returns text language sql immutable as $$
  select case when p.status <> 'pending' then p.status
              when p.provider_payment_id is null then case p.stage when 'queued' then 'not_asked' else 'done' end
              when p.provider_payment_id = deciding ->> 'provider_payment' then 'done' else 'at_provider' end
$$;

-- Whether it stands among those in doubt: for a day the provider was asked and has not answered, or has said that it is
-- on its way (for more days where it needs them), or has not taken it back after its wait. A provider's queue is no
-- doubt before that.
create or replace function is_payout_in_doubt(p payouts) returns boolean language sql stable as $$
  select p.status = 'pending'
         and case p.stage when 'unknown' then p.send_begun_at
                          when 'sent' then p.sent_at + (coalesce(p.days_under_way, 1) - 1) * interval '24 hours'
                          else p.expires_at end < now() - interval '24 hours'
$$;

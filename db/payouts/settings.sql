-- The rule that an account sets for its payouts, and what an order would meet (docs/decisions/payouts.md).

-- Sets what the owners decide. `mails` to the owners leave with the change. Returns
-- whether anything changed.
create or replace function set_payout_settings(account uuid, cur text, settings jsonb, mails jsonb) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  s payout_settings := jsonb_populate_record(null::payout_settings, settings);
begin
  insert into payout_settings (user_id, currency) values (account, cur) on conflict do nothing;
  update payout_settings x
     set approval_above_minor = s.approval_above_minor, approvers = s.approvers,
         new_destination_above_minor = s.new_destination_above_minor, single_minor = s.single_minor,
         daily_minor = s.daily_minor, monthly_minor = s.monthly_minor
   where x.user_id = account and x.currency = cur
     and (x.approval_above_minor, x.approvers, x.new_destination_above_minor, x.single_minor, x.daily_minor,
          x.monthly_minor)
         is distinct from (s.approval_above_minor, s.approvers, s.new_destination_above_minor, s.single_minor,
                           s.daily_minor, s.monthly_minor);
  if not found then
    return false;
  end if;
  perform queue_mails(mails);
  return true;
end $$;

-- Says what an order would meet at this moment; `request` has the columns of payouts that say whose it is, what and
-- where to.
create or replace function preview_payout(request jsonb)
returns table (
  balance_minor bigint, fee_minor bigint, tax_minor bigint, held_by text, approvals_needed smallint,
  limit_name text, maximum_minor bigint, used_minor bigint
)
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  p payouts := jsonb_populate_record(null::payouts, request);
  wallet constant bigint := wallet_account(p.user_id, p.environment, p.currency);
  marked timestamptz;
begin
  select a.balance_minor, a.held_by, a.limited_at into strict balance_minor, held_by, marked
    from ledger_accounts a where a.id = wallet;
  select f.fee_minor, f.tax_minor into strict fee_minor, tax_minor
    from fee_of('payout', p.currency, p.amount_minor, null, p.user_id, payout_method(p.account, p.operator),
      statement_timestamp()) f;
  approvals_needed := payout_approvals_needed(p);
  select l.limit_name, l.maximum_minor, l.used_minor into limit_name, maximum_minor, used_minor
    from exceeded_payout_limit(p.user_id, p.environment, p.currency, p.amount_minor) l;
  if limit_name is null then
    select l.limit_name, l.maximum_minor, l.used_minor into limit_name, maximum_minor, used_minor
      from look_at_limit(wallet, marked, p.amount_minor + fee_minor, balance_minor, false) l;
  end if;
  return next;
end $$;

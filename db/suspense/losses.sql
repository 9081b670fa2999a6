-- Losses: money that a gateway gave back beyond the books (docs/decisions/refunds.md). An operator settles each, once.

-- Losses that wait to be settled. A refund was given back to its merchant, and the gateway has made it all the same; an
-- item of suspense was given back by more refunds than its own, or another way too; a payout was given back to its
-- merchant, and its provider has paid it all the same. Negative: what was settled, and was taken back since.
create or replace function unsettled_losses()
returns table (reference text, user_id uuid, environment text, currency text, amount_minor bigint, provider text)
language sql stable as $$
  select l.reference, l.user_id, l.environment, l.currency, l.lost_minor - l.loss_minor, l.provider
    from (
      select r.reference, r.user_id, r.environment, r.currency, r.loss_minor, r.gateway as provider,
             case when r.status = 'failed' and r.gateway_status = 'succeeded' then r.amount_minor else 0 end
               as lost_minor
        from refunds r
      union all
      select s.reference, s.user_id, s.environment, s.currency, s.loss_minor, s.gateway,
             s.amount_minor * greatest(coalesce(m.refunds, 0) - (s.status = 'refunded')::integer, 0)
        from suspense_items s
        left join (select x.item_id, count(distinct x.refund_id) as refunds from suspense_refunds x
                    where x.status = 'succeeded' group by x.item_id) m on m.item_id = s.id
      union all
      select p.reference, p.user_id, p.environment, p.currency, p.loss_minor, p.provider, p.lost_minor
        from payouts p where p.contradicted_at is not null) l
   where l.lost_minor <> l.loss_minor
$$;

-- An operator settles what waits under this reference, on record: the platform bears it. False when that is not
-- `amount`, which the operator has seen: nothing is done. Above the limit it raises AP001.
create or replace function settle_loss(ref text, amount bigint, why text, actor text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_settled boolean := settle_loss_as(ref, amount, why, actor, '{}');
begin
  -- The locks that are held by now tell what waits: an error that is raised here undoes it all.
  if is_settled then
    perform refuse_without_approval(l.currency, abs(amount)), refuse_own_account(actor, l.user_id)
       from (select r.currency, r.user_id from refunds r where r.reference = ref
             union all
             select s.currency, s.user_id from suspense_items s where s.reference = ref
             union all
             select p.currency, p.user_id from payouts p where p.reference = ref) l;
  end if;
  return is_settled;
end $$;

-- `more` is added to what the audit log says. Locks as the gateway's answers do: the intent, the refund or the
-- item, or the payout; accounts by id.
create or replace function settle_loss_as(ref text, amount bigint, why text, actor text, more jsonb)
returns boolean language plpgsql as $$
declare
  l record;
  operator bigint;
  clearing bigint;
  posting text := 'LSS-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 20));
begin
  perform lock_refund(r.id) from refunds r where r.reference = ref;
  perform from suspense_items s where s.reference = ref for update;
  perform from payouts p where p.reference = ref for update;
  select * into l from unsettled_losses() x where x.reference = ref;
  if l.amount_minor is distinct from amount then
    return false;
  end if;
  operator := system_account(l.environment, l.currency, 'operator');
  clearing := clearing_account(l.environment, l.currency, l.provider);
  perform lock_accounts(array[operator, clearing]);
  perform post_entries(uuidv7(), posting, 'loss', ref, l.environment, l.currency,
    array[row(operator, -amount)::ledger_leg, row(clearing, amount)::ledger_leg]);
  update refunds r set loss_minor = r.loss_minor + amount where r.reference = ref;
  update suspense_items s set loss_minor = s.loss_minor + amount where s.reference = ref;
  update payouts p set loss_minor = p.loss_minor + amount where p.reference = ref;
  perform add_audit_row(actor, 'losses.settle', 'loss/' || ref, jsonb_strip_nulls(jsonb_build_object(
    'username', (select u.username from users u where u.id = l.user_id), 'environment', l.environment,
    'currency', l.currency, 'amount', (amount * 0.01)::text, 'reference', posting, 'reason', why)) || more);
  return true;
end $$;

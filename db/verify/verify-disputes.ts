// Checks what must always hold of disputes of payments, from the rows alone: I20.

import { type Check, checks, holds, tells } from './checks';

export const DISPUTE_CHECKS: readonly Check[] = checks('I20', {
  'account of open disputes does not hold what was taken for them': holds(
    'disputes',
    'taken_minor',
    `disputes where status = 'open'`,
  ),
  // The history shows what left and entered the wallet; the legs of each kind say where it went.
  'dispute moved other figures than its own, or the reverse': `
    select coalesce(d.reference, j.dispute) as reference from disputes d
      full join (
        select t.description as dispute, t.environment, min(e.currency) as currency,
               coalesce(sum(e.amount_minor) filter (where t.kind = 'dispute_taken'), 0) as taken,
               count(*) filter (where t.kind = 'dispute_taken') as takes,
               coalesce(sum(e.amount_minor) filter (where t.kind = 'dispute_won'), 0) as won,
               count(*) filter (where t.kind = 'dispute_won'
                 and t.reference = t.description || '/won') as wins,
               count(*) filter (where t.kind = 'dispute_lost'
                 and t.reference = t.description || '/lost') as losses, count(*) as total
          from ledger_transactions t
          left join ledger_entries e on e.transaction_id = t.id and e.amount_minor > 0
         where t.kind in ('dispute_taken', 'dispute_won', 'dispute_lost')
         group by t.description, t.environment) j
        on j.dispute = d.reference and j.environment = d.environment
     where d.reference is null
        or coalesce(j.taken, 0) <> d.taken_minor + d.fee_taken_minor
        or coalesce(j.takes, 0) <> d.takes
        or coalesce(j.won, 0) <> case d.status when 'won' then d.taken_minor else 0 end
        or coalesce(j.currency, d.currency) <> d.currency
        or coalesce(j.total, 0) <> coalesce(j.takes + j.wins + j.losses, 0)
        or (d.status = 'open' and j.losses > 0)`,
  'history shows another account, currency or payment than that of the dispute': `
    select h.reference from transactions h
      left join disputes d on d.reference = h.reference and d.user_id = h.user_id
           and d.environment = h.environment and d.currency = h.currency
           and h.related = d.intent_id::text
     where (h.type = 'dispute' or h.reference like 'DSP-%') and d.id is null`,
  "dispute is of another payment than one of its merchant's": `
    select d.reference from disputes d
      left join payment_intents i on i.id = d.intent_id and i.user_id = d.user_id
           and i.environment = d.environment
      left join gateway_payments p on p.gateway = d.gateway and p.environment = d.environment
           and p.provider_payment_id = d.provider_payment_id and p.intent_id = i.id
           and p.currency = d.currency
     where p.ledger_reference is null`,
  'dispute without the event of its state, or the reverse': `
    select coalesce(d.reference, e.id::text) as reference from (
      select id, reference, user_id, environment, 'dispute.opened' as type from disputes
      union all
      select id, reference, user_id, environment, 'dispute.' || status from disputes
       where status <> 'open') d
      full join (select * from events where dispute_id is not null
                  -- One that was lost may be won by an appeal.
                  and (type <> 'dispute.lost' or exists (
                    select from disputes x where x.id = dispute_id and x.status <> 'won'))) e
        on e.dispute_id = d.id and e.type = d.type and e.user_id = d.user_id
           and e.environment = d.environment
     where d.reference is null or e.id is null`,
  'event does not match its dispute': `
    select d.reference from events e join disputes d on d.id = e.dispute_id
     where not ${tells(`'id', d.id, 'reference', d.reference, 'payment_intent_id', d.intent_id,
       'status', replace(split_part(e.type, '.', 2), 'opened', 'open'), 'amount', decimal_amount(d.amount_minor),
       'currency', d.currency, 'created_at', instant(d.created_at),
       -- One that was lost is closed again when an appeal wins it.
       'closed_at', case e.type when 'dispute.' || d.status then instant(d.closed_at)
         when 'dispute.lost' then json_or_null(e.body) #>> '{data,closed_at}' end`)}`,
});

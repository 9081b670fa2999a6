// Checks what must always hold of cases of risk, from the rows alone: I22. What is held has its case and its money, and
// what was decided has moved once.

import { type Check, checks } from './checks';

/** What waits in `holds`. */
const HELD = `(
  select environment, currency, amount_minor from transfers where status = 'held' and environment = 'live'
  union all
  select environment, currency, amount_minor from payment_intents where hold is not null) x`;

export const RISK_CHECKS: readonly Check[] = checks('I22', {
  'account of holds does not hold what waits for a decision': `
    select a.environment || '/' || a.currency as reference from ledger_accounts a
     where a.kind = 'holds' and a.balance_minor <> coalesce((
             select sum(x.amount_minor) from ${HELD}
              where x.environment = a.environment and x.currency = a.currency), 0)`,
  'case is not as its transfer, payout or payment, or the reverse': `
    select coalesce(c.reference, s.reference) as reference
      from (select * from risk_cases where decision = 'hold') c
      full join (
        select reference, user_id, environment, currency, amount_minor, hold ->> 'reference' as held_as,
               status as ended, subject_type
          from (select reference, sender_id as user_id, environment, currency, amount_minor, hold, status,
                       'transfer' as subject_type from transfers
                union all
                select reference, user_id, environment, currency, amount_minor, hold, status, 'payout' from payouts
                union all
                select reference, user_id, environment, currency, amount_minor, hold, status, 'payment_intent'
                  from payment_intents) y) s
        on s.reference = c.subject and s.subject_type = c.subject_type and s.user_id = c.user_id
           and s.environment = c.environment and s.currency = c.currency and s.amount_minor = c.amount_minor
     where case when c.reference is null then s.held_as is not null or s.ended = 'refused'
                when s.reference is null then true
                else (c.status = 'held') <> coalesce(s.held_as = c.reference, false)
                  or (c.status = 'released' and s.ended = 'refused')
                  or (c.status in ('refused', 'expired')
                      and s.ended <> case c.subject_type when 'transfer' then 'refused' else 'failed' end)
                  or (c.status = 'withdrawn' and (c.subject_type, s.ended) <> ('payout', 'canceled')) end`,
  'money of a case moved in or out more or less than once': `
    select c.reference from risk_cases c
      left join ledger_transactions j on j.environment = c.environment and j.kind in ('hold', 'hold_returned',
             'transfer', 'payment', 'suspense')
           and exists (select from ledger_entries e join ledger_accounts a on a.id = e.account_id and a.kind = 'holds'
                        where e.transaction_id = j.id
                          and e.currency = c.currency and abs(e.amount_minor) = c.amount_minor)
           and (j.reference in (c.reference, c.reference || '/returned', c.subject)
                or j.reference in (select s.reference from suspense_items s
                                     join payment_intents i on i.id = s.intent_id
                                    where i.reference = c.subject and s.reason = 'risk_refused'))
     group by c.reference
    having count(*) filter (where j.kind = 'hold')
             <> case when c.decision = 'hold' and c.subject_type <> 'payout'
                      and (c.environment = 'live' or c.subject_type <> 'transfer') then 1 else 0 end
        or count(*) filter (where j.kind <> 'hold')
             <> case when c.decision = 'hold' and c.status <> 'held' and c.subject_type <> 'payout'
                      and (c.environment = 'live' or c.subject_type <> 'transfer') then 1 else 0 end`,
  'amount above the limit was decided by one operator': `
    select c.reference from risk_cases c
      join audit_log l on l.subject = 'risk/' || c.reference and l.action in ('risk.release', 'risk.refuse')
     where c.status in ('released', 'refused') and l.details ->> 'approval' is not null
       and lower(l.details ->> 'requested_by') = lower(l.details ->> 'approved_by')`,
  'case that an operator decided has no row of the audit log': `
    select c.reference from risk_cases c
     where c.decided_by is not null
       and not exists (select from audit_log l where l.subject = 'risk/' || c.reference
                         and l.action in ('risk.release', 'risk.refuse'))`,
});

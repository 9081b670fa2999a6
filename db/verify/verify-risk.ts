// Checks what must always hold of cases of risk, from the rows alone: I22. What is held has its case and its money, and
// what was decided has moved once.

import { type Check, checks, holds } from './checks';

/** Money that waits in `holds`. */
const HELD = `(
  select environment, currency, transfer_total(t) as amount_minor from transfers t
   where status = 'held' and environment = 'live'
  union all
  select environment, currency, amount_minor from payment_intents where hold is not null) x`;

export const RISK_CHECKS: readonly Check[] = checks('I22', {
  'account of holds does not hold what waits for a decision': holds('holds', 'amount_minor', HELD),
  'case is not as its transfer, payout or payment, or the reverse': `
    select coalesce(c.reference, s.reference) as reference
      from (select * from risk_cases where decision = 'hold' and subject_type <> 'account') c
      full join (
        select reference, user_id, environment, currency, amount_minor, hold ->> 'reference' as held_as,
               status as ended, subject_type, recipient_id, id
          from (select reference, sender_id as user_id, environment, currency, amount_minor, hold, status,
                       'transfer' as subject_type, recipient_id, null::uuid as id from transfers
                union all
                select reference, user_id, environment, currency, amount_minor, hold, status, 'payout', null, id
                  from payouts
                union all
                select reference, user_id, environment, currency, amount_minor, hold, status, 'payment_intent', null, id
                  from payment_intents) y) s
        on s.reference = c.subject and s.subject_type = c.subject_type and s.user_id = c.user_id
           and s.environment = c.environment and s.currency = c.currency and s.amount_minor = c.amount_minor
     where case when c.reference is null then s.held_as is not null or s.ended = 'refused'
                when s.reference is null then true
                else (c.status = 'held') <> coalesce(s.held_as = c.reference, false)
                  or c.recipient_id is distinct from s.recipient_id or c.subject_id <> s.id
                  or (s.id is null and c.created_at >= (select shown_since()) and not exists (
                    select from public.transactions h
                     where h.id = c.subject_id and h.reference = c.subject and h.user_id = c.user_id
                       and h.environment = c.environment))
                  or (c.status = 'released' and s.ended = 'refused')
                  or (c.status in ('refused', 'expired')
                      and s.ended <> case c.subject_type when 'transfer' then 'refused' else 'failed' end)
                  or (c.status = 'withdrawn' and (c.subject_type, s.ended) <> ('payout', 'canceled')) end`,
  'money of a case moved in or out more or less than once': `
    select coalesce(c.reference, m.reference, 'holds') as reference
      from (select y.reference, y.environment, y.currency, y.status,
                   case y.subject_type when 'transfer' then transfer_total(t) else y.amount_minor end as amount_minor
              from risk_cases y left join transfers t on t.reference = y.subject
             where y.decision = 'hold' and y.subject_type not in ('payout', 'account')
               and (y.environment = 'live' or y.subject_type <> 'transfer')) c
      full join (
        select coalesce(x.reference, k.reference) as reference, x.environment, x.currency,
               count(*) filter (where x.amount_minor > 0) as came, count(*) filter (where x.amount_minor < 0) as went,
               min(abs(x.amount_minor)) as least, max(abs(x.amount_minor)) as most
          from (select e.environment, e.currency, e.amount_minor,
                       case j.kind when 'hold' then j.reference
                                   when 'hold_returned' then replace(j.reference, '/returned', '') end as reference,
                       case j.kind when 'suspense' then i.reference else j.reference end as subject
                  from ledger_entries e
                  join ledger_accounts a on a.id = e.account_id and a.kind = 'holds'
                  join ledger_transactions j on j.id = e.transaction_id
                  left join suspense_items s on s.reference = j.reference
                  left join payment_intents i on i.id = s.intent_id) x
          left join risk_cases k on k.subject = x.subject and k.decision = 'hold'
         group by 1, 2, 3) m using (reference, environment, currency)
     where c.amount_minor is null or m.came is distinct from 1 or m.least <> c.amount_minor or m.most <> c.amount_minor
        or m.went <> case c.status when 'held' then 0 else 1 end`,
  'account with an open case is not held back, or one without is': `
    select u.username as reference from users u
      join ledger_accounts a on a.user_id = u.id and a.is_questioned is distinct from exists (
        select from risk_cases c where c.user_id = u.id and c.subject_type = 'account' and c.status = 'held')`,
  'account sent or received while its case was open': `
    select j.reference
      from risk_cases c
      join ledger_accounts a on a.user_id = c.user_id and a.kind = 'wallet' and a.last_posted_at > c.created_at
      join public.ledger_entries e on e.account_id = a.id
      join public.ledger_transactions j on j.id = e.transaction_id and j.created_at > c.created_at
     where c.subject_type = 'account' and c.status = 'held' and j.kind in ('transfer', 'payment')`,
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

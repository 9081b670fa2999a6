// Checks what must always hold of refunds: I17, from the rows alone. No more goes back than was paid, what
// waits for the gateway is in its account, and each step has its entries, its history row and its event.

import { answers, type Check, checks, holds, tells } from './checks';

/**
 * Joins as `p` what intent `i` has succeeded with: as payment_of_intent does, for all intents at
 * once.
 */
const PAYMENT = `left join ledger_transactions s on i.settled_minor is not null
                 and s.reference = i.reference and s.environment = i.environment
                 and s.kind = 'suspense_accepted'
            left join gateway_payments p on p.currency = i.currency
                 and p.ledger_reference = case when i.settled_minor is null then i.reference
                                               else s.description end`;

/** The part of refund `r` that stays as it was ordered, in its response and in its events. */
const ORDERED = `'id', r.id, 'reference', r.reference, 'payment_intent_id', r.intent_id,
  'amount', decimal_amount(r.amount_minor), 'currency', r.currency, 'environment', r.environment,
  'reason', r.reason, 'created_at', instant(r.created_at)`;

export const REFUND_CHECKS: readonly Check[] = [
  ...checks('I17', {
    'refund without its one reservation in the journal, or the reverse': `
      select coalesce(r.reference, j.reference) as reference from refunds r
        full join (select * from ledger_transactions where kind = 'refund_reserved') j
          on j.reference = r.reference and j.environment = r.environment
       where r.reference is null or j.reference is null`,
    'refund was made or given back without the journal, or the reverse': `
      select coalesce(r.reference, j.refund) as reference from refunds r
        full join (
          select description as refund, environment,
                 count(*) filter (where kind = 'refund_made'
                   and reference = description || '/made') as made,
                 count(*) filter (where kind = 'refund_returned'
                   and reference = description || '/returned') as returned, count(*) as total
            from ledger_transactions where kind in ('refund_made', 'refund_returned')
           group by description, environment) j
          on j.refund = r.reference and j.environment = r.environment
       where r.reference is null
          or coalesce(j.total, 0) <> coalesce(j.made + j.returned, 0)
          or case r.status when 'pending' then j.total > 0
               when 'succeeded' then (coalesce(j.made, 0), coalesce(j.returned, 0)) <> (1, 0)
               else coalesce(j.returned, 0) <> 1 or j.made > 1 end`,
    // The history shows what left the wallet and came back.
    'refund was made with other figures than its own': `
      select r.reference from refunds r
        join ledger_transactions j on j.reference = r.reference || '/made' and j.kind = 'refund_made'
        left join ledger_entries e on e.transaction_id = j.id and e.amount_minor = r.amount_minor
             and e.environment = r.environment and e.currency = r.currency
       where e.transaction_id is null`,
    'account of pending refunds does not hold what they wait for': holds(
      'refunds',
      'amount_minor',
      `refunds where status = 'pending'`,
    ),
    'more was refunded than was paid, or the intent says another sum': `
      select i.reference from payment_intents i
        left join (select intent_id, sum(amount_minor) as refunded from refunds
                    where status in ('pending', 'succeeded') group by intent_id) r
          on r.intent_id = i.id
        ${PAYMENT}
       where i.refunded_minor <> coalesce(r.refunded, 0)
          or (i.refunded_minor > 0 and i.refunded_minor > coalesce(p.amount_minor, 0))`,
    'refund is not shown exactly once with its figures, and given back once if it failed': `
      select r.reference from refunds r
        left join transactions h on h.reference = r.reference
       where r.created_at >= (select shown_since())
       group by r.id, r.reference
      having count(h.id) <> case r.status when 'failed' then 2 else 1 end
          or count(h.id) filter (where h.type = 'refund' and h.direction = 'out'
               and h.user_id = r.user_id and h.environment = r.environment
               and h.currency = r.currency and h.amount_minor = r.amount_minor
               and h.related = r.intent_id::text) <> 1
          or count(h.id) filter (where h.type = 'reversal' and h.direction = 'in'
               and h.user_id = r.user_id and h.environment = r.environment
               and h.currency = r.currency and h.amount_minor = r.amount_minor
               and h.related = r.intent_id::text)
             <> case r.status when 'failed' then 1 else 0 end`,
    'history shows a refund that nobody ordered': `
      select h.reference from transactions h
       where h.type = 'refund'
         and not exists (select from refunds r where r.reference = h.reference
                           and r.user_id = h.user_id and r.environment = h.environment)`,
    'refund is of another payment than that of its intent': `
      select r.reference from refunds r
        left join payment_intents i on i.id = r.intent_id and i.user_id = r.user_id
             and i.environment = r.environment and i.currency = r.currency
             and i.status = 'succeeded'
        ${PAYMENT}
             and p.gateway = r.gateway and p.environment = r.environment
             and p.provider_payment_id = r.provider_payment_id
       where p.ledger_reference is null`,
    // Counted and not looked for: a look-up for each refund reads all refunds of its payment.
    'gateway made one refund for two': `
      select min(r.reference) as reference from refunds r
       where r.gateway_refund_id is not null
       group by r.gateway, r.environment, r.provider_payment_id, r.gateway_refund_id
      having count(*) > 1`,
  }),
  {
    invariant: 'I17',
    is_loss: true,
    what: 'gateway gave money away beyond the books, or took back what is settled as a loss',
    sql: 'select reference from unsettled_losses()',
  },
  ...checks('I17', {
    'loss that is settled without the journal, or the reverse': `
      select coalesce(l.reference, j.reference) as reference
        from (select reference, environment, currency, loss_minor from refunds where loss_minor <> 0
              union all
              select reference, environment, currency, loss_minor from suspense_items
               where loss_minor <> 0
              union all
              select reference, environment, currency, loss_minor from payouts
               where contradicted_at is not null and loss_minor <> 0) l
        full join (
          select t.description as reference, t.environment, e.currency, sum(e.amount_minor) as loss_minor
            from ledger_transactions t
            left join (ledger_entries e
                       join ledger_accounts a on a.id = e.account_id and a.kind = 'gateway_clearing')
              on e.transaction_id = t.id
           where t.kind = 'loss'
           group by t.description, t.environment, e.currency
          having coalesce(sum(e.amount_minor), 1) <> 0) j
          on j.reference = l.reference and j.environment = l.environment
             and j.currency = l.currency and j.loss_minor = l.loss_minor
       where l.reference is null or j.reference is null`,
    'ended refund without its event, or the reverse': `
      select coalesce(r.reference, e.id::text) as reference from (
        select r.id, r.reference, r.user_id, r.environment, 'refund.succeeded' as type
          from refunds r join ledger_transactions j on j.reference = r.reference || '/made'
        union all
        select r.id, r.reference, r.user_id, r.environment, 'refund.failed' from refunds r
         where r.status = 'failed') r
        full join (select * from events where refund_id is not null) e
          on e.refund_id = r.id and e.type = r.type and e.user_id = r.user_id
             and e.environment = r.environment
       where r.reference is null or e.id is null`,
  }),
  ...checks('I14', {
    'refund without the response stored for its key, or with one that tells another, or the reverse': `
      select coalesce(r.reference, k.reference) as reference
        from refunds r
        full join (select * from idempotency_keys
                    where operation = 'refund' and status = 201) k
          on k.reference = r.reference and k.user_id = r.user_id
             and k.environment = r.environment and k.key = r.idempotency_key
       where r.reference is null or k.reference is null or not ${answers(ORDERED)}`,
  }),
  ...checks('I17', {
    'event does not match its refund': `
      select r.reference from events e join refunds r on r.id = e.refund_id
       where not ${tells(`${ORDERED}, 'status', split_part(e.type, '.', 2)`)}`,
  }),
];

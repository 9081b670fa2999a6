// Checks what must always hold of payment intents, of the payments that gateways notified, and of the
// events for merchants: I6 and I7, from the rows alone.

import { type Check, checks, holds, tells } from './checks';

const EVENTS = { 'events of an account are not numbered without gaps': 'time' } as const;

export const INTENT_CHECKS: readonly Check[] = [
  ...checks('I6', {
    'succeeded intent without its one payment in the journal, or the reverse': `
      select coalesce(i.reference, j.reference) as reference
        from (select * from payment_intents
               where status = 'succeeded' and settled_minor is null) i
        full join (select * from ledger_transactions where kind = 'payment') j
          on j.reference = i.reference and j.environment = i.environment
       where i.reference is null or j.reference is null`,
    // The deposit shows what reached the wallet, so the rest is the fee.
    'payment in the journal moved other figures than those of its intent': `
      select i.reference from payment_intents i
        join ledger_transactions j on j.reference = i.reference and j.kind = 'payment'
        left join ledger_entries e on e.transaction_id = j.id and e.amount_minor = -i.amount_minor
             and e.environment = i.environment and e.currency = i.currency
       where e.transaction_id is null`,
    "succeeded intent without its one payment of the gateway's, or the reverse": `
      select coalesce(i.reference, p.ledger_reference) as reference
        from (select * from payment_intents
               where status = 'succeeded' and settled_minor is null) i
        full join (select * from gateway_payments where booked_as = 'payment') p
          on p.intent_id = i.id and p.environment = i.environment
             and p.ledger_reference = i.reference and p.currency = i.currency
             and p.amount_minor = i.amount_minor
       where i.reference is null or p.ledger_reference is null`,
    'succeeded intent is not shown as exactly one deposit with its figures': `
      select i.reference from payment_intents i
        left join transactions h on h.reference = i.reference
             and h.environment = i.environment
       where i.status = 'succeeded' and i.succeeded_at >= (select shown_since())
       group by i.id, i.reference
      having count(h.id) <> 1
          or count(*) filter (where h.id = i.transaction_id and h.user_id = i.user_id
               and h.type = 'deposit' and h.status = 'completed'
               and h.currency = i.currency
               and h.amount_minor = coalesce(i.settled_minor, i.amount_minor)
               and h.fee_minor = i.fee_minor and h.tax_minor = i.tax_minor and h.related = i.id::text) <> 1`,
    'intent that an operator ended without the money that he accepted for it, or the reverse': `
      select coalesce(i.reference, a.reference) as reference
        from (select * from payment_intents where settled_minor is not null) i
        full join (
          select j.reference, j.environment, s.intent_id, s.currency, s.amount_minor
            from ledger_transactions j
            join payment_intents p on p.reference = j.reference and p.environment = j.environment
            left join suspense_items s on s.reference = j.description and s.status = 'accepted'
           where j.kind = 'suspense_accepted') a
          on a.intent_id = i.id and a.reference = i.reference and a.environment = i.environment
             and a.currency = i.currency and a.amount_minor = i.settled_minor and i.fee_minor = 0
       where i.reference is null or a.reference is null`,
    'intent shows another sum than has arrived for it': `
      select i.reference from payment_intents i
        left join (select intent_id, currency, sum(amount_minor) as received
                     from gateway_payments group by intent_id, currency) g
          on g.intent_id = i.id and g.currency = i.currency
       where g.received is distinct from i.received_minor`,
    'sales of a day are not the sum of its succeeded intents': `
      select concat_ws('/', user_id, environment, day, currency) as reference
        from (select user_id, environment, (succeeded_at at time zone 'UTC')::date as day, currency,
                     count(*) as payments, sum(coalesce(settled_minor, amount_minor)) as amount_minor
                from payment_intents where status = 'succeeded' group by 1, 2, 3, 4) i
        full join payment_days d using (user_id, environment, day, currency)
       where (i.payments, i.amount_minor) is distinct from (d.payments::bigint, d.amount_minor)`,
    'reusable link counts other payments than it has': `
      select l.code as reference from payment_links l
        left join (select payment_link_id as id, count(*) filter (where status = 'succeeded') as payments,
                          count(*) filter (where status in ('creating', 'open', 'processing', 'succeeded'))
                            as places,
                          sum(coalesce(settled_minor, amount_minor)) filter (where status = 'succeeded')
                            as paid_minor
                     from payment_intents where payment_link_id is not null group by 1) i using (id)
       where (l.places, l.payments, l.paid_minor) is distinct from
             (coalesce(i.places, 0), coalesce(i.payments, 0), coalesce(i.paid_minor, 0))`,
    'payment whose customer has no receipt to come, or the reverse': `
      select i.reference from payment_intents i
        left join receipt_mails m on m.intent_id = i.id
       where case when m.intent_id is not null then i.status <> 'succeeded'
               else i.status = 'succeeded' and i.environment = 'live' and i.customer_email is not null end`,
    // The user is compared at the end: as part of a join it may be all that is hashed, and then each deposit of a
    // merchant is compared with all items of theirs.
    'deposit that nobody paid': `
      select h.reference from transactions h
        left join ledger_transactions j on j.id = h.ledger_transaction_id
             and j.kind = 'suspense_accepted'
        left join suspense_items s on s.reference = j.description and s.status = 'accepted'
       where h.type = 'deposit' and s.user_id is distinct from h.user_id
         and not exists (select from payment_intents i
                          where i.transaction_id = h.id and i.status = 'succeeded')`,
    'payment that was notified and not booked': `
      select n.event_id as reference from gateway_notifications n
       where n.outcome is not null and n.notification ->> 'type' = 'payment.succeeded'
         and not exists (select from gateway_payments p
                          where p.gateway = n.gateway and p.environment = n.environment
                            and p.provider_payment_id
                                = n.notification ->> 'provider_payment_id')`,
    'payment booked as suspense without its item, or the reverse': `
      select coalesce(p.ledger_reference, s.reference) as reference
        from (select * from gateway_payments where booked_as = 'suspense') p
        full join suspense_items s
          on s.gateway = p.gateway and s.environment = p.environment
             and s.provider_payment_id = p.provider_payment_id
             and s.reference = p.ledger_reference and s.currency = p.currency
             and s.amount_minor = p.amount_minor
             and s.intent_id is not distinct from p.intent_id
       where p.ledger_reference is null or s.reference is null`,
    'suspense item without its one entry in the journal, or the reverse': `
      select coalesce(s.reference, j.reference) as reference from suspense_items s
        full join (
          select t.reference, t.environment, a.currency, e.amount_minor
            from ledger_transactions t
            left join (ledger_entries e
                       join ledger_accounts a on a.id = e.account_id and a.kind = 'suspense')
              on e.transaction_id = t.id
           where t.kind = 'suspense') j
          on j.reference = s.reference and j.environment = s.environment
             and j.currency = s.currency and j.amount_minor = s.amount_minor
       where s.reference is null or j.reference is null`,
    'suspense item was resolved without the journal, or the reverse': `
      select coalesce(s.reference, j.reference) as reference
        from (select * from suspense_items where status in ('accepted', 'refunded', 'closed')) s
        full join (
          -- A refund that the gateway took back is undone: only what remains counts.
          select t.description as item, min(t.reference) as reference, t.environment, t.kind,
                 e.currency, sum(e.amount_minor) filter (where a.kind = 'suspense') as amount_minor,
                 coalesce(sum(e.amount_minor) filter (where a.kind = 'operator'), 0) as by_hand_minor
            from ledger_transactions t
            left join ledger_entries e on e.transaction_id = t.id
            left join ledger_accounts a on a.id = e.account_id
           where t.kind in ('suspense_accepted', 'refund')
           group by t.description, t.environment, t.kind, e.currency
          having coalesce(sum(e.amount_minor) filter (where a.kind = 'suspense'), 1) <> 0) j
          on j.item = s.reference and j.environment = s.environment and j.currency = s.currency
             and j.kind = case s.status when 'accepted' then 'suspense_accepted' else 'refund' end
             and j.amount_minor = -s.amount_minor
             and j.by_hand_minor = case s.status when 'closed' then s.amount_minor else 0 end
       where s.reference is null or j.reference is null`,
    // A refund that the gateway made beside is a loss. After one that it made late, a later order may still be open.
    'suspense item was given back without a refund, or is ordered to be and is not': `
      select s.reference from suspense_items s
        left join (
          select item_id, count(*) filter (where status = 'succeeded') as made,
                 min(number) filter (where status in ('ordered', 'pending')) as open
            from suspense_refunds group by item_id) r
          on r.item_id = s.id
       where (s.status = 'refunded' and coalesce(r.made, 0) = 0)
          or case s.status when 'refunding' then r.open is null else coalesce(r.open, 2) < 2 end`,
    'suspense account does not hold what its items wait for': holds(
      'suspense',
      'amount_minor',
      `suspense_items where status in ('held', 'refunding')`,
    ),
  }),
  ...checks('I7', EVENTS, {
    'ended intent without its event, or the reverse': `
      select coalesce(i.reference, e.id::text) as reference
        from (select * from payment_intents
               where status in ('succeeded', 'failed', 'expired')) i
        full join (select * from events where intent_id is not null and type <> 'payment.held') e on e.intent_id = i.id and e.type = 'payment.' || i.status
             and e.user_id = i.user_id and e.environment = i.environment
       where i.reference is null or e.id is null`,
    'intent has more than one event': `
      select i.reference from events e join payment_intents i on i.id = e.intent_id
       where e.type <> 'payment.held'
       group by i.id, i.reference having count(*) > 1`,
    'events of an account are not numbered without gaps': `
      select e.user_id || '/' || e.environment as reference from events e
       -- Looked up one by one, also outside of a piece of time: a condition of its own would read all events.
       where case when e.sequence > 0 then not exists (
               select from event_sequences s where s.user_id = e.user_id and s.environment = e.environment) end
          or case when e.sequence > 1 then not exists (
               select from public.events x where x.user_id = e.user_id and x.environment = e.environment
                  and x.sequence = e.sequence - 1 and x.sequence > 0) end
       union
      select s.user_id || '/' || s.environment from event_sequences s
       where s.last > 0 and s.last is distinct from (
         select max(x.sequence) from public.events x
          where x.user_id = s.user_id and x.environment = s.environment and x.sequence > 0)`,
    'event does not match its intent': `
      select i.reference from events e join payment_intents i on i.id = e.intent_id
       where e.type <> 'payment.held' and not ${tells(`'id', i.id, 'reference', i.reference, 'status', i.status,
         'amount', decimal_amount(i.amount_minor), 'fee', decimal_amount(i.fee_minor), 'tax', decimal_amount(i.tax_minor),
         'net_amount', decimal_amount(coalesce(i.settled_minor, i.amount_minor) - i.fee_minor),
         'currency', i.currency, 'transaction_id', i.transaction_id`)}`,
  }),
];

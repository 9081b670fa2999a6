// Checks that what refers to each other is of one account and one environment, and that what is kept
// twice of an account agrees: I14, from the rows alone. Where a composite foreign key already says so (the entries of the journal), no check is
// needed.

import { answers, type Check, checks } from './checks';

/** A customer has tried to pay intent `i` by phone at the gateway of this row. */
const HAS_ATTEMPT = (row: string): string =>
  `exists (select from payment_attempts a where a.intent_id = i.id and a.gateway = ${row}.gateway)`;

const PIECES = {
  'row is of another moment than its posting': 'time',
  "key's spending is not what has left by it": 'whole',
  'delivery is not of the account, environment and type of its event': 'time',
  'delivery goes to an endpoint of another account or environment': 'time',
} as const;

export const REFERENCE_CHECKS: readonly Check[] = checks('I14', PIECES, {
  'key was replaced by one of another account or environment': `
    select k.id::text as reference from api_keys k
      join api_keys r on r.id = k.replaced_by
     where (r.user_id, r.environment) <> (k.user_id, k.environment)`,
  'intent without the response stored for its key, or the reverse': `
    select coalesce(i.reference, k.reference) as reference
      from (select * from payment_intents where status not in ('creating', 'abandoned')) i
      full join (select * from idempotency_keys
                  where operation = 'payment_intent' and status = 201) k
        on k.reference = i.reference and k.user_id = i.user_id
           and k.environment = i.environment and k.key = i.idempotency_key
     where i.reference is null or k.reference is null`,
  'payment is by a reusable link of another account, environment or currency': `
    select i.reference from payment_intents i
      left join payment_links l on l.id = i.payment_link_id and l.user_id = i.user_id
           and l.environment = i.environment and l.currency = i.currency
     where i.payment_link_id is not null and l.id is null`,
  'notification was applied to an intent of another gateway or environment': `
    select n.event_id as reference from gateway_notifications n
      left join payment_intents i on i.id = n.intent_id and i.environment = n.environment
           and (i.gateway = n.gateway or ${HAS_ATTEMPT('n')})
     where n.intent_id is not null and i.id is null`,
  "gateway's payment is of an intent of another gateway or environment": `
    select p.ledger_reference as reference from gateway_payments p
      left join payment_intents i on i.id = p.intent_id and i.environment = p.environment
           and (i.gateway = p.gateway or ${HAS_ATTEMPT('p')})
     where p.intent_id is not null and i.id is null`,
  'attempt to pay is of another account or environment than its intent': `
    select a.id::text as reference from payment_attempts a
      join payment_intents i on i.id = a.intent_id
     where (i.user_id, i.environment) <> (a.user_id, a.environment)`,
  "attempt to pay has succeeded without a payment of its gateway's, or the reverse": `
    select a.id::text as reference from payment_attempts a
      left join gateway_payments p on p.gateway = a.gateway and p.environment = a.environment
           and p.provider_payment_id = a.provider_payment_id and p.intent_id = a.intent_id
     where (a.status = 'succeeded') <> (p.ledger_reference is not null)`,
  'attempt to pay is another one than the response stored for its key tells': `
    select a.id::text as reference from payment_attempts a
      join idempotency_keys k on k.operation = 'payment_attempt' and k.status = 201 and k.user_id = a.user_id
           and k.environment = a.environment and k.key = a.idempotency_key
     where not ${answers(`'id', a.id, 'payment_intent_id', a.intent_id, 'operator', a.operator,
       'phone', a.phone`)}`,
  // The clock may have gone back: a history stays in its order, and goes on from its latest moment.
  'row is of another moment than its posting': `
    select j.reference from ledger_transactions j
      -- Held money is posted again when it is released, or refused.
      join (select reference, environment, created_at from transfers
             where reference not in (select subject from risk_cases)
            union all select reference, environment, created_at from reversals
            union all select reference, environment, created_at from refunds
            union all select reference, environment, created_at from payouts
            union all select reference, environment, created_at from suspense_items
            union all select ledger_reference, environment, booked_at from gateway_payments
             where held_as is null or booked_as = 'hold'
            union all select reference, environment, succeeded_at from payment_intents) r
        using (reference, environment)
     where r.created_at < j.created_at or r.created_at > j.created_at + interval '1 second'
    union
    select h.reference from transactions h
      join ledger_transactions j on j.id = h.ledger_transaction_id
     where h.created_at < j.created_at or h.created_at > j.created_at + interval '1 hour'`,
  // A row is of the minute in which it was counted, which may end before the move has its moment. Rows of more than
  // a day are deleted when the key is used again.
  "key's spending is not what has left by it": `
    select concat_ws('/', key_id, currency) as reference
      from (select key_id, currency, sum(amount_minor) as minor, min(minute) - interval '1 minute' as since
              from key_spending group by key_id, currency) s
      full join (
        select coalesce(k.first_key, k.id) as key_id, x.currency, x.amount_minor, x.created_at
          from (select limited_key, currency, amount_minor, created_at from transfers
                 where limited_key is not null
                union all
                select limited_key, currency, amount_minor, created_at from refunds
                union all
                select limited_key, currency, amount_minor + fee_minor, created_at from payouts) x
          join api_keys k on k.id = x.limited_key) m
        using (key_id, currency)
     group by key_id, currency, s.minor, s.since
    having coalesce(s.minor, 0)
             < coalesce(sum(m.amount_minor) filter (where m.created_at > now() - interval '24 hours'), 0)
        or s.minor > coalesce(sum(m.amount_minor) filter (where m.created_at >= s.since), 0)`,
  'suspense item is not of the account and environment of its intent': `
    select s.reference from suspense_items s
      left join payment_intents i on i.id = s.intent_id
           and i.user_id = s.user_id and i.environment = s.environment
     where (s.intent_id is not null or s.user_id is not null) and i.id is null`,
  'delivery is not of the account, environment and type of its event': `
    select d.id::text as reference from webhook_deliveries d
     -- Looked up one by one: a delivery may be added long after its event.
     where case when d.event_id is not null then not exists (
             select from public.events e where e.id = d.event_id and e.user_id = d.user_id
                and e.environment = d.environment and e.type = d.type) end`,
  'delivery goes to an endpoint of another account or environment': `
    select d.id::text as reference from webhook_deliveries d
      left join webhook_endpoints w on w.id = d.endpoint_id
           and w.user_id = d.user_id and w.environment = d.environment
     where w.id is null`,
  'resend is of an endpoint of another account or environment': `
    select r.id::text as reference from webhook_resends r
      left join webhook_endpoints w on w.id = r.endpoint_id
           and w.user_id = r.user_id and w.environment = r.environment
     where w.id is null`,
  'wallet is held, and its user gives no reason, or the reverse': `
    select a.public_id::text as reference from ledger_accounts a
      join users u on u.id = a.user_id
     where a.held_by is distinct from case
             when u.frozen_at is not null then 'account_frozen'
             when a.environment = 'live' and u.kyc_status <> 'approved' then 'kyc_required' end`,
});

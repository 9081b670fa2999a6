// Checks that what refers to each other is of one account and one environment, and that what is kept
// twice of an account agrees: I14, from the rows alone. Where a composite foreign key already says so (the entries of the journal), no check is
// needed.

import type { Check } from './verify';

/** A customer has tried to pay intent `i` by phone at the gateway of this row. */
const HAS_ATTEMPT = (row: string): string =>
  `exists (select from payment_attempts a where a.intent_id = i.id and a.gateway = ${row}.gateway)`;

export const REFERENCE_CHECKS: readonly Check[] = [
  {
    invariant: 'I14',
    what: 'key was replaced by one of another account or environment',
    sql: `select k.id::text as reference from api_keys k
            join api_keys r on r.id = k.replaced_by
           where (r.user_id, r.environment) <> (k.user_id, k.environment)`,
  },
  {
    invariant: 'I14',
    what: 'intent without the response stored for its key, or the reverse',
    sql: `select coalesce(i.reference, k.reference) as reference
            from (select * from payment_intents where status not in ('creating', 'abandoned')) i
            full join (select * from idempotency_keys
                        where operation = 'payment_intent' and status = 201) k
              on k.reference = i.reference and k.user_id = i.user_id
                 and k.environment = i.environment and k.key = i.idempotency_key
           where i.reference is null or k.reference is null`,
  },
  {
    invariant: 'I14',
    what: 'payment is by a reusable link of another account, environment or currency',
    sql: `select i.reference from payment_intents i
            left join payment_links l on l.id = i.payment_link_id and l.user_id = i.user_id
                 and l.environment = i.environment and l.currency = i.currency
           where i.payment_link_id is not null and l.id is null`,
  },
  {
    invariant: 'I14',
    what: 'notification was applied to an intent of another gateway or environment',
    sql: `select n.event_id as reference from gateway_notifications n
            left join payment_intents i on i.id = n.intent_id and i.environment = n.environment
                 and (i.gateway = n.gateway or ${HAS_ATTEMPT('n')})
           where n.intent_id is not null and i.id is null`,
  },
  {
    invariant: 'I14',
    what: "gateway's payment is of an intent of another gateway or environment",
    sql: `select p.ledger_reference as reference from gateway_payments p
            left join payment_intents i on i.id = p.intent_id and i.environment = p.environment
                 and (i.gateway = p.gateway or ${HAS_ATTEMPT('p')})
           where p.intent_id is not null and i.id is null`,
  },
  {
    invariant: 'I14',
    what: 'attempt to pay is of another account or environment than its intent',
    sql: `select a.id::text as reference from payment_attempts a
            join payment_intents i on i.id = a.intent_id
           where (i.user_id, i.environment) <> (a.user_id, a.environment)`,
  },
  {
    invariant: 'I14',
    what: 'suspense item is not of the account and environment of its intent',
    sql: `select s.reference from suspense_items s
            left join payment_intents i on i.id = s.intent_id
                 and i.user_id = s.user_id and i.environment = s.environment
           where (s.intent_id is not null or s.user_id is not null) and i.id is null`,
  },
  {
    invariant: 'I14',
    what: 'delivery is not of the account, environment and type of its event',
    sql: `select d.id::text as reference from webhook_deliveries d
            left join events e on e.id = d.event_id and e.user_id = d.user_id
                 and e.environment = d.environment and e.type = d.type
           where e.id is null`,
  },
  {
    invariant: 'I14',
    what: 'delivery goes to an endpoint of another account or environment',
    sql: `select d.id::text as reference from webhook_deliveries d
            left join webhook_endpoints w on w.id = d.endpoint_id
                 and w.user_id = d.user_id and w.environment = d.environment
           where w.id is null`,
  },
  {
    invariant: 'I14',
    what: 'resend is of an endpoint of another account or environment',
    sql: `select r.id::text as reference from webhook_resends r
            left join webhook_endpoints w on w.id = r.endpoint_id
                 and w.user_id = r.user_id and w.environment = r.environment
           where w.id is null`,
  },
  {
    invariant: 'I14',
    what: 'wallet is held, and its user gives no reason, or the reverse',
    sql: `select a.public_id::text as reference from ledger_accounts a
            join users u on u.id = a.user_id
           where a.held_by is distinct from case
                   when u.frozen_at is not null then 'account_frozen'
                   when a.environment = 'live' and u.kyc_status <> 'approved' then 'kyc_required' end`,
  },
];

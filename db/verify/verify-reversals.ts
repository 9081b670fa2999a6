// Checks what must always hold of reversals of transfers, from the rows alone: I18.

import { type Check, checks } from './checks';

const OF_TRANSFERS = {
  'more of a transfer was reversed than it moved, or it says another sum': 'time',
} as const;

export const REVERSAL_CHECKS: readonly Check[] = [
  ...checks('I18', OF_TRANSFERS, {
    'more of a transfer was reversed than it moved, or it says another sum': `
      select t.reference from transfers t
        left join (select transfer_reference, sum(amount_minor) as reversed from reversals
                    group by transfer_reference) v on v.transfer_reference = t.reference
       where t.reversed_minor <> coalesce(v.reversed, 0) or t.reversed_minor > t.amount_minor`,
    'reversal is of a transfer of other parties, or of none': `
      select v.reference from reversals v
        left join transfers t on t.reference = v.transfer_reference
             and t.environment = v.environment and t.recipient_id = v.user_id
             and t.sender_id = v.sender_id and t.currency = v.currency
       where t.reference is null`,
    'reversal without its one journal transaction, or the reverse': `
      select coalesce(v.reference, j.reference) as reference
        from (select * from reversals where environment = 'live') v
        full join (select * from ledger_transactions where kind = 'reversal') j
          on j.reference = v.reference and j.environment = v.environment
       where v.reference is null or j.reference is null`,
    'reversal is not shown exactly once to each side with its figures': `
      select v.reference from reversals v
        left join transactions h on h.reference = v.reference and h.type = 'reversal'
             and h.environment = v.environment and h.currency = v.currency
             and h.amount_minor = v.amount_minor and h.related = v.transfer_reference
             and (h.direction = 'out' and h.user_id = v.user_id
                  or h.direction = 'in' and h.user_id = v.sender_id)
       where v.created_at >= (select shown_since())
       group by v.reference
      having count(*) filter (where h.direction = 'out') <> 1
          or count(*) filter (where h.direction = 'in') <> 1`,
    'history shows a reversal that was never made': `
      select h.reference from transactions h
       where h.type = 'reversal'
         and not exists (select from reversals v where v.reference = h.reference)
         and not exists (select from disputes d
                          where d.reference = h.reference and d.status = 'won')
         and not exists (select from refunds r
                          where r.reference = h.reference and r.status = 'failed')
         and not exists (select from payouts p where p.reference = h.reference)
         and not exists (select from transfers t
                          where t.reference = h.reference and t.status = 'refused' and t.sender_id = h.user_id)`,
  }),
  ...checks('I14', {
    'reversal without the response stored for its key, or the reverse': `
      select coalesce(v.reference, k.reference) as reference
        from reversals v
        full join (select * from idempotency_keys
                    where operation = 'reversal' and status = 201) k
          on k.reference = v.reference and k.user_id = v.user_id
             and k.environment = v.environment and k.key = v.idempotency_key
       where v.reference is null or k.reference is null`,
  }),
];

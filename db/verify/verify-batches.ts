// Checks what must always hold of bulk transfers, from the rows alone: I16. A batch's counters are its items,
// and what its items say was posted is what was posted.

import { type Check, checks } from './checks';

export const BATCH_CHECKS: readonly Check[] = checks('I16', 'whole', {
  "batch's counters are not its items": `
    select b.id::text as reference from transfer_batches b
      left join transfer_batch_items i on i.batch_id = b.id
     group by b.id
    having count(i.index) <> b.total or max(i.index) <> b.total - 1
        or count(*) filter (where i.status = 'completed') <> b.completed
        or count(*) filter (where i.status = 'failed') <> b.failed
        or count(*) filter (where i.status = 'held') <> b.held`,
  'completed or held item of a batch without its transfer, or the reverse': `
    select coalesce(i.reference, i.batch_id || '/' || i.index, t.reference) as reference
      from (select x.*, b.user_id, b.environment from transfer_batch_items x
              join transfer_batches b on b.id = x.batch_id
             where (x.status in ('completed', 'held') or x.reference is not null)
               and not x.is_replay and not b.dry_run) i
      full join (select * from transfers where batch_id is not null) t
        on t.reference = i.reference and t.batch_id = i.batch_id and t.sender_id = i.user_id
           and t.environment = i.environment and t.currency = i.currency
           and t.amount_minor = i.amount_minor
           and t.idempotency_key is not distinct from i.idempotency_key
           and i.status = case t.status when 'held' then 'held' when 'refused' then 'failed' else 'completed' end
     where i.batch_id is null or t.reference is null`,
  'item shows a transfer that its account has not made': `
    select i.reference from transfer_batch_items i
      join transfer_batches b on b.id = i.batch_id
      left join transfers t on t.reference = i.reference and t.sender_id = b.user_id
           and t.environment = b.environment
     where i.reference is not null and t.reference is null`,
  'item of a batch that does not exist': `
    select distinct i.batch_id::text as reference from transfer_batch_items i
      left join transfer_batches b on b.id = i.batch_id
     where b.id is null`,
});

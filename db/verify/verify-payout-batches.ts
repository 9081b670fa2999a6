// Checks what must always hold of payouts that were ordered together: I19, from the rows alone. A batch's counters are
// its items, and an item is as its payout.

import { answers, type Check, checks } from './checks';

export const PAYOUT_BATCH_CHECKS: readonly Check[] = [
  ...checks('I19', {
    "payout batch's counters are not its items": `
      select b.id::text as reference from payout_batches b
        left join payout_batch_items i on i.batch_id = b.id
       group by b.id
      having count(i.index) <> b.total or max(i.index) <> b.total - 1
          or count(*) filter (where i.status = 'completed') <> b.completed
          or count(*) filter (where i.status = 'failed') <> b.failed`,
    'item of a payout batch is not as its payout, or one of the two is missing': `
      select coalesce(p.reference, i.batch_id || '/' || i.index) as reference
        from (select x.*, b.user_id, b.environment, b.dry_run from payout_batch_items x
                join payout_batches b on b.id = x.batch_id
               where x.payout_id is not null or (x.status = 'completed' and not b.dry_run)) i
        full join (select * from payouts where batch_id is not null) p
          on p.id = i.payout_id and p.batch_id = i.batch_id and p.user_id = i.user_id
             and p.environment = i.environment and p.currency = i.currency
             and p.amount_minor = i.amount_minor and p.phone is not distinct from i.phone
             and (p.account, p.bank_code, p.holder) is not distinct from (i.account, i.bank_code, i.holder)
             and p.approvals_needed = 0 and not i.dry_run
       where p.id is null or i.batch_id is null
          or i.status <> case when p.status in ('succeeded', 'returned') then 'completed'
                              when p.status in ('failed', 'canceled') then 'failed' else 'pending' end`,
    'item of a payout batch that does not exist': `
      select distinct i.batch_id::text as reference from payout_batch_items i
        left join payout_batches b on b.id = i.batch_id
       where b.id is null`,
    'payout batch went on without its approvals, or was approved by the person who ordered it': `
      select b.id::text as reference from payout_batches b
        left join payout_batch_approvals a on a.batch_id = b.id
       group by b.id
      having (count(a.login_id) < b.approvals_needed
              and (b.step = 'send' or exists (select from payouts p where p.batch_id = b.id)))
          or bool_or(a.login_id = b.ordered_by)`,
  }),
  ...checks('I14', {
    'payout batch without the response stored for its key, or with one that tells another, or the reverse': `
      select coalesce(b.id::text, k.reference) as reference from payout_batches b
        full join (select * from idempotency_keys where operation = 'payout_batch') k
          on k.reference = b.id::text and k.user_id = b.user_id and k.environment = b.environment
             and k.key = b.idempotency_key
       where b.id is null or k.reference is null
          or not ${answers(`'id', b.id, 'environment', b.environment, 'total', b.total, 'confirm', b.confirm,
               'dry_run', b.dry_run, 'created_at', instant(b.created_at)`)}`,
  }),
];

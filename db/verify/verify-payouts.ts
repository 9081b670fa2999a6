// Checks what must always hold of payouts: I19, from the rows alone. What has not ended is in its account, each step
// has its entries, its history row and its event, and no person approves what they have ordered.

import { answers, type Check, checks, holds, tells } from './checks';

/** How often each payout was booked in each way, as `j`. */
const JOURNAL = `(
  select case kind when 'payout' then reference else description end as reference, environment,
         count(*) filter (where kind = 'payout') as reserved,
         count(*) filter (where kind = 'payout_made' and reference = description || '/made') as made,
         count(*) filter (where kind = 'payout_given_back' and reference = description || '/given-back')
           as given_back,
         count(*) filter (where kind = 'payout_returned' and starts_with(reference, description || '/returned/'))
           as returns,
         count(*) as total
    from ledger_transactions where kind in ('payout', 'payout_made', 'payout_given_back', 'payout_returned')
   group by 1, 2) j`;

/** The part of payout `p` that stays as it was ordered, in its response and in each of its events. */
const ORDERED = `'id', p.id, 'reference', p.reference, 'currency', p.currency, 'environment', p.environment,
  'amount', decimal_amount(p.amount_minor), 'fee', decimal_amount(p.fee_minor),
  'tax', decimal_amount(p.tax_minor), 'batch_id', p.batch_id,
  'destination', jsonb_build_object('type', p.destination_type, 'phone', p.phone,
    'account', '…' || right(p.account, 4), 'bank_code', p.bank_code),
  'approval', case when p.approvals_needed > 0 then jsonb_build_object('needed', p.approvals_needed) end,
  'created_at', instant(p.created_at)`;

export const PAYOUT_CHECKS: readonly Check[] = [
  ...checks('I19', {
    'payout is not in the journal as its status says, or the reverse': `
      select coalesce(p.reference, j.reference) as reference from payouts p
        full join ${JOURNAL} on j.reference = p.reference and j.environment = p.environment
       where p.reference is null or j.reference is null
          or j.total <> j.reserved + j.made + j.given_back + j.returns
          or (j.reserved, j.made, j.given_back) <> (1,
               case when p.status in ('succeeded', 'returned') then 1 else 0 end,
               case when p.status in ('failed', 'canceled') then 1 else 0 end)
          or (j.returns > 0) <> (p.returned_minor > 0)`,
    // The history shows what left the wallet and came back.
    'payout moved other figures than its own': `
      select p.reference from payouts p
        join ledger_transactions j on j.environment = p.environment and j.kind = 'payout_made'
             and j.reference = p.reference || '/made'
        left join ledger_entries e on e.transaction_id = j.id and e.currency = p.currency
        left join ledger_accounts a on a.id = e.account_id
       group by p.id
      having sum(e.amount_minor) filter (where a.kind = 'gateway_clearing') is distinct from p.amount_minor
          or coalesce(sum(e.amount_minor) filter (where a.kind = 'fees'), 0) <> p.fee_minor - p.tax_minor
          or coalesce(sum(e.amount_minor) filter (where a.kind = 'taxes'), 0) <> p.tax_minor`,
    'account of payouts does not hold what has not ended': holds(
      'payouts',
      'amount_minor + fee_minor',
      'payouts where completed_at is null',
    ),
    'payout is not shown exactly once with its figures and its state, and given back as it was': `
      select p.reference from payouts p
        left join transactions h on h.reference = p.reference and h.user_id = p.user_id
             and h.environment = p.environment and h.currency = p.currency and h.related = p.id::text
       where p.created_at >= (select shown_since())
       group by p.id
      having count(h.id) filter (where h.type = 'withdrawal' and h.id = p.transaction_id
               and h.amount_minor = p.amount_minor + p.fee_minor and h.fee_minor = p.fee_minor
               and h.tax_minor = p.tax_minor
               and h.status = case p.status when 'succeeded' then 'completed' when 'returned' then 'reversed'
                                when 'failed' then 'failed' when 'canceled' then 'failed' else 'pending' end) <> 1
          or count(h.id) filter (where h.type = 'withdrawal') <> 1
          or count(h.id) filter (where h.type not in ('withdrawal', 'reversal')) <> 0
          or coalesce(sum(h.amount_minor) filter (where h.type = 'reversal'), 0)
             <> case when p.status in ('failed', 'canceled') then p.amount_minor + p.fee_minor
                     else p.returned_minor end`,
    'history shows a payout that was never ordered': `
      select h.reference from transactions h
       where h.type = 'withdrawal'
         and not exists (select from payouts p where p.reference = h.reference and p.user_id = h.user_id
                           and p.environment = h.environment)`,
    'payout went on without its approvals, or was approved by the person who ordered it': `
      select p.reference from payouts p left join payout_approvals a on a.payout_id = p.id
       group by p.id
      having (count(a.login_id) < p.approvals_needed
              and p.status not in ('held', 'requires_approval', 'canceled')
              and p.failure ->> 'code' is distinct from 'risk_refused')
          or bool_or(a.login_id = p.ordered_by)`,
    'provider paid one payment for two payouts': `
      select min(p.reference) as reference from payouts p
       where p.provider_payment_id is not null
       group by p.provider, p.environment, p.provider_payment_id having count(*) > 1`,
    'ended payout without its event, or the reverse': `
      select p.reference from payouts p left join events e on e.payout_id = p.id
       group by p.id
      having (count(e.id) filter (where e.type = 'payout.succeeded') = 1)
               <> (p.status in ('succeeded', 'returned'))
          or (count(e.id) filter (where e.type = 'payout.failed') = 1) <> (p.status = 'failed')
          or (count(e.id) filter (where e.type = 'payout.returned') > 0) <> (p.returned_minor > 0)`,
    'event is of no payout of its account, or tells another one': `
      select e.id::text as reference from events e
        left join payouts p on p.id = e.payout_id and p.user_id = e.user_id and p.environment = e.environment
       where e.payout_id is not null
         and (p.id is null
              or not ${tells(`${ORDERED},
                'sent_at', case when e.type not in ('payout.held', 'payout.requires_action') then instant(p.sent_at) end,
                'completed_at', case when e.type not in ('payout.held', 'payout.requires_action', 'payout.sent')
                                     then instant(p.completed_at) end`)})`,
  }),
  ...checks('I14', {
    'payout without the response stored for its key, or with one that tells another, or the reverse': `
      select coalesce(p.reference, k.reference) as reference
        from (select * from payouts where batch_id is null) p
        full join (select * from idempotency_keys where operation = 'payout' and status = 201) k
          on k.reference = p.reference and k.user_id = p.user_id
             and k.environment = p.environment and k.key = p.idempotency_key
       where p.reference is null or k.reference is null or not ${answers(ORDERED)}`,
  }),
  ...checks('I19', {
    'payout has lost another amount than its provider last told': `
      select p.reference from payouts p
        left join (select distinct on (payout_id) payout_id, (detail ->> 'amount_minor')::bigint as lost_minor
                     from payout_timeline where kind in ('paid_after_end', 'not_paid_after_end')
                    order by payout_id, id desc) t on t.payout_id = p.id
       where (t.payout_id is null) <> (p.contradicted_at is null)
          or coalesce(t.lost_minor, 0) <> p.lost_minor`,
  }),
];

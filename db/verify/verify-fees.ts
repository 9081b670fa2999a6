// Checks what must always hold of fees and taxes: I24, from the rows alone. What was taken stands in its accounts, and was
// what the rules of that moment say.

import { checks, type Check } from './checks';

/** Everything that was charged, also what was simulated, as `r`; `moment` is that of the posting, or of the order. */
const CHARGED = `(
  select reference, environment, currency, amount_minor, fee_minor, tax_minor, fee_bearer as bearer, status = 'completed' as is_taken,
         'transfer' as kind, sender_id as payer, recipient_id as owner, null as method, created_at as moment
    from transfers
  union all
  select i.reference, i.environment, i.currency, i.amount_minor, i.fee_minor, i.tax_minor, 'merchant', true,
         'payment_intent', null, i.user_id, p.method, case when p.held_as is null then p.booked_at else i.succeeded_at end
    from payment_intents i
    join gateway_payments p on p.ledger_reference = i.reference and p.booked_as = 'payment'
   where i.status = 'succeeded' and i.settled_minor is null
  union all
  select reference, environment, currency, amount_minor, fee_minor, tax_minor, 'merchant', status in ('succeeded', 'returned'),
         'payout', null, user_id, payout_method(account, operator), created_at
    from payouts) r`;

const CHARGES = {
  'account of fees or taxes does not hold what was taken for it': 'whole',
  'fee or tax is not what the rules of its moment say': 'whole',
} as const;

export const FEE_CHECKS: readonly Check[] = [
  ...checks('I24', CHARGES, {
    'account of fees or taxes does not hold what was taken for it': `
      select concat_ws('/', a.environment, a.currency, a.kind) as reference
        from ledger_accounts a
        left join (select environment, currency, sum(fee_minor - tax_minor) as fees, sum(tax_minor) as taxes
                     from ${CHARGED} where is_taken group by 1, 2) s
          on s.environment = a.environment and s.currency = a.currency
        left join (select environment, currency, case kind when 'fees_withdrawn' then 'fees' else 'taxes' end as kind,
                          sum(amount_minor) as paid_out
                     from treasury_postings where kind in ('fees_withdrawn', 'taxes_paid') group by 1, 2, 3) p
          on p.environment = a.environment and p.currency = a.currency and p.kind = a.kind
       where a.kind in ('fees', 'taxes')
         and a.balance_minor <> coalesce(case a.kind when 'fees' then s.fees else s.taxes end, 0) - coalesce(p.paid_out, 0)`,
    'fee or tax is not what the rules of its moment say': `
      select r.reference from ${CHARGED}
       cross join lateral fee_of(r.kind, r.currency, r.amount_minor, r.payer, r.owner, r.method, r.moment) f
       where (r.fee_minor, r.tax_minor, r.bearer) is distinct from (f.fee_minor, f.tax_minor, f.bearer)`,
    'invoices of a year have a gap': `
      select environment || '/' || year as reference from fee_invoices
       group by environment, year having max(position) <> count(*)`,
    'invoice is not what its account bore in its time, or does not follow the one before': `
      select i.number as reference
        from (select *, lag(period_to, 1, period_from) over (
                       partition by user_id, environment, currency order by period_to) as last_to
                from fee_invoices) i
       cross join lateral (
         select sum(c.fee_minor) as fee, sum(c.tax_minor) as tax
           from charged_rows(i.user_id, i.environment, i.currency, i.period_from, i.period_to) c) s
       where i.period_from >= (select history_since())
         and (i.fee_minor, i.tax_minor, i.period_from) is distinct from (s.fee, s.tax, i.last_to)`,
    'two rules of fees hold for the same at once': `
      select b.id::text as reference from fee_rules a
        join fee_rules b on b.id > a.id and b.kind = a.kind and b.currency = a.currency and b.tax = a.tax
             and b.user_id is not distinct from a.user_id and b.method is not distinct from a.method
             and (a.user_id is null or b.bearer is not distinct from a.bearer) and (a.rank = 6) = (b.rank = 6)
             and int8range(a.amount_from_minor, a.amount_below_minor) && int8range(b.amount_from_minor, b.amount_below_minor)
             and tstzrange(a.valid_from, a.valid_until) && tstzrange(b.valid_from, b.valid_until)`,
  }),
];

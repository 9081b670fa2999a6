// I23: what the treasury posted is what its rows and its files say, and the safeguarding report adds up.

import { checks, type Check } from './checks';

const KINDS = `('settlement', 'provider_fee', 'bank_fee', 'fees_withdrawn', 'taxes_paid', 'float_topped_up',
  'credit_funded', 'break_adjusted')`;

export const TREASURY_CHECKS: readonly Check[] = [
  ...checks('I23', {
    // With the legs of each kind (I2) this says that a posting moved what its row names, and nothing else.
    'treasury posting without its row and its accounts, or the reverse': `
      select coalesce(p.reference, j.reference) as reference from treasury_postings p
        full join (
          select t.reference, t.kind, t.environment, e.currency, abs(sum(e.amount_minor) filter (where e.amount_minor > 0)) as moved,
                 max(a.name) filter (where a.kind = 'bank') as bank,
                 max(a.name) filter (where a.kind = 'gateway_clearing') as provider,
                 sum(e.amount_minor) filter (where a.kind in ('operator', 'provider_fees', 'fees', 'taxes')) as own
            from ledger_transactions t
            left join ledger_entries e on e.transaction_id = t.id
            left join ledger_accounts a on a.id = e.account_id
           where t.kind in ${KINDS}
           group by t.id, t.reference, t.kind, t.environment, e.currency) j
          on j.reference = p.reference and j.kind = p.kind and j.environment = p.environment and j.currency = p.currency
             and j.moved = abs(p.amount_minor)
             and (j.bank is null or j.bank = p.bank) and (j.provider is null or j.provider = p.provider)
             and case when p.kind in ('credit_funded', 'break_adjusted') then j.own = p.amount_minor
                      when j.own is not null then j.own = -p.amount_minor else true end
       where p.reference is null or j.reference is null`,
    'fees that a file booked are not those of its lines': `
      select coalesce(p.file_id, l.file_id) as reference
        from (select x.file_id, x.currency, sum(x.amount_minor) as fees from treasury_postings x
               where x.file_id is not null and x.kind = 'provider_fee' group by x.file_id, x.currency) p
        full join (
          select x.file_id, x.currency, sum(case when x.type = 'fee' then x.amount_minor + x.fee_minor
                   when b.kind = 'fee' then b.expected_minor else x.fee_minor end) as fees
            from treasury_lines x left join treasury_breaks b on b.file_id = x.file_id and b.line = x.line
           where x.posting is not null group by x.file_id, x.currency) l
          on l.file_id = p.file_id and l.currency = p.currency
       where coalesce(p.fees, 0) <> coalesce(l.fees, 0)`,
    'settlement that a file booked is not that of its line, or the reverse': `
      select coalesce(p.reference, l.posting) as reference
        from (select * from treasury_postings where file_id is not null and kind = 'settlement') p
        full join (select * from treasury_lines
                    where type = 'settlement' and posting is not null and row_key is null and amount_minor <> 0) l
          on l.posting = p.reference and l.file_id = p.file_id and l.currency = p.currency
             and l.amount_minor = p.amount_minor and l.provider_id = p.provider_id
       where p.reference is null or l.posting is null`,
    'line of a file is another than its row, and no break says so': `
      select l.file_id || ':' || l.line as reference from treasury_lines l
        left join treasury_breaks b on b.file_id = l.file_id and b.line = l.line
       where b.id is null and l.row_key is not null
         and ((l.row_minor, l.row_currency, l.row_type) is distinct from (l.amount_minor, l.currency, l.type)
              or abs(l.day - l.row_day) > 1)`,
    'adjustment is not that of its break': `
      select p.reference from treasury_postings p
        join treasury_breaks b on b.id = p.break_id
        join treasury_files f on f.id = b.file_id
       where (p.environment, p.currency, p.amount_minor, p.file_id) is distinct from (f.environment, b.currency, b.difference_minor, f.id)
          or b.action is distinct from 'adjust'`,
    'safeguarding report does not add up': `
      select a.environment || '/' || a.currency as reference from ledger_accounts a
       where a.kind in ('wallet', 'suspense', 'refunds', 'payouts', 'disputes', 'holds', 'fees', 'taxes', 'provider_fees',
                        'bank', 'gateway_clearing', 'operator', 'sandbox_source')
       group by a.environment, a.currency having sum(a.balance_minor) <> 0`,
  }),
];

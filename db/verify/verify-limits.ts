// I21: what is counted for limits is what the histories show, and every wallet that has a limit is counted.

import { checks, type Check } from './checks';

const COUNTED = { "day's counters are not the sum of the rows that they count": 'whole' } as const;

export const LIMIT_CHECKS: readonly Check[] = checks('I21', COUNTED, {
  "day's counters are not the sum of the rows that they count": `
    select concat_ws('/', a.public_id, day) as reference
      from (select * from limit_days where day >= utc_day((select history_since()))) d
      full join (
        select a.id as account_id, utc_day(t.created_at) as day, sum(counted_in(t)) as rows_in,
               sum(counted_out(t)) as rows_out
          from ledger_accounts a
          join transactions t on t.user_id = a.user_id and t.environment = a.environment
               and t.currency = a.currency and t.created_at >= date_trunc('month', a.limited_at, 'UTC')
               and t.created_at >= (select history_since())
         where a.limited_at is not null
         group by a.id, utc_day(t.created_at)) r using (account_id, day)
      left join ledger_accounts a on a.id = account_id
     where (coalesce(d.in_minor, 0), coalesce(d.out_minor, 0))
           <> (coalesce(r.rows_in, 0), coalesce(r.rows_out, 0))
       -- A transfer of the sandbox locks no wallet without limits: one that is under way while its wallet gets the first
       -- is not counted.
       and (a.environment = 'live' or day <> utc_day(a.limited_at))`,
  'wallet has a limit, and nothing is counted for it': `
    select a.public_id::text as reference
      from ledger_accounts a
      join currencies c on c.code = a.currency
      left join account_limits o on o.account_id = a.id
     where a.kind = 'wallet' and a.limited_at is null
       and (c.is_limited or jsonb_strip_nulls(o.limits) <> '{}')`,
  'suspense item is above a limit and has none, or the reverse': `
    select s.reference from suspense_items s
     where (s.reason = 'limit_exceeded') <> (s.limit_name is not null)`,
});

// Sales, which are what a merchant's customers paid: today, this week and this month.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { lookUp, type Db } from '../connect';
import { inOrder } from '../list-filters';

/** The week begins on Monday. */
export const PERIODS = ['today', 'week', 'month'] as const;

export interface PeriodSales {
  readonly payments: number;
  /** The amount before fees and refunds. */
  readonly amount_minor: bigint;
}

export interface Sales extends Readonly<Record<(typeof PERIODS)[number], PeriodSales>> {
  readonly currency: Currency;
}

interface Row {
  readonly currency: Currency;
  readonly period: (typeof PERIODS)[number];
  readonly payments: number;
  /** A `numeric`, which comes as text. */
  readonly amount_minor: string;
}

// One range of the primary key: the month, or the week where it began before the month.
export const READ_SALES = {
  name: 'read_sales',
  text: `select d.currency, p.period, sum(d.payments)::integer as payments, sum(d.amount_minor) as amount_minor
           from payment_days d
           join (values ('today', $3::date), ('week', date_trunc('week', $3::date)::date),
                        ('month', date_trunc('month', $3::date)::date)) p (period, since)
             on d.day >= p.since
          where d.user_id = $1 and d.environment = $2 and d.day <= $3::date
            and d.day >= least(date_trunc('week', $3::date)::date, date_trunc('month', $3::date)::date)
          group by d.currency, p.period
          order by ${inOrder('d.currency')}`,
};

/** Reads the sales of each currency that has some. `today`: `2026-11-21`, of UTC. */
export async function readSales(
  db: Db,
  user_id: string,
  environment: Environment,
  today: string,
): Promise<Sales[]> {
  const rows = await lookUp<Row>(db, READ_SALES, [user_id, environment, today]);
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const of = (period: Row['period']): PeriodSales => {
      const row = rows.find((one) => one.currency === currency && one.period === period);
      return { payments: row?.payments ?? 0, amount_minor: BigInt(row?.amount_minor ?? 0) };
    };
    return { currency, today: of('today'), week: of('week'), month: of('month') };
  });
}

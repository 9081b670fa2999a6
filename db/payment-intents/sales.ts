// Sales, which are what a merchant's customers paid: today, this week, this month, and on each of the last days.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { lookUp, type Db } from '../connect';
import { inOrder } from '../list-filters';

/** The week begins on Monday. */
export const PERIODS = ['today', 'week', 'month'] as const;
export const SALES_DAYS = 30;

export interface PeriodSales {
  readonly payments: number;
  /** The amount before fees and refunds. */
  readonly amount_minor: bigint;
}

export interface DaySales extends PeriodSales {
  /** `2026-11-21`, of UTC. */
  readonly day: string;
}

export interface Sales extends Readonly<Record<(typeof PERIODS)[number], PeriodSales>> {
  readonly currency: Currency;
  /** One for each of the last days, oldest first. */
  readonly days: readonly DaySales[];
}

interface Row extends Omit<DaySales, 'amount_minor'> {
  readonly currency: Currency;
  /** A `numeric`, which comes as text. */
  readonly amount_minor: string;
}

// One range of the primary key.
export const READ_SALES = {
  name: 'read_sales',
  text: `select d.currency, d.day::text as day, d.payments, d.amount_minor
           from payment_days d
          where d.user_id = $1 and d.environment = $2 and d.day between $3::date and $4::date
          order by ${inOrder('d.currency')}`,
};

/** Reads the sales of each currency that has some in these days. `today`: `2026-11-21`, of UTC. */
export async function readSales(
  db: Db,
  user_id: string,
  environment: Environment,
  today: string,
): Promise<Sales[]> {
  const last_days = Array.from({ length: SALES_DAYS }, (_, index) =>
    dayBefore(today, SALES_DAYS - 1 - index),
  );
  const week = dayBefore(today, (new Date(today).getUTCDay() + 6) % 7);
  const month = `${today.slice(0, 8)}01`;
  const first = [last_days[0]!, week, month].reduce((a, b) => (a < b ? a : b));
  const rows = await lookUp<Row>(db, READ_SALES, [user_id, environment, first, today]);
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows
      .filter((row) => row.currency === currency)
      .map((row) => ({ ...row, amount_minor: BigInt(row.amount_minor) }));
    const between = (since: string, until = today): PeriodSales => {
      const within = own.filter(({ day }) => since <= day && day <= until);
      return {
        payments: within.reduce((sum, { payments }) => sum + payments, 0),
        amount_minor: within.reduce((sum, { amount_minor }) => sum + amount_minor, 0n),
      };
    };
    return {
      currency,
      today: between(today),
      week: between(week),
      month: between(month),
      days: last_days.map((day) => ({ day, ...between(day, day) })),
    };
  });
}

const DAY_MS = 86_400_000;

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}

// Measures posting to a year: batches of 64 transfers from the merchant and to it.

import { execute } from '../../db/connect';
import { postTransfers } from '../../db/transfers/transfers';
import { timeOf } from './processor';
import { median, round } from './stats';
import { buildTransfer, DOCS } from './transfers';
import type { Subject } from './year-lists';

const WAYS = ['sends', 'receives'] as const;
const SIZE = 64;
const BATCHES = 20;
const ROUNDS = 5;

/** Processor time of the connection for one transfer. */
export async function measurePosting(small: Subject, year: Subject) {
  const costs = [];
  for (const way of WAYS) {
    const of_small: number[] = [];
    const of_year: number[] = [];
    for (let turn = -1; turn < ROUNDS; turn += 1) {
      const [one, other] = [await measureTurn(small, way), await measureTurn(year, way)];
      if (turn < 0) continue;
      of_small.push(one);
      of_year.push(other);
    }
    const [small_us, year_us] = [round(median(of_small)), round(median(of_year))];
    costs.push({ way, small_us, year_us, ratio: round(year_us / small_us) });
  }
  return costs;
}

async function measureTurn({ db, year }: Subject, way: (typeof WAYS)[number]): Promise<number> {
  const statement = { name: 'pid', text: 'select pg_backend_pid() as pid' };
  const customers = await execute<{ id: string; username: string }>(
    db,
    {
      name: 'some_customers',
      text: `select id, username from users where username like 'customer-%' order by random() limit 500`,
    },
    [],
  );
  const [backend] = await execute<{ pid: number }>(db, statement, []);
  const start = timeOf(backend!.pid);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const requests = Array.from({ length: SIZE }, () => {
      const customer = customers[Math.floor(Math.random() * customers.length)]!;
      const merchant = { id: year.merchant_id, username: year.username };
      return way === 'sends'
        ? buildTransfer(merchant, customer)
        : buildTransfer(customer, merchant);
    });
    const results = await postTransfers(db, requests, DOCS);
    const refused = results.find(({ outcome }) => outcome !== 'completed');
    if (refused) throw new Error(`a transfer was ${refused.outcome}`);
  }
  return ((timeOf(backend!.pid) - start) * 1_000) / (BATCHES * SIZE);
}

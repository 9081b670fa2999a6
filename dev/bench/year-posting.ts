// Measures posting to a year: batches of 64 transfers from the merchant and to it.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { execute } from '../../db/connect';
import { postTransfers } from '../../db/transfers/transfers';
import type { TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import { median, round } from './stats';
import type { Subject } from './year-lists';

export interface PostingCost {
  readonly way: 'sends' | 'receives';
  /** Processor time of the connection for one transfer. */
  readonly small_us: number;
  readonly year_us: number;
  readonly ratio: number;
}

const DOCS = 'https://pay.example.com/docs/errors';
const SIZE = 64;
const BATCHES = 20;
const ROUNDS = 5;

export async function measurePosting(small: Subject, year: Subject): Promise<PostingCost[]> {
  const costs: PostingCost[] = [];
  for (const way of ['sends', 'receives'] as const) {
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

async function measureTurn({ db, year }: Subject, way: PostingCost['way']): Promise<number> {
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
  const start = processorMs(backend!.pid);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const requests = Array.from({ length: SIZE }, () => {
      const customer = customers[Math.floor(Math.random() * customers.length)]!;
      const merchant = { id: year.merchant_id, username: year.username };
      return way === 'sends' ? buildRequest(merchant, customer) : buildRequest(customer, merchant);
    });
    const results = await postTransfers(db, requests, DOCS);
    const refused = results.find(({ outcome }) => outcome !== 'completed');
    if (refused) throw new Error(`a transfer was ${refused.outcome}`);
  }
  return ((processorMs(backend!.pid) - start) * 1_000) / (BATCHES * SIZE);
}

interface User {
  readonly id: string;
  readonly username: string;
}

function buildRequest(from: User, to: User): TransferRequest {
  const fields = { to_username: to.username, currency: 'XOF', amount: '10000' } as const;
  return {
    reference: makeTransferReference(),
    environment: 'live',
    key: randomUUID(),
    sender_id: from.id,
    sender_username: from.username,
    to_username: to.username,
    fingerprint: fingerprintFields(fields),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 600_000).toISOString(),
    currency: 'XOF',
    amount_minor: fields.amount,
  };
}

/** User and system time of a process: fields 14 and 15, in ticks of 10 ms. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

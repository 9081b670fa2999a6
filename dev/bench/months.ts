// `npm run bench:months [-- --months 6 --transfers N --accounts A --memory 16MB --compression pglz]`: what a posting and
// a page of a history cost in each of several months, on a server whose memory is as small beside its data as that
// of a busy service. Transfers are posted by the service's own function, in groups of 64 between random accounts.

import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { connectDatabase, execute, type Db } from '../../db/connect';
import { listHistory } from '../../db/ledger/history';
import { transactionsStatement, type TransactionQuery } from '../../db/ledger/transactions';
import { onPostgres, openAccounts } from './own-postgres';
import { costOf, type Cost } from './processor';
import { round } from './stats';
import { buildTransfer, draw, drawTwo, postSurely, type User } from './transfers';

const GROUP = 64;
const READS = 1_000;
/** Groups between two checkpoints. */
const CHECKPOINT_EVERY = 80;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      months: { type: 'string', default: '6' },
      transfers: { type: 'string', default: '100000' },
      accounts: { type: 'string', default: '20000' },
      memory: { type: 'string', default: '16MB' },
      compression: { type: 'string', default: 'off' },
    },
  });
  const settings = {
    shared_buffers: values.memory,
    // Made after so many transfers, below: after a time, a slower month would write more pages whole.
    checkpoint_timeout: '1h',
    max_wal_size: '8GB',
    wal_compression: values.compression,
    // Processor time of one process is all of it.
    max_parallel_workers_per_gather: 0,
    synchronous_commit: 'off',
  };
  const groups = Math.ceil(Number(values.transfers) / GROUP);
  await onPostgres(settings, async (owner, url) => {
    const users = await openAccounts(owner, 'customer', Number(values.accounts));
    await owner.query('vacuum analyze');
    const db = connectDatabase({ url, pool_size: 1, name: 'bench', is_patient: true });
    try {
      const costs: Cost[] = [];
      for (let month = 1; month <= Number(values.months); month += 1) {
        const cost = await post(db, owner, users, groups);
        costs.push(cost);
        // For one transfer, and for one page of 25, by the name of the list.
        print({ month, ...cost, pages_us: await read(db, users) });
      }
      await measureDrop(owner, groups * GROUP);
      const [first, last] = [costs[0]!, costs.at(-1)!];
      print({
        last_month_to_first: {
          processor: round(last.processor_us / first.processor_us),
          wal: round(last.wal_bytes / first.wal_bytes),
        },
      });
    } finally {
      await db.destroy();
    }
  });
}

const print = (figures: object): void => void process.stdout.write(`${JSON.stringify(figures)}\n`);

/** The cost to delete the histories of the first month, and to make their place free, for each transfer. */
async function measureDrop(owner: Client, transfers: number): Promise<void> {
  const { rows } = await owner.query<{ id: string }>(
    'select id from transactions order by id offset $1 limit 1',
    [2 * transfers],
  );
  const ask = (text: string) => owner.query(text);
  const remove = () => owner.query('delete from transactions where id < $1', [rows[0]!.id]);
  print({ deleted: await costOf(ask, transfers, remove) });
  print({ vacuumed: await costOf(ask, transfers, () => owner.query('vacuum transactions')) });
}

function post(db: Db, owner: Client, users: readonly User[], groups: number): Promise<Cost> {
  return costOf(askOn(db), groups * GROUP, async () => {
    for (let group = 0; group < groups; group += 1) {
      if (group % CHECKPOINT_EVERY === 0) await owner.query('checkpoint');
      // One in ten is of the same account, as of a busy merchant.
      const requests = Array.from({ length: GROUP }, (_, n) => {
        const [one, other] = n % 10 === 0 ? [users[0]!, draw(users, 1)] : drawTwo(users);
        return buildTransfer(one, other);
      });
      await postSurely(db, requests);
    }
  });
}

const askOn = (db: Db) => async (text: string) =>
  (await db.raw(text)) as { readonly rows: readonly unknown[] };

/** Pages of an account with many rows, and of one with few. */
async function read(db: Db, [large, small]: readonly User[]) {
  const { id: user_id } = large!;
  const owner = { user_id, environment: 'live' as const, before: undefined, limit: 25 };
  // Planned once, as a look-up of one caller is.
  await db.raw('set plan_cache_mode = force_generic_plan');
  const page = (query: Partial<TransactionQuery>) => {
    const { statement, values } = transactionsStatement({ ...owner, types: undefined, ...query });
    return execute(
      db,
      statement,
      values.map((value) => [value]),
    );
  };
  const lists = {
    newest: () => page({}),
    'newest of a small account': () => page({ user_id: small!.id }),
    'of a type': () => page({ types: ['transfer_in'] }),
    'of a type that is rare': () => page({ types: ['refund'] }),
    'of a currency': () => listHistory(db, { ...owner, filters: { currency: 'XOF' } }),
  };
  const costs: Record<string, number> = {};
  for (const [name, list] of Object.entries(lists)) {
    const times = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await list();
    };
    await times(20);
    costs[name] = (await costOf(askOn(db), READS, () => times(READS))).processor_us;
  }
  await db.raw('set plan_cache_mode = auto');
  return costs;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

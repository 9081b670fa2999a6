// `npm run bench:size [-- --json]`: transfers among a hundred accounts in an empty database, and then among 100,000 wallets
// beside 3,000,000 transfers; at last with twenty rules of risk. WALLETS and TRANSFERS make it smaller.

import { Client } from 'pg';
import { connectDatabase, type Db } from '../../db/connect';
import { makeKey, onStage, type Stage } from './contestants';
import { createGuards } from './guards';
import { openAccounts } from './own-postgres';
import { walBytes } from './processor';
import { inRounds, medians, ratio, type RoundPlan } from './rounds';
import { round, type Summary } from './stats';
import { buildTransfer, drawTwo, postSurely, type User } from './transfers';

const WALLETS = Number(process.env['WALLETS'] ?? 100_000);
const TRANSFERS = Number(process.env['TRANSFERS'] ?? 3_000_000);
/** Accounts that send during a scene. */
const SENDERS = 2_000;
const JOB = { warmup_seconds: 1.5, seconds: 5 };
const PLAN: RoundPlan = { ...JOB, rounds: 3 };
const CLIENTS = [1, 16, 64, 256];
const GROUP = 500;
const WRITERS = 2;

type Log = (text: string) => void;

async function measureSizes(stage: Stage, log: Log) {
  const owner = new Client({ connectionString: stage.owner_url });
  await owner.connect();
  try {
    return await measureWith(stage, owner, log);
  } finally {
    await owner.end();
  }
}

async function measureWith(stage: Stage, owner: Client, log: Log) {
  const keys = stage.users.map(({ live_key }) => live_key);
  const small = await measure(stage, owner, log, { keys, usernames: usernames(stage.users) });
  log(`making ${WALLETS} wallets …`);
  const users = await makeUsers(owner);
  log(`posting ${TRANSFERS} transfers …`);
  await postAll(stage.db, users, log);
  await owner.query('analyze');
  const people = { keys: await makeKeys(stage.owner_url, users), usernames: usernames(users) };
  const real = await measure(stage, owner, log, people);
  const guards = createGuards(owner, 'XOF');
  const guarded = await inRounds(PLAN, log, async (take) => {
    await take('plain', () => load(stage, 64, people));
    await guards.watch(true);
    await take('watched', () => load(stage, 64, people));
    await guards.watch(false);
  });
  const { rows } = await owner.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return {
    conditions: { node: process.version, wallets: WALLETS, transfers: TRANSFERS, ...PLAN },
    database_bytes: Number(rows[0]!.bytes),
    small,
    real,
    real_to_small: Object.fromEntries(
      CLIENTS.map((clients) => {
        const name = `transfer_${clients}`;
        return [
          name,
          {
            rate: round(real.figures[name]!.rate! / small.figures[name]!.rate!),
            p50_ms: round(real.figures[name]!.p50_ms! / small.figures[name]!.p50_ms!),
            postgres: round(postgresOf(real.figures[name]!) / postgresOf(small.figures[name]!)),
          },
        ];
      }),
    ),
    watched_to_plain: ratio(guarded, 'watched', 'plain', 'rate'),
  };
}

const usernames = (users: readonly { readonly username: string }[]): string[] =>
  users.map(({ username }) => username);
const postgresOf = ({ processor_ms }: Pick<Summary, 'processor_ms'>): number =>
  processor_ms?.['postgres'] ?? Number.NaN;
interface People {
  readonly keys: readonly string[];
  readonly usernames: readonly string[];
}

async function measure(stage: Stage, owner: Client, log: Log, people: People) {
  let transfers = 0;
  const ask = (text: string) => owner.query(text);
  const before = await walBytes(ask);
  const rounds = await inRounds(PLAN, log, async (take) => {
    for (const clients of CLIENTS) {
      const job = { ...JOB, clients };
      await take(`floor_${clients}`, () => stage.floor(job));
      const { rate } = await take(`transfer_${clients}`, () => load(stage, clients, people));
      transfers += rate * (JOB.seconds + JOB.warmup_seconds);
    }
  });
  const wal = ((await walBytes(ask)) - before) / transfers;
  return { figures: medians(rounds), wal_bytes: Math.round(wal) };
}

const load = (stage: Stage, clients: number, people: People): Promise<Summary> =>
  stage.load({ port: stage.api_port, target: 'transfer', ...people, ...JOB, clients });

async function makeUsers(owner: Client): Promise<User[]> {
  const users: User[] = [];
  for (let turn = 0; users.length < WALLETS; turn += 1) {
    const count = Math.min(1_000, WALLETS - users.length);
    users.push(...(await openAccounts(owner, `size-${turn}`, count)));
  }
  return users;
}

async function makeKeys(owner_url: string, users: readonly User[]): Promise<string[]> {
  const owner = connectDatabase({ url: owner_url, pool_size: 2, name: 'bench-owner' });
  const keys: string[] = [];
  for (const { id } of users.slice(0, SENDERS)) keys.push(await makeKey(owner, id, 'live'));
  await owner.destroy();
  return keys;
}

async function postAll(db: Db, users: readonly User[], log: Log): Promise<void> {
  let left = TRANSFERS;
  const write = async (): Promise<void> => {
    while (left > 0) {
      left -= GROUP;
      if (left % 100_000 === 0) log(`${left} to go`);
      await postSurely(
        db,
        Array.from({ length: GROUP }, () => buildTransfer(...drawTwo(users))),
      );
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

onStage(measureSizes, (report) => JSON.stringify(report, null, 2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

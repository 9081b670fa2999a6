// `npm run bench:posting`: what posting a transfer costs Postgres, by the size of the batch, and among accounts that have
// an endpoint for the events of their transfers, keys with a daily limit, all limits of accounts, or twenty rules of risk,
// in turns. The connection's processor time (from /proc, so on Linux only), its time without waiting for the disk, and the
// write-ahead log.

import type { Client } from 'pg';
import { transferRefusals, type TransferRequest } from '../../domain/transfer';
import { createGuards, type Guards } from './guards';
import { onPostgres, openAccounts } from './own-postgres';
import { costOf, type Cost } from './processor';
import { median, round } from './stats';
import { buildTransfer, DOCS, drawTwo, type User } from './transfers';

const USERS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** The transfers of one turn, by the size of a batch. */
const TRANSFERS: Readonly<Record<number, number>> = { 1: 600, 8: 1_600, 64: 2_560, 500: 3_000 };

/** `events`: both sides of each transfer have an endpoint that names its events. `limited`: keys have a daily limit.
 * `tiers`: both sides have all limits. `watched`: twenty rules of risk look at each. */
const WAYS = ['plain', 'events', 'limited', 'tiers', 'watched'] as const;
type Way = (typeof WAYS)[number];

const posting = (requests: readonly TransferRequest[]) => ({
  name: 'post',
  text: 'select * from post_transfer_batch($1, $2)',
  values: [JSON.stringify(requests), JSON.stringify(transferRefusals(DOCS))],
});

// No checkpoint within a turn, and so no pages written whole.
const SETTINGS = { max_wal_size: '8GB', checkpoint_timeout: '1h', synchronous_commit: 'off' };

async function main(owner: Client): Promise<void> {
  const makeUsers = (name: string): Promise<User[]> => openAccounts(owner, name, USERS);
  const users = await makeUsers('bench');
  const listening = await makeUsers('listening');
  await owner.query(
    `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret)
     select gen_random_uuid(), u.id, 'live', 'https://shop.example/webhooks',
            array['transfer.received', 'transfer.sent'], '-'
       from users u where u.username like 'listening-%'`,
  );
  const limited = await limitKeys(owner, await makeUsers('limited'));
  const tiers = await makeUsers('tiers');
  const guards = createGuards(owner, 'XOF');
  await guards.limit(tiers);
  await report(owner, guards, { plain: users, events: listening, limited, tiers, watched: users });
}

/** A limit that is not reached. */
async function limitKeys(owner: Client, users: readonly User[]): Promise<User[]> {
  const { rows } = await owner.query<User>(
    `with made as (
       insert into api_keys (user_id, environment, key_hash, key_prefix, last_four, scopes, daily_limit)
       select id, 'live', sha256(id::text::bytea), '-', '----', '{transfers:write}', '{"XOF": "1000000000000"}'
         from unnest($1::uuid[]) id
       returning id, user_id)
     select u.id, u.username, m.id as limited_key from made m join users u on u.id = m.user_id`,
    [users.map(({ id }) => id)],
  );
  return rows;
}

async function report(
  owner: Client,
  guards: Guards,
  users: Readonly<Record<Way, readonly User[]>>,
): Promise<void> {
  const costs: Record<string, Cost[]> = {};
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const size of Object.keys(TRANSFERS).map(Number)) {
      for (const accounts of [USERS, 2]) {
        for (const way of WAYS) {
          if (way === 'watched') await guards.watch(true);
          const cost = await measure(owner, users[way].slice(0, accounts), size);
          if (way === 'watched') await guards.watch(false);
          (costs[`${size}\t${accounts}\t${way}`] ??= []).push(cost);
        }
      }
    }
  }
  const line = (cells: readonly unknown[]): void =>
    void process.stdout.write(`${cells.join('\t')}\n`);
  line(['batch', 'accounts', 'way', 'processor µs', 'µs', 'WAL bytes']);
  for (const [what, of] of Object.entries(costs)) {
    const middle = (name: keyof Cost): number => round(median(of.map((cost) => cost[name])));
    line([
      what,
      Math.round(middle('processor_us')),
      Math.round(middle('us')),
      Math.round(middle('wal_bytes')),
    ]);
  }
}

async function measure(owner: Client, users: readonly User[], size: number): Promise<Cost> {
  const [first, ...calls] = Array.from({ length: Math.ceil(TRANSFERS[size]! / size) }, () =>
    posting(Array.from({ length: size }, () => buildTransfer(...drawTwo(users)))),
  );
  await owner.query(first!);
  return costOf(
    (text) => owner.query(text),
    calls.length * size,
    async () => {
      for (const call of calls) await owner.query(call);
    },
  );
}

void onPostgres(SETTINGS, main);

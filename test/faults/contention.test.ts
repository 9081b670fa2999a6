// Nothing is killed, except once: very many requests meet on the same key, wallet or limit.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApiKey } from '../support/users';
import { waitFor } from '../support/wait';
import { type OperationRecord } from './support/caller';
import type { Cluster } from './support/cluster';
import { useCluster, type ExperimentContext } from './support/experiment';
import { startLoad } from './support/load';
import { plainTransfer, type Operation } from './support/operations';
import { buildUsers, type FundedUser } from './support/users';
import { pause } from './support/plan';
import { FAULT_SECONDS } from './support/settings';
import { countStatuses, finalTexts, mergeRecords, NO_FUNDS, storm } from './support/storm';

const STORM = 200;

/** `count` requests with one key, spread over both processes. */
function sameKey(count: number, change: (index: number) => Partial<Operation>, base: Operation) {
  return Array.from({ length: count }, (_, index) => ({
    ...base,
    first_api: index,
    ...change(index),
  }));
}

/** Requests with another body than the first one are refused, and are no operation. */
function splitRefused(records: readonly OperationRecord[]) {
  const isRefused = ({ attempts }: OperationRecord): boolean => attempts.at(-1)?.status === 422;
  return {
    refused: records.filter(isRefused),
    answered: records.filter((record) => !isRefused(record)),
  };
}

describe('contention', () => {
  const experiment = useCluster();

  experiment('F15 one key, 200 equal requests: one effect and one response', async (context) => {
    const [from, to] = context.users as [FundedUser, FundedUser];
    const base = plainTransfer({ key: 'storm', from, to });
    const records = await storm(
      context,
      sameKey(STORM, () => ({}), base),
    );
    context.records.push(mergeRecords(records));
    expect(countStatuses(records)).toEqual(new Map([[200, STORM]]));
    expect(finalTexts(records).size).toBe(1);
  });

  experiment(
    'F15 one key, 200 different requests: one effect, the others refused',
    async (context) => {
      const [from, first, second, third] = context.users as [
        FundedUser,
        FundedUser,
        FundedUser,
        FundedUser,
      ];
      const base = plainTransfer({ key: 'storm', from, to: first });
      const bodies = [
        { to: first, amount_minor: 100n },
        { to: first, amount_minor: 200n },
        { to: second, amount_minor: 100n },
        { to: third, amount_minor: 300n },
      ];
      const change = (index: number) => bodies[(index >> 1) % bodies.length]!;
      const records = await storm(context, sameKey(STORM, change, base));
      const { refused, answered } = splitRefused(records);
      context.records.push(mergeRecords(answered));
      context.note('refused', refused.length);
      expect(finalTexts(answered).size).toBe(1);
      expect(answered).toHaveLength(STORM / bodies.length);
      const codes = refused.map(({ attempts }) => attempts.at(-1)!);
      expect(codes.every((it) => 'text' in it && it.text.includes('"idempotency_key_reuse"'))).toBe(
        true,
      );
      expect(finalTexts(refused).size).toBe(0);
    },
  );

  experiment('F15 one key of two merchants and two environments: four effects', async (context) => {
    const [one, two, to] = context.users as [FundedUser, FundedUser, FundedUser];
    const scopes = [one, two].flatMap((from) =>
      (['live', 'sandbox'] as const).map((environment) =>
        plainTransfer({ key: 'shared', from, to, environment }),
      ),
    );
    const each = STORM / scopes.length;
    const operations = scopes.flatMap((base) => sameKey(each, () => ({}), base));
    const records = await storm(context, operations);
    expect(finalTexts(records).size).toBe(scopes.length);
    scopes.forEach((_, index) => {
      context.records.push(mergeRecords(records.slice(index * each, (index + 1) * each)));
    });
  });

  experiment('F15 one key, 200 requests, an API killed among them: one effect', async (context) => {
    const { cluster, random } = context;
    const [from, to] = context.users as [FundedUser, FundedUser];
    const base = plainTransfer({ key: 'storm', from, to });
    const storming = storm(
      context,
      sameKey(STORM, () => ({}), base),
    );
    const victim = random.pick(cluster.apis);
    await pause(random, 10, 200);
    await victim.kill();
    await victim.start();
    const records = await storming;
    context.records.push(mergeRecords(records));
    expect(countStatuses(records)).toEqual(new Map([[200, STORM]]));
    expect(finalTexts(records).size).toBe(1);
  });

  const shapes: Record<
    string,
    (users: readonly FundedUser[], turn: number) => [FundedUser, FundedUser]
  > = {
    'there and back': ([a, b], turn) => (turn % 2 === 0 ? [a!, b!] : [b!, a!]),
    cycles: (users, turn) => [users[turn % 3]!, users[(turn + 1) % 3]!],
    'one hot wallet': (users, turn) => {
      const other = users[1 + ((turn >> 1) % (users.length - 1))]!;
      return turn % 2 === 0 ? [users[0]!, other] : [other, users[0]!];
    },
  };
  for (const [shape, pairOf] of Object.entries(shapes)) {
    experiment(`F16 ${shape}: no deadlock and no 5xx`, async (context) => {
      const before = await countDeadlocks(context.cluster);
      let turn = 0;
      const next = (): Operation => {
        turn += 1;
        const [from, to] = pairOf(context.users, turn);
        return plainTransfer({ key: `${turn}`, from, to, first_api: context.random.integer(0, 1) });
      };
      const { client, cluster, records } = context;
      const load = startLoad({ client, apis: cluster.apis, records, callers: 24, next });
      const third = (FAULT_SECONDS * 1000) / 3;
      await pause(context.random, third, third);
      await load.stop();
      const statuses = new Set(records.flatMap((it) => it.attempts.map(({ status }) => status)));
      expect(statuses).toEqual(new Set([200]));
      expect(await countDeadlocks(cluster)).toBe(before);
      expect(readFileSync(join(cluster.folder, 'postgres.log'), 'utf8')).not.toContain('deadlock');
    });
  }

  experiment('F17 fifty transfers over a balance that affords ten: ten', async (context) => {
    const funds = { ...NO_FUNDS, EUR: 10_000n };
    const [from] = (await buildUsers(context.cluster.db, 1, funds)) as [FundedUser];
    const [to] = context.users as [FundedUser];
    context.users.push(from);
    const operations = Array.from({ length: 50 }, (_, index) => ({
      ...plainTransfer({ key: `${index}`, from, to, currency: 'EUR', amount_minor: 1_000n }),
      first_api: index,
      expected: undefined,
    }));
    context.records.push(...(await storm(context, operations)));
    const counts = countStatuses(context.records);
    expect(counts).toEqual(
      new Map([
        [200, 10],
        [402, 40],
      ]),
    );
  });

  experiment('copies: the default limits hold over two processes', async (context) => {
    const [from, to] = context.users as [FundedUser, FundedUser];
    const limits = { requests_per_minute: 60, writes_per_minute: 30 };
    const fresh = async (): Promise<string> =>
      (await buildApiKey(context.cluster.db, { user: from, ...limits })).key;
    const reads = await countAllowed(context, await fresh(), 200, 'GET', '/wallets');
    expect(reads).toEqual({ allowed: 60, limited: 140, other: [] });
    const missing = JSON.stringify({ to_username: 'nobody.at.all', currency: 'XOF', amount: 1 });
    const writes = await countAllowed(context, await fresh(), 100, 'POST', '/transfers', missing);
    expect(writes).toEqual({ allowed: 30, limited: 70, other: [] });
    context.note('reads_allowed', reads.allowed);
    context.note('writes_allowed', writes.allowed);
    expect(to).toBeDefined();
  });
});

async function countAllowed(
  { client, cluster }: ExperimentContext,
  key: string,
  count: number,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
) {
  const replies = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      client.send({
        method,
        url: cluster.apis[index % cluster.apis.length]!.base_url + path,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
        timeout_ms: 15_000,
      }),
    ),
  );
  const limited = replies.filter((it) => it.status === 429 && it.headers['retry-after']);
  // A transfer to an unknown user is counted like any other write, and moves nothing.
  const allowed = replies.filter(({ status }) => status === (method === 'GET' ? 200 : 404));
  const other = replies.filter((it) => !limited.includes(it) && !allowed.includes(it));
  return { allowed: allowed.length, limited: limited.length, other };
}

async function countDeadlocks({ db }: Cluster): Promise<bigint> {
  // Sessions report their counts when they fall idle.
  return waitFor(async () => {
    const { rows } = (await db.raw(
      `select deadlocks, not exists (
                select from pg_stat_activity
                 where state <> 'idle' and application_name like 'payment-%') as is_idle
         from pg_stat_database where datname = current_database()`,
    )) as { rows: { deadlocks: bigint; is_idle: boolean }[] };
    return rows[0]!.is_idle && rows[0]!.deadlocks;
  });
}

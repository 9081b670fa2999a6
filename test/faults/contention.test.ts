// Very many requests meet on the same key, wallet or limit.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../support/wait';
import type { Cluster } from './support/cluster';
import { useCluster } from './support/experiment';
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
});

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

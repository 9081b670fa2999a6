// F20: the disk of one part after the other is full, under load, and then has room again.

import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { waitFor } from '../support/wait';
import type { Cluster } from './support/cluster';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import { pause } from './support/plan';
import { startReaders } from './support/readers';

/** The machine does other work, too. */
const NOTICED_WITHIN_MS = 60_000;

type Checks = Readonly<Record<'postgres' | 'disk' | 'temporal' | 'schema', 'ok' | 'failed'>>;

/** Waits until each API says that it is not ready, and returns what it names first. */
function awaitNotReady(
  { apis }: Pick<Cluster, 'apis'>,
  isIt: (checks: Checks) => boolean,
): Promise<unknown> {
  return Promise.all(
    apis.map(({ base_url }) =>
      waitFor(async () => {
        const response = await fetch(new URL('/ready', base_url));
        const { checks } = (await response.json()) as { readonly checks: Checks };
        return response.status === 503 && isIt(checks);
      }, NOTICED_WITHIN_MS),
    ),
  );
}

/** Waits until a caller who has asked since then was refused. */
function await503({ records }: Pick<ExperimentContext, 'records'>, since: number): Promise<true> {
  return waitFor(
    () =>
      records.some(({ attempts }) => attempts.some((it) => it.at >= since && it.status === 503)),
    NOTICED_WITHIN_MS,
  );
}

/** Asks Postgres for a new segment of its write-ahead log, for which there is no room: that ends it. */
async function demandSegment(superuser_url: string): Promise<void> {
  const client = new Client({ connectionString: superuser_url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (;;)
      await client.query(`select pg_logical_emit_message(true, 'full', 'full'), pg_switch_wal()`);
  } catch {
    // The server is gone.
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe('a full disk', () => {
  const experiment = useCluster({ disks: true });

  experiment('F20 a full disk of Postgres costs 503 and no more', async (context) => {
    const { cluster, random, users } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      const since = Date.now();
      cluster.disks!.postgres.fill();
      await awaitNotReady(cluster, ({ disk }) => disk === 'failed');
      await await503(context, since);
      await pause(random, 2_000, 4_000);
    };
    await underLoad(context, plan, { order_options: { merchants: users } });
  });

  experiment('F20 a Postgres that a full disk has ended loses nothing', async (context) => {
    const { cluster, random, users } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      cluster.disks!.postgres.fill();
      await demandSegment(cluster.postgres.current().superuser_url('postgres'));
      await awaitNotReady(cluster, ({ postgres }) => postgres === 'failed');
      await pause(random, 2_000, 4_000);
    };
    await underLoad(context, plan, { order_options: { merchants: users } });
  });

  experiment(
    'F20 a full disk of Temporal costs 503 for writes, and reads go on',
    async (context) => {
      const { cluster, random } = context;
      const readers = startReaders(context);
      context.onEnd(async () => void (await readers.stop()));
      const plan = async (): Promise<void> => {
        await pause(random, 1_000, 2_000);
        const since = Date.now();
        cluster.disks!.temporal.fill();
        await await503(context, since);
        await pause(random, 3_000, 5_000);
      };
      await underLoad(context, plan);
      const reads = await readers.stop();
      context.note('reads', reads.length);
      for (const { path, status } of reads) {
        if (status !== 200) context.faults.push(`GET ${path} answered ${status}`);
      }
    },
  );

  experiment('F20 a full disk of the access log fails nobody', async (context) => {
    const { cluster, random, records } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      const from = records.length;
      cluster.disks!.access_log.fill();
      await waitFor(
        () => records.slice(from).filter(({ final }) => final).length > 200,
        NOTICED_WITHIN_MS,
      );
      cluster.disks!.access_log.free();
      await pause(random, 1_000, 2_000);
    };
    await underLoad(context, plan);
    const attempts = records.flatMap((record) => record.attempts);
    const refused = attempts.filter(({ status }) => status === undefined || status >= 500);
    expect(refused).toEqual([]);
    const lines = cluster.apis.flatMap(({ name }) => readLines(cluster.accessLogOf(name)));
    // The line that found the last room was cut off there, and the next one goes on in it.
    expect(lines.filter((line) => !isJson(line)).length).toBeLessThanOrEqual(cluster.apis.length);
    // Not by their number: the files have the lines of the experiments before this one, too.
    const written = new Set(lines.filter(isJson).map((line) => JSON.parse(line).request_id));
    const ids = records.flatMap(({ asked }) => asked);
    const lost = ids.filter((id) => !written.has(id)).length;
    context.note('lines_lost', lost);
    expect(lost).toBeGreaterThan(0);
    // Every request has its row all the same.
    await waitFor(async () => {
      const { rows } = (await cluster.database.owner.raw(
        'select count(distinct request_id)::integer as count from access_entries where request_id = any(?)',
        [ids],
      )) as { rows: { count: number }[] };
      return rows[0]!.count === ids.length;
    }, NOTICED_WITHIN_MS);
  });
});

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

// The servers below the service are killed, frozen, or lose an answer.

import { startReaders } from './support/readers';
import { underLoad, useCluster } from './support/experiment';
import { pause } from './support/plan';
import { startProxy } from './support/proxy';

/** Accepting ends after 5 s; then the last look, which Postgres answers at once here. */
const ANSWER_LIMIT_MS = 8_000;

describe('killed servers', () => {
  const experiment = useCluster();

  experiment('F3 answers 503 in time, and reads, while Temporal is dead or frozen', async (lab) => {
    const { cluster, random } = lab;
    const { temporal } = cluster;
    const readers = startReaders(lab);
    await underLoad(lab, async () => {
      await pause(random, 1_000, 2_000);
      await temporal.kill();
      await pause(random, 4_000, 6_000);
      await temporal.start();
      await pause(random, 1_500, 2_500);
      temporal.freeze();
      await pause(random, 6_000, 7_000);
      temporal.thaw();
    });
    const reads = await readers.stop();
    lab.note('reads', reads.length);
    lab.note('slowest_read_ms', Math.max(...reads.map(({ ms }) => ms)));
    expect(reads.filter(({ status }) => status !== 200)).toEqual([]);
    const slow = lab.records
      .flatMap(({ attempts }) => attempts)
      .filter(({ ms }) => ms > ANSWER_LIMIT_MS);
    expect(slow).toEqual([]);
    const refused = lab.records.flatMap(({ attempts }) => attempts);
    expect(refused.some(({ status }) => status === 503)).toBe(true);
  });

  experiment('F4 keeps every acknowledged transfer when Postgres is killed', async (lab) => {
    const { cluster, random } = lab;
    let kills = 0;
    await underLoad(lab, async ({ until }) => {
      do {
        await pause(random, 1_000, 2_500);
        await cluster.postgres.kill();
        kills += 1;
        await pause(random, 0, 1_500);
        await cluster.postgres.start();
      } while (Date.now() < until);
    });
    lab.note('kills', kills);
  });

  experiment('F4 stays honest while Postgres is away for long', async (lab) => {
    const { cluster, random } = lab;
    await underLoad(lab, async () => {
      await pause(random, 1_000, 2_000);
      await cluster.postgres.kill();
      await pause(random, 8_000, 9_000);
      await cluster.postgres.start();
    });
  });

  experiment('F5 survives all of it at random', async (lab) => {
    const { cluster, random } = lab;
    const { postgres, temporal, apis, workers } = cluster;
    const names = ['worker', 'api', 'pair', 'temporal', 'postgres', 'frozen_api'] as const;
    const counts = new Map<string, number>();
    await underLoad(lab, async ({ until }) => {
      do {
        const name = random.pick(names);
        counts.set(name, (counts.get(name) ?? 0) + 1);
        const api = random.pick(apis);
        const worker = random.pick(workers);
        await pause(random, 200, 1_000);
        if (name === 'frozen_api') api.freeze();
        if (name === 'api' || name === 'pair') await api.kill();
        if (name === 'worker' || name === 'pair') await worker.kill();
        if (name === 'temporal') await temporal.kill();
        if (name === 'postgres') await postgres.kill();
        await pause(random, 0, 2_000);
        await cluster.heal();
      } while (Date.now() < until);
    });
    for (const [name, count] of counts) lab.note(name, count);
  });

  experiment('F8 posts once when the answer to the commit is lost', async (lab) => {
    const { cluster, random } = lab;
    const proxy = await startProxy(cluster.database_url);
    lab.onEnd(() => proxy.close());
    const apis = [
      await cluster.addApi('api-1-behind-proxy', proxy.url),
      await cluster.addApi('api-2-behind-proxy', proxy.url),
    ];
    lab.onEnd(async () => void (await Promise.all(apis.map((api) => api.kill()))));
    await underLoad(
      lab,
      async ({ until }) => {
        proxy.loseAnswerIf((statement) =>
          random.chance(statement.includes('post_transfers') ? 0.3 : 0.01),
        );
        await pause(random, until - Date.now(), until - Date.now());
        proxy.loseAnswerIf(() => false);
      },
      { apis },
    );
    lab.note('lost_answers', proxy.lost());
    expect(proxy.lost()).toBeGreaterThan(0);
  });
});

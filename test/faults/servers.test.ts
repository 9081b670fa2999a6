// The servers below the service are killed, frozen, or lose a response.

import { waitFor } from '../support/wait';
import { ask, perform, promisesNoEffect, recordOf } from './support/caller';
import { underLoad, useCluster } from './support/experiment';
import { holdKey } from './support/locks';
import { plainTransfer } from './support/operations';
import { frozen, killed, pause } from './support/plan';
import { startReaders } from './support/readers';
import { apisBehindProxy } from './support/proxy';

/** Accepting ends after 5 s; the last query then returns at once, because Postgres is up here. */
const ANSWER_LIMIT_MS = 8_000;

describe('killed servers', () => {
  const experiment = useCluster();

  experiment(
    'F3 answers 503 in time, and reads, while Temporal is dead or frozen',
    async (context) => {
      const { cluster, random } = context;
      const { temporal } = cluster;
      const readers = startReaders(context);
      context.onEnd(async () => void (await readers.stop()));
      await underLoad(context, async () => {
        await pause(random, 1_000, 2_000);
        await killed(random, [temporal], 4_000, 6_000);
        await pause(random, 1_500, 2_500);
        await frozen(random, [temporal], 6_000, 7_000);
      });
      const reads = await readers.stop();
      context.note('reads', reads.length);
      context.note('slowest_read_ms', Math.max(...reads.map(({ ms }) => ms)));
      for (const { path, status, ms } of reads) {
        if (status !== 200) context.faults.push(`GET ${path} answered ${status}`);
        if (ms > ANSWER_LIMIT_MS) context.faults.push(`GET ${path} took ${ms} ms`);
      }
      const attempts = context.records.flatMap((record) => record.attempts);
      for (const { status, ms } of attempts) {
        if (ms > ANSWER_LIMIT_MS)
          context.faults.push(`a transfer was answered ${status} after ${ms} ms`);
      }
      expect(attempts.some(({ status }) => status === 503)).toBe(true);
    },
  );

  experiment('F4 keeps every acknowledged transfer when Postgres is killed', async (context) => {
    const { cluster, random } = context;
    let kills = 0;
    await underLoad(context, async ({ until }) => {
      do {
        await pause(random, 1_000, 2_500);
        await cluster.postgres.kill();
        kills += 1;
        await pause(random, 0, 1_500);
        await cluster.postgres.start();
      } while (Date.now() < until);
    });
    context.note('kills', kills);
  });

  experiment('F4 stays honest while Postgres is away for long', async (context) => {
    const { cluster, random } = context;
    await underLoad(context, async () => {
      await pause(random, 1_000, 2_000);
      await killed(random, [cluster.postgres], 8_000, 9_000);
    });
  });

  experiment('F21 its processes stop when told while Postgres is away', async (context) => {
    const { cluster, random } = context;
    const { postgres, apis, workers } = cluster;
    const processes = [...apis, ...workers];
    const stopAll = () => Promise.all(processes.map((process) => process.terminate()));
    await underLoad(
      context,
      async () => {
        await pause(random, 2_000, 3_000);
        await postgres.kill();
        // Their work under way is tried again and again from now on.
        await pause(random, 500, 1_000);
        await stopAll();
        await cluster.heal();
        await pause(random, 2_000, 3_000);
        postgres.freeze();
        await pause(random, 500, 1_000);
        await stopAll();
      },
      { order_options: { merchants: context.users } },
    );
  });

  experiment('F8 posts once when the response to the commit is lost', async (context) => {
    const { random } = context;
    const { proxy, apis } = await apisBehindProxy(context, 2);
    await underLoad(
      context,
      async ({ until }) => {
        proxy.loseAnswerIf((statement) =>
          random.chance(statement.includes('post_transfer_batch') ? 0.3 : 0.01),
        );
        // A while may pass on a busy machine before any is hit.
        do await pause(random, 100, 100);
        while (Date.now() < until || (proxy.lost() < 3 && Date.now() < until + 30_000));
        proxy.loseAnswerIf(() => false);
      },
      { apis },
    );
    context.note('lost_answers', proxy.lost());
    expect(proxy.lost()).toBeGreaterThan(0);
  });

  experiment('F8 never says that nothing was changed when it cannot know', async (context) => {
    const { cluster, client, users, random } = context;
    const { proxy, apis } = await apisBehindProxy(context);
    const [blind] = apis;
    const [from, to] = users;
    const record = recordOf(plainTransfer({ key: 'asked-twice', from: from!, to: to! }));
    context.records.push(record);
    const held = await holdKey(cluster, record.operation);
    const first = perform(record, { client, apis: cluster.apis });
    await held.awaitPosting();
    // The same key at another process, which reads once, then waits for the workflow's result, and
    // cannot read the response that belongs to it.
    let is_looked_up = false;
    proxy.loseAnswerIf((statement) => {
      is_looked_up ||= statement.includes(record.operation.key);
      return false;
    });
    const second = ask(record, blind!, { client });
    await waitFor(() => is_looked_up);
    await pause(random, 500, 500);
    proxy.loseAnswerIf(() => true);
    await held.release();
    await first;
    expect(promisesNoEffect(await second)).toBe(false);
    expect(proxy.lost()).toBeGreaterThan(0);
    proxy.loseAnswerIf(() => false);
  });
});

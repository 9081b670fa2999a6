// An operator must be able to survive these: Temporal's data is gone; the database's folder is, and is made anew from a
// backup.

import { createIntentStarter } from '../../temporal/payment-intents';
import { startLostWorkflows, type RestartedIntents } from '../../use-cases/lost-workflows';
import { perform, recordOf } from './support/caller';
import { readBooks } from './support/books';
import { plainTransfer } from './support/operations';
import { loseTemporalData } from './support/servers';
import { underLoad, useCluster } from './support/experiment';
import { TASK_QUEUE, type Cluster } from './support/cluster';
import { pause } from './support/plan';
import { withTemporal } from './support/recovery';

/** Payment intents are most of the load here. */
const TRANSFER_CALLERS = 3;

/** A process looks every ten seconds whether Temporal lacks what it needs. */
const PREPARED_LIMIT_MS = 60_000;

/** Does the same as `npm run cli -- workflows restart`. */
function restartWorkflows(cluster: Cluster): Promise<RestartedIntents> {
  return withTemporal(cluster, (temporal) =>
    startLostWorkflows({ db: cluster.db, startIntent: createIntentStarter(temporal, TASK_QUEUE) }),
  );
}

describe("Temporal's data is lost", () => {
  const experiment = useCluster();

  experiment(
    'F26 payments and transfers go on, and what was open is started again',
    async (context) => {
      const { cluster, random, users, records, client } = context;
      const { temporal, folder } = cluster;
      await underLoad(
        context,
        async () => {
          await pause(random, 2_000, 3_000);
          await temporal.kill();
          loseTemporalData(folder);
          await temporal.start();
          const probe = recordOf(plainTransfer({ key: 'after', from: users[0]!, to: users[1]! }));
          records.push(probe);
          await perform(probe, {
            client,
            apis: cluster.apis,
            give_up_at: Date.now() + PREPARED_LIMIT_MS,
          });
          const { started } = await restartWorkflows(cluster);
          context.note('started', started);
        },
        { callers: TRANSFER_CALLERS, order_options: { merchants: users }, length: 2 },
      );
    },
  );
});

describe('a destroyed database', () => {
  const experiment = useCluster({ archive: true });

  experiment('F28 is restored to its last commit, and nothing is lost', async (context) => {
    const { cluster, random, users } = context;
    const { postgres, archive } = cluster;
    await underLoad(
      context,
      async () => {
        await archive.takeBase(postgres.current().superuser_url('postgres'));
        await pause(random, 1_500, 3_000);
        await postgres.kill();
        archive.restore('last commit');
        await postgres.start();
        await pause(random, 500, 1_500);
      },
      { callers: TRANSFER_CALLERS, order_options: { merchants: users } },
    );
  });

  experiment('F27 is restored to an earlier moment, and callers make it good', async (context) => {
    const { cluster, random, records, users, client } = context;
    const { postgres, archive, apis } = cluster;
    await archive.takeBase(postgres.current().superuser_url('postgres'));
    await underLoad(context, async () => {
      await pause(random, 1_000, 2_000);
      await archive.markMoment(postgres.current().superuser_url('postgres'), 'before');
      await pause(random, 1_000, 2_000);
      await postgres.kill();
      archive.restore({ moment: 'before' });
      await postgres.start();
    });
    // A caller whose response the database no longer knows sends again, with the same key: it happens again, once.
    const { answers } = await readBooks(cluster.db, users);
    const lost = records.filter(
      ({ operation: { from, environment, key }, final }) =>
        final !== undefined && !answers.has(`${from.id} ${environment} ${key}`),
    );
    context.note('lost', lost.length);
    expect(lost.length).toBeGreaterThan(0);
    for (const record of lost) {
      record.attempts.length = 0;
      record.final = undefined;
      await perform(record, { client, apis, give_up_at: Date.now() + 30_000 });
    }
  });
});

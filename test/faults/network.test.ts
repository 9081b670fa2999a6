// Bad lines between processes and servers, clocks that are wrong, sessions that Postgres ends or has no
// room for, and restarts that no caller should notice.

import { Client } from 'pg';
import { promisesNoEffect } from './support/caller';
import type { Cluster } from './support/cluster';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import type { LinkFaults } from './support/link';
import { pause } from './support/plan';
import { END_SESSIONS } from './support/sessions';

const MINUTE_MS = 60_000;
const UNLIMITED = -1;

describe('lines, clocks, sessions and restarts', () => {
  const experiment = useCluster({ lines: true, clocks: true });

  /** One line after the other, in turns, is bad for a while. */
  const spoil = (
    title: string,
    names: readonly string[],
    faultOf: (context: ExperimentContext) => Partial<LinkFaults>,
  ): void =>
    experiment(title, async (context) => {
      const { cluster, random, users } = context;
      let spoiled = 0;
      const plan = async ({ until }: { readonly until: number }): Promise<void> => {
        do {
          await pause(random, 500, 1_500);
          const line = cluster.lines[names[spoiled % names.length]!]!;
          line.set(faultOf(context));
          spoiled += 1;
          await pause(random, 500, 3_000);
          line.set({});
        } while (Date.now() < until || spoiled < names.length);
      };
      await underLoad(context, plan, { order_options: { merchants: users } });
      context.note('spoiled', spoiled);
    });

  const POSTGRES = ['api_postgres', 'worker_postgres'];
  const TEMPORAL = ['api_temporal', 'worker_temporal'];
  const ALL = [...POSTGRES, ...TEMPORAL];

  spoil('F7 nothing is lost or doubled when lines to Postgres are cut', POSTGRES, () => ({
    line: 'cut',
  }));
  spoil('F7 nothing is lost or doubled when a line falls silent and delivers late', ALL, () => ({
    line: 'silent',
  }));

  experiment(
    'F12 a wrong clock expires nothing early, and every signature verifies',
    async (context) => {
      const { cluster, random, users } = context;
      const { apis, workers } = cluster;
      let jumps = 0;
      const plan = async ({ until }: { readonly until: number }): Promise<void> => {
        const shifts = [10, -10, -60, 60, 0].map((minutes) => minutes * MINUTE_MS);
        do {
          const { name } = random.pick([...apis, ...workers]);
          cluster.setClock(name, random.pick(shifts));
          jumps += 1;
          await pause(random, 300, 1_200);
        } while (Date.now() < until || jumps < 8);
        for (const { name } of [...apis, ...workers]) cluster.setClock(name, 0);
      };
      await underLoad(context, plan, { order_options: { merchants: users }, length: 2 });
      context.note('jumps', jumps);
      requirePromptAnswers(context);
    },
  );

  experiment('F20 nothing is lost or doubled when Postgres ends sessions', async (context) => {
    const { cluster, random, users } = context;
    let ended = 0;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      do {
        await pause(random, 100, 600);
        const { rows } = (await cluster.database.owner.raw(
          `${END_SESSIONS} and random() < 0.5`,
        )) as {
          rows: unknown[];
        };
        ended += rows.length;
      } while (Date.now() < until);
    };
    await underLoad(context, plan, { order_options: { merchants: users } });
    context.note('sessions_ended', ended);
    expect(ended).toBeGreaterThan(0);
  });

  experiment('F20 a Postgres without room for sessions costs 503 and no more', async (context) => {
    const { cluster, random } = context;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      do {
        await allowSessions(cluster, random.integer(0, 4));
        await pause(random, 1_000, 2_000);
        await allowSessions(cluster, UNLIMITED);
        await pause(random, 500, 1_000);
      } while (Date.now() < until);
    };
    context.onEnd(() => allowSessions(cluster, UNLIMITED));
    await underLoad(context, plan);
    const attempts = context.records.flatMap((record) => record.attempts);
    expect(attempts.some(({ status }) => status === 503)).toBe(true);
  });

  experiment('F20 a wallet that is locked for long holds up no other', async (context) => {
    const { cluster, random, users } = context;
    const [locked, ...others] = users;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      do {
        const holder = new Client({ connectionString: cluster.database.owner_url });
        await holder.connect();
        await holder.query('begin');
        await holder.query('select 1 from ledger_accounts where user_id = $1 for update', [
          locked!.id,
        ]);
        await pause(random, 2_000, 3_000);
        await holder.query('rollback');
        await holder.end();
      } while (Date.now() < until);
    };
    await underLoad(context, plan, { users: others });
    requirePromptAnswers(context);
    const refused = context.records.flatMap(({ attempts }) =>
      attempts.filter(({ status }) => status === 503),
    );
    context.note('refused', refused.length);
    expect(refused).toEqual([]);
  });

  experiment('F21 a rolling restart fails no transfer', async (context) => {
    const { cluster, random, users } = context;
    const { apis, workers } = cluster;
    let restarts = 0;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      const all = [...apis, ...workers];
      do {
        const one = all[restarts % all.length]!;
        await one.terminate();
        await one.start();
        restarts += 1;
        await pause(random, 300, 1_000);
      } while (Date.now() < until || restarts < all.length);
    };
    await underLoad(context, plan, { order_options: { merchants: users }, length: 2 });
    context.note('restarts', restarts);
    // A connection that is kept alive may be closed at the moment at which the next request leaves. Such a
    // request is repeated, as any is whose connection breaks; the checks count its effect once.
    const cut = context.records.flatMap(({ attempts }) =>
      attempts.filter((it) => it.status === undefined && !it.fault.startsWith('connect ')),
    );
    context.note('cut_off', cut.length);
    const unsure = context.records.flatMap(({ attempts }) =>
      attempts.filter((it) => it.status === 503 && !promisesNoEffect(it)),
    );
    context.note('unsure', unsure.length);
  });
});

/** A request ends in seconds, whatever the clock says: the service's own limit is below 15 s. */
function requirePromptAnswers({ records, faults }: ExperimentContext): void {
  for (const { status, ms, api } of records.flatMap(({ attempts }) => attempts)) {
    if (status === undefined) faults.push(`${api} did not respond within ${ms} ms`);
  }
}

/** The service's role may have so many sessions: a few of those that it has are ended, no more come. */
async function allowSessions({ database }: Cluster, most: number): Promise<void> {
  await database.owner.raw(`alter role payments_app connection limit ${most}`);
  if (most >= 0) await database.owner.raw(END_SESSIONS);
}

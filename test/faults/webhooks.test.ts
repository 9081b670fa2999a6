// Events are committed all the time, and everything that delivers them is killed, frozen and
// restarted; or receivers misbehave, which must not affect other merchants.

import { rotateWebhookSecret, updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { makeWebhookSecret } from '../../secrets/webhook-secret';
import { waitFor } from '../support/wait';
import { testSealer } from '../support/webhooks';
import type { Cluster } from './support/cluster';
import { settle, useCluster, type ExperimentContext } from './support/experiment';
import { countDuplicates } from './support/hook-checks';
import { publish, startHookLoad } from './support/hook-load';
import { moody, type Answering, type Hook, type Reception } from './support/hooks';
import { percentile } from './support/percentile';
import { pause } from './support/plan';
import { createRandom, type Random } from './support/random';
import { FAULT_SECONDS, FAULT_SEED } from './support/settings';

/** The lease of a worker: the process that held an endpoint is replaced after this. */
const LEASE_MS = 5_000;
/** The bound of a healthy merchant beside others that hang: the machine has two cores. */
const HEALTHY_P95_MS = 2_000;

describe('webhooks', () => {
  const experiment = useCluster();

  experiment('F1 no webhook is lost when workers are killed', async (context) => {
    const { cluster, random } = context;
    let kills = 0;
    await underEvents(context, async ({ until }) => {
      do {
        await pause(random, 500, 2_000);
        const victims = random.chance(0.4) ? cluster.workers : [random.pick(cluster.workers)];
        for (const victim of victims) {
          await victim.kill();
          kills += 1;
          await pause(random, 0, 800);
        }
        await Promise.all(victims.map((victim) => victim.start()));
      } while (Date.now() < until);
    });
    context.note('kills', kills);
  });

  experiment('F4 no webhook is lost when Postgres is killed', async (context) => {
    const { cluster, random } = context;
    const { postgres } = cluster;
    let kills = 0;
    await underEvents(context, async ({ until }) => {
      do {
        await pause(random, 1_000, 2_500);
        await postgres.kill();
        kills += 1;
        await pause(random, 0, 2_000);
        await postgres.start();
      } while (Date.now() < until);
    });
    context.note('kills', kills);
    await expectCommitsHeard(context);
  });

  experiment('F6 a worker frozen for longer than its lease does no harm', async (context) => {
    const { cluster, random } = context;
    await underEvents(context, async () => {
      for (const worker of cluster.workers) {
        await pause(random, 1_000, 2_000);
        worker.freeze();
        await pause(random, LEASE_MS + 2_000, LEASE_MS + 4_000);
        worker.thaw();
      }
    });
  });

  experiment('F21 a rolling restart of workers sends nothing twice', async (context) => {
    const { cluster, hooks, random } = context;
    const { workers } = cluster;
    let slowest = 0;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      for (let turn = 0; Date.now() < until || turn < workers.length; turn += 1) {
        await pause(random, 500, 1_500);
        const worker = workers[turn % workers.length]!;
        const asked_at = Date.now();
        await worker.terminate();
        slowest = Math.max(slowest, Date.now() - asked_at);
        await worker.start();
      }
    };
    // Every second one is under way when it happens.
    const late: Answering = () => ({ status: 200, after_ms: random.integer(0, 400) });
    await underEvents(context, plan, late);
    context.note('slowest_stop_ms', slowest);
    const twice = countDuplicates(hooks.receptions);
    if (twice > 0) context.faults.push(`${twice} were sent twice`);
  });

  experiment(
    'F24 fifty that hang, one with thousands behind it, delay no other',
    async (context) => {
      const { cluster, hooks, users } = context;
      const [healthy, crowded] = hooks.all as [Hook, Hook];
      const dead = [crowded];
      while (dead.length < 50) dead.push(await hooks.add({ user: users[1]! }));
      const calm = await measure(context, healthy, 'calm');
      for (const hook of dead) hook.answer = () => ({ status: 'none' });
      for (let batch = 0; batch < 20; batch += 1) await publish(context, [crowded], 1_000);
      for (let batch = 0; batch < 10; batch += 1) await publish(context, dead.slice(1), 10);
      await waitFor(() => dead.every((hook) => receptionsOf(context, hook).length > 0), 30_000);
      const beside = await measure(context, healthy, 'beside');
      context.note('p95_ratio', Math.round((100 * beside) / Math.max(1, calm)) / 100);
      await giveUp(cluster, dead);
    },
  );

  experiment('F25 every webhook verifies while secrets are rotated', async (context) => {
    const { cluster, hooks, random } = context;
    let rotations = 0;
    await underEvents(context, async ({ until }) => {
      const killing = async (): Promise<void> => {
        while (Date.now() < until) {
          await pause(random, 2_000, 3_000);
          const victim = random.pick(cluster.workers);
          await victim.kill();
          await victim.start();
        }
      };
      const rotating = async (): Promise<void> => {
        while (Date.now() < until) {
          await pause(random, 1_000, 1_000);
          for (const hook of busyOf(hooks.all)) await rotate(cluster, hook, random.integer(1, 3));
          rotations += 1;
        }
      };
      await Promise.all([killing(), rotating()]);
    });
    context.note('rotations', rotations);
  });
});

function busyOf(hooks: readonly Hook[]): readonly Hook[] {
  return hooks.slice(0, 5);
}

/** Events under the faults, everything healed, and some more of them. */
async function underEvents(
  context: ExperimentContext,
  faults: (plan: { readonly until: number }) => Promise<void>,
  answer = moody(createRandom(FAULT_SEED, `${context.code} webhooks`)),
): Promise<void> {
  const { cluster, hooks } = context;
  hooks.answer = answer;
  const load = startHookLoad(context, { hooks: busyOf(hooks.all) });
  // Their runs have ended whenever the next one comes.
  const quiet = { hooks: hooks.all.slice(5, 8), per_second: 0.5 };
  const quiet_load = startHookLoad({ ...context, code: `${context.code} quiet` }, quiet);
  try {
    await faults({ until: Date.now() + 2 * FAULT_SECONDS * 1_000 });
    await cluster.heal();
    await settle(context);
    await pause(context.random, 2_000, 3_000);
  } finally {
    await Promise.all([load.stop(), quiet_load.stop()]);
  }
}

function receptionsOf({ hooks }: ExperimentContext, hook: Hook): Reception[] {
  return hooks.receptions.filter((reception) => reception.hook === hook);
}

/** The commit itself notifies a worker: polling would take half a second on average. */
async function expectCommitsHeard(context: ExperimentContext): Promise<void> {
  const { cluster, hooks, random } = context;
  const began = Date.now();
  await waitFor(async () => {
    const { rows } = (await cluster.database.owner.raw(
      `select count(*)::integer as ears from pg_stat_activity
        where application_name = 'payment-listener'`,
    )) as { rows: { ears: number }[] };
    return rows[0]!.ears === cluster.workers.length;
  }, 15_000);
  context.note('listening_after_ms', Date.now() - began);
  const hook = await hooks.add({ user: context.users[0]! });
  await publish(context, [hook]);
  await waitFor(() => receptionsOf(context, hook).length === 1, 20_000);
  const told: number[] = [];
  while (told.length < 9) {
    await pause(random, 500, 900);
    const committed_at = Date.now();
    await publish(context, [hook]);
    const received = await waitFor(() => receptionsOf(context, hook)[told.length + 1], 20_000);
    told.push(received.at - committed_at);
  }
  const heard_ms = percentile(told, 0.5);
  context.note('heard_p50_ms', heard_ms);
  if (heard_ms > 300) context.faults.push(`workers are not notified of commits: ${told.join()} ms`);
}

/** The p95 of a merchant who gets ten events a second and responds at once, in ms. */
async function measure(context: ExperimentContext, hook: Hook, name: string): Promise<number> {
  const from = receptionsOf(context, hook).length;
  const random: Random = createRandom(FAULT_SEED, name);
  const times = new Map<string, number>();
  const publishing: Promise<void>[] = [];
  const until = Date.now() + (3 / 4) * FAULT_SECONDS * 1_000;
  while (Date.now() < until) {
    await pause(random, 50, 150);
    publishing.push(publish(context, [hook]).then(() => undefined));
  }
  await Promise.all(publishing);
  await waitFor(() => receptionsOf(context, hook).length >= from + publishing.length, 20_000);
  const rows = await addedOf(context.cluster, hook);
  for (const { event_id, added_at } of rows) times.set(event_id, added_at);
  const waits = receptionsOf(context, hook)
    .slice(from)
    .map(({ event_id, at }) => at - times.get(event_id)!);
  const p95 = Math.round(percentile(waits, 0.95));
  context.note(`${name}_p50_ms`, Math.round(percentile(waits, 0.5)));
  context.note(`${name}_p95_ms`, p95);
  if (p95 > HEALTHY_P95_MS) context.faults.push(`${name}: the healthy merchant's p95 is ${p95} ms`);
  return p95;
}

async function addedOf(
  { db }: Cluster,
  { id }: Hook,
): Promise<{ readonly event_id: string; readonly added_at: number }[]> {
  const { rows } = (await db.raw(
    `select event_id, extract(epoch from created_at)::float8 * 1000 as added_at
       from webhook_deliveries where endpoint_id = ?`,
    [id],
  )) as { rows: { event_id: string; added_at: number }[] };
  return rows;
}

/** The merchant takes it away: what waits there is discarded. */
async function giveUp({ db }: Cluster, dead: readonly Hook[]): Promise<void> {
  for (const hook of dead) {
    hook.is_given_up = true;
    await updateWebhookEndpoint(db, hook.id, { status: 'deleted' });
  }
}

async function rotate({ db }: Cluster, hook: Hook, overlap_seconds: number): Promise<void> {
  const secret = makeWebhookSecret();
  const [previous] = hook.secrets.slice(-1) as [Hook['secrets'][number]];
  // The receiver knows the secret before it can be used.
  hook.secrets.push({ secret, valid_from: Date.now(), valid_until: Infinity });
  await rotateWebhookSecret(db, hook.id, testSealer.seal(secret, hook.id), overlap_seconds);
  const ended_at = Date.now();
  // Only one is kept beside the newest: within an overlap the one that was kept already.
  const kept = hook.secrets.slice(0, -2).find((it) => it.valid_until > ended_at) ?? previous;
  previous.valid_until = ended_at;
  kept.valid_until = ended_at + overlap_seconds * 1_000;
}

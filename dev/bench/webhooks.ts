// Deliveries alone: events are injected as committed rows, as the end of an intent commits them, and
// a receiver on loopback says when each came. `npm run bench:webhooks [-- --json]`, and a part of the
// bench.

import { Pool } from 'pg';
import { onStage, type Stage } from './contestants';
import { weigh, type Pids } from './processor';
import { median, round } from './stats';
import {
  burst,
  commitEvents,
  makeEndpoints,
  postBare,
  retire,
  steady,
  untilNoRun,
  untilTried,
  type Delivered,
  type Post,
} from './webhook-post';

export const WEBHOOK_PLAN = {
  burst: 2_000,
  steady: 1_000,
  per_second: 50,
  neighbour_rounds: 3,
  /** Endpoints with an event now and then: each has one in ten seconds. */
  quiet_endpoints: 500,
};
type WebhookPlan = typeof WEBHOOK_PLAN;

/** How many answer, and how many do not. */
const SCENES = [
  { name: '1', healthy: 1, dead: 0 },
  { name: '1_beside_dead', healthy: 1, dead: 1 },
  { name: '20', healthy: 20, dead: 0 },
  { name: '20_beside_dead', healthy: 19, dead: 1 },
] as const;

type Figures = Record<string, Delivered>;

/**
 * `bare`, the floor of a burst: the same requests by undici alone, without rows, signatures, guards. `neighbours`: one
 * merchant's deliveries at a steady rate, alone, and beside those whose endpoints are dead. `quiet`: deliveries at the
 * same rate to one endpoint, and to many that have an event now and then. `ratios`: p95 beside neighbours to p95 alone,
 * medians of the rounds, and the processor time of a delivery to a quiet endpoint.
 */
export async function measureWebhooks(
  stage: Stage,
  plan: WebhookPlan,
  log: (text: string) => void,
) {
  const delivery = await stage.startDelivery();
  const { url, receiver } = delivery;
  const pool = new Pool({ connectionString: stage.owner_url, max: 20 });
  const post: Post = { stage, url, pool, receiver };
  try {
    const bare_per_second = await postBare(post, plan.burst);
    const scenes = await measureScenes(post, plan, log);
    const { neighbours, ratios } = await measureNeighbours(post, plan, log);
    const quiet = await measureQuiet(post, { ...plan, pids: delivery.pids }, log);
    const to_bare = Object.fromEntries(
      Object.entries(scenes)
        .filter(([name]) => name.startsWith('burst'))
        .map(([name, { rate }]) => [`webhook_${name}_to_bare`, round(rate / bare_per_second)]),
    );
    const quiet_to_busy = round(processorTime(quiet.quiet) / processorTime(quiet.busy));
    return {
      bare_per_second,
      scenes,
      neighbours,
      quiet,
      ratios: { ...to_bare, ...ratios, webhook_quiet_processor_to_busy: quiet_to_busy },
    };
  } finally {
    await pool.end();
    await delivery.close();
  }
}

async function measureScenes(
  post: Post,
  plan: WebhookPlan,
  log: (text: string) => void,
): Promise<Figures> {
  const figures: Figures = {};
  for (const scene of SCENES) {
    const endpoints = await makeEndpoints(post, scene);
    // A first delivery opens connections, makes plans and compiles code.
    for (let warmup = 0; warmup < 3; warmup += 1) await burst(post, endpoints, 200);
    const bursts: Delivered[] = [];
    while (bursts.length < BURSTS) bursts.push(await burst(post, endpoints, plan.burst));
    const at_once = middleBy('rate', bursts);
    const in_time = await steady(post, endpoints, plan.steady, plan.per_second);
    figures[`burst_${scene.name}`] = at_once;
    figures[`steady_${scene.name}`] = in_time;
    log(
      `webhooks, ${scene.name}: burst ${at_once.rate}/s · ${described(in_time)} at ${plan.per_second}/s`,
    );
    await retire(post, endpoints);
  }
  return figures;
}

/** A burst is over within a second or two, and one alone says little. */
const BURSTS = 3;

function middleBy(figure: 'rate' | 'p95_ms', all: readonly Delivered[]): Delivered {
  return [...all].sort((a, b) => a[figure] - b[figure])[all.length >> 1]!;
}

const NEIGHBOURS = [
  { name: 'dead_with_backlog', dead: 1, pending: 100_000 },
  { name: 'one_hangs', dead: 1, pending: 20 },
  { name: 'two_hundred_hang', dead: 200, pending: 20 },
  // This scene begins when all two hundred have something to deliver.
  { name: 'two_hundred_begin', dead: 200, pending: 20, is_beginning: true },
] as const;

/** Measures in turns: a ratio of two moments that are minutes apart says more of the machine. */
async function measureNeighbours(
  post: Post,
  { neighbour_rounds, per_second, steady: count }: WebhookPlan,
  log: (text: string) => void,
): Promise<{ neighbours: Figures; ratios: Record<string, number> }> {
  const neighbours: Figures = {};
  const ratios: Record<string, number> = {};
  if (neighbour_rounds === 0) return { neighbours, ratios };
  const healthy = await makeEndpoints(post, { healthy: 1, dead: 0 });
  const measure = async (): Promise<Delivered> => {
    // The backlog was written just before: its cleaning is not measured here.
    await post.pool.query('vacuum analyze events, webhook_deliveries');
    await post.pool.query('checkpoint');
    return steady(post, healthy, count / 2, per_second);
  };
  await measure();
  for (const { name, dead, pending, ...scene } of NEIGHBOURS) {
    const rounds: { readonly alone: Delivered; readonly beside: Delivered }[] = [];
    for (let round = 0; round < neighbour_rounds; round += 1) {
      const alone = await measure();
      const dead_ones = await makeEndpoints(post, { healthy: 0, dead }, 1);
      for (const endpoint of dead_ones) await commitEvents(post, endpoint, pending);
      if (!('is_beginning' in scene)) await untilTried(post, dead_ones);
      const beside = await measure();
      rounds.push({ alone, beside });
      await retire(post, dead_ones);
    }
    const middle = (which: 'alone' | 'beside'): Delivered =>
      middleBy(
        'p95_ms',
        rounds.map((one) => one[which]),
      );
    neighbours[`${name}_alone`] = middle('alone');
    neighbours[name] = middle('beside');
    ratios[`${name}_p95_to_alone`] = round(
      median(rounds.map(({ alone, beside }) => beside.p95_ms / alone.p95_ms)),
    );
    log(
      `beside ${name}: ${described(neighbours[name])}, alone ${described(neighbours[`${name}_alone`]!)}`,
    );
  }
  await retire(post, healthy);
  return { neighbours, ratios };
}

const SECONDS_BETWEEN_EVENTS = 10;

/** The cost of a delivery for all processes, when its endpoint has an event now and then, and at a busy one. */
async function measureQuiet(
  post: Post,
  { quiet_endpoints, pids }: Pick<WebhookPlan, 'quiet_endpoints'> & { readonly pids: Pids },
  log: (text: string) => void,
): Promise<Record<'busy' | 'quiet', Delivered>> {
  const per_second = quiet_endpoints / SECONDS_BETWEEN_EVENTS;
  const measure = async (healthy: number): Promise<Delivered> => {
    const endpoints = await makeEndpoints(post, { healthy, dead: 0 });
    // The first event of each, and the runs that it began are over.
    await steady(post, endpoints, quiet_endpoints, per_second);
    await untilNoRun(post);
    const figures = await weigh(pids, { warmup_seconds: 0 }, () =>
      steady(post, endpoints, quiet_endpoints, per_second),
    );
    await retire(post, endpoints);
    log(
      `webhooks, ${healthy} at ${per_second}/s in all: ${described(figures)}, ${processorTime(figures)} ms each`,
    );
    return figures;
  };
  return { busy: await measure(1), quiet: await measure(quiet_endpoints) };
}

/** Returns what one delivery took, all processes together, in milliseconds. */
function processorTime({ processor_ms = {} }: Delivered): number {
  return round(Object.values(processor_ms).reduce((sum, ms) => sum + ms, 0));
}

function described({ p50_ms, p95_ms, p99_ms }: Delivered): string {
  return `p50 ${p50_ms} ms p95 ${p95_ms} ms p99 ${p99_ms} ms`;
}

export function describeWebhooks({
  bare_per_second,
  scenes,
  neighbours,
  quiet,
  ratios,
}: Awaited<ReturnType<typeof measureWebhooks>>): string[] {
  return [
    `  bare                     ${bare_per_second}/s`,
    ...Object.entries({ ...scenes, ...neighbours, ...quiet }).map(
      ([name, figures]) =>
        `  ${name.padEnd(24)} ${String(figures.rate).padStart(8)}/s   ${described(figures)}   ${figures.duplicates} twice`,
    ),
    ...Object.entries(ratios).map(([name, value]) => `  ${name.padEnd(40)} ${value}`),
  ];
}

if (require.main === module) {
  onStage(
    (stage, log) => measureWebhooks(stage, WEBHOOK_PLAN, log),
    (figures) => describeWebhooks(figures).join('\n'),
  ).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

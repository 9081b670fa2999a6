// Deliveries alone: events are injected as committed rows, as the end of an intent commits them, and
// a receiver on loopback says when each came. `npm run bench:webhooks [-- --json]`, and a part of the
// bench.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Pool } from 'pg';
import { createEndpointWaker, type EndpointWaker } from '../activities/wake-endpoints';
import { createSealer } from '../secrets/seal';
import { makeWebhookSecret } from '../secrets/webhook-secret';
import { setStage, type BenchUser, type Stage } from './contestants';
import type { Receipt } from './receiver';
import { median, round, summarize, type Summary } from './stats';

export interface WebhookPlan {
  readonly burst: number;
  readonly steady: number;
  readonly per_second: number;
  readonly neighbour_rounds: number;
}

export const WEBHOOK_PLAN: WebhookPlan = {
  burst: 2_000,
  steady: 1_000,
  per_second: 50,
  neighbour_rounds: 3,
};

/** How many answer, and how many do not. */
const SCENES = [
  { name: '1', healthy: 1, dead: 0 },
  { name: '1_beside_dead', healthy: 1, dead: 1 },
  { name: '20', healthy: 20, dead: 0 },
  { name: '20_beside_dead', healthy: 19, dead: 1 },
] as const;

export interface WebhookFigures {
  readonly scenes: Readonly<Record<string, Delivered>>;
  /** One merchant's deliveries at a steady rate: alone, and beside those whose endpoints are dead. */
  readonly neighbours: Readonly<Record<string, Delivered>>;
  /** p95 beside them to p95 alone, medians of the rounds. */
  readonly ratios: Readonly<Record<string, number>>;
}

export type Delivered = Summary & { readonly duplicates: number };

interface Endpoint {
  readonly id: string;
  readonly account_id: string;
  readonly is_dead: boolean;
}

interface Post {
  readonly stage: Stage;
  readonly url: string;
  readonly pool: Pool;
  readonly waker: EndpointWaker;
  readonly receiver: { take(): Promise<readonly Receipt[]>; count(): Promise<number> };
}

export async function measureWebhooks(
  stage: Stage,
  plan: WebhookPlan,
  log: (text: string) => void,
): Promise<WebhookFigures> {
  const { url, receiver, close } = await stage.startDelivery();
  const pool = new Pool({ connectionString: stage.owner_url, max: 20 });
  const connection = await Connection.connect({ address: stage.temporal_address });
  const waker = createEndpointWaker({
    temporal: new TemporalClient({ connection }),
    task_queue: 'payments',
    onError: (_id, error) => log(`waking failed: ${String(error)}`),
  });
  const post: Post = { stage, url, pool, waker, receiver };
  try {
    const scenes = await measureScenes(post, plan, log);
    return { scenes, ...(await measureNeighbours(post, plan, log)) };
  } finally {
    await waker.flush();
    await pool.end();
    await connection.close();
    await close();
  }
}

async function measureScenes(
  post: Post,
  plan: WebhookPlan,
  log: (text: string) => void,
): Promise<Record<string, Delivered>> {
  const figures: Record<string, Delivered> = {};
  for (const scene of SCENES) {
    const endpoints = await makeEndpoints(post, scene);
    // What a first delivery needs once: connections, plans, compiled code.
    for (let warmup = 0; warmup < 3; warmup += 1) await burst(post, endpoints, 200);
    const at_once = await burst(post, endpoints, plan.burst);
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

const NEIGHBOURS = [
  { name: 'dead_with_backlog', dead: 1, pending: 100_000 },
  { name: 'one_hangs', dead: 1, pending: 20 },
  { name: 'two_hundred_hang', dead: 200, pending: 20 },
] as const;

/** In turns, because a ratio of two moments that are minutes apart says more of the machine. */
async function measureNeighbours(
  post: Post,
  { neighbour_rounds, per_second, steady: count }: WebhookPlan,
  log: (text: string) => void,
): Promise<Pick<WebhookFigures, 'neighbours' | 'ratios'>> {
  const neighbours: Record<string, Delivered> = {};
  const ratios: Record<string, number> = {};
  const healthy = await makeEndpoints(post, { healthy: 1, dead: 0 });
  const measure = async (): Promise<Delivered> => {
    // What writing a backlog leaves behind is not what is asked here.
    await post.pool.query('vacuum analyze events, webhook_deliveries');
    await post.pool.query('checkpoint');
    return steady(post, healthy, count / 2, per_second);
  };
  await measure();
  for (const { name, dead, pending } of NEIGHBOURS) {
    const rounds: { readonly alone: Delivered; readonly beside: Delivered }[] = [];
    for (let round = 0; round < neighbour_rounds; round += 1) {
      const alone = await measure();
      const dead_ones = await makeEndpoints(post, { healthy: 0, dead }, 1);
      for (const endpoint of dead_ones) await commitEvents(post, endpoint, pending);
      const beside = await measure();
      rounds.push({ alone, beside });
      await retire(post, dead_ones);
    }
    const middle = (which: 'alone' | 'beside'): Delivered =>
      [...rounds].map((one) => one[which]).sort((a, b) => a.p95_ms - b.p95_ms)[rounds.length >> 1]!;
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

function described({ p50_ms, p95_ms, p99_ms }: Delivered): string {
  return `p50 ${p50_ms} ms p95 ${p95_ms} ms p99 ${p99_ms} ms`;
}

/** One per merchant. */
async function makeEndpoints(
  { stage: { users, secrets_key }, pool, url }: Post,
  { healthy, dead }: { readonly healthy: number; readonly dead: number },
  first_user = 0,
): Promise<Endpoint[]> {
  const sealer = createSealer([secrets_key]);
  return Promise.all(
    Array.from({ length: healthy + dead }, async (_, place) => {
      const id = randomUUID();
      const is_dead = place >= healthy;
      const { id: account_id } = users[(place + first_user) % users.length] as BenchUser;
      const request = {
        ...{ id, account_id, environment: 'live', description: null, max_per_second: null },
        url: `${url}/${is_dead ? 'dead' : 'hooks'}/${place}`,
        types: ['payment.succeeded'],
      };
      await pool.query('select create_webhook_endpoint($1, $2, 100)', [
        JSON.stringify(request),
        sealer.seal(makeWebhookSecret(), id),
      ]);
      return { id, account_id, is_dead };
    }),
  );
}

async function retire({ pool }: Post, endpoints: readonly Endpoint[]): Promise<void> {
  for (const { id } of endpoints) {
    await pool.query(`select update_webhook_endpoint($1, '{"status": "deleted"}')`, [id]);
  }
}

/** All at once: from the first commit until the last has come. */
async function burst(
  post: Post,
  endpoints: readonly Endpoint[],
  count: number,
): Promise<Delivered> {
  const committed = new Map<string, number>();
  const began = now();
  await Promise.all(
    endpoints.map(async (endpoint) => {
      const share = Math.ceil(count / endpoints.length);
      const { ids, at } = await commitEvents(post, endpoint, share);
      if (!endpoint.is_dead) for (const id of ids) committed.set(id, at);
    }),
  );
  const receipts = await untilReceived(post, committed.size);
  const last = Math.max(...receipts.map(({ at }) => at));
  return latenciesOf(committed, receipts, (last - began) / 1_000);
}

/** So many a second, each in a commit of its own, each to the next endpoint. */
async function steady(
  post: Post,
  endpoints: readonly Endpoint[],
  count: number,
  per_second: number,
): Promise<Delivered> {
  const committed = new Map<string, number>();
  const began = performance.now();
  const commits: Promise<void>[] = [];
  for (let place = 0; place < count; place += 1) {
    const due = began + (place * 1_000) / per_second;
    await delay(Math.max(0, due - performance.now()));
    const endpoint = endpoints[place % endpoints.length]!;
    commits.push(
      commitEvents(post, endpoint, 1).then(({ ids, at }) => {
        if (!endpoint.is_dead) committed.set(ids[0]!, at);
      }),
    );
  }
  await Promise.all(commits);
  const seconds = (performance.now() - began) / 1_000;
  return latenciesOf(committed, await untilReceived(post, committed.size), seconds);
}

/** As an intent's end commits its event; `at` is when the commit has come back. */
async function commitEvents(
  { pool, waker }: Post,
  { id, account_id }: Endpoint,
  count: number,
): Promise<{ readonly ids: readonly string[]; readonly at: number }> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("select lock_event_counter($1, 'live')", [account_id]);
    await client.query(
      `insert into events (id, account_id, environment, sequence, type, intent_id, body, created_at)
       select id, $1, 'live', 0, 'payment.succeeded', null, $3 || id || $4, clock_timestamp()
         from unnest($2::uuid[]) id`,
      [account_id, ids, ...BODY],
    );
    const { rows } = await client.query<{ id: string }>(
      'select distinct unnest(add_deliveries(id, array[$1::uuid])) as id from unnest($2::uuid[]) id',
      [id, ids],
    );
    await client.query('commit');
    const at = now();
    waker.wake(rows.map((row) => row.id));
    return { ids, at };
  } finally {
    client.release();
  }
}

/** As long as a real one: an event of an intent with a description and some metadata is 1.1 kB. */
const BODY = [
  '{"type": "payment.succeeded", "id": "',
  `", "data": {"description": "${'x'.repeat(1_000)}"}}`,
] as const;

const WITHIN_MS = 60_000;

async function untilReceived({ receiver }: Post, count: number): Promise<readonly Receipt[]> {
  const until = performance.now() + WITHIN_MS;
  while ((await receiver.count()) < count) {
    if (performance.now() > until) {
      throw new Error(`${await receiver.count()} of ${count} deliveries came`);
    }
    await delay(20);
  }
  // What comes twice comes a little later.
  await delay(300);
  return receiver.take();
}

function latenciesOf(
  committed: ReadonlyMap<string, number>,
  receipts: readonly Receipt[],
  seconds: number,
): Delivered {
  const first = new Map<string, number>();
  for (const { id, at } of receipts) if (!first.has(id)) first.set(id, at);
  const missing = [...committed.keys()].filter((id) => !first.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} events never came`);
  // It may come before the commit's own answer does.
  const latencies = [...committed].map(([id, at]) => Math.max(0, first.get(id)! - at));
  return { ...summarize(latencies, round(seconds)), duplicates: receipts.length - first.size };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

export function describeWebhooks({ scenes, neighbours, ratios }: WebhookFigures): string[] {
  return [
    ...Object.entries({ ...scenes, ...neighbours }).map(
      ([name, figures]) =>
        `  ${name.padEnd(24)} ${String(figures.rate).padStart(8)}/s   ${described(figures)}   ${figures.duplicates} twice`,
    ),
    ...Object.entries(ratios).map(([name, value]) => `  ${name.padEnd(40)} ${value}`),
  ];
}

async function main(): Promise<void> {
  const log = (text: string): void => void process.stderr.write(`${text}\n`);
  const stage = await setStage(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(130)));
  }
  try {
    const figures = await measureWebhooks(stage, WEBHOOK_PLAN, log);
    const text = process.argv.includes('--json')
      ? JSON.stringify(figures)
      : describeWebhooks(figures).join('\n');
    process.stdout.write(`${text}\n`);
  } finally {
    await stage.close();
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

// Events as the end of an intent commits them, and what became of them at a receiver on loopback.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { PROBE_AFTER_FAILURES } from '../../domain/webhook';
import { createSealer } from '../../secrets/seal';
import { makeWebhookSecret } from '../../secrets/webhook-secret';
import type { BenchUser, Stage } from './contestants';
import type { Receipt } from './receiver';
import { round, summarize, type Summary } from './stats';

export type Delivered = Summary & { readonly duplicates: number };

export interface Endpoint {
  readonly id: string;
  readonly user_id: string;
  readonly is_dead: boolean;
}

export interface Post {
  readonly stage: Stage;
  readonly url: string;
  readonly pool: Pool;
  readonly receiver: { take(): Promise<readonly Receipt[]>; count(): Promise<number> };
}

/** One per merchant. */
export async function makeEndpoints(
  { stage: { users, secrets_key }, pool, url }: Post,
  { healthy, dead }: { readonly healthy: number; readonly dead: number },
  first_user = 0,
): Promise<Endpoint[]> {
  const sealer = createSealer([secrets_key]);
  return Promise.all(
    Array.from({ length: healthy + dead }, async (_, place) => {
      const id = randomUUID();
      const is_dead = place >= healthy;
      const { id: user_id } = users[(place + first_user) % users.length] as BenchUser;
      const request = {
        id,
        user_id,
        environment: 'live',
        description: null,
        max_per_second: null,
        url: `${url}/${is_dead ? 'dead' : 'hooks'}/${place}`,
        types: ['payment.succeeded'],
      };
      await pool.query('select create_webhook_endpoint($1, $2, 100)', [
        JSON.stringify(request),
        sealer.seal(makeWebhookSecret(), id),
      ]);
      return { id, user_id, is_dead };
    }),
  );
}

/** Waits until each has let so many deadlines pass that it is probed, and left alone in between. */
export async function untilTried({ pool }: Post, endpoints: readonly Endpoint[]): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    const { rows } = await pool.query<{ missing: number }>(
      `select count(*)::int as missing from webhook_endpoints
        where id = any ($1) and consecutive_failures < $2`,
      [endpoints.map(({ id }) => id), PROBE_AFTER_FAILURES],
    );
    if (rows[0]!.missing === 0) return;
    if (performance.now() > until) throw new Error(`${rows[0]!.missing} were never tried`);
    await delay(500);
  }
}

/** Waits until no run holds a lease. */
export async function untilNoRun({ pool }: Post): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    const { rows } = await pool.query(
      'select from webhook_leases where leased_until > clock_timestamp()',
    );
    if (rows.length === 0) return;
    if (performance.now() > until) throw new Error('delivery runs do not end');
    await delay(500);
  }
}

export async function retire({ pool }: Post, endpoints: readonly Endpoint[]): Promise<void> {
  for (const { id } of endpoints) {
    await pool.query(`select update_webhook_endpoint($1, '{"status": "deleted"}')`, [id]);
  }
}

/** All at once: from the first commit until the last has come. */
export async function burst(
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

/** Commits so many a second, each in a commit of its own, each to the next endpoint. */
export async function steady(
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

/** Commits events as an intent's end does; `at` is when the commit has come back. */
export async function commitEvents(
  { pool }: Post,
  { id, user_id }: Endpoint,
  count: number,
): Promise<{ readonly ids: readonly string[]; readonly at: number }> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("select lock_event_counter($1, 'live')", [user_id]);
    await client.query(
      `insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
       select id, $1, 'live', 0, 'payment.succeeded', null, $3 || id || $4, clock_timestamp()
         from unnest($2::uuid[]) id`,
      [user_id, ids, ...BODY],
    );
    await client.query('select add_deliveries(id, array[$1::uuid]) from unnest($2::uuid[]) id', [
      id,
      ids,
    ]);
    await client.query('commit');
    return { ids, at: now() };
  } finally {
    client.release();
  }
}

/**
 * A body as long as a real one: an event of an intent with a description and some metadata is 1.1
 * kB.
 */
const BODY = [
  '{"type": "payment.succeeded", "id": "',
  `", "data": {"description": "${'x'.repeat(1_000)}"}}`,
] as const;

const WITHIN_MS = 120_000;

async function untilReceived({ receiver }: Post, count: number): Promise<readonly Receipt[]> {
  const until = performance.now() + WITHIN_MS;
  while ((await receiver.count()) < count) {
    if (performance.now() > until) {
      throw new Error(`${await receiver.count()} of ${count} deliveries came`);
    }
    await delay(20);
  }
  // A delivery that comes twice comes a little later.
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

/** The floor: the same requests by undici alone, without rows, signatures and guards. */
export async function postBare({ url, receiver }: Post, count: number): Promise<number> {
  const pool = new HttpPool(url, { connections: BARE_CONNECTIONS });
  const body = BODY.join('');
  const send = async (): Promise<void> => {
    const answer = await pool.request({
      method: 'POST',
      path: '/bare',
      headers: { 'content-type': 'application/json', 'webhook-id': randomUUID() },
      body,
    });
    await answer.body.dump();
  };
  await sendAll(send, count);
  const rate = await sendAll(send, count * 5);
  await pool.close();
  await receiver.take();
  return rate;
}

const BARE_CONNECTIONS = 64;

async function sendAll(send: () => Promise<void>, count: number): Promise<number> {
  const began = performance.now();
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: BARE_CONNECTIONS }, work));
  return round(count / ((performance.now() - began) / 1_000));
}

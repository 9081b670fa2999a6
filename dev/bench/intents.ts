// Payment intents by the real path, over HTTP with everything switched on: their creation, beside an
// empty workflow and the gateway alone, and their settlement, from the notification to the row.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Minor } from '../../domain/money';
import { createSandboxGateway } from '../../gateway/sandbox/adapter';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import { runClosedLoop } from './closed-loop';
import type { Stage } from './contestants';
import { openConnection, type HttpConnection } from './http-client';
import { weigh } from './processor';
import { inRounds, type RoundPlan, type Rounds } from './rounds';
import { summarize, type Summary } from './stats';

interface MadeIntent {
  readonly id: string;
  readonly reference: string;
}

const CLIENTS = [1, 16] as const;

export async function measureIntents(
  stage: Stage,
  plan: RoundPlan,
  log: (text: string) => void,
): Promise<Rounds> {
  const { warmup_seconds, seconds } = plan;
  return inRounds(plan, log, async (measure) => {
    for (const clients of CLIENTS) {
      const job = { clients, warmup_seconds, seconds };
      const made: MadeIntent[] = [];
      await measure(`floor_${clients}`, () => stage.floor(job));
      await measure(`gateway_${clients}`, () =>
        openCheckouts(stage, { ...job, seconds: seconds / 2 }),
      );
      await measure(`create_${clients}`, () =>
        weigh(stage.pids, job, () => createIntents(stage, job, made)),
      );
      await measure(`settle_${clients}`, () => settle(stage, clients, made));
    }
  });
}

interface Job {
  readonly clients: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
}

/** The gateway's own time: what a creation waits for however it is done. */
async function openCheckouts(stage: Stage, job: Job): Promise<Summary> {
  const { url, secrets } = stage.gateway;
  const gateway = createSandboxGateway({
    environment: 'sandbox',
    url,
    secrets: [secrets.sandbox],
    timeout_ms: 5_000,
  });
  return runClosedLoop({
    ...job,
    async once() {
      await gateway.openCheckout({
        intent_id: randomUUID(),
        number: 1,
        reference: 'TRX-BENCH',
        amount: 500_000n as Minor,
        currency: 'XOF',
        description: null,
        customer_email: null,
        merchant: { name: 'Bench', country: 'SN', contact: null, logo_url: null },
        pay_url: 'https://pay.example/p/abc',
        return_url: 'http://127.0.0.1/p/bench',
        cancel_url: 'http://127.0.0.1/p/bench',
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      });
    },
  });
}

async function createIntents(stage: Stage, job: Job, made: MadeIntent[]): Promise<Summary> {
  return placeOrders(stage, job, 'payment-intents', { amount: 5000, currency: 'XOF' }, (body) => {
    const { id, reference } = JSON.parse(body) as MadeIntent;
    made.push({ id, reference });
  });
}

/** Orders the same with test keys, each time with a key of its own and for another user. */
export async function placeOrders(
  stage: Stage,
  job: Job,
  path: string,
  order: object,
  onMade: (body: string) => void = () => undefined,
): Promise<Summary> {
  const connections = await connect(stage, job.clients);
  const summary = await runClosedLoop({
    ...job,
    async once(client) {
      const user = stage.users[Math.floor(Math.random() * stage.users.length)]!;
      const head = `POST /api/public/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${user.test_key}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}`;
      const answer = await connections[client]!.send(head, JSON.stringify(order));
      if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.body}`);
      onMade(answer.body);
    },
  });
  for (const connection of connections) connection.close();
  return summary;
}

function connect(stage: Stage, clients: number): Promise<HttpConnection[]> {
  return Promise.all(Array.from({ length: clients }, () => openConnection(stage.api_port)));
}

/** All that were made: from sending the notification until the row is seen to have succeeded. */
async function settle(
  stage: Stage,
  clients: number,
  made: readonly MadeIntent[],
): Promise<Summary> {
  const connections = await connect(stage, clients);
  const watch = watchRows(stage);
  const latencies: number[] = [];
  const begin = performance.now();
  let next = 0;
  const work = async (connection: HttpConnection): Promise<void> => {
    for (let intent = made[next++]; intent; intent = made[next++]) {
      const started = performance.now();
      await notify(stage, connection, intent);
      await watch.succeeded(intent.id);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
  return summarize(latencies, (performance.now() - begin) / 1000);
}

async function notify(
  stage: Stage,
  connection: HttpConnection,
  { id, reference }: MadeIntent,
): Promise<void> {
  const body = JSON.stringify({
    event_id: randomUUID(),
    type: 'payment.succeeded',
    intent_id: id,
    reference,
    amount: 5000,
    currency: 'XOF',
    environment: 'sandbox',
    provider_payment_id: randomUUID(),
    occurred_at: new Date().toISOString(),
  });
  const signature = signGatewayBody(body, stage.gateway.secrets.sandbox);
  const answer = await connection.send(
    `POST /internal/gateway/notifications HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${GATEWAY_SIGNATURE_HEADER}: ${signature}`,
    body,
  );
  if (answer.status !== 200) throw new Error(`notification: ${answer.status} ${answer.body}`);
}

const LOOK_MS = 2;

/** One look at a time for all who wait, so that looking costs the same for one and for many. */
function watchRows({ db }: Stage): { succeeded(id: string): Promise<void> } {
  const waiting = new Map<string, () => void>();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    while (waiting.size > 0) {
      const { rows } = (await db.raw(
        "select id from payment_intents where id = any(?) and status = 'succeeded'",
        [[...waiting.keys()]],
      )) as { rows: { id: string }[] };
      for (const { id } of rows) {
        waiting.get(id)?.();
        waiting.delete(id);
      }
      await delay(LOOK_MS);
    }
    looking = undefined;
  };
  return {
    succeeded: (id) =>
      new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        looking ??= look().catch(reject);
      }),
  };
}

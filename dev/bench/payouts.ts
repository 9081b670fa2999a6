// Payouts by the real path, over HTTP with everything switched on: from the first order until the last one is paid,
// at a simulator that pays after a second and calls back. Transfers are measured beside the same empty workflow.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { runClosedLoop } from './closed-loop';
import type { Stage } from './contestants';
import type { HttpConnection } from './http-client';
import { connect } from './intents';
import { weigh } from './processor';
import { inRounds, type RoundPlan, type Rounds } from './rounds';
import { round, type Summary } from './stats';

const CLIENTS = 16;
const LOOK_MS = 20;

/** `order`: answered after its commit. `payout`: ordered, sent, paid and settled. */
export async function measurePayouts(
  stage: Stage,
  plan: RoundPlan,
  log: (text: string) => void,
): Promise<Rounds> {
  const { warmup_seconds, seconds } = plan;
  const job = { clients: CLIENTS, warmup_seconds, seconds };
  // Those of a warm-up would be under way during the rest.
  const cold = { ...job, warmup_seconds: 0 };
  return inRounds(plan, log, async (measure) => {
    await measure(`floor_${CLIENTS}`, () => weigh(stage.pids, job, () => stage.ask('floor', job)));
    let ordered: Summary | undefined;
    await measure(`payout_${CLIENTS}`, () =>
      weigh(stage.pids, cold, async () => {
        const begin = performance.now();
        const before = await countPaid(stage);
        ordered = await orderPayouts(stage, cold);
        const all = await awaitPaid(stage);
        const elapsed = (performance.now() - begin) / 1_000;
        return { ...ordered, rate: round((all - before) / elapsed), seconds: elapsed };
      }),
    );
    await measure(`order_${CLIENTS}`, async () => ordered!);
  });
}

async function orderPayouts(
  stage: Stage,
  job: { readonly clients: number; readonly warmup_seconds: number; readonly seconds: number },
): Promise<Summary> {
  const connections = await connect(stage, job.clients);
  const summary = await runClosedLoop({
    ...job,
    once: (client) => orderPayout(stage, connections[client]!),
  });
  for (const connection of connections) connection.close();
  return summary;
}

async function orderPayout(stage: Stage, connection: HttpConnection): Promise<void> {
  const user = stage.users[Math.floor(Math.random() * stage.users.length)]!;
  const head = `POST /api/public/v1/payouts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${user.test_key}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}`;
  const destination = { type: 'mobile_money', phone: '+221770000100' };
  const body = JSON.stringify({ amount: 500, currency: 'XOF', destination });
  const answer = await connection.send(head, body);
  if (answer.status !== 201) throw new Error(`payout: ${answer.status} ${answer.body}`);
}

async function countPaid({ db }: Stage): Promise<number> {
  const { rows } = (await db.raw(
    `select count(*)::integer as paid from payouts where status = 'succeeded'`,
  )) as { rows: [{ paid: number }] };
  return rows[0].paid;
}

/** Until none is under way; returns how many were paid in all. */
async function awaitPaid(stage: Stage): Promise<number> {
  for (;;) {
    const { rows } = (await stage.db.raw(
      `select count(*)::integer as open from payouts where status = 'pending'`,
    )) as { rows: [{ open: number }] };
    if (rows[0].open === 0) return countPaid(stage);
    await delay(LOOK_MS);
  }
}

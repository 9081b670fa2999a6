// Payouts by the real path, over HTTP with everything switched on: from the first order until the last one is paid,
// at a simulator that pays after a second and calls back. Transfers are measured beside the same empty workflow.

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './contestants';
import { placeOrders } from './intents';
import { weigh } from './processor';
import { inRounds, type RoundPlan, type Rounds } from './rounds';
import { round, type Summary } from './stats';

const CLIENTS = 16;
const LOOK_MS = 20;
const ORDER = {
  amount: 500,
  currency: 'XOF',
  destination: { type: 'mobile_money', phone: '+221770000100' },
};

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
    await measure(`floor_${CLIENTS}`, () => stage.floor(job));
    let ordered: Summary | undefined;
    await measure(`payout_${CLIENTS}`, () =>
      weigh(stage.pids, cold, async () => {
        const begin = performance.now();
        const before = await countPaid(stage);
        ordered = await placeOrders(stage, cold, 'payouts', ORDER);
        const all = await awaitPaid(stage);
        const elapsed = (performance.now() - begin) / 1_000;
        return { ...ordered, rate: round((all - before) / elapsed), seconds: elapsed };
      }),
    );
    await measure(`order_${CLIENTS}`, async () => ordered!);
  });
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

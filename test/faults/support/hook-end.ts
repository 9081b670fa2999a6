// The end of an experiment's webhooks: everything arrives, and all of it is judged.

import { setTimeout as delay } from 'node:timers/promises';
import type { System } from './cluster';
import type { ExperimentContext } from './experiment';
import { readBacklogOf, readHookBooks } from './hook-books';
import { countHooks, findHookFaults } from './hook-checks';

/** Nothing may be left so long after a restart, beyond the waits between tries. */
const RECOVERY_LIMIT_MS = 20_000;
const POLL_MS = 200;

/** The service must not shorten waits that were planned before everything ran again. */
export async function noteAskedWait(context: ExperimentContext<System>): Promise<number> {
  const { asked_ms } = await readBacklogOf(context.cluster, idsOf(context.hooks.all));
  context.note('webhook_asked_ms', Math.round(asked_ms));
  return asked_ms;
}

/** Faults in words. Notes what became of the webhooks. */
export async function judgeHooks(context: ExperimentContext<System>): Promise<string[]> {
  const { cluster, users, hooks, healed_at } = context;
  const { receptions } = hooks;
  const ids = idsOf(hooks.all.filter(({ is_given_up }) => !is_given_up));
  const limit_ms = RECOVERY_LIMIT_MS * cluster.slowness + context.webhook_asked_ms;
  const left = await awaitDelivered(context, ids, Date.now() + limit_ms);
  const user_ids = users.map(({ id }) => id);
  const books = await readHookBooks(cluster, ids, user_ids);
  const judged = { hooks: hooks.all, receptions, books, healed_at, limit_ms };
  if (books.deliveries.length > 0) {
    for (const [name, count] of Object.entries(countHooks(judged))) context.note(name, count);
  }
  return [...left, ...findHookFaults(judged)];
}

async function awaitDelivered(
  { cluster }: ExperimentContext<System>,
  ids: readonly string[],
  limit: number,
): Promise<string[]> {
  for (;;) {
    const { left, statuses } = await readBacklogOf(cluster, ids);
    if (left === 0) return [];
    if (Date.now() > limit) return [`webhooks that never arrived: ${statuses}`];
    await delay(POLL_MS);
  }
}

function idsOf(hooks: readonly { readonly id: string }[]): string[] {
  return hooks.map(({ id }) => id);
}

// The fault schedule's own clock: these pauses are the plan, not waits for something to be true.

import { setTimeout as delay } from 'node:timers/promises';
import type { ExperimentContext } from './experiment';
import type { Random } from './random';

export function pause(random: Random, from_ms: number, to_ms: number): Promise<void> {
  return delay(random.integer(from_ms, to_ms));
}

interface Victim {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Kills them, one after the other, and starts them again after a while. */
export async function killed(
  random: Random,
  victims: readonly Victim[],
  from_ms: number,
  to_ms: number,
): Promise<void> {
  for (const victim of victims) await victim.kill();
  await pause(random, from_ms, to_ms);
  await Promise.all(victims.map((victim) => victim.start()));
}

/** They stand still for a while. */
export async function frozen(
  random: Random,
  victims: readonly { freeze(): void; thaw(): void }[],
  from_ms: number,
  to_ms: number,
): Promise<void> {
  for (const victim of victims) victim.freeze();
  await pause(random, from_ms, to_ms);
  for (const victim of victims) victim.thaw();
}

/** Workers are killed until then, often together with an API process, whose own worker works as a rule. */
export async function killWorkers(
  { cluster, random, note }: Pick<ExperimentContext, 'cluster' | 'random' | 'note'>,
  until: number,
): Promise<void> {
  let kills = 0;
  while (Date.now() < until) {
    await pause(random, 300, 1_500);
    const heir = random.pick(cluster.workers);
    const victims = random.chance(0.5) ? [random.pick(cluster.apis), heir] : [heir];
    for (const victim of victims) {
      await victim.kill();
      kills += 1;
      await pause(random, 0, 600);
    }
    await Promise.all(victims.map((victim) => victim.start()));
  }
  note('kills', kills);
}

// The fault schedule's own clock: these pauses are the plan, not waits for something to be true.

import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random';

export function pause(random: Random, from_ms: number, to_ms: number): Promise<void> {
  return delay(random.integer(from_ms, to_ms));
}

// The company of journey.ts at work without a pause while its processes are replaced, and what has to be true
// afterwards.

import { PREFIX } from '../../../http/prefix';
import type { Topology } from '../harness/topology';
import { closeAfterFile } from '../../support/cleanup';
import { expectBooksVerify, type Company } from './journey';
import { startLoad, type Load } from './load';
import { operate, processesOf } from './topology';

/** An operator restarts these for a new version or a new setting: all that may be there twice. */
export const ROLLED = [
  'api',
  'worker',
  'temporal-frontend',
  'temporal-history',
  'temporal-matching',
  'temporal-worker',
] as const;

const CALLERS = 3;
/** Covers the shards of a history process that are taken over, and tasks that were lost with it. */
const LIMIT_MS = 120_000;

/** Everything through Caddy. */
export function startWork({ topology, merchant, customer, receiver }: Company): Load {
  const { live_key, test_key } = merchant;
  const load = startLoad(
    { live_key, test_key, to_username: customer.username, receiver },
    () => ({ base_url: topology.origin + PREFIX }),
    { callers: CALLERS, limit_ms: LIMIT_MS },
  );
  // A caller who goes on would not let a test end that has failed.
  closeAfterFile(() => load.abandon());
  return load;
}

export function expectNoFaults(load: Load, when: string): void {
  expect({ when, faults: load.faults }).toEqual({ when, faults: [] });
}

/** One after the other, each with work done before the next. */
export async function rollOver(
  topology: Topology,
  load: Load,
  names: readonly string[],
): Promise<void> {
  for (const process of names.flatMap((name) => processesOf(topology, [name]))) {
    const before = process.pid();
    await process.terminate({ stays_down: true });
    await process.resume();
    expect(process.pid()).not.toBe(before);
    await load.untilDone(1);
    expectNoFaults(load, `${process.name} was restarted`);
  }
}

/** Ends the work, and compares it with the books, with Temporal and with the gateway. */
export async function expectAllWell(company: Company, load: Load, name: string): Promise<void> {
  const { topology } = company;
  await load.stop();
  process.stdout.write(describeLoad(name, load));
  expectNoFaults(load, 'at the end');
  company.sent += load.done().transfer;
  await expectBooksVerify(company);
  expect(await operate(topology, ['reconcile', 'run'])).toMatchObject({ findings: [] });
  const ends = topology.processes.map((process) => [process.name, process.unasked_ends()]);
  expect(ends.filter(([, count]) => count !== 0)).toEqual([]);
}

/** Writes a line for the table of runs in docs/reliability.md. */
function describeLoad(name: string, load: Load): string {
  const figures = { ...load.done(), ...Object.fromEntries(load.repeats) };
  const words = Object.entries(figures).map(([what, count]) => `${what}=${count}`);
  return `${name} violations=${load.faults.length} ${words.join(' ')}\n`;
}

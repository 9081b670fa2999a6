// Runs the checks, one after the other, on one harness: the order in the list is the order in which an author
// mends things.

import type { AdapterModule } from '../../gateway/adapter-module';
import type { AdapterBench } from './bench';
import { Fault, Skip, type Check, type FaultDetails } from './check';
import { CALLBACKS } from './checks/callbacks';
import { HYGIENE } from './checks/hygiene';
import { IDENTITY } from './checks/identity';
import { LISTS } from './checks/lists';
import { MONEY } from './checks/money';
import { OUTCOMES } from './checks/outcomes';
import { openStand, wordsOf } from './stand';

export const CHECKS: readonly Check[] = [
  ...MONEY,
  ...IDENTITY,
  ...OUTCOMES,
  ...CALLBACKS,
  ...LISTS,
  ...HYGIENE,
];

export type Finding = Omit<Check, 'run'> &
  (
    | { readonly result: 'ok' }
    | { readonly result: 'skipped'; readonly reason: string }
    | ({ readonly result: 'failed' } & FaultDetails)
  );

export interface CheckOptions {
  /** How the ids begin of those that are run; all when left out. */
  readonly only?: string | undefined;
  /** Ids of those that are left out. */
  readonly without?: readonly string[];
  /** Hears of each finding as soon as it is there. */
  readonly told?: (finding: Finding) => void;
}

/** @throws Error when there is nothing that it could check */
export async function checkAdapter(
  adapter: AdapterModule,
  bench: AdapterBench,
  { only = '', without = [], told }: CheckOptions = {},
): Promise<readonly Finding[]> {
  const stand = await openStand(adapter, bench);
  const findings: Finding[] = [];
  try {
    if (stand.sides.length === 0) {
      throw new Error(
        `Nothing of ${adapter.name} was checked. The kit checks payments by phone (\`phones\`, and \`charge\` of the bench) and payouts (\`createPayouts\`, and \`payout\` of the bench).`,
      );
    }
    const wanted = CHECKS.filter(({ id }) => id.startsWith(only) && !without.includes(id));
    for (const { run, ...check } of wanted) {
      const finding = { ...check, ...(await resultOf(() => run(stand))) };
      findings.push(finding);
      told?.(finding);
    }
  } finally {
    await stand.stop();
  }
  return findings;
}

async function resultOf(run: () => Promise<void>) {
  try {
    await run();
    return { result: 'ok' } as const;
  } catch (error) {
    if (error instanceof Skip) return { result: 'skipped', reason: error.message } as const;
    if (error instanceof Fault) return { result: 'failed', ...error.details } as const;
    const got = error instanceof Error ? `${error.name}: ${wordsOf(error)}` : String(error);
    const sent = 'a good order or look';
    return { result: 'failed', sent, expected: 'an answer that can be read', got } as const;
  }
}

// How a reconciliation asks a gateway: page by page, and again when the gateway did not answer.

import { GatewayError } from '../../domain/gateway-error';
import { formatAmount } from '../../domain/money';
import type { ListPage } from '../../gateway/port';
import type { CheckRun } from './check-run';

/** The pauses between the tries of a call that the gateway did not answer. */
const PAUSES_MS = [1_000, 4_000, 15_000];

/** @throws GatewayError when it still does not answer, or refuses */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (const pause_ms of PAUSES_MS) {
    try {
      return await call();
    } catch (error) {
      const is_passing = error instanceof GatewayError && error.fault !== 'refused';
      if (!is_passing) throw error;
      await pause(pause_ms);
    }
  }
  return call();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function* everyPage<Item>(
  list: (cursor?: string) => Promise<ListPage<Item>>,
  run: CheckRun,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    run.goOn();
    const page: ListPage<Item> = await patiently(() => list(cursor));
    yield page.items;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** `5000.00 XOF` */
export function money(amount_minor: bigint | string, currency: string): string {
  return `${formatAmount(BigInt(amount_minor))} ${currency}`;
}

// Orders and decisions are pursued: the workflow that asks the third party is started, or woken.

import type { Environment } from '../domain/environment';
import type { PursuitKind } from '../domain/pursuit';
import { within } from '../temporal/calls';
import type { OrderDependencies } from './requests/dependencies';

/** The row is in the database by then: the response need not wait for Temporal. */
const WAKE_WITHIN_MS = 1_000;

interface Ordered {
  readonly id: string;
  readonly environment: Environment;
  readonly request_id: string;
}

/** The sweeper starts those that cannot be started now. */
export async function pursueOrder(
  { breakers, pursue, log }: Pick<OrderDependencies, 'breakers' | 'pursue' | 'log'>,
  kind: PursuitKind,
  { id, environment, request_id }: Ordered,
): Promise<void> {
  if (!breakers[environment].allowsRequests()) return;
  const started = pursue(kind, [id]).catch((error: unknown) =>
    log({ part: 'pursuits', request_id, [kind]: id, error: String(error) }),
  );
  await within(WAKE_WITHIN_MS, started);
}

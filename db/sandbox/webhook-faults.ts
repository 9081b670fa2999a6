// Faults of deliveries to an endpoint of the sandbox, as its runs take them.

import type { WebhookFault } from '../../domain/fault';
import { call, callValue, type Db } from '../connect';
import type { AttemptRecord, HealthRecord } from '../webhooks/webhook-attempts';

/** So long an event waits for the next one: a rehearsal makes it within minutes. */
export const SWAP_SECONDS = 300;

export interface TakenFault {
  readonly id: string;
  /** Null: it goes as it is. `late` and `swap` are over by then. */
  readonly fault: WebhookFault | null;
}

/**
 * Which of these deliveries are to be sent now, in their order; the others were put off. An attempt that is asked for
 * again, after a crash, has what it had.
 */
export function takeWebhookFaults(
  db: Db,
  endpoint_id: string,
  token: string,
  ids: readonly string[],
): Promise<TakenFault[]> {
  return call<TakenFault>(db, 'take_webhook_faults', [endpoint_id, token, ids, SWAP_SECONDS]);
}

export interface FaultyAttempts {
  readonly made: readonly AttemptRecord[];
  /** The second ones of those that were sent twice. */
  readonly copies: readonly AttemptRecord[];
  readonly health: HealthRecord | null;
}

/** Does the same as `recordAttempts`. */
export async function recordFaultyAttempts(
  db: Db,
  endpoint_id: string,
  { made, copies, health }: FaultyAttempts,
): Promise<'enabled' | 'disabled'> {
  return callValue(db, 'record_faulty_attempts', [
    endpoint_id,
    JSON.stringify(made),
    health && JSON.stringify(health),
    JSON.stringify(copies),
  ]);
}

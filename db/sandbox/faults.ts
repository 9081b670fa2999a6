// Faults that accounts have ordered in their sandboxes.

import type { GatewayFaultKind } from '../../domain/fault';
import { callValue, calls, execute, type Db } from '../connect';

export interface OrderedFault {
  readonly id: string;
  readonly operation: string;
  readonly fault: string;
  readonly times: number;
  readonly left: number;
}

const COLUMNS = 'id, operation, fault, times, uses_left as "left"';

/** An account may have so many rows: a test's script needs a few. */
export const MAX_FAULTS = 100;

/** Undefined when the account has MAX_FAULTS. */
export async function orderFault(
  db: Db,
  user_id: string,
  { operation, fault, times }: Pick<OrderedFault, 'operation' | 'fault' | 'times'>,
): Promise<OrderedFault | undefined> {
  const text = `select ${COLUMNS} from order_sandbox_fault($1, $2, $3, $4, $5)`;
  const values = [user_id, operation, fault, times, MAX_FAULTS];
  return (await execute<OrderedFault>(db, { name: 'order_sandbox_fault', text }, values))[0];
}

/** The `operation` of faults of deliveries to an endpoint. */
export function operationOfEndpoint(endpoint_id: string): string {
  return `webhook_endpoint/${endpoint_id}`;
}

/** In the order in which they are used up; without an operation those of all requests. */
export async function listFaults(
  db: Db,
  user_id: string,
  operation: string | null = null,
): Promise<OrderedFault[]> {
  const text = `select ${COLUMNS} from sandbox_faults
                 where user_id = $1 and coalesce(operation = $2, operation not like 'webhook_endpoint/%')
                 order by position`;
  const statement = { name: 'list_sandbox_faults', text };
  return execute<OrderedFault>(db, statement, [user_id, operation]);
}

/** Returns how many there were. */
export async function dropFaults(
  db: Db,
  user_id: string,
  operation: string | null = null,
): Promise<number> {
  return callValue<number>(db, 'drop_sandbox_faults', [user_id, operation]);
}

export interface FaultTaker {
  readonly user_id: string;
  readonly operation: string;
  /** The caller's own. */
  readonly key: string | null;
}

/** Uses up the next one of an operation that fits. */
export async function takeFault(
  db: Db,
  { user_id, operation, key }: FaultTaker,
  unfit: readonly string[],
): Promise<string | undefined> {
  const values = [user_id, operation, unfit, key];
  return (await callValue<string | null>(db, 'take_sandbox_fault', values)) ?? undefined;
}

/** True for the first request of a key. */
export async function beginBusyKey(db: Db, taker: FaultTaker): Promise<boolean> {
  const values = [taker.user_id, taker.operation, taker.key];
  return callValue<boolean>(db, 'begin_busy_key', values);
}

/** Calls to a gateway about it are to fail; `created`: named by the id that the request's key makes. */
export interface GatewaySubject {
  readonly kind: 'created' | 'payment_intent' | 'payment_attempt' | 'payout';
  readonly name: string;
}

/** Returns the id of the subject; undefined when the account has no such thing. */
export async function orderGatewayFault(
  db: Db,
  user_id: string,
  { kind, name }: GatewaySubject,
  fault: GatewayFaultKind,
): Promise<string | undefined> {
  const values = [user_id, kind, name, fault];
  return (await callValue<string | null>(db, 'order_gateway_fault', values)) ?? undefined;
}

/** The fault of the next call about this payment intent, refund or payout, which is then used up. */
export async function takeGatewayFault(
  db: Db,
  subject: string,
): Promise<GatewayFaultKind | undefined> {
  const fault = await callValue<GatewayFaultKind | null>(db, 'take_gateway_fault', [subject]);
  return fault ?? undefined;
}

/** Takes one call back from a key's limits. */
export const uncountCall = calls<(key_id: string, is_write: boolean) => void>('uncount_call');

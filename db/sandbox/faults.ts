// Faults that accounts have ordered in their sandboxes.

import type { GatewayFaultKind } from '../../domain/fault';
import { execute, type Db } from '../connect';

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
  const text = 'select drop_sandbox_faults($1, $2) as n';
  const statement = { name: 'drop_sandbox_faults', text };
  return (await execute<{ n: number }>(db, statement, [user_id, operation]))[0]!.n;
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
  const text = 'select take_sandbox_fault($1, $2, $3::text[], $4) as fault';
  const values = [user_id, operation, unfit, key];
  const statement = { name: 'take_sandbox_fault', text };
  return (await execute<{ fault: string | null }>(db, statement, values))[0]!.fault ?? undefined;
}

/** True for the first request of a key. */
export async function beginBusyKey(db: Db, taker: FaultTaker): Promise<boolean> {
  const statement = { name: 'begin_busy_key', text: 'select begin_busy_key($1, $2, $3) as first' };
  const values = [taker.user_id, taker.operation, taker.key];
  return (await execute<{ first: boolean }>(db, statement, values))[0]!.first;
}

/** Whose calls to a gateway are to fail; `created`: by the id that the request's key makes. */
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
  const text = 'select order_gateway_fault($1, $2, $3, $4) as id';
  const values = [user_id, kind, name, fault];
  const statement = { name: 'order_gateway_fault', text };
  return (await execute<{ id: string | null }>(db, statement, values))[0]!.id ?? undefined;
}

/** The fault of the next call about this payment intent, refund or payout, which is then used up. */
export async function takeGatewayFault(
  db: Db,
  subject: string,
): Promise<GatewayFaultKind | undefined> {
  const statement = { name: 'take_gateway_fault', text: 'select take_gateway_fault($1) as fault' };
  const [row] = await execute<{ fault: GatewayFaultKind | null }>(db, statement, [subject]);
  return row!.fault ?? undefined;
}

/** Takes one call back from a key's limits. */
export async function uncountCall(db: Db, key_id: string, is_write: boolean): Promise<void> {
  const statement = { name: 'uncount_call', text: 'select uncount_call($1, $2)' };
  await execute(db, statement, [key_id, is_write]);
}

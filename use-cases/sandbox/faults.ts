// Orders a fault for the next requests of an operation.

import type { Db } from '../../db/connect';
import { orderFault, type OrderedFault } from '../../db/sandbox/faults';
import {
  misfitOf,
  readFault,
  type Fault,
  type FaultyOperations,
  type Misfit,
} from '../../domain/fault';

export interface FaultOrder {
  readonly user_id: string;
  /** The method and the path of the document. */
  readonly operation: string;
  readonly fault: string;
  readonly times: number;
}

export type RefusedFault = { readonly ok: false } & (
  | { readonly error: 'unknown_operation' | 'unknown_fault' | 'too_many' }
  | { readonly error: Misfit; readonly kind: Fault['kind'] }
);

export async function orderOperationFault(
  { db, operations }: { readonly db: Db; readonly operations: FaultyOperations },
  { user_id, operation, fault, times }: FaultOrder,
): Promise<{ readonly ok: true; readonly fault: OrderedFault } | RefusedFault> {
  const named = operations.get(operation);
  if (!named) return { ok: false, error: 'unknown_operation' };
  const read = readFault(fault);
  if (!read) return { ok: false, error: 'unknown_fault' };
  const misfit = misfitOf(named, read.kind);
  if (misfit) return { ok: false, error: misfit, kind: read.kind };
  const ordered = await orderFault(db, user_id, { operation, fault, times });
  return ordered ? { ok: true, fault: ordered } : { ok: false, error: 'too_many' };
}

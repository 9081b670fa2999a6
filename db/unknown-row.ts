// A row that an id names and that there is not: of an id that was made up, or of a row that was
// lost with its database. Asking again would change nothing.

import { execute, type Db } from './connect';
import { isNoDataFound } from './errors';

/** Tables whose rows workflows are started for. */
const TABLES = {
  intent: 'payment_intents',
  'payment-attempt': 'payment_attempts',
  notification: 'gateway_notifications',
  batch: 'transfer_batches',
  refund: 'refunds',
  'suspense-refund': 'suspense_items',
  payout: 'payouts',
  payout_batch: 'payout_batches',
} as const;

export type RowKind = keyof typeof TABLES;

export class UnknownRowError extends Error {
  readonly kind: RowKind;
  readonly id: string;

  constructor(kind: RowKind, id: string) {
    super(`there is no ${kind} ${id}`);
    this.name = 'UnknownRowError';
    this.kind = kind;
    this.id = id;
  }
}

/** Explains a look-up that found nothing; undefined when the row is there after all. */
async function findOutWhy(db: Db, kind: RowKind, id: string): Promise<Error | undefined> {
  const text = `select pg_is_in_recovery() as is_standby,
                       exists (select from ${TABLES[kind]} r where r.id = $1) as is_known`;
  const [row] = await execute<{ is_standby: boolean; is_known: boolean }>(
    db,
    { name: `is_known_${kind}`, text },
    [id],
  );
  if (row!.is_known) return undefined;
  // The row may be on its way during a failover.
  if (row!.is_standby) return new Error(`a standby has no ${kind} ${id}`);
  return new UnknownRowError(kind, id);
}

/** @throws UnknownRowError, or an error that calls for another try */
export async function failUnknown(db: Db, kind: RowKind, id: string): Promise<never> {
  throw (await findOutWhy(db, kind, id)) ?? new Error(`the ${kind} ${id} was not there just now`);
}

/**
 * Runs a function of the database that requires the row. It may miss other rows too: its error is only
 * taken for that of an unknown row when there is none.
 */
export async function requireRow<T>(
  db: Db,
  kind: RowKind,
  id: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw (isNoDataFound(error) ? await findOutWhy(db, kind, id) : undefined) ?? error;
  }
}

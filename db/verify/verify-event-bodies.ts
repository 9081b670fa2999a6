// Compares the text of events with the rows that they tell of. In code and not in SQL, because Postgres 15
// cannot test whether text is JSON without failing.

import { NIL_UUID } from '../../domain/ids';
import { execute, type Statement, type Tx } from '../connect';
import type { Violation } from './verify';

/** What the row of every event has. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
  readonly sequence: bigint;
  readonly created_at: string;
  readonly body: string;
  /** Of what it tells. */
  readonly reference: string;
}

export type EventData = Readonly<Record<string, unknown>>;

export interface EventBodies<Row extends EventRow> {
  /** A page of events by id; `$1` is the last id of the page before. */
  readonly page: Statement;
  readonly violation: Pick<Violation, 'invariant' | 'what'>;
  /** The event's `data`, which is empty when it has none. */
  readonly matches: (data: EventData, row: Row) => boolean;
}

export async function verifyBodies<Row extends EventRow>(
  tx: Tx,
  { page, violation, matches }: EventBodies<Row>,
): Promise<Violation[]> {
  const found: Violation[] = [];
  let after = NIL_UUID;
  for (;;) {
    const rows = await execute<Row>(tx, page, [after]);
    for (const row of rows) {
      const data = dataOf(row);
      if (data && matches(data, row)) continue;
      found.push({ ...violation, reference: row.reference });
    }
    if (rows.length === 0) return found;
    after = rows.at(-1)!.id;
  }
}

/** Undefined when the rest of the event is not its row's. */
function dataOf(row: EventRow): EventData | undefined {
  let body: EventData | null;
  try {
    body = JSON.parse(row.body) as EventData | null;
  } catch {
    // Text that is not JSON matches nothing.
    return undefined;
  }
  const isRows =
    body?.['id'] === row.id &&
    body['type'] === row.type &&
    body['environment'] === row.environment &&
    body['sequence'] === Number(row.sequence) &&
    body['created_at'] === row.created_at;
  return isRows ? ((body?.['data'] ?? {}) as EventData) : undefined;
}

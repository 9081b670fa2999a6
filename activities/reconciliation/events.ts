// Events against deliveries: each event has a delivery for every endpoint that wanted it, and what
// is said to have arrived was sent. That ended intents and refunds have their events, and that
// these are numbered without gaps, is checked with the books (I7, I17).

import type { Db } from '../../db/connect';
import {
  countEvents,
  listMissingDeliveries,
  listUnprovenDeliveries,
} from '../../db/reconciliation/reconciled-events';
import { pieces, settledTime, type CheckRun } from './check-run';

export interface EventsCheckDependencies {
  readonly db: Db;
  /** A payout that is younger is under way. */
  readonly reconcile_grace_ms: number;
}

/** A statement over the events of an hour is short, however long the history is. */
const PIECE_MS = 3_600_000;
/** Findings of one kind in one piece. */
const LIMIT = 1_000;

export async function checkEvents(
  { db, reconcile_grace_ms }: EventsCheckDependencies,
  run: CheckRun,
): Promise<true> {
  const settled = settledTime(run.time, reconcile_grace_ms);
  if (settled === undefined) return true;
  for (const piece of pieces(settled, PIECE_MS)) {
    run.goOn();
    const compared = await countEvents(db, piece);
    if (compared === 0) continue;
    run.count(compared);
    const terms = { margin_ms: reconcile_grace_ms, limit: LIMIT };
    for (const { event_id, type, endpoint_id } of await listMissingDeliveries(db, piece, terms)) {
      const detail = `${type}, for the endpoint ${endpoint_id}`;
      await run.report({
        kind: 'delivery_missing',
        reference: event_id,
        detail,
        is_repaired: false,
      });
    }
    for (const { id, endpoint_id } of await listUnprovenDeliveries(db, piece, LIMIT)) {
      const detail = `to the endpoint ${endpoint_id}`;
      await run.report({
        kind: 'delivery_without_attempt',
        reference: id,
        detail,
        is_repaired: false,
      });
    }
  }
  return true;
}

// Asks the providers about the destination of one item of a batch. Nothing moves.

import type { Db } from '../../db/connect';
import type {
  FoundDestination,
  PayoutBatchRow,
  StoredPayoutItem,
} from '../../db/payout-batches/payout-batches';
import { waitBeforeNaming, waitForUnknown } from '../../db/transfers/recipients';
import { destinationOf } from '../../domain/payout';
import type { PayoutItemRefusal } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import type { PayoutProvider } from '../../gateway/payout-port';
import {
  choosePayer,
  comparedName,
  nameOf,
  requireWithinRail,
  tellName,
} from '../payouts/destination';

interface Dependencies {
  readonly db: Db;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export async function checkItem(
  { db, log }: Dependencies,
  providers: readonly PayoutProvider[],
  batch: PayoutBatchRow,
  item: StoredPayoutItem,
): Promise<FoundDestination | { readonly refusal: PayoutItemRefusal }> {
  const destination = destinationOf(item);
  const name = comparedName(destination, item.name ?? undefined);
  const { currency, amount_minor } = item;
  const name_match = name === null ? null : 'unavailable';
  const nothing = { found: 'unavailable', name_found: null, name_match, operator: null } as const;
  // Past the limit of unknown destinations a batch tells of none whether it exists.
  if ((await waitForUnknown(db, batch)) !== undefined) return nothing;
  let known;
  try {
    known = (await choosePayer(providers, destination, { currency, name }))?.known;
  } catch (error) {
    // A fault of the adapter: the items after this one are looked at all the same.
    log({
      part: 'payout-batches',
      batch_id: batch.id,
      item: item.index,
      error: String(error),
    });
    known = null;
  }
  if (known === null) return nothing;
  if (known === undefined) return { refusal: 'unsupported_destination' };
  try {
    requireWithinRail(known, amount_minor, currency);
  } catch (error) {
    if (error instanceof Refusal) return { refusal: 'amount_out_of_bounds' };
    throw error;
  }
  const found = await tellName(db, batch, destination, name, known.name_found);
  const operator = destination.type === 'bank' ? null : known.rail.operator;
  const shown = { ...found, operator };
  if (known.payable) return { ...shown, found: found.name_match ?? 'unavailable' };
  const seconds = await waitBeforeNaming(db, batch, [nameOf(destination)]);
  return seconds === undefined ? { ...shown, found: 'unreachable' } : nothing;
}

// Drops the histories of a month whose archive has been read back (docs/decisions/growth.md). The journal stays.

import { join } from 'node:path';
import { NIL_UUID } from '../../domain/ids';
import type { Db } from '../connect';
import {
  beginHistoryDrop,
  dropHistoryRows,
  findHistoryDrop,
  type DropOutcome,
  type HistoryDrop,
} from '../ledger/history-drops';
import { verifyPeriod, verifySealsOf } from '../verify/pieces';
import { monthBounds } from './archives';
import { ArchiveError, archiveName } from './manifest';
import { compareArchive, verifyArchive } from './verify';

const REFUSALS: Readonly<Record<Exclude<DropOutcome, 'begun'>, string>> = {
  too_young: 'a month is dropped when it has been over for 92 days',
  not_the_oldest: 'an earlier month has rows, or its drop has not ended: drop that one first',
  not_invoiced: 'the invoices of its fees are not issued yet',
  other_archive: 'its drop was begun with another archive',
};

export interface DropOrder {
  readonly month: string;
  /** The folder of all archives. */
  readonly directory: string;
  readonly actor: string;
  /** Told how many rows are deleted so far. */
  readonly onRows?: (deleted: number) => void;
}

/**
 * Reads the archive back, compares each row, verifies the month's books and seals, and only then deletes its
 * histories, in steps. Broken off, it goes on when it is called again. Returns the number of rows of the month. Throws an
 * ArchiveError when something does not hold, and then nothing is deleted.
 */
export async function dropMonth(
  db: Db,
  { month, directory, actor, onRows }: DropOrder,
): Promise<HistoryDrop> {
  const folder = join(directory, archiveName('books', month));
  const { manifest, sha256, faults } = await verifyArchive(folder);
  const refuse = (why: string): never => {
    throw new ArchiveError('month_not_dropped', `${month} is not dropped: ${why}`);
  };
  const [fault] = faults;
  if (fault) refuse(`of its archive, ${fault.file} ${fault.what}`);
  const begun = await findHistoryDrop(db, month);
  const [other] = await compareArchive(db, folder, manifest!, sha256!);
  if (other) refuse(`of its archive, ${other.file} ${other.what}`);
  if (!begun) {
    const { from, to } = monthBounds(month);
    const period = { from: Date.parse(from), to: Date.parse(to) };
    // The archive was written when all of the month was sealed.
    const sealed = { from: period.from, to: Date.parse(manifest!.written_at) };
    const [violation] = [
      ...(await verifySealsOf(db, sealed)),
      ...(await verifyPeriod(db, period)).filter(({ is_loss }) => !is_loss),
    ];
    if (violation) refuse(`${violation.reference}: ${violation.what} (${violation.invariant})`);
  }
  const rows = manifest!.files.find(({ table }) => table === 'transactions')!.rows;
  const first = `${month}-01`;
  const outcome = await beginHistoryDrop(db, first, rows, sha256!, actor);
  if (outcome !== 'begun') refuse(REFUSALS[outcome]);
  let deleted = 0;
  let after: string | null = NIL_UUID;
  while (after !== null) {
    const step = await dropHistoryRows(db, first, after);
    after = step.last;
    deleted += step.deleted;
    onRows?.(deleted);
  }
  return { archived_rows: rows, manifest_hash: sha256! };
}

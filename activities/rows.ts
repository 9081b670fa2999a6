// Activities that do what a row orders, however their workflow was started. An id that names no row
// ends the workflow: it was started by hand, or the row was lost with its database, and in neither
// case does another try help. A database that cannot be reached says nothing about a row, and is
// asked again.

import { ApplicationFailure } from '@temporalio/activity';
import { UnknownRowError, type RowKind } from '../db/unknown-row';
import { isRowId } from '../domain/ids';
import { refuseMessage, type RefusalLog } from './refused-messages';

/** The type of the failure, as Temporal's UI shows it. */
export const UNKNOWN_ROW = 'unknown_row';

type Activities = Readonly<Record<string, (id: string, ...rest: never[]) => Promise<unknown>>>;

/** Activities whose first argument is the id of a row. */
export function forRows<Given extends Activities>(
  dependencies: RefusalLog,
  kind: RowKind,
  activities: Given,
): Given {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (id: string, ...rest: never[]) => {
      try {
        // Started by hand, it may be anything.
        if (isRowId(id)) return await activity(id, ...rest);
      } catch (error) {
        if (!isUnknown(error, kind, id)) throw error;
      }
      refuseMessage(dependencies, { message: kind, references: [id] });
      throw ApplicationFailure.nonRetryable(`there is no such ${kind}`, UNKNOWN_ROW);
    },
  ]);
  return Object.fromEntries(wrapped) as Given;
}

export function isUnknown(error: unknown, kind: RowKind, id: string): boolean {
  return error instanceof UnknownRowError && error.kind === kind && error.id === id;
}

// Lists as files, read a batch at a time, as fast as the reader takes them: a file of a million rows needs no more memory
// or database time at once than one of a thousand.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/connect';
import { forLongReads } from '../db/standby';
import { csvHeader, csvLine, PLAIN_CSV, type Cell, type CsvForm } from '../domain/csv';
import { createLimit } from '../domain/limit';

/** About 2 ms of this process, after which other requests have their turn. */
const AT_ONCE = 500;

/**
 * One batch of each file after the other: however many people export, their files take no more of the pool's
 * connections than this, and one that is read slowly holds up no other.
 */
const READING = createLimit({ at_once: 2 });

/** The cells of a row by the names of their columns. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Columns that are fields of the row, as the API's JSON names them. */
export function fields<Row>(...names: readonly (keyof Row & string)[]): Columns<Row> {
  const columns = names.map((name) => [name.replace(/_minor$/, ''), (row: Row) => row[name]]);
  return Object.fromEntries(columns) as Columns<Row>;
}

export interface CsvPages<Row, Position> {
  readonly db: Db;
  readonly columns: Columns<Row>;
  /** What people read above the columns; their names when left out. */
  readonly heads?: readonly string[] | undefined;
  readonly form: CsvForm;
  /** The next rows from a position on. */
  readonly list: (db: Db, from: Position, limit: number) => Promise<readonly Row[]>;
  readonly from: Position;
  /** Where the rows go on after this one. */
  readonly positionOf: (row: Row) => Position;
  readonly onError: (error: Error) => void;
}

/** A list as a file: its query's `place` moves on to the position of the last row that was read. */
export function csvExport<
  Row,
  Query extends { readonly limit: number },
  Place extends Exclude<keyof Query, 'limit'>,
>(
  columns: Columns<Row>,
  list: (db: Db, query: Query) => Promise<readonly Row[]>,
  place: Place,
  positionOf: (row: Row) => Query[Place],
) {
  return (
    db: Db,
    query: Omit<Query, 'limit'>,
    { form = PLAIN_CSV, onError }: { form?: CsvForm | undefined; onError: (error: Error) => void },
  ): Readable => {
    const from = (query as Query)[place];
    const next: CsvPages<Row, Query[Place]>['list'] = (source, position, limit) =>
      list(source, { ...query, [place]: position, limit } as unknown as Query);
    return csvOfPages({ db, columns, form, list: next, from, positionOf, onError });
  };
}

/** Ends when the reader goes away. An error breaks it off, so that it does not look complete. */
export function csvOfPages<Row, Position>(pages: CsvPages<Row, Position>): Readable {
  return Readable.from(render(pages), { objectMode: false }).on('error', pages.onError);
}

async function* render<Row, Position>({
  db,
  columns,
  heads = Object.keys(columns),
  form,
  list,
  from,
  positionOf,
}: CsvPages<Row, Position>): AsyncGenerator<string> {
  const cells = Object.values(columns);
  const lineOf = (row: Row): string =>
    csvLine(
      cells.map((cell) => cell(row)),
      form,
    );
  yield csvHeader(heads, form);
  const source = await forLongReads(db);
  let reached = from;
  for (;;) {
    const rows = await READING.run(() => list(source, reached, AT_ONCE));
    if (rows.length > 0) yield rows.map(lineOf).join('');
    if (rows.length < AT_ONCE) return;
    reached = positionOf(rows.at(-1)!);
    await setImmediate();
  }
}

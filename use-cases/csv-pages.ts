// Lists as files, read a batch at a time, as fast as the reader takes them.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createLimit } from '../domain/limit';

/** About 2 ms of this process. */
const AT_ONCE = 500;

/** One batch of each file after the other: files take no more of the pool's connections, however many are read. */
const READING = createLimit({ at_once: 2 });

export interface CsvPages<Row> {
  /** With its end of line, as each line. */
  readonly header: string;
  readonly lineOf: (row: Row) => string;
  /** Newest first, strictly before an instant; undefined: from the newest on. */
  readonly list: (before: string | undefined, limit: number) => Promise<readonly Row[]>;
  readonly before?: string | undefined;
  readonly onError: (error: Error) => void;
}

/** Ends when the reader goes away. An error breaks it off, so that it does not look complete. */
export function csvOfPages<Row extends { readonly created_at: string }>(
  pages: CsvPages<Row>,
): Readable {
  return Readable.from(render(pages), { objectMode: false }).on('error', pages.onError);
}

async function* render<Row extends { readonly created_at: string }>({
  header,
  lineOf,
  list,
  before,
}: CsvPages<Row>): AsyncGenerator<string> {
  yield header;
  let reached = before;
  for (;;) {
    const rows = await READING.run(() => list(reached, AT_ONCE));
    if (rows.length > 0) yield rows.map(lineOf).join('');
    if (rows.length < AT_ONCE) return;
    reached = rows.at(-1)!.created_at;
    await setImmediate();
  }
}

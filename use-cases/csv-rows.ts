// The rows of a CSV text that came from outside, read in pieces: other requests have their turn in between.

import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse, type Parser } from 'csv-parse';

export interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

interface CsvText {
  readonly delimiter: string;
  /** The line that the header is in. */
  readonly from_line: number;
  /** Characters of a row at the most. */
  readonly longest_row: number;
  /** Characters of a piece, which is read in some milliseconds of this process. */
  readonly piece: number;
}

/** Iterating throws a CsvError where the text is none. */
export function csvRows(
  text: string,
  { delimiter, from_line, longest_row, piece }: CsvText,
): AsyncIterable<CsvRow> {
  const parser = parse({
    delimiter,
    from_line,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: longest_row,
  });
  async function* pieces(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += piece) {
      const next = text.slice(at, at + piece);
      // The parser counts the characters of cells, and has no bound on empty ones.
      if (next.length >= longest_row && !/[\r\n]/.test(next)) throw tooLong(parser);
      yield next;
      await setImmediate();
    }
  }
  // An error of either ends both, and the loop over the parser throws it.
  pipeline(Readable.from(pieces()), parser, () => undefined);
  return parser as AsyncIterable<CsvRow>;
}

const tooLong = ({ options, info }: Parser): CsvError =>
  new CsvError('CSV_MAX_RECORD_SIZE', 'too long', options, info);

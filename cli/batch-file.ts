// The CSV file of a batch, read and refused as a whole, with the place of every fault.

import { listCurrencies } from '../domain/currency';
import { readFileSync } from 'node:fs';
import type { Config } from '../config/load';
import { MAX_BATCH_BYTES } from '../domain/batch-limits';
import { counted } from '../domain/language';
import { AS_DECIMAL_MESSAGE } from '../domain/phone';
import type { BatchItem } from '../domain/transfer-batch';
import {
  readBatchFile,
  type BatchFile,
  type FileLine,
  type LineFault,
} from '../use-cases/transfer-batches/file';
import { CommandError } from './error';

const SHOWN_FAULTS = 20;

/** @throws CommandError that names each line at fault */
export async function readItems(
  path: string,
  sender_username: string,
  { max_transfer }: Pick<Config, 'max_transfer'>,
): Promise<readonly BatchItem[]> {
  return requireItems(path, await readBatchFile(readFile(path), sender_username, max_transfer));
}

function readFile(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new CommandError('file_unreadable', `${path}: ${(error as Error).message}`);
  }
  if (bytes.length <= MAX_BATCH_BYTES) return bytes;
  throw new CommandError('file_too_large', `${path} has more than ${MAX_BATCH_BYTES} bytes`);
}

function requireItems(path: string, read: BatchFile): readonly BatchItem[] {
  if (!read.ok) {
    const place = read.line === undefined ? '' : `:${read.line}`;
    throw new CommandError(
      'invalid_file',
      `${path}${place}: ${FILE_FAULTS[read.fault](read.column)}`,
    );
  }
  if (read.faults.length === 0) return read.items;
  const shown = read.faults.slice(0, SHOWN_FAULTS).map((fault) => describeFault(path, fault));
  const left = read.faults.length - shown.length;
  const count = `${read.has_more_faults ? 'more than ' : ''}${counted('en', left, 'more line', 'more lines')}`;
  throw new CommandError(
    'invalid_file',
    [...shown, ...(left > 0 ? [`and ${count}`] : []), 'Nothing was sent.'].join('\n'),
  );
}

const FILE_FAULTS = {
  empty: () => 'the file has no transfers',
  too_many: () => 'the file has more than 10,000 transfers, or 20,000 lines',
  workbook: () => 'this is a workbook of Excel or another spreadsheet: save it as CSV',
  encoding: () => 'the file is neither in UTF-8 nor in an encoding of Excel’s',
  syntax: () => 'this is not CSV: a quotation mark is missing',
  long_line: () => 'this line is too long: perhaps a quotation mark is missing',
  wide: () => 'this line has more than 32 columns',
  header: (column: string | undefined) =>
    `the first line must name to_username, currency and amount, and may name idempotency_key and description (${column})`,
} as const;

function describeFault(path: string, { line, ...fault }: FileLine & LineFault): string {
  return `${path}:${line}: ${fault.field} ${faultText(fault)}`;
}

function faultText(fault: LineFault): string {
  switch (fault.fault) {
    case 'columns':
      return 'has not as many columns as the first line';
    case 'not_failed':
      return 'is under way or carried out by its status: leave it out';
    case 'missing':
      return 'is missing';
    case 'too_long':
      return 'has more than 64 characters';
    case 'as_decimal':
      return AS_DECIMAL_MESSAGE;
    case 'long_description':
      return 'has more than 255 characters';
    case 'unknown':
      return `must be ${listCurrencies()}`;
    case 'format':
      return 'must be a decimal number';
    case 'ambiguous':
      return 'may be a thousand times larger or smaller: write it without grouping, such as 1000.00 or 1.00';
    case 'other_currency':
      return 'has the sign of another currency';
    case 'too_precise':
      return 'has more decimals than its currency allows';
    case 'zero':
      return 'must be more than zero';
    case 'too_large':
    case 'above_maximum':
      return 'is above the limit of one transfer';
    case 'yourself':
      return 'is the sender';
    case 'repeated':
      return `is also that of transfer ${fault.index + 1}`;
    case 'characters':
      return 'must be 1 to 255 printable ASCII characters';
  }
}

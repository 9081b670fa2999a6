// The items of a batch as a file: read a few hundred at a time, as fast as the reader takes them.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listItems, type ItemQuery } from '../../db/transfer-batches/transfer-batches';
import { csvHeader, csvLine, type Cell, type CsvForm } from '../../domain/csv';
import { itemError, type ItemView } from '../../domain/transfer-batch';

/** About 1 ms of this process, after which other requests have their turn. */
const AT_ONCE = 500;

const COLUMNS = [
  'index',
  'to_username',
  'currency',
  'amount',
  'status',
  'reference',
  'error_code',
  'error_message',
];

/** Ends when the reader goes away. An error ends it before its end. */
export function exportItems(
  db: Db,
  query: Omit<ItemQuery, 'limit'>,
  { form, onError }: { readonly form: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  const list = (after: number, limit: number) => listItems(db, { ...query, after, limit });
  return itemsAsFile({ columns: COLUMNS, cellsOf, list, after: query.after, form, onError });
}

export interface ItemsFile<Item> {
  readonly columns: readonly string[];
  readonly cellsOf: (item: Item) => readonly Cell[];
  /** Items after an index. */
  readonly list: (after: number, limit: number) => Promise<readonly Item[]>;
  readonly after: number;
  readonly form: CsvForm;
  readonly onError: (error: Error) => void;
}

export function itemsAsFile<Item extends { readonly index: number }>(
  file: ItemsFile<Item>,
): Readable {
  return Readable.from(renderItems(file), { objectMode: false }).on('error', file.onError);
}

async function* renderItems<Item extends { readonly index: number }>({
  columns,
  cellsOf: cells,
  list,
  form,
  ...file
}: ItemsFile<Item>): AsyncGenerator<string> {
  yield csvHeader(columns, form);
  let { after } = file;
  for (;;) {
    const items = await list(after, AT_ONCE);
    if (items.length > 0) yield items.map((item) => csvLine(cells(item), form)).join('');
    if (items.length < AT_ONCE) return;
    after = items.at(-1)!.index;
    await setImmediate();
  }
}

function cellsOf(item: ItemView): readonly Cell[] {
  const error = itemError(item.refusal);
  return [
    item.index,
    item.to_username,
    item.currency,
    item.amount_minor,
    item.status,
    item.reference,
    error?.code ?? null,
    error?.message ?? null,
  ];
}

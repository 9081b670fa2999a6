// The transfers of a batch as a file: read a few hundred at a time, as fast as the reader takes
// them.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listItems, type ItemQuery } from '../../db/transfer-batches/transfer-batches';
import { csvHeader, csvLine, type CsvForm } from '../../domain/csv';
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
  return Readable.from(renderItems(db, query, form), { objectMode: false }).on('error', onError);
}

async function* renderItems(
  db: Db,
  query: Omit<ItemQuery, 'limit'>,
  form: CsvForm,
): AsyncGenerator<string> {
  yield csvHeader(COLUMNS, form);
  let { after } = query;
  for (;;) {
    const items = await listItems(db, { ...query, after, limit: AT_ONCE });
    if (items.length > 0) yield items.map((item) => lineOf(item, form)).join('');
    if (items.length < AT_ONCE) return;
    after = items.at(-1)!.index;
    await setImmediate();
  }
}

function lineOf(item: ItemView, form: CsvForm): string {
  const error = itemError(item.refusal);
  const cells = [
    item.index,
    item.to_username,
    item.currency,
    item.amount_minor,
    item.status,
    item.reference,
    error?.code ?? null,
    error?.message ?? null,
  ];
  return csvLine(cells, form);
}

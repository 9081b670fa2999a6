// Batches of transfers as JSON for scripts and as text for people.

import type { OperatorBatch, ItemView } from '../db/transfer-batches/transfer-batches';
import { counted } from '../domain/language';
import { presentItem } from '../domain/transfer-batch';
import { withFields } from '../domain/json';
import type { CommandResult } from './context';
import { amountText } from './intent-text';
import type { ListedPage } from './page';
import { table } from './table';

export function batchResult(batch: OperatorBatch): CommandResult {
  const { username, idempotency_key, request_id } = batch;
  const { id, environment, status, mode, dry_run, total, completed, failed } = batch;
  return {
    json: { batch: withFields(batch, { username, idempotency_key, request_id }) },
    text: [
      `${id}: ${counted('en', total, 'transfer', 'transfers')} of ${username} (${environment}, ${mode}${dry_run ? ', dry run' : ''}), ${status}`,
      '',
      table([
        ['completed', String(completed)],
        ['failed', String(failed)],
        ['pending', String(total - completed - failed)],
        ['created_at', batch.created_at],
        ['finished_at', batch.finished_at ?? '-'],
        ['idempotency_key', idempotency_key],
        ['request_id', request_id],
      ]),
    ].join('\n'),
  };
}

export function batchesResult(batches: readonly OperatorBatch[]): CommandResult {
  const header = ['CREATED', 'STATUS', 'DONE', 'FAILED', 'TOTAL', 'ENVIRONMENT', 'ACCOUNT', 'ID'];
  const lines = batches.map((batch) => [
    batch.created_at,
    batch.status,
    ...[batch.completed + batch.failed + batch.held, batch.failed, batch.total].map(String),
    batch.environment,
    batch.username,
    batch.id,
  ]);
  return {
    json: {
      batches: batches.map((batch) => withFields(batch, { username: batch.username })),
    },
    text: table([header, ...lines]),
  };
}

export function itemsResult(
  { environment }: OperatorBatch,
  { rows, next_cursor, more }: ListedPage<ItemView>,
): CommandResult {
  const lines = rows.map((item) => [
    String(item.index),
    item.to_username,
    amountText(item.amount_minor, item.currency),
    item.status,
    item.reference ?? '-',
    item.refusal ?? '-',
  ]);
  return {
    json: { transfers: rows.map((item) => presentItem(item, environment)), next_cursor },
    text: table([['INDEX', 'TO', 'AMOUNT', 'STATUS', 'REFERENCE', 'REFUSED'], ...lines]) + more,
  };
}

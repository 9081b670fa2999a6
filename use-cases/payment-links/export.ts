// The payments of a reusable link as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import type { IntentView } from '../../db/payment-intents/intent-views';
import { listPaymentsOfLink, type PaymentLinkView } from '../../db/payment-links/payment-links';
import { type Cell, type CsvForm, PLAIN_CSV } from '../../domain/csv';
import { paidMinor } from '../../domain/intent';
import { csvOfPages } from '../csv-pages';

const COLUMNS = [
  'id',
  'reference',
  'status',
  'currency',
  'amount',
  'fee',
  'net_amount',
  'refunded_amount',
  'quantity',
  'created_at',
  'succeeded_at',
];

export function exportPayments(
  db: Db,
  link: PaymentLinkView,
  {
    form = PLAIN_CSV,
    onError,
  }: { readonly form?: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  const { id: link_id, collect } = link;
  const keys = collect.map(({ key }) => key);
  return csvOfPages({
    columns: [...COLUMNS, ...keys.map((key) => `collected_${key}`)],
    cellsOf: (payment: IntentView) => cellsOf(payment, keys),
    form,
    list: (before: string | undefined, limit) =>
      listPaymentsOfLink(db, { link_id, before, limit, pay_url_base: '' }),
    from: undefined,
    positionOf: ({ created_at }) => created_at,
    onError,
  });
}

function cellsOf(payment: IntentView, keys: readonly string[]): readonly Cell[] {
  const { fee_minor, refunded_minor, collected } = payment;
  return [
    payment.id,
    payment.reference,
    payment.status,
    payment.currency,
    paidMinor(payment),
    fee_minor,
    paidMinor(payment) - fee_minor,
    refunded_minor,
    payment.quantity,
    payment.created_at,
    payment.succeeded_at,
    ...keys.map((key) => collected?.[key] ?? null),
  ];
}

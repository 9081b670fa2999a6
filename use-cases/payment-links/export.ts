// The payments of a reusable link as a file, read a batch at a time, as fast as the reader takes them.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { listPaymentsOfLink } from '../../db/payment-links/payment-links';
import { csvHeader, csvLine, type CsvForm, PLAIN_CSV } from '../../domain/csv';
import { paidMinor, type IntentView } from '../../domain/intent';
import type { PaymentLinkView } from '../../domain/payment-link';

/** About 2 ms of this process, after which other requests have their turn. */
const AT_ONCE = 500;

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

/** Ends when the reader goes away. An error ends it before its end. */
export function exportPayments(
  db: Db,
  link: PaymentLinkView,
  {
    form = PLAIN_CSV,
    onError,
  }: { readonly form?: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  return Readable.from(renderPayments(db, link, form), { objectMode: false }).on('error', onError);
}

async function* renderPayments(
  db: Db,
  { id: link_id, collect }: PaymentLinkView,
  form: CsvForm,
): AsyncGenerator<string> {
  const keys = collect.map(({ key }) => key);
  yield csvHeader([...COLUMNS, ...keys.map((key) => `collected_${key}`)], form);
  let before: string | undefined;
  for (;;) {
    const query = { link_id, before, limit: AT_ONCE, pay_url_base: '' };
    const payments = await listPaymentsOfLink(db, query);
    if (payments.length > 0) yield payments.map((one) => lineOf(one, keys, form)).join('');
    if (payments.length < AT_ONCE) return;
    before = payments.at(-1)!.created_at;
    await setImmediate();
  }
}

function lineOf(payment: IntentView, keys: readonly string[], form: CsvForm): string {
  const { fee_minor, refunded_minor, collected } = payment;
  const cells = [
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
  return csvLine(cells, form);
}

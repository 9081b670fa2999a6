// The payments of a reusable link as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import type { IntentView } from '../../db/payment-intents/intent-views';
import { listPaymentsOfLink, type PaymentLinkView } from '../../db/payment-links/payment-links';
import { type CsvForm, PLAIN_CSV } from '../../domain/csv';
import { paidMinor } from '../../domain/intent';
import { csvOfPages, fields, type Columns } from '../csv-pages';

const COLUMNS: Columns<IntentView> = {
  ...fields<IntentView>('id', 'reference', 'status', 'currency'),
  amount: paidMinor,
  fee: ({ fee_minor }) => fee_minor,
  tax: ({ tax_minor }) => tax_minor,
  net_amount: (payment) => paidMinor(payment) - payment.fee_minor,
  refunded_amount: ({ refunded_minor }) => refunded_minor,
  ...fields<IntentView>('quantity', 'created_at', 'succeeded_at'),
};

export function exportPayments(
  db: Db,
  link: PaymentLinkView,
  {
    form = PLAIN_CSV,
    onError,
  }: { readonly form?: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  const { id: link_id, collect } = link;
  const answers = collect.map(({ key }) => [
    `collected_${key}`,
    ({ collected }: IntentView) => collected?.[key] ?? null,
  ]);
  return csvOfPages({
    db,
    columns: { ...COLUMNS, ...(Object.fromEntries(answers) as Columns<IntentView>) },
    form,
    list: (source, before: string | undefined, limit) =>
      listPaymentsOfLink(source, { link_id, before, limit, pay_url_base: '' }),
    from: undefined,
    positionOf: ({ created_at }) => created_at,
    onError,
  });
}

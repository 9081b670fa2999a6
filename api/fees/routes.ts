// The fee of a movement before it is ordered, and the invoices of fees.

import { Readable } from 'node:stream';
import { findFeeInvoice, listFeeInvoices as readInvoices } from '../../db/ledger/fee-invoices';
import { amountJson } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { writeFeeInvoicePdf } from '../../use-cases/fee-invoice-pdf';
import { previewFeeOf, sumsOf } from '../../use-cases/fees';
import { sendFile } from '../file';
import { readPage } from '../paging';
import { routesOf } from '../route';
import { shownList, success } from '../success';
import {
  feeInvoice,
  feeInvoicesResponse,
  feePreview,
  listFeeInvoicesQuery,
  previewFeeQuery,
} from './schema';

const on = routesOf('Fees');

export const feeRoutes = [
  on.get('/fees', {
    summary: 'The fee of a movement before it is ordered',
    description:
      'The fee and its tax now: an order is charged the same, unless they have changed between. Of a transfer you are the sender.',
    query: previewFeeQuery,
    response: feePreview,
    errors: ['recipient_not_found'],
    handler: async function previewFee({ db }, { caller, query }) {
      const { kind, currency, method } = query;
      const { amount, ...figures } = await previewFeeOf(db, caller, query);
      const { total_minor, net_minor } = sumsOf(kind, amount, figures);
      return success({
        kind,
        currency,
        amount: amountJson(amount),
        method: method ?? null,
        fee: amountJson(figures.fee_minor),
        tax: amountJson(figures.tax_minor),
        total: amountJson(total_minor),
        net_amount: amountJson(net_minor),
        bearer: figures.bearer,
      });
    },
  }),
  on.get('/fee-invoices', {
    summary: 'Invoices of fees, newest first',
    description:
      'One for each currency and month in which the account bore fees; they were taken when they arose. Pass `next_cursor` as `cursor` to get the next page.',
    query: listFeeInvoicesQuery,
    response: feeInvoicesResponse,
    handler: async function listFeeInvoices({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => readInvoices(db, query));
      return success({ fee_invoices: shownList(rows), ...end });
    },
  }),
  on.get('/fee-invoices/{number}', {
    path_parameters: { number: 'The number of the invoice.' },
    summary: 'One invoice: JSON or PDF',
    description:
      'It never changes. With `Accept: application/pdf` a document to print, in French if `Accept-Language` prefers it.',
    response: feeInvoice,
    also: ['pdf'],
    errors: ['fee_invoice_not_found'],
    handler: async function getFeeInvoice({ db, log }, request) {
      const { caller, params, form, language, request_id } = request;
      return sendFile(caller.user_id, async () => {
        const invoice = await findFeeInvoice(db, caller, params['number'] ?? '');
        if (!invoice) throw new Refusal('fee_invoice_not_found');
        const headers = { Vary: 'Accept, Accept-Language' };
        if (form !== 'pdf') {
          const body = Readable.from([`{"ok":true,${invoice.json.slice(1)}`], {
            objectMode: false,
          });
          return { status: 200, type: 'application/json; charset=utf-8', body, headers };
        }
        const onError = (error: Error) => log({ part: 'fees', request_id, error: String(error) });
        const body = await writeFeeInvoicePdf(invoice, { language, onError });
        return { status: 200, type: 'application/pdf', body, headers };
      });
    },
  }),
];

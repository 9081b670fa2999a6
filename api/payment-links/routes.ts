// Payment links that any number of customers may pay.

import {
  listPaymentLinks as readLinks,
  listPaymentsOfLink,
  type PaymentLinkView,
} from '../../db/payment-links/payment-links';
import { Refusal } from '../../domain/refusal';
import { exportPayments } from '../../use-cases/payment-links/export';
import {
  changePaymentLink as change,
  findOwnLink,
  orderPaymentLink,
} from '../../use-cases/payment-links/order';
import type { ApiDependencies, ApiRequest } from '../context';
import { sendFile } from '../file';
import { orderOf, orderResponse } from '../order';
import { readPage } from '../paging';
import { intentsResponse } from '../payment-intents/schema';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import {
  changePaymentLinkBody,
  createPaymentLinkBody,
  listLinkPaymentsQuery,
  listPaymentLinksQuery,
  paymentLink,
  paymentLinksResponse,
} from './schema';

async function findNamed(
  dependencies: ApiDependencies,
  { caller, params }: ApiRequest<unknown, unknown>,
): Promise<PaymentLinkView> {
  const found = await findOwnLink(dependencies, caller, params['id_or_code'] ?? '');
  if (!found) throw new Refusal('payment_link_not_found');
  return found;
}

const path_parameters = { id_or_code: 'The id or the code of the link.' } as const;

const on = routesOf('Reusable links');

export const paymentLinkRoutes = [
  on.post('/payment-links', {
    scope: 'payment_intents:write',
    summary: 'Make a link that any number of customers may pay',
    description:
      'Print `url` as a QR code for a counter or a table, or post it. Each customer who sends the form of the page gets a payment intent with `payment_link_id`, which expires after 30 minutes.',
    idempotent: 'payment_link',
    body: createPaymentLinkBody,
    status: 201,
    response: paymentLink,
    errors: ['kyc_required'],
    handler: async function createPaymentLink(dependencies, request) {
      const { body, numbers } = request;
      const order = { ...orderOf(request), body, numbers };
      return orderResponse(await orderPaymentLink(dependencies, order));
    },
  }),
  on.get('/payment-links', {
    summary: 'Reusable links, newest first',
    description: 'Pass `next_cursor` as `cursor` to get the next page.',
    query: listPaymentLinksQuery,
    response: paymentLinksResponse,
    handler: async function listPaymentLinks({ db, config }, request) {
      const { pay_url_base } = config;
      const { rows, ...end } = await readPage(request, (query) =>
        readLinks(db, { ...query, pay_url_base }),
      );
      return success({ payment_links: shownList(rows), ...end });
    },
  }),
  on.get('/payment-links/{id_or_code}', {
    path_parameters,
    summary: 'One reusable link, by its id or its code',
    description: '`payments` and `paid_amount` count what has succeeded.',
    response: paymentLink,
    errors: ['payment_link_not_found'],
    handler: async function getPaymentLink(dependencies, request) {
      return shown(await findNamed(dependencies, request));
    },
  }),
  on.patch('/payment-links/{id_or_code}', {
    scope: 'payment_intents:write',
    path_parameters,
    summary: 'Change a reusable link, or take it out of use',
    description:
      'What is left out stays; null takes it away. The currency, the price and what is asked for never change. A customer who is at the checkout may still pay.',
    body: changePaymentLinkBody,
    response: paymentLink,
    errors: ['payment_link_not_found'],
    handler: async function changePaymentLink(dependencies, request) {
      const link = await findNamed(dependencies, request);
      const { caller: owner, body, numbers } = request;
      return shown(await change(dependencies, { owner, link, body, numbers, now: owner.now }));
    },
  }),
  on.get('/payment-links/{id_or_code}/payments', {
    path_parameters,
    summary: 'The payments of a reusable link, newest first; all of them as CSV',
    description:
      'Payment intents in any status. With `Accept: text/csv` all of them come as one file, with a column for each field that the link asks for.',
    query: listLinkPaymentsQuery,
    response: intentsResponse,
    also: ['csv'],
    errors: ['payment_link_not_found'],
    handler: async function listLinkPayments(dependencies, request) {
      const { db, log } = dependencies;
      const { pay_url_base } = dependencies.config;
      const link = await findNamed(dependencies, request);
      const { caller, form, request_id } = request;
      if (form === 'csv') {
        return sendFile(caller.user_id, () => {
          const body = exportPayments(db, link, {
            onError: (error) => log({ part: 'payment_links', request_id, error: String(error) }),
          });
          return Promise.resolve({ status: 200, type: 'text/csv; charset=utf-8', body });
        });
      }
      const { rows, ...end } = await readPage(request, ({ before, limit }) =>
        listPaymentsOfLink(db, { link_id: link.id, before, limit, pay_url_base }),
      );
      return success({ payment_intents: shownList(rows), ...end });
    },
  }),
];

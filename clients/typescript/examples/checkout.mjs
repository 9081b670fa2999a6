// A shop with one book: `PAYMENTS_KEY=… PAYMENTS_URL=… node checkout.mjs`, then open http://127.0.0.1:8000/buy.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { PaymentsClient } from 'payments-client';

const { PAYMENTS_KEY, PAYMENTS_URL, PORT = '8000' } = process.env;
const client = new PaymentsClient(PAYMENTS_KEY, { baseUrl: PAYMENTS_URL });
const shop = `http://127.0.0.1:${PORT}`;
/** The payment of each order; in earnest this is a table. */
const orders = new Map();

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, shop);
  const page = pathname === '/buy' ? buy(response) : comeBack(response, searchParams.get('order'));
  page.catch((error) => response.writeHead(500).end(error.message));
}).listen(Number(PORT), '127.0.0.1');

async function buy(response) {
  const order = randomUUID();
  const intent = await client.paymentIntents.create(
    {
      amount: '49.90',
      currency: 'EUR',
      description: 'One book',
      metadata: { order },
      return_url: `${shop}/thanks?order=${order}`,
      cancel_url: `${shop}/basket`,
    },
    // However often this order is asked to be paid, it has one link.
    { idempotencyKey: order },
  );
  orders.set(order, intent.id);
  response.writeHead(303, { Location: intent.pay_url }).end();
}

/** Anybody can open the return page: only the service says whether it is paid. */
async function comeBack(response, order) {
  const id = orders.get(order);
  if (id === undefined) return response.writeHead(404).end('There is no such order.');
  const { status } = await client.paymentIntents.retrieve(id);
  return response.end(
    status === 'succeeded' ? 'Thank you for your order.' : `The payment is ${status}.`,
  );
}

// Receives webhooks: `PAYMENTS_WEBHOOK_SECRETS=whsec_… node webhook-receiver.mjs`. During a rotation give both secrets,
// with a comma between.

import { createServer } from 'node:http';
import { SignatureError, verifyWebhook } from 'payments-client';

const { PAYMENTS_WEBHOOK_SECRETS, PORT = '3000' } = process.env;
const secrets = PAYMENTS_WEBHOOK_SECRETS.split(',');
/** An event may come twice; in earnest this is a column that is unique. */
const done = new Set();

createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    (error) => response.writeHead(error instanceof SignatureError ? 400 : 500).end(error.code),
  );
}).listen(Number(PORT), '127.0.0.1');

async function receive(request) {
  // The bytes as they came. In Express: express.raw({ type: 'application/json' }), then request.body.
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secrets);
  if (done.has(event.id)) return;
  if (event.type === 'payment.succeeded')
    console.log(`${event.data.reference} is paid: ${event.data.amount}`);
  else console.log(`${event.type} ${event.id}`);
  done.add(event.id);
}

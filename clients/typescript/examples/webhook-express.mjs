// Receives webhooks: `npm install express`, `PAYMENTS_WEBHOOK_SECRETS=whsec_… node webhook-express.mjs`. During a rotation
// give both secrets, with a comma between.

import express from 'express';
import { SignatureError, verifyWebhook } from 'payments-client';

const { PAYMENTS_WEBHOOK_SECRETS, PORT = '8000' } = process.env;
const secrets = PAYMENTS_WEBHOOK_SECRETS.split(',');
/** An event may come twice; in earnest this is a column that is unique. */
const done = new Set();
const app = express();

// The bytes as they came: no other parser may see the request before.
app.post('/hook', express.raw({ type: '*/*' }), async (request, response) => {
  const event = await verifyWebhook(request.body ?? '', request.headers, secrets);
  if (!done.has(event.id)) {
    if (event.type === 'payment.succeeded')
      console.log(`${event.data.reference} is paid: ${event.data.amount}`);
    else console.log(`${event.type} ${event.id}`);
    done.add(event.id);
  }
  response.sendStatus(204);
});
app.use((error, _, response, next) => {
  if (error instanceof SignatureError) response.status(400).send(error.code);
  else next(error);
});
app.listen(Number(PORT), '127.0.0.1');

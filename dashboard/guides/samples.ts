// The programs of the guides. Each is run as it stands by test/dashboard/guides.test.ts.

import { writeSamples, type Sample, type SampleCall } from '../../pages/samples';

type Reader = Pick<SampleCall, 'base_url' | 'key'>;

export function firstTransfer(reader: Reader): readonly Sample[] {
  return clientsFirst({
    ...reader,
    operation: 'createTransfer',
    idempotency_key: 'transfer-1001',
    body: { to_username: 'customer', amount: 5000, currency: 'XOF' },
  });
}

export function firstPayment(reader: Reader): readonly Sample[] {
  return clientsFirst({
    ...reader,
    operation: 'createPaymentIntent',
    idempotency_key: 'order-1001',
    body: { amount: 5000, currency: 'XOF', description: 'Order 1001' },
  });
}

function clientsFirst(call: SampleCall): readonly Sample[] {
  const [curl, ...clients] = writeSamples(call);
  return [...clients, curl!];
}

export const WEBHOOK_RECEIVERS: readonly Sample[] = [
  {
    language: 'TypeScript',
    text: `import { createServer } from "node:http";
import { SignatureError, verifyWebhook } from "payments-client";

const secret = process.env.WEBHOOK_SECRET;

createServer(async (request, response) => {
  const rawBody = Buffer.concat(await request.toArray());
  try {
    const event = await verifyWebhook(rawBody, request.headers, secret);
    console.log(event.id, event.type);
    response.end("ok");
  } catch (error) {
    response.writeHead(error instanceof SignatureError ? 401 : 500).end();
  }
}).listen(9999, "127.0.0.1");
`,
  },
  {
    language: 'Python',
    text: `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from payments_client import SignatureError, verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(raw_body, self.headers, SECRET)
        except SignatureError:
            self.send_error(401)
            return
        print(event["id"], event["type"], flush=True)
        self.send_response(200)
        self.end_headers()


HTTPServer(("127.0.0.1", 9999), Receiver).serve_forever()
`,
  },
  {
    language: 'PHP',
    text: `<?php
require 'payments-client/autoload.php';

$raw_body = file_get_contents('php://input');
try {
    $event = (new Payments\\Webhooks())->verify($raw_body, getallheaders(), getenv('WEBHOOK_SECRET'));
} catch (Payments\\SignatureError) {
    http_response_code(401);
    exit('invalid signature');
}
error_log($event['id'] . ' ' . $event['type']);
echo 'ok';
`,
  },
];

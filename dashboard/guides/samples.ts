// The programs of the guides. Each is run as it stands by test/dashboard/guides.test.ts.

import { writeSamples, type Sample } from '../../pages/samples';

interface Reader {
  readonly base_url: string;
  /** The key or what stands for it. */
  readonly key: string;
}

export function firstPayment({ base_url, key }: Reader): readonly Sample[] {
  return writeSamples({
    method: 'POST',
    url: `${base_url}/payment-intents`,
    key,
    idempotency_key: 'order-1001',
    body: { amount: 5000, currency: 'XOF', description: 'Order 1001' },
  });
}

export const WEBHOOK_RECEIVERS: readonly Sample[] = [
  {
    language: 'Node.js',
    text: `const { createHmac, timingSafeEqual } = require('node:crypto');
const { createServer } = require('node:http');

const SECRET = process.env.WEBHOOK_SECRET;

function isGenuine(rawBody, header) {
  const expected = createHmac('sha256', SECRET).update(rawBody).digest();
  const given = Buffer.from(header ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, response) => {
  const rawBody = Buffer.concat(await request.toArray());
  const { headers } = request;
  if (
    !isGenuine(rawBody, headers['x-service-signature']) &&
    !isGenuine(rawBody, headers['x-service-signature-next'])
  ) {
    return response.writeHead(401).end('invalid signature');
  }
  const event = JSON.parse(rawBody);
  console.log(event.id, event.type);
  response.end('ok');
}).listen(9999, '127.0.0.1');
`,
  },
  {
    language: 'Python',
    text: `import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_genuine(raw_body, header):
    expected = hmac.new(SECRET, raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (header or "").encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["Content-Length"]))
        names = ("x-service-signature", "x-service-signature-next")
        if not any(is_genuine(raw_body, self.headers[name]) for name in names):
            self.send_response(401)
            self.end_headers()
            return
        event = json.loads(raw_body)
        print(event["id"], event["type"], flush=True)
        self.send_response(200)
        self.end_headers()


HTTPServer(("127.0.0.1", 9999), Receiver).serve_forever()
`,
  },
  {
    language: 'PHP',
    text: `<?php
function is_genuine(string $raw_body, string $header): bool
{
    return hash_equals(hash_hmac('sha256', $raw_body, getenv('WEBHOOK_SECRET')), $header);
}

$raw_body = file_get_contents('php://input');
$signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
$next = $_SERVER['HTTP_X_SERVICE_SIGNATURE_NEXT'] ?? '';
if (!is_genuine($raw_body, $signature) && !is_genuine($raw_body, $next)) {
    http_response_code(401);
    exit('invalid signature');
}
$event = json_decode($raw_body, true);
error_log($event['id'] . ' ' . $event['type']);
echo 'ok';
`,
  },
];

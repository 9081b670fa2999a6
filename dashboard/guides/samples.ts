// The programs of the guides. Each is run as it stands by test/dashboard/guides.samples.test.ts.

export interface Sample {
  readonly language: 'curl' | 'Node.js' | 'Python' | 'PHP';
  readonly text: string;
}

interface Reader {
  readonly base_url: string;
  /** Or what stands for it. */
  readonly key: string;
}

export function firstPayment({ base_url, key }: Reader): readonly Sample[] {
  return [
    {
      language: 'curl',
      text: `curl -s ${base_url}/payment-intents \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-1001' \\
  -d '{"amount": 5000, "currency": "XOF", "description": "Order 1001"}'
`,
    },
    {
      language: 'Node.js',
      text: `const KEY = '${key}';

async function createPayment() {
  const response = await fetch('${base_url}/payment-intents', {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ' + KEY,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'order-1001',
    },
    body: JSON.stringify({ amount: 5000, currency: 'XOF', description: 'Order 1001' }),
  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(answer.error.code + ': ' + answer.error.message);
  return answer;
}

createPayment().then(({ id, pay_url }) => console.log(id, pay_url));
`,
    },
    {
      language: 'Python',
      text: `import json
import urllib.error
import urllib.request

KEY = "${key}"

request = urllib.request.Request(
    "${base_url}/payment-intents",
    data=json.dumps({"amount": 5000, "currency": "XOF", "description": "Order 1001"}).encode(),
    headers={
        "Authorization": "Bearer " + KEY,
        "Content-Type": "application/json",
        "Idempotency-Key": "order-1001",
    },
)
try:
    answer = json.load(urllib.request.urlopen(request, timeout=30))
except urllib.error.HTTPError as refused:
    error = json.load(refused)["error"]
    raise SystemExit(error["code"] + ": " + error["message"])
print(answer["id"], answer["pay_url"])
`,
    },
    {
      language: 'PHP',
      text: `<?php
$key = '${key}';

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ' . $key,
        'Content-Type: application/json',
        'Idempotency-Key: order-1001',
    ],
    'content' => json_encode(['amount' => 5000, 'currency' => 'XOF', 'description' => 'Order 1001']),
    'ignore_errors' => true,
    'timeout' => 30,
]]);
$answer = json_decode(file_get_contents('${base_url}/payment-intents', false, $context), true);
if (!$answer['ok']) {
    exit($answer['error']['code'] . ': ' . $answer['error']['message'] . PHP_EOL);
}
echo $answer['id'], ' ', $answer['pay_url'], PHP_EOL;
`,
    },
  ];
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

// Runs the programs of the client's README and its examples as a shop and its customer would, in the folder in which
// the package is installed. It ends with 1 when something differs.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import * as imported from 'payments-client';

const { PAYMENTS_KEY, PAYMENTS_URL } = process.env;
const client = new imported.PaymentsClient(PAYMENTS_KEY, { baseUrl: PAYMENTS_URL });
const PACKAGE = 'node_modules/payments-client';

// Both are one: `instanceof` knows the errors of either.
assert.equal(createRequire(import.meta.url)('payments-client').ApiError, imported.ApiError);
await verifyShapes();
await runReadme();
await buy();
await receive();

/** Headers and bodies as servers give them, and a secret as a file does. */
async function verifyShapes() {
  const secret = `whsec_${'MDEy'.repeat(8)}`;
  const body = new TextEncoder().encode('{"id":"evt-1"}');
  const signed = await imported.signWebhook(body, secret);
  const pairs = Object.entries(signed);
  const shapes = [
    signed,
    new Headers(signed),
    new Map(pairs),
    Object.fromEntries(pairs.map(([name, value]) => [name, [value]])),
  ];
  for (const headers of shapes)
    for (const raw of [body, body.buffer, Buffer.from(body), '{"id":"evt-1"}'])
      assert.equal((await imported.verifyWebhook(raw, headers, `${secret}\n`)).id, 'evt-1');
}

/** The first two programs stand alone. */
async function runReadme() {
  const programs = [
    ...readFileSync(`${PACKAGE}/README.md`, 'utf8').matchAll(/```js\n([^]*?)```/g),
  ].slice(0, 2);
  assert.equal(programs.length, 2);
  for (const [, program] of programs) {
    const lines = program
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => line !== '');
    assert.ok(lines.length <= 10, `${lines.length} lines:\n${program}`);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'exit'), [0, null], program);
  }
}

async function buy() {
  const shop = await start('checkout.mjs', {});
  try {
    const bought = await fetch(`${shop.address}/buy`, { redirect: 'manual' });
    assert.equal(bought.status, 303, await bought.text());
    const code = bought.headers.get('location').split('/').pop();
    const intent = await client.paymentIntents.retrieve(code);
    assert.equal(await read(intent.return_url), 'The payment is open.');
    await fetch(intent.checkout_url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ action: 'pay' }),
    });
    await until(async () => (await read(intent.return_url)) === 'Thank you for your order.');
  } finally {
    await shop.stop();
  }
}

async function receive() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  const endpoint = await client.webhookEndpoints.create({ url });
  const receiver = await start('webhook-express.mjs', {
    PAYMENTS_WEBHOOK_SECRETS: endpoint.secret,
    PORT: port,
  });
  try {
    const forged = await fetch(url, {
      method: 'POST',
      headers: { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
      body: '{}',
    });
    assert.equal(`${forged.status} ${await forged.text()}`, '400 wrong_signature');
    await client.webhookEndpoints.test(endpoint.id, { type: 'payment.succeeded' });
    await until(() => receiver.lines.some((line) => / is paid: \d+\.\d\d$/.test(line)));
  } finally {
    await receiver.stop();
    await client.webhookEndpoints.delete(endpoint.id);
  }
}

async function start(example, environment) {
  const port = environment.PORT ?? (await freePort());
  const child = spawn(process.execPath, [example], {
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const over = once(child, 'exit');
  const lines = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const address = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
  const stop = async () => {
    child.kill();
    await over;
  };
  return { address, lines, stop };
}

async function read(address) {
  return (await fetch(address)).text();
}

async function until(isSo) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isSo()) return;
    await pause(100);
  }
  throw new Error(`It does not become so: ${isSo}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// The README's receiver of webhooks, run as it stands.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
const BODY = '{"id":"evt-1","type":"payment.succeeded","data":{"amount":5000,"currency":"XOF"}}';

it('takes what is signed with its secret now, and nothing that was recorded', async () => {
  const port = await pickTestPort();
  const program = /```js\n([^]*?)```/.exec(README)![1]!.replace('9999', String(port));
  const [secret, other] = [makeWebhookSecret(), makeWebhookSecret()];
  const env = { ...process.env, WEBHOOK_SECRET: secret };
  const receiver = spawn(process.execPath, ['--eval', program], { env });
  closeAfterFile(() => void receiver.kill());
  const post = async (headers: Readonly<Record<string, string>>, body = BODY) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
  const sign = (by: string, before: string | null = null, seconds_ago = 0) => {
    const timestamp = Math.floor(Date.now() / 1_000) - seconds_ago;
    return signWebhook({ id: 'evt-1', timestamp, body: BODY, secret: by, previous_secret: before });
  };
  await waitFor(() => post({}).catch(() => undefined));
  expect(await post({})).toBe(401);
  expect(await post(sign(other))).toBe(401);
  expect(await post(sign(secret), BODY.replace('5000', '5001'))).toBe(401);
  expect(await post(sign(secret, null, 3_600))).toBe(401);
  expect(await post(sign(secret))).toBe(200);
  expect(await post(sign(other, secret))).toBe(200);
  expect(await post(sign(secret, other))).toBe(200);
});

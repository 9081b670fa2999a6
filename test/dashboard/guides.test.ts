// The guides, and each of their programs: run as it stands against the service, and against what it signs.

import { spawn } from 'node:child_process';
import { firstPayment, firstTransfer, WEBHOOK_RECEIVERS } from '../../dashboard/guides/samples';
import { readClientPackages } from '../../pages/client-packages';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import {
  ENVIRONMENT,
  RUNNABLE,
  RUNTIMES,
  runSample,
  sampleIn,
  writeProgram,
} from '../support/programs';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { expectPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ gateway: {} });

beforeAll(() => buildUser(w.database.db, { username: 'customer' }));

it('the page of guides has the address of the API and what the reader knows their newest test key by', async () => {
  expectPage(await w.visitor.open('/guides'), 200, 'Put a test key in its place.');
  const { key } = await buildApiKey(w.database.db, { user: w.user, environment: 'sandbox' });
  await buildApiKey(w.database.db, { user: w.user });
  const page = await w.visitor.open('/guides');
  const programs = page.document.querySelectorAll('pre').map(({ textContent }) => textContent);
  const { public_url } = w.service.config;
  const calls = programs.slice(1, 9);
  for (const program of calls) {
    expect(program).toContain(`pay_test_...${key.slice(-4)}`);
    expect(program).toContain(`${public_url}/api/public/v1`);
  }
  expect(programs).toHaveLength(1 + calls.length + WEBHOOK_RECEIVERS.length);
  expect(page.text).not.toContain(key);
  expect(programs[0]).toContain(`npm install ${public_url}/clients/payments-client`);
  expectPage(page, 200, ...readClientPackages().map(({ sha256 }) => sha256));
});

it('can run what every developer of ours has, and in CI every language', () => {
  const needed = process.env['CI'] === 'true' ? Object.keys(RUNTIMES) : ['TypeScript'];
  expect(RUNNABLE).toEqual(expect.arrayContaining(needed));
});

describe.each(RUNNABLE)('in %s', (language) => {
  // The clients repeat what a busy machine had no time for, and curl does not.
  const run = (samples: typeof firstPayment, key: string) =>
    waitFor(async () => {
      const ran = await runSample(
        sampleIn(language, samples({ base_url: w.service.base_url, key })),
      );
      return !ran.stdout.includes('"retryable":true') && ran;
    });

  async function startMerchant() {
    const user = await buildUser(w.database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
    const { key } = await buildApiKey(w.database.db, { user, environment: 'sandbox' });
    return { user, key };
  }

  it('the first transfer is made once, however often it is run', async () => {
    const { key } = await startMerchant();
    const ran = [await run(firstTransfer, key), await run(firstTransfer, key)];
    expect(ran[0]!.stdout).toMatch(/TRF-[^]*simulated/);
    expect(ran[1]).toEqual(ran[0]);
  });

  it('the first payment is one link, however often it is run', async () => {
    const { user, key } = await startMerchant();
    const ran = [await run(firstPayment, key), await run(firstPayment, key)];
    expect(ran[0]!.stdout).toMatch(/https?:[^"\s]+\/p\/\w+/);
    expect(ran[1]).toEqual(ran[0]);
    const rows = await w.sql(
      'select amount_minor::text, currency, description from payment_intents where user_id = ?',
      [user.id],
    );
    expect(rows).toEqual([{ amount_minor: '500000', currency: 'XOF', description: 'Order 1001' }]);
  });

  it('a refusal says why', async () => {
    const refused = await run(firstPayment, 'pay_test_...');
    expect(`${refused.stdout}${refused.stderr}`).toMatch(/complete API key/);
  });
});

const RECEIVING = RUNNABLE.filter((language) => language !== 'curl');

it.each(RECEIVING)(
  'the receiver of webhooks in %s takes what is signed with its secret, and nothing else',
  async (language) => {
    const port = await pickTestPort();
    const { text, ...sample } = sampleIn(language, WEBHOOK_RECEIVERS);
    const file = writeProgram({ ...sample, text: text.replace('9999', String(port)) });
    const [program, parameters] = RUNTIMES[language].serve(file, port);
    const [secret, new_secret] = [makeWebhookSecret(), makeWebhookSecret()];
    const env = { ...ENVIRONMENT, WEBHOOK_SECRET: secret };
    const receiver = spawn(program, parameters, { env });
    closeAfterFile(() => void receiver.kill());
    let said = '';
    for (const stream of [receiver.stdout, receiver.stderr]) {
      stream.on('data', (data: Buffer) => (said += data.toString()));
    }
    const body = '{"id":"evt-1","type":"payment.succeeded","data":{"description":"Café"}}';
    const post = async (headers: Readonly<Record<string, string>>, sent = body) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: sent })).status;
    const sign = (by: string, before: string | null = null) =>
      signWebhook({
        id: 'evt-1',
        timestamp: Math.floor(Date.now() / 1000),
        body,
        secret: by,
        previous_secret: before,
      });
    await waitFor(() => post({}).catch(() => undefined));
    expect(await post({})).toBe(401);
    expect(await post(sign(new_secret))).toBe(401);
    expect(await post(sign(secret), body.replace('1', '2'))).toBe(401);
    expect(said).not.toContain('evt-1 payment.succeeded');
    expect(await post(sign(secret))).toBe(200);
    expect(await post(sign(new_secret, secret))).toBe(200);
    expect(await post(sign(secret, new_secret))).toBe(200);
    await waitFor(() => said.split('evt-1 payment.succeeded').length === 4 || undefined);
  },
);

// The guides, and each of their programs: run as it stands against the service, and against what it signs.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { firstPayment, WEBHOOK_RECEIVERS, type Sample } from '../../dashboard/guides/samples';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import { startTestApi } from '../support/api';
import { closeAfterFile } from '../support/cleanup';
import type { TestDatabase } from '../support/database';
import { pickTestPort } from '../support/ports';
import type { TestService } from '../support/service';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { signInOwner } from './accounts';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  ({ database, service } = await startTestApi());
});

describe('the page of guides', () => {
  it('has the address of the API and what the reader knows their newest test key by', async () => {
    const { visitor, user } = await signInOwner(service, database);
    const none = await visitor.open('/guides');
    expect(none.text).toContain('Put a test key in its place.');
    const { key } = await buildApiKey(database.db, { user, environment: 'sandbox' });
    await buildApiKey(database.db, { user });
    const page = await visitor.open('/guides');
    const programs = page.document.querySelectorAll('pre').map(({ textContent }) => textContent);
    for (const program of programs.slice(0, 4)) {
      expect(program).toContain(`pay_test_...${key.slice(-4)}`);
      expect(program).toContain(`${service.config.public_url}/api/public/v1/payment-intents`);
    }
    expect(programs).toHaveLength(7);
    expect(page.text).not.toContain(key);
  });
});

interface Runtime {
  readonly program: string;
  readonly file: string;
  readonly run: (file: string) => readonly [string, readonly string[]];
  readonly serve: (file: string, port: number) => readonly [string, readonly string[]];
}

const RUNTIMES: Readonly<Record<Sample['language'], Runtime>> = {
  curl: {
    program: 'curl',
    file: 'sample.sh',
    run: (file) => ['sh', [file]],
    serve: (file) => ['sh', [file]],
  },
  'Node.js': {
    program: 'node',
    file: 'sample.cjs',
    run: (file) => ['node', [file]],
    serve: (file) => ['node', [file]],
  },
  Python: {
    program: 'python3',
    file: 'sample.py',
    run: (file) => ['python3', [file]],
    serve: (file) => ['python3', [file]],
  },
  PHP: {
    program: 'php',
    file: 'sample.php',
    run: (file) => ['php', [file]],
    serve: (file, port) => ['php', ['-S', `127.0.0.1:${port}`, file]],
  },
};

/** Of a language that this machine does not have, nothing can be run. */
const RUNNABLE = Object.entries(RUNTIMES)
  .filter(([, { program }]) => spawnSync(program, ['--version']).error === undefined)
  .map(([language]) => language as Sample['language']);

function write({ language, text }: Sample): string {
  const file = join(mkdtempSync(join(tmpdir(), 'guide-')), RUNTIMES[language].file);
  closeAfterFile(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, text);
  return file;
}

function sampleIn(language: Sample['language'], of: readonly Sample[]): Sample {
  return of.find((sample) => sample.language === language)!;
}

it('can run what every developer of ours has', () => {
  expect(RUNNABLE).toContain('Node.js');
});

describe.each(RUNNABLE)('the first payment in %s', (language) => {
  const run = async (key: string) => {
    const samples = firstPayment({ base_url: service.base_url, key });
    const [program, parameters] = RUNTIMES[language].run(write(sampleIn(language, samples)));
    return promisify(execFile)(program, parameters).catch((error: { stdout: string }) => error);
  };

  it('makes a link, and the same one when it is run again', async () => {
    const user = await buildUser(database.db);
    const { key } = await buildApiKey(database.db, { user, environment: 'sandbox' });
    const [first, again] = [await run(key), await run(key)];
    expect(first.stdout).toMatch(/https?:[^"\s]+\/p\/\w+/);
    expect(again.stdout).toBe(first.stdout);
    const { rows } = await database.owner.raw(
      'select amount_minor::text, currency, description from payment_intents where user_id = ?',
      [user.id],
    );
    expect(rows).toEqual([{ amount_minor: '500000', currency: 'XOF', description: 'Order 1001' }]);
  });

  it('says why it was refused', async () => {
    const refused = (await run('pay_test_...')) as { stdout: string; stderr?: string };
    expect(`${refused.stdout}${refused.stderr}`).toMatch(/unauthorized.*complete API key/s);
  });
});

const RECEIVING = RUNNABLE.filter((language) => language !== 'curl');

it.each(RECEIVING)(
  'the receiver of webhooks in %s takes what is signed with its secret, and nothing else',
  async (language) => {
    const port = await pickTestPort();
    const { text, ...sample } = sampleIn(language, WEBHOOK_RECEIVERS);
    const file = write({ ...sample, text: text.replace('9999', String(port)) });
    const [program, parameters] = RUNTIMES[language].serve(file, port);
    const [secret, new_secret] = [makeWebhookSecret(), makeWebhookSecret()];
    const env = { ...process.env, WEBHOOK_SECRET: secret };
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
      signWebhook({ id: 'evt-1', timestamp: 1, body, secret: by, previous_secret: before });
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

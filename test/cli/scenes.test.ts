import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretsOf } from '../../dev/webhooks';
import { startWebhookSink } from '../../dev/simulators/webhook-sink/server';
import { setUp } from '../support/database';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { readStack } from '../support/stack';
import { buildApiKey, buildUser } from '../support/users';
import { buildCli, type Cli, type CliResult } from './support/cli';
import { buildWebhookCli } from './support/webhook-cli';

const SHIPPED = [
  'link-that-expires',
  'lost-response',
  'payout-returned',
  'refund-that-fails',
  'webhook-that-fails-for-a-day',
];

const setup = setUp(buildWebhookCli);
let cli: Cli;
let receiver: string;

// A merchant has no database and no setting, only the address of the service, a test key and a receiver.
beforeAll(async () => {
  cli = buildCli(undefined, {}).withInput(setup.api.test_key);
  const secretsFor = secretsOf(setup.api.database.db, [TEST_SECRETS_KEY]);
  const sink = await startWebhookSink({ port: 0, secretsFor });
  closeAfterFile(() => sink.stop());
  receiver = `${sink.page}hooks`;
});

const service = (): string[] => ['--api', setup.api.service.origin, '--key-stdin'];

/** A file with these lines after `name: …` and `steps:`. */
function sceneOf(...steps: readonly string[]): string {
  return fileOf(['name: A try', 'steps:', ...steps].join('\n'));
}

function fileOf(text: string, name = 'scene.yaml'): string {
  const file = join(mkdtempSync(join(readStack().folder, 'scene-')), name);
  writeFileSync(file, text);
  return file;
}

/** Plays it as text; no key may be shown. */
async function play(file: string, ...options: readonly string[]): Promise<CliResult> {
  const result = await cli.run('sandbox', 'play', file, ...service(), ...options);
  expect(result.stdout + result.stderr).not.toContain(setup.api.test_key);
  return result;
}

describe('the scenes that come with the program', () => {
  it.each(SHIPPED)('%s is played to its end', async (name) => {
    const { status, stdout, stderr } = await play(name, '--set', `receiver=${receiver}`);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/\nDone: \d+ steps\.\n$/) as string,
      stderr: '',
    });
  });

  it('are listed, each with what it is about', async () => {
    const { scenes } = await cli.json('sandbox', 'scenes');
    expect(scenes.map(({ name }: { name: string }) => name).sort()).toEqual(SHIPPED);
    const { stdout } = await cli.run('sandbox', 'scenes');
    expect(stdout).toContain('lost-response                 The response to a payout is lost');
  });
});

describe('sandbox play', () => {
  it('calls, pays, waits, and carries on with what it has saved', async () => {
    const file = sceneOf(
      '  - call: POST /payment-intents',
      '    headers: { Idempotency-Key: "try-${run}" }',
      '    body: { amount: 49.90, currency: EUR, description: "${what}" }',
      '    save: { link: id, amount: amount }',
      '  - call: POST /payment-intents',
      '    headers: { Idempotency-Key: "try-${run}" }',
      '    body: { amount: 49.90, currency: EUR, description: "${what}" }',
      '  - expect: { id: "${link}", amount: "${amount}", metadata: {} }',
      '    headers: { Idempotent-Replayed: "true" }',
      '  - pay: ${link}',
      '    with: decline',
      '  - expect: { status: failed }',
      '    get: /payment-intents/${link}',
      '    within: 60',
      '  - call: GET /payment-intents/no-such-link',
      '  - expect: 404',
      '  - expect: { payment_intents: [{ id: "${link}" }] }',
      '    get: /payment-intents?limit=5',
    );
    const { status, stdout } = await play(file, '--set', 'what=Two books');
    expect(stdout.replaceAll(/\d+ ms|\d+\.\d s|[0-9a-f-]{36}/g, '…').split('\n')).toEqual([
      'A try',
      '  1  ok  call    POST /payment-intents → 201 in …',
      '  2  ok  call    POST /payment-intents → 201 in …',
      '  3  ok  expect  {"id":"…","amount":49.9,"metadata":{}}',
      '  4  ok  pay     decline at the checkout of …',
      '  5  ok  expect  {"status":"failed"} of /payment-intents/… after …',
      expect.stringMatching(
        /^ {2}6 {2}ok {2}call {4}GET \/payment-intents\/no-such-link → 404 in …, .+: /,
      ),
      '  7  ok  expect  404',
      '  8  ok  expect  {"payment_intents":[{"id":"…"}]} of /payment-intents?limit=5',
      'Done: 8 steps.',
      '',
    ]);
    expect(status).toBe(0);
  });

  it('moves the clock to an instant and to what is due next, and orders a fault on an operation', async () => {
    const file = sceneOf(
      '  - call: POST /payment-intents',
      '    body: { amount: 5000, currency: XOF, expires_in: 3600 }',
      '    save: { link: id, due: expires_at }',
      '  - advance: ${due}',
      '  - expect: { status: expired }',
      '    get: /payment-intents/${link}',
      '    within: 60',
      '  - call: POST /payment-intents',
      '    body: { amount: 5000, currency: XOF, expires_in: 3600 }',
      '    save: { link: id }',
      '  - advance: next',
      '  - expect: { status: expired }',
      '    get: /payment-intents/${link}',
      '    within: 60',
      '  - fault: unavailable',
      '    on: GET /wallets',
      '    times: 2',
      '  - call: GET /wallets',
      '  - expect: 503',
      '  - call: GET /wallets',
      '  - expect: 503',
      '  - call: GET /wallets',
    );
    // Nothing else waits in this account, and its clock was never moved.
    const { db } = setup.api.database;
    const { key } = await buildApiKey(db, { user: await buildUser(db), environment: 'sandbox' });
    const other = cli.withInput(key);
    const { status, stdout } = await other.run('sandbox', 'play', file, ...service());
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('Done: 12 steps.') as string,
    });
  });

  it('reads JSON, and prints one object with --json', async () => {
    const steps = [{ call: 'GET /me' }, { expect: { environment: 'sandbox' } }];
    const file = fileOf(JSON.stringify({ name: 'Me', steps }, null, 2), 'me.json');
    expect(await cli.json('sandbox', 'play', file, ...service())).toEqual({
      ok: true,
      scene: 'Me',
      steps: [
        {
          step: 1,
          line: 4,
          kind: 'call',
          ok: true,
          text: expect.stringContaining('200') as string,
        },
        { step: 2, line: 7, kind: 'expect', ok: true, text: '{"environment":"sandbox"}' },
      ],
    });
  });

  it.each([
    ['{ profile: { username: nobody }, environment: live }', 'profile.username: expected "nobody"'],
    ['{ environment: live }', 'environment: expected "live", found "sandbox"'],
    ['{ profile: { emails: 1 } }', 'profile.emails: expected 1, found nothing'],
    ['201', 'expected status 201, found 200'],
    ['lost', 'expected no response, found 200'],
  ])('shows what was found instead of %s, and ends with status 1', async (expected, said) => {
    const file = sceneOf('  - call: GET /me', `  - expect: ${expected}`, '  - call: GET /wallets');
    const { status, stdout, stderr } = await play(file);
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toContain(said);
    expect(stdout).toContain(`Failed at step 2: ${file}:4`);
    expect(stdout).not.toContain('/wallets');
  });

  it.each([
    ['[{ currency: GBP }]', 'expected an item {"currency":"GBP"}'],
    ['[]', 'wallets: expected [], found [{'],
  ])('looks for each item of a list, such as %s', async (expected, said) => {
    const wallets = `  - expect: { wallets: [{ currency: XOF }, { currency: EUR }] }`;
    const get = '    get: /wallets';
    const { status, stdout } = await play(
      sceneOf(wallets, get, `  - expect: { wallets: ${expected} }`, get, '    within: 1'),
    );
    expect(status).toBe(1);
    expect(stdout).toContain('failed of /wallets within 1 s');
    expect(stdout).toContain(said);
  });

  it.each([
    ['a call that is refused', '  - call: GET /payouts/none', ', payout_not_found: '],
    [
      'a field that is not there',
      '  - { call: GET /me, save: { id: profile.no } }',
      'no profile.no',
    ],
    ['a link that is not there', '  - pay: none', 'No such payment intent.'],
  ])('ends with status 1 at %s, which nothing expects', async (_, step, said) => {
    const { status, stdout } = await play(sceneOf(step, '  - call: GET /wallets'));
    expect(status).toBe(1);
    expect(stdout).toContain(said);
    expect(stdout).toContain('Failed at step 1');
    expect(stdout).not.toContain('/wallets');
  });

  it.each([
    ['steps: [', ':1: '],
    ['- call', ':1: it must be object'],
    ['name: x\nsteps: []', ':1: steps must NOT have fewer than 1 items'],
    ['name: x\nsteps:\n  - call: GET /me\n  - 5', ':4: step 2 must have one of call, advance, '],
    [
      'name: x\nsteps:\n  - call: GET /me\n    pay: x',
      ':3: step 1 must have one of call, advance, ',
    ],
    ['name: x\nsteps:\n  - call: GET me', ':3: step 1 (call): call must be a method and a path'],
    [
      'name: x\nsteps:\n  - call: GET /me\n    then: x',
      'step 1 (call): it has an unknown field, then',
    ],
    ['name: x\nsteps:\n  - pay: x\n    with: money', '(pay): with must be one of pay, pay_slowly'],
    ['name: x\nsteps:\n  - advance: 1 day', '(advance): advance must be a number of seconds'],
    ['name: x\nsteps:\n  - fault: duplicate', "(fault): it must have required property 'on'"],
    ['name: x\nsteps:\n  - expect: 200\n    within: 5', '(expect): it must have property get'],
    ['name: x\nsteps:\n  - expect: gone', '(expect): expect must be a status, lost, or a part'],
    [
      'name: x\nsteps:\n  - call: GET /me\n    headers: { authorization: x }',
      'headers must name headers, and not Authorization',
    ],
  ])('refuses %j with its place', async (text, said) => {
    const file = fileOf(text);
    const { code, message } = await cli.fail('sandbox', 'play', file, ...service());
    expect(code).toBe('invalid_scene');
    expect(message).toContain(`${file}:`);
    expect(message).toContain(said);
  });

  it('refuses a variable that nothing gives, and a file or a scene that is not there', async () => {
    const file = sceneOf('  - { call: GET /me, save: { me: id } }', '  - call: GET /${you}/${me}');
    const error = await cli.fail('sandbox', 'play', file, ...service());
    expect(error.code).toBe('unknown_variable');
    expect(error.message).toContain(`${file}:4: step 2 needs \${you}`);
    const gone = await cli.fail('sandbox', 'play', './gone.yaml', ...service());
    expect(gone.code).toBe('file_unreadable');
    const named = await cli.fail('sandbox', 'play', 'link-that-expire', ...service());
    expect(named.code).toBe('scene_not_found');
    expect(named.message).toContain('or one of link-that-expires, lost-response, ');
    const set = await cli.fail('sandbox', 'play', file, ...service(), '--set', 'you');
    expect(set.code).toBe('usage');
  });

  it('refuses a live key before it calls anything', async () => {
    const nowhere = ['--api', `http://127.0.0.1:${await pickTestPort()}`, '--key-stdin'];
    const file = sceneOf('  - call: GET /me');
    const live = await cli.withInput(setup.api.live_key).run('sandbox', 'play', file, ...nowhere);
    expect(live).toEqual({
      status: 1,
      stdout: '',
      stderr: 'The key must be a test key: …_test_…\n',
    });
    const { stdout } = await cli.run('sandbox', 'play', file, ...nowhere);
    expect(stdout).toContain('GET /me → no response');
    const lost = sceneOf('  - call: GET /me', '  - expect: lost', '  - expect: 200');
    const played = await cli.run('sandbox', 'play', lost, ...nowhere, '--json');
    expect((JSON.parse(played.stdout) as { steps: unknown }).steps).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: false },
    ]);
  });
});

// Rules and cases at the command line.

import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { orderedPayout } from '../support/payouts';
import { postOne } from '../support/postings';
import { buildUser } from '../support/users';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () =>
  buildCli(database, {
    SECRETS_KEYS: TEST_SECRETS_KEY,
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
  }),
);
const funds = { live: { XOF: 10_000_000n }, sandbox: { XOF: 10_000_000n } };
const amina = setUp(() => buildUser(database.db, { username: 'amina', funds }));
const ben = setUp(() => buildUser(database.db, { username: 'ben' }));

afterEach(() => expectBooksHold(database.db));

const LARGE =
  'risk set --name large --kind amount --on transfer,payout --decision hold --currency XOF --above 1000'.split(
    ' ',
  );
const failing = async (...words: string[]) => (await cli.fail(...words)).code;

it('sets rules, shows and removes them', async () => {
  const large = {
    name: 'large',
    kind: 'amount',
    on: ['transfer', 'payout'],
    decision: 'hold',
    currency: 'XOF',
    user: null,
    environment: null,
    above: 1000,
    by: null,
  };
  expect(await cli.json(...LARGE)).toMatchObject({ ...large, changed: true });
  expect(await cli.json(...LARGE)).toMatchObject({ changed: false });
  const fast = ['--name', 'fast', '--kind', 'velocity', '--on', 'payment', '--decision', 'hold'];
  const window = ['--by', 'account', '--window', '24h', '--count', '3', '--user', 'amina'];
  expect(await cli.json('risk', 'set', ...fast, ...window)).toMatchObject({
    by: 'account',
    window_seconds: 86_400,
    count: 3,
    user: 'amina',
  });
  expect((await cli.json('risk', 'rules')).rules).toMatchObject([{ name: 'fast' }, large]);
  for (const name of ['fast', 'large']) await cli.json('risk', 'remove', name);
  expect(await failing('risk', 'remove', 'large')).toBe('rule_not_found');
  expect((await cli.json('risk', 'rules')).rules).toEqual([]);
  const { audit_rows } = await cli.json('audit', 'list', '--subject', 'risk-rule/large');
  expect(audit_rows).toMatchObject([{ action: 'risk.remove' }, { action: 'risk.set' }]);
});

it.each([
  ['an amount without its currency', ['--kind', 'amount', '--on', 'payout', '--above', '5']],
  ['another kind’s option', ['--kind', 'amount', '--on', 'payout', '--above', '5', '--count', '2']],
  [
    'a window that is too short',
    ['--kind', 'velocity', '--by', 'account', '--window', '9s', '--count', '2', '--on', 'payout'],
  ],
  [
    'nothing to count',
    ['--kind', 'velocity', '--by', 'account', '--window', '1h', '--on', 'payout'],
  ],
  [
    'phones of transfers',
    ['--kind', 'velocity', '--by', 'phone', '--window', '1h', '--count', '2', '--on', 'transfer'],
  ],
  [
    'addresses of payments',
    ['--kind', 'velocity', '--by', 'ip', '--window', '1h', '--count', '2', '--on', 'payment'],
  ],
  [
    'an unknown kind of order',
    ['--kind', 'velocity', '--by', 'ip', '--window', '1h', '--count', '2', '--on', 'refund'],
  ],
])('refuses %s', async (_, options) => {
  expect(await failing('risk', 'set', '--name', 'x', '--decision', 'hold', ...options)).toBe(
    'usage',
  );
  expect((await cli.json('risk', 'rules')).rules).toEqual([]);
});

it('lists, shows and decides cases', async () => {
  await cli.json(...LARGE);
  await postOne(database.db, { from: amina, to: ben, amount: 200_000n });
  await orderedPayout(database.db, amina);
  const page = await cli.json('risk', 'cases', '--limit', '1');
  expect(page).toMatchObject({ cases: [{ subject: { type: 'payout' } }] });
  const rest = await cli.json('risk', 'cases', '--cursor', String(page.next_cursor));
  expect(rest.next_cursor).toBeNull();
  const [waiting] = rest.cases as { reference: string }[];
  const { reference } = waiting!;
  expect(waiting).toMatchObject({
    status: 'held',
    username: 'amina',
    counterparty: 'ben',
    amount: 2000,
    reasons: [{ source: 'rule', name: 'large', detail: '2000.00 XOF is above 1000.00' }],
  });
  expect((await cli.json('risk', 'show', reference)).case).toEqual(waiting);
  expect(await failing('risk', 'show', 'RSK-00000000000000000000')).toBe('case_not_found');
  expect(await failing('risk', 'refuse', reference)).toBe('usage');
  expect(await cli.json('risk', 'release', reference)).toMatchObject({
    case: { status: 'released' },
  });
  expect(await failing('risk', 'refuse', reference, '--reason', 'late')).toBe('case_decided');
  expect((await cli.json('risk', 'cases', '--status', 'released')).cases).toHaveLength(1);
});

describe('the provider', () => {
  const url = 'http://127.0.0.1:8099/orders';
  const set = ['risk', 'provider', '--url', url, '--on', 'transfer,payout', '--deadline-ms', '300'];
  const hold = [...set, '--on-silence', 'hold'];

  it('is set, shown without its secret, and turned off', async () => {
    const provider = {
      url,
      on: ['transfer', 'payout'],
      deadline_ms: 300,
      on_silence: 'hold',
      environment: null,
    };
    expect(await cli.json('risk', 'provider')).toEqual({ provider: null });
    const signed = [...hold, '--secret-stdin'];
    const withSecret = cli.withInput('a secret of the provider');
    expect(await withSecret.json(...signed)).toEqual({ provider, changed: true });
    expect(await withSecret.json(...signed)).toEqual({ provider, changed: false });
    expect(await cli.json(...hold)).toEqual({ provider, changed: false });
    expect(await cli.withInput('another').json(...signed)).toEqual({ provider, changed: true });
    expect(await cli.json('risk', 'provider')).toEqual({ provider });
    const elsewhere = hold.map((word) => (word === url ? `${url}/2` : word));
    expect(await cli.json(...elsewhere)).toMatchObject({ changed: true });
    expect(await cli.json('risk', 'provider', '--off')).toEqual({ provider: null, changed: true });
    const { stdout } = await cli.run('audit', 'list', '--subject', 'risk-provider', '--json');
    expect(JSON.parse(stdout).audit_rows).toHaveLength(4);
    expect(stdout).not.toMatch(/secret of|orders/);
  });

  it.each([
    ['another scheme', ['http://risk.example.com/', 'transfer', '300', 'hold']],
    ['a user in its URL', ['https://me@risk.example.com/', 'transfer', '300', 'hold']],
    ['another kind', ['https://risk.example.com/', 'refund', '300', 'hold']],
    ['too little time', ['https://risk.example.com/', 'transfer', '49', 'hold']],
    ['another policy', ['https://risk.example.com/', 'transfer', '300', 'refuse']],
  ])('refuses %s', async (_, [where, on, ms, silence]) => {
    const options = ['--url', where!, '--on', on!, '--deadline-ms', ms!, '--on-silence', silence!];
    expect(await failing('risk', 'provider', ...options)).toBe('usage');
    expect(await failing('risk', 'provider', '--url', url)).toBe('usage');
    expect(await failing(...hold, '--off')).toBe('usage');
    expect(await cli.json('risk', 'provider')).toEqual({ provider: null });
  });
});

it('exports a case, the same bytes each time but for when and by whom', async () => {
  await cli.json(...LARGE);
  await postOne(database.db, { from: amina, to: ben, amount: 200_000n });
  const [{ reference }] = (await cli.json('risk', 'cases')).cases as [{ reference: string }];
  const shown = await cli.json('risk', 'export', reference);
  expect(Object.keys(shown)).toEqual(
    'format generated_at generated_by case subject account counterparty transactions related_cases decisions provider screening'.split(
      ' ',
    ),
  );
  expect(shown).toMatchObject({
    format: 'risk-case/1',
    generated_by: 'awa',
    case: { reference, status: 'held' },
    subject: { status: 'held', to_username: 'ben' },
    account: { username: 'amina' },
    counterparty: { username: 'ben' },
    decisions: [],
    provider: null,
  });
  expect(shown.transactions).toContainEqual(
    expect.objectContaining({ account: 'amina', reference: shown.subject.reference }),
  );
  await cli.json('risk', 'refuse', reference, '--reason', 'not explained');
  const file = join(tmpdir(), `${reference}.json`);
  const write = async (): Promise<string> => {
    expect(await cli.json('risk', 'export', reference, '--out', file)).toEqual({ reference, file });
    return readFileSync(file, 'utf8').replace(/"generated_at": "[^"]*"/, '');
  };
  const first = await write();
  await postOne(database.db, { from: amina, to: ben, amount: 100n });
  expect(await write()).toBe(first);
  expect(JSON.parse(readFileSync(file, 'utf8')).decisions).toMatchObject([
    { action: 'risk.refuse', actor: 'awa', details: { reason: 'not explained' } },
  ]);
  const { audit_rows } = await cli.json('audit', 'list', '--subject', `risk/${reference}`);
  const actions = audit_rows.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action === 'risk.export')).toHaveLength(3);
  expect(await failing('risk', 'export', 'RSK-00000000000000000000')).toBe('case_not_found');
});

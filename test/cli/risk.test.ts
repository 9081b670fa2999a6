// Rules and cases at the command line.

import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { orderedPayout } from '../support/payouts';
import { postOne } from '../support/postings';
import { buildUser } from '../support/users';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));
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

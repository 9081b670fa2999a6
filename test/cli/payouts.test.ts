// Payouts at the command line: ordered, cancelled and approved with a merchant's key; listed, shown, limited and
// settled by operators.

import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getPayout } from '../../db/payouts/payouts';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { closeAfterFile } from '../support/cleanup';
import { payoutInDoubt } from '../support/payouts';
import { readStack } from '../support/stack';
import { fund } from '../support/users';
import { buildCli } from './support/cli';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();
const merchant = setUp(async () => cli.withInput(api.test_key));
let service: string[];

beforeAll(async () => {
  await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 100_000_000n);
  service = ['--api', api.service.origin, '--key-stdin'];
});

afterEach(() => expectBooksHold(api.database.db));

const pay = (...more: string[]): string[] => {
  const what = ['--amount', '5000', '--currency', 'XOF', '--phone', '+221 77 000 01 00'];
  return ['payouts', 'create', ...what, ...more, ...service];
};

it('are ordered and cancelled with a key, by the reference', async () => {
  const made = await merchant.json(...pay('--name', 'Awa Diop', '--no-confirm'));
  expect(made).toMatchObject({
    status: 'requires_confirmation',
    amount: 5000,
    destination: { phone: '+221770000100', name: 'Awa Diop' },
  });
  const canceled = await merchant.json('payouts', 'cancel', made.reference, ...service);
  expect(canceled).toMatchObject({ id: made.id, status: 'canceled' });
  const late = await merchant.fail('payouts', 'approve', made.reference, ...service);
  expect(late.code).toBe('forbidden');
});

it('are sought with the key of the demo where none is given, which is said', async () => {
  const directory = mkdtempSync(join(readStack().folder, 'demo-'));
  const users = [{ username: api.merchant.username, test_key: api.test_key }];
  const demo = { base_url: api.service.base_url, database_url: api.database.app_url, users };
  writeFileSync(join(directory, 'demo.json'), JSON.stringify(demo));
  const beside = buildCli(undefined, { DATA_DIRECTORY: directory });
  const { status, stderr } = await beside.run('payouts cancel PYT-00000000000000000000');
  expect(status).toBe(1);
  expect(stderr).toContain('With the test key of the demo’s first merchant.');
  expect(stderr).toContain('No such payout.');
});

it('are ordered under a key that the error names when no response came, and that repeats it', async () => {
  let sent: unknown;
  const front = createServer(({ headers }, response) => {
    sent = headers['idempotency-key'];
    response.destroy();
  });
  front.listen(0, '127.0.0.1');
  closeAfterFile(() => void front.close());
  await once(front, 'listening');
  const lossy = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const error = await merchant.fail(...pay(), '--api', lossy);
  expect(error.code).toBe('no_answer');
  const key = /--idempotency-key (\S+),/.exec(error.message)![1]!;
  expect(sent).toBe(key);
  const again = pay('--idempotency-key', key);
  const { id } = await merchant.json(...again);
  expect(await merchant.json(...again)).toMatchObject({ id });
  expect((await merchant.run(...again)).stderr).toBe(`Idempotency key: ${key}\n`);
  expect((await merchant.fail(...pay('--idempotency-key', 'é'))).code).toBe('usage');
});

it('refuse an order to nobody, to two, or to an account without a holder', async () => {
  const what = ['payouts', 'create', '--amount', '5000', '--currency', 'XOF'];
  for (const to of [
    [],
    ['--phone', '+221770000100', '--account', 'SN0812345678'],
    ['--account', 'SN0812345678'],
  ]) {
    expect((await merchant.fail(...what, ...to, ...service)).code).toBe('usage');
  }
});

it('are listed and shown to operators, with what only they see', async () => {
  const id = await payoutInDoubt(api.database, api.merchant, { since: '25 hours' });
  const { reference } = await getPayout(api.database.db, id);
  const { payouts } = await cli.json('payouts', 'list', '--in-doubt');
  const expected = { id, username: api.merchant.username, is_in_doubt: true, unsettled_loss: 0 };
  expect(payouts).toMatchObject([expected]);
  const listed = await cli.json('payouts', 'list', '--user', api.merchant.username);
  expect(listed.payouts[0]).toMatchObject({ id, status: 'pending', stage: 'unknown' });
  const shown = await cli.json('payouts', 'show', reference);
  expect(shown.payout).toMatchObject({ ...expected, detail: 'The provider did not answer.' });
  expect(shown.timeline).toMatchObject([{ kind: 'requested' }]);
  const { stdout } = await cli.run('payouts', 'show', reference);
  expect(stdout).toContain('The provider did not answer.');
  expect((await cli.fail('payouts', 'list', '--in-doubt', '--status', 'failed')).code).toBe(
    'usage',
  );
  expect((await cli.fail('payouts', 'show', 'PYT-NONE')).code).toBe('payout_not_found');
});

it('are settled by an operator who has looked, once', async () => {
  const id = await payoutInDoubt(api.database, api.merchant);
  const { reference } = await getPayout(api.database.db, id);
  for (const said of [[], ['--paid', '--not-paid']]) {
    expect((await cli.fail('payouts', 'settle', reference, ...said)).code).toBe('usage');
  }
  const settled = await cli.json('payouts', 'settle', reference, '--paid', '--reason', 'seen');
  expect(settled).toMatchObject({ id, status: 'succeeded' });
  const again = await cli.fail('payouts', 'settle', reference, '--not-paid');
  expect(again).toMatchObject({ code: 'payout_not_pending' });
});

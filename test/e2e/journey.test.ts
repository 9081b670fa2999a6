// The main job from beginning to end, as its people see it: an operator at the command line, two
// users with their keys, and the workflow that moved the money in Temporal.

import { randomBytes } from 'node:crypto';
import { callApi, refusal } from '../api/support/contract';
import { buildCli } from '../cli/support/cli';
import { createTestDatabase, setUp } from '../support/database';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const cli = setUp(async () => buildCli(database));
const temporal = setUp(connectTestTemporal);

const suffix = randomBytes(4).toString('hex');
const SENDER = `aminata-${suffix}`;
const RECIPIENT = `jean-${suffix}`;

interface Person {
  readonly username: string;
  readonly live: { readonly id: string; readonly key: string };
  readonly test: { readonly id: string; readonly key: string };
}

async function signUp(username: string): Promise<Person> {
  await cli
    .withInput('correct horse battery')
    .json(
      `users create --username ${username} --email ${username}@example.com --password-stdin --country SN`,
    );
  const keysCreate = ['keys', 'create', '--user', username, '--environment'];
  // A test key comes at once, a live one only after the identity check.
  const test = await cli.json(...keysCreate, 'test');
  expect((await cli.fail(...keysCreate, 'live')).code).toBe('kyc_required');
  await cli.json('kyc', 'approve', '--user', username);
  return { username, test, live: await cli.json(...keysCreate, 'live') };
}

async function balanceOf(key: string, currency: string): Promise<number> {
  const { json } = await callApi(service, 'GET', '/wallets', { key });
  return json.wallets.find((wallet: { currency: string }) => wallet.currency === currency).balance;
}

it('§1 money moves between two users through a workflow, and every side of it agrees', async () => {
  const [aminata, jean] = [await signUp(SENDER), await signUp(RECIPIENT)];

  // The first request is in the sandbox: simulated, and nothing moves.
  const body = { to_username: RECIPIENT, currency: 'XOF', amount: 5000 };
  const funds = await balanceOf(aminata.test.key, 'XOF');
  const tried = await callApi(service, 'POST', '/transfers', { key: aminata.test.key, body });
  expect(tried.json).toMatchObject({ ok: true, simulated: true });
  expect(await balanceOf(aminata.test.key, 'XOF')).toBe(funds);

  // Live there is nothing to send yet.
  const live = { key: aminata.live.key, body, idempotency_key: 'order-1' };
  const refused = await callApi(service, 'POST', '/transfers', live);
  expect(refused).toMatchObject(refusal('insufficient_funds'));
  const credit = `wallets credit --user ${SENDER} --currency XOF --amount 7500 --environment live`;
  await cli.json(`${credit} --reason deposit`);

  // The refusal was final for its key; the next order has its own.
  expect((await callApi(service, 'POST', '/transfers', live)).text).toBe(refused.text);
  const order = { ...live, idempotency_key: 'order-2' };
  const sent = await callApi(service, 'POST', '/transfers', order);
  expect(sent.status).toBe(200);
  expect((await callApi(service, 'POST', '/transfers', order)).text).toBe(sent.text);
  const { reference } = sent.json;

  // Both see it, each from their side.
  expect(await balanceOf(aminata.live.key, 'XOF')).toBe(2500);
  expect(await balanceOf(jean.live.key, 'XOF')).toBe(5000);
  for (const [person, direction, counterparty, balance_after] of [
    [aminata, 'out', RECIPIENT, 2500],
    [jean, 'in', SENDER, 5000],
  ] as const) {
    const { key } = person.live;
    const list = await callApi(service, 'GET', '/transactions?limit=1', { key });
    const [row] = list.json.transactions;
    expect(row).toMatchObject({
      type: `transfer_${direction}`,
      status: 'completed',
      reference,
      counterparty,
      amount: 5000,
      balance_after,
    });
    const one = await callApi(service, 'GET', `/transactions/${row.id}`, { key });
    expect(one.json).toEqual({ ok: true, ...row });
    const transfer = await callApi(service, 'GET', `/transfers/${reference}`, { key });
    expect(transfer.json).toMatchObject({
      from_username: SENDER,
      to_username: RECIPIENT,
      direction,
    });
  }

  // Operators find it in Temporal by its reference, with how it ended, in a short history.
  const listed = await waitFor(async () => {
    const query = `PaymentReferences = "${reference}" and PaymentState = "completed"`;
    for await (const workflow of temporal.workflow.list({ query })) return workflow;
    return undefined;
  });
  expect(listed.type).toBe('transfers');
  expect(listed.workflowId).toMatch(/^transfer\/live\/[0-9a-f-]{36}\/order-2$/);
  const handle = temporal.workflow.getHandle(listed.workflowId, listed.runId);
  expect(await handle.result()).toMatchObject([{ outcome: 'completed', reference }]);
  const { events } = await handle.fetchHistory();
  expect(events!.length).toBeLessThanOrEqual(7);

  // A key that is rotated ends at once, and the books balance.
  const rotated = await cli.json('keys', 'rotate', aminata.live.id);
  expect((await callApi(service, 'GET', '/me', { key: aminata.live.key })).status).toBe(401);
  expect((await callApi(service, 'GET', '/me', { key: rotated.key })).json.profile.username).toBe(
    SENDER,
  );
  expect(await cli.json('ledger', 'verify')).toEqual({ ok: true, violations: [], losses: [] });
});

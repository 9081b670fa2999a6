import { randomUUID } from 'node:crypto';
import { callApi } from '../api/support/contract';
import { transferWorkflowId } from '../../domain/ids';
import { openSession } from '../support/database';
import { buildApiKey, buildUser, fund } from '../support/users';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();
let recipient: string;

beforeAll(async () => {
  recipient = (await buildUser(api.database.db)).username;
  await fund(api.database.db, api.merchant.id, 'live', 'XOF', 1_000_000n);
});

afterEach(() => expectBooksHold(api.database.db));

function send(idempotency_key: string, amount: number, to_username = recipient) {
  const body = { to_username, currency: 'XOF', amount };
  const options = { key: api.live_key, idempotency_key, body };
  return callApi(api.service, 'POST', '/transfers', options);
}

describe('transfers show', () => {
  it('finds a transfer and its workflow by reference, and by key and sender', async () => {
    const { json: sent } = await send('order-7', 5000);
    const id = transferWorkflowId('live', api.merchant.id, 'order-7');
    // Temporal's search follows the workflow by a moment.
    const shown = await waitFor(async () => {
      const found = await cli.json('transfers', 'show', sent.reference);
      return found.workflow.fault === null && found;
    });
    expect(shown).toMatchObject({
      transfer: {
        reference: sent.reference,
        environment: 'live',
        status: 'completed',
        from_username: api.merchant.username,
        to_username: recipient,
        currency: 'XOF',
        amount: 5000,
        fee: 0,
        idempotency_key: 'order-7',
      },
      workflow: { id, state: expect.stringMatching(/^(running|completed)$/) },
    });
    const user = ['--user', api.merchant.username];
    const by_key = await cli.json('transfers', 'show', 'order-7', ...user);
    expect(by_key.transfer).toEqual(shown.transfer);
    expect(shown.entries).toEqual([
      { account: api.merchant.username, currency: 'XOF', amount: -5000, balance_after: 5000 },
      { account: recipient, currency: 'XOF', amount: 5000, balance_after: 5000 },
    ]);
    const { stdout } = await cli.run('transfers', 'show', sent.reference);
    expect(stdout).toMatch(/5000\.00 XOF +5000\.00 XOF/);
    expect(stdout).toContain(`5000.00 XOF from ${api.merchant.username} to ${recipient}`);
    expect(stdout).toContain(`Workflow ${id}`);
  });

  it('says that a key was refused, and that nothing was moved', async () => {
    expect((await send('too-much', 9_000_000)).status).toBe(402);
    const user = ['--user', api.merchant.username];
    expect(await cli.json('transfers', 'show', 'too-much', ...user)).toMatchObject({
      transfer: null,
      refusal: { environment: 'live', http_status: 402 },
    });
  });

  it('finds an item of a batch by its key, and the batch by its id and key', async () => {
    const other = await buildUser(api.database.db);
    const session = await openSession(api.database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [other.id]);
    const transfers = [
      { to_username: other.username, currency: 'XOF', amount: 1, idempotency_key: 'wage-1' },
    ];
    const options = { key: api.live_key, idempotency_key: 'wages-2026', body: { transfers } };
    const { json: batch } = await callApi(api.service, 'POST', '/transfer-batches', options);
    const user = ['--user', api.merchant.username];
    for (const found of [[batch.id], ['wages-2026', ...user]]) {
      const shown = await cli.json('transfers', 'show', ...found);
      expect(shown.batch).toMatchObject({ id: batch.id, total: 1 });
    }
    const waiting = await cli.json('transfers', 'show', 'wage-1', ...user);
    expect(waiting).toMatchObject({ transfer: null, item: { batch_id: batch.id, index: 0 } });
    expect((await cli.run('transfers', 'show', 'wage-1', ...user)).stdout).toContain(
      `Transfer 0 of batch ${batch.id} (live), not posted yet`,
    );
    await session.query('commit');
    const posted = await waitFor(async () => {
      // Posted between the two looks that the command takes, it is said to be under way.
      const { status, stdout } = await cli.run('transfers', 'show', 'wage-1', ...user, '--json');
      const shown = status === 0 && (JSON.parse(stdout) as { transfer: object | null });
      return shown && shown.transfer !== null && shown;
    });
    expect(posted.transfer).toMatchObject({ status: 'completed', batch_id: batch.id });
  });

  it('refuses what does not exist, and a key without its sender', async () => {
    expect((await cli.fail('transfers', 'show', 'TRF-NOSUCHTRANSFER')).code).toBe(
      'transfer_not_found',
    );
    expect((await cli.fail('transfers', 'show', 'order-7')).code).toBe('usage');
    const other = ['--user', recipient];
    expect((await cli.fail('transfers', 'show', 'order-7', ...other)).code).toBe(
      'transfer_not_found',
    );
  });

  it('shows what was given back, each part with its reason', async () => {
    const { db } = api.database;
    await fund(db, api.merchant.id, 'live', 'XOF', 500_000n);
    const user = await buildUser(db);
    const { key } = await buildApiKey(db, { user });
    const { reference } = (await send(randomUUID(), 5000, user.username)).json;
    for (const [amount, reason] of [
      [1000, 'too much'],
      [500, 'still too much'],
    ]) {
      const reversed = await callApi(api.service, 'POST', `/transfers/${reference}/reversals`, {
        key,
        idempotency_key: randomUUID(),
        body: { amount, reason },
      });
      expect(reversed.status).toBe(201);
    }
    // Temporal's list of workflows is a moment late.
    const shown = await waitFor(async () => {
      const answer = await cli.json('transfers', 'show', reference);
      return answer.workflow.id !== null && answer;
    });
    expect(shown.transfer).toMatchObject({ status: 'completed', reversed_amount: 1500 });
    // Not that of a reversal, which names the transfer too.
    expect(shown.workflow.id).toContain(`transfer/live/${api.merchant.id}/`);
    expect(shown.reversals).toEqual([
      expect.objectContaining({ amount: 1000, reason: 'too much' }),
      expect.objectContaining({ amount: 500, reason: 'still too much' }),
    ]);
    expect((await cli.run('transfers', 'show', reference)).stdout).toContain('still too much');
  });
});

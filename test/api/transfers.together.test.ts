// One slot per environment, so that all but the first transfer of a burst wait and share a batch.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { transferBatchWorkflowId } from '../../domain/ids';
import { searchAttributes } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';

let database: TestDatabase;
let service: TestService;
let temporal: Client;
let alice: TestUser;
let bob: TestUser;
let live_key: string;
let test_key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database, overrides: { transfers_in_flight: 1 } });
  temporal = await connectTestTemporal();
  const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  alice = await buildUser(database.db, { funds });
  bob = await buildUser(database.db, { funds });
  const limits = { requests_per_minute: 10_000, writes_per_minute: 10_000 };
  ({ key: live_key } = await buildApiKey(database.db, { user: alice, ...limits }));
  ({ key: test_key } = await buildApiKey(database.db, {
    user: alice,
    environment: 'sandbox',
    ...limits,
  }));
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

function send(fields: { key?: string; idempotency_key?: string; body?: object } = {}) {
  const { key = live_key, idempotency_key = randomUUID(), body = {} } = fields;
  return request(service, 'POST', '/transfers', {
    key,
    idempotency_key,
    body: { to_username: bob.username, currency: 'XOF', amount: 1, ...body },
  });
}

const burst = <T>(size: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: size }, (_, index) => make(index)));

async function workflowOf(reference: string): Promise<string> {
  const query = `PaymentReferences = '${reference}'`;
  return waitFor(async () => {
    for await (const { workflowId } of temporal.workflow.list({ query })) return workflowId;
    return undefined;
  });
}

describe('transfers that arrive together', () => {
  it('are each answered with their own reference, and share workflows', async () => {
    const before = await balanceOf(database.db, bob);
    const responses = await burst(20, () => send());
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    const references = responses.map(({ json }) => json.reference as string);
    expect(new Set(references).size).toBe(20);
    expect(await balanceOf(database.db, bob)).toBe(before + 2_000n);
    const workflows = new Set(await Promise.all(references.map(workflowOf)));
    expect(workflows.size).toBeLessThan(20);
  });

  it('are readable as a batch in the UI', async () => {
    const responses = await burst(5, () => send());
    const reference = responses.at(-1)!.json.reference as string;
    const id = await workflowOf(reference);
    expect(id.startsWith(transferBatchWorkflowId('live', ''))).toBe(true);
    const shown = await temporal.workflow.getHandle(id).describe();
    expect(shown.type).toBe('transfers');
    expect(await shown.staticSummary()).toMatch(/^\d+ transfers$/);
    const details = await shown.staticDetails();
    expect(details).toContain(
      `**1.00 XOF** \`${alice.username}\` → \`${bob.username}\`, \`${reference}\``,
    );
    const found = shown.typedSearchAttributes;
    expect(found.get(searchAttributes.environment)).toBe('live');
    expect(found.get(searchAttributes.accounts)).toEqual([alice.username, bob.username]);
    expect(found.get(searchAttributes.references)).toContain(reference);
  });

  it('get each the response to its own request', async () => {
    const bodies = [{}, { amount: 9_999_999 }, { to_username: 'nobody-at-all' }, {}, { amount: 2 }];
    const responses = await burst(bodies.length, (index) => send({ body: bodies[index]! }));
    expect(responses.map(({ status }) => status)).toEqual([200, 402, 404, 200, 200]);
    expect(responses[4]!.json.amount).toBe(2);
  });

  it('with one key have one effect and one response', async () => {
    const before = await balanceOf(database.db, bob);
    const idempotency_key = randomUUID();
    const responses = await burst(20, () => send({ idempotency_key }));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]!.status).toBe(200);
    const replayed = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replayed).toHaveLength(19);
    expect(await balanceOf(database.db, bob)).toBe(before + 100n);
  });

  it('with one key and another body are refused, and name the field', async () => {
    const idempotency_key = randomUUID();
    const responses = await burst(6, (index) =>
      send({ idempotency_key, body: { amount: index < 3 ? 5 : 6 } }),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = responses.filter(({ status }) => status === 422);
    expect(refused.map(({ json }) => json.error.code)).toEqual(
      Array<string>(3).fill('idempotency_key_reuse'),
    );
    expect(refused[0]!.json.error.details).toMatchObject([{ param: 'amount' }]);
  });

  // Temporal refuses search attributes of more than 2,048 bytes, and one batch could name more people.
  it('do not fail because others name many long usernames', async () => {
    const noisy = await buildUser(database.db);
    await database.owner.raw('update users set unknown_recipients_per_hour = 1000 where id = ?', [
      noisy.id,
    ]);
    const { key } = await buildApiKey(database.db, { user: noisy, writes_per_minute: 1_000 });
    const longName = (index: number): string => `nobody-${index}-`.padEnd(64, 'x');
    const responses = await burst(160, (index) =>
      index % 4 > 0 ? send({ key, body: { to_username: longName(index) } }) : send(),
    );
    expect(responses.map(({ status }) => status)).toEqual(
      responses.map((_, index) => (index % 4 > 0 ? 404 : 200)),
    );
    expect(service.log).not.toContainEqual(expect.objectContaining({ part: 'transfers' }));
  });

  it('never share a workflow across environments', async () => {
    const responses = await burst(12, (index) => send({ key: index % 2 ? live_key : test_key }));
    expect(responses.map(({ json }) => json.status)).toEqual(
      responses.map((_, index) => (index % 2 ? 'completed' : 'simulated')),
    );
    for (const { json } of responses) {
      const id = await workflowOf(json.reference as string);
      expect(id).toMatch(json.simulated ? /^transfers?\/sandbox\// : /^transfers?\/live\//);
    }
  });

  it('never overdraw the balance', async () => {
    const poor = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
    const { key } = await buildApiKey(database.db, { user: poor, writes_per_minute: 1_000 });
    const responses = await burst(25, () => send({ key }));
    const paid = responses.filter(({ status }) => status === 200);
    expect(paid).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 402)).toHaveLength(15);
    expect(await balanceOf(database.db, poor)).toBe(0n);
  });
});

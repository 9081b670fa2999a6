// One slot per environment, so that all but the first transfer of a burst wait and share a batch.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp } from '../support/database';
import { insist, request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database, overrides: { transfers_in_flight: 1 } }));
const temporal = setUp(connectTestTemporal);
let alice: TestUser;
let bob: TestUser;
let live_key: string;
let test_key: string;

beforeAll(async () => {
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

afterEach(() => expectBooksHold(database.db));

function send(fields: { key?: string; idempotency_key?: string; body?: object } = {}) {
  const { key = live_key, idempotency_key = randomUUID(), body = {} } = fields;
  return insist(() =>
    request(service, 'POST', '/transfers', {
      key,
      idempotency_key,
      body: { to_username: bob.username, currency: 'XOF', amount: 1, ...body },
    }),
  );
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
});

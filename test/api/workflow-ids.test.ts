// B12: what identifies a workflow in Temporal, in clear and for every operator, has no personal data.

import { startTestService, type TestService } from '../support/service';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi } from './support/contract';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

describe('the workflow of a transfer', () => {
  it.each([
    ['an e-mail address', 'awa.diop@example.com'],
    ['a phone number', '221771234567'],
    ['a key of 255 characters', `awa.diop@example.com ${'x'.repeat(234)}`],
  ])('B12 names none of its idempotency key: %s', async (_name, idempotency_key) => {
    const sender = await buildAccount(database, { live: { XOF: 10_000n } });
    const { username } = await buildAccount(database);
    const body = { to_username: username, currency: 'XOF', amount: 1 };
    const options = { key: sender.live, idempotency_key, body };
    const { status, json } = await callApi(service, 'POST', '/transfers', options);
    expect(status).toBe(200);
    const temporal = await connectTestTemporal();
    const described = await waitFor(async () => {
      const query = `PaymentReferences = "${json.reference}"`;
      for await (const { workflowId } of temporal.workflow.list({ query })) {
        return temporal.workflow.getHandle(workflowId).describe();
      }
      return undefined;
    });
    const { workflowId, memo, typedSearchAttributes } = described;
    const shown = JSON.stringify([
      workflowId,
      memo,
      typedSearchAttributes.getAll(),
      await described.staticSummary(),
      await described.staticDetails(),
    ]);
    expect(shown).toContain(json.reference);
    expect(shown).not.toContain(idempotency_key.slice(0, 12));
    expect(workflowId.length).toBeLessThanOrEqual(255);
  });
});

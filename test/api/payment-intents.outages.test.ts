// The database goes down while a workflow does what was requested: "nothing was changed" would be a guess,
// and a wrong one.

import { randomUUID } from 'node:crypto';
import { intentWorkflowId } from '../../domain/ids';
import { insist } from '../support/http';
import { createTestDatabase, setUp } from '../support/database';
import { setFaults } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { statusOf, untilStatus } from '../workflows/intents';
import { intentBody, postCancel, postIntent } from './support/intents';
import { startPostgresProxy } from './support/tcp-proxy';

const database = setUp(createTestDatabase);
const postgres = setUp(() => startPostgresProxy(database));
const api = setUp(() => startTestApi({ database, overrides: { database_url: postgres.url } }));
const temporal = setUp(connectTestTemporal);

afterEach(async () => {
  postgres.dropIf(undefined);
  await setFaults(api.gateway, 'sandbox', {});
});

const OUTCOME_UNKNOWN = {
  status: 503,
  json: { error: { code: 'unavailable', message: expect.stringContaining('may yet be') } },
};

/** Resolves when the workflow has begun. */
async function waitForActivity(id: string, activity: string): Promise<void> {
  await waitFor(async () => {
    const handle = temporal.workflow.getHandle(intentWorkflowId('sandbox', id));
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some((pending) => pending.activityType?.name === activity);
  });
}

describe('a database that goes down', () => {
  it('while an intent is being cancelled: 503 does not say that nothing was changed', async () => {
    const { json: intent } = await postIntent(api, intentBody());
    await setFaults(api.gateway, 'sandbox', { delay_ms: 1_000, only: 'close' });
    const cancelling = postCancel(api, intent.id);
    await waitForActivity(intent.id, 'cancelIntent');
    postgres.dropIf('find_intent_by_id');
    expect(await cancelling).toMatchObject(OUTCOME_UNKNOWN);
    expect(await statusOf(api.database, intent)).toBe('canceled');
    postgres.dropIf(undefined);
    const again = await insist(() => postCancel(api, intent.id));
    expect(again.json).toMatchObject({ id: intent.id, status: 'canceled' });
  });

  it('while another request opens the intent: 503 does not say that nothing was changed', async () => {
    // Long enough for the lock; then the lock alone keeps the intent from being opened.
    await setFaults(api.gateway, 'sandbox', { delay_ms: 2_000, only: 'open' });
    const idempotency_key = randomUUID();
    const first = postIntent(api, intentBody(), { idempotency_key });
    const holder = await api.database.owner.transaction();
    await waitFor(async () => {
      const { rows } = await holder.raw(
        'select 1 from payment_intents where idempotency_key = ? for update',
        [idempotency_key],
      );
      return rows.length > 0;
    });
    postgres.dropIf('find_stored_response');
    const second = await postIntent(api, intentBody(), { idempotency_key });
    expect(second).toMatchObject(OUTCOME_UNKNOWN);
    postgres.dropIf(undefined);
    await holder.rollback();
    await first;
    const { json: intent } = await waitFor(async () => {
      const response = await postIntent(api, intentBody(), { idempotency_key });
      return response.status === 201 && response;
    });
    await untilStatus(api.database, intent, 'open');
  });
});

import { intentWorkflowId } from '../../domain/ids';
import { fakeGateway } from './fake-gateway';
import { eventsOf, startIntentWorker, statusOf, untilStatus, type IntentWorker } from './intents';

// F26: Temporal's data is lost, or somebody ended a workflow; the rows are still there.

let intents: IntentWorker;

beforeAll(async () => {
  intents = await startIntentWorker({ gateway: fakeGateway().gateway });
});

async function makeOverdue({ id }: { readonly id: string }): Promise<void> {
  await intents.database.owner.raw(
    `update payment_intents set expires_at = now() - interval '2 minutes',
            created_at = created_at - interval '1 day' where id = ?`,
    [id],
  );
}

describe('F26 an open intent without its workflow', () => {
  it('expires when the sweeper finds that its time is over', async () => {
    const { create, real, database } = intents;
    const intent = await create();
    await real.openCheckout(intent.id);
    expect(await real.sweepNotifications()).toBe(0);
    await makeOverdue(intent);
    expect(await real.sweepNotifications()).toBe(1);
    await untilStatus(database, intent, 'expired');
    expect(await eventsOf(database, intent)).toEqual(['payment.expired']);
  });

  it('expires after its workflow was terminated', async () => {
    const { create, start, real, database, temporal } = intents;
    const intent = await create();
    await start(intent);
    await untilStatus(database, intent, 'open');
    await temporal.workflow.getHandle(intentWorkflowId('sandbox', intent.id)).terminate();
    await makeOverdue(intent);
    expect(await real.sweepNotifications()).toBe(1);
    await untilStatus(database, intent, 'expired');
  });

  it('is left alone while its workflow runs', async () => {
    const { create, start, real, database } = intents;
    const intent = await create();
    await start(intent);
    await untilStatus(database, intent, 'open');
    // Its own timer does not know that the row was changed.
    await makeOverdue(intent);
    expect(await real.sweepNotifications()).toBe(0);
    expect(await statusOf(database, intent)).toBe('open');
  });
});

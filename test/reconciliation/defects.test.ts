// F29: defects of the books, of events and of workflows. Each is made behind the service's back, and must be
// found; a busy system in which all is well must show none.

import { randomUUID } from 'node:crypto';
import { intentWorkflowId, pursuitWorkflowId, transferBatchWorkflowId } from '../../domain/ids';
import { createRunningWorkflows } from '../../temporal/running-workflows';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { actAt } from '../support/sandbox-gateway';
import { createSurely } from '../support/api';
import { buildUser, fund } from '../support/users';
import { insist, request } from '../support/http';
import { waitFor } from '../support/wait';
import { createTestEndpoint } from '../support/webhooks';
import { postRefund, untilRefund } from '../api/support/refunds';
import { handleOf, orderRefund, suspenseOf } from '../workflows/intents';
import { CLEAN, eachReconciled, summary } from './support';

const { api, temporal, run, damage, restart, untilIntent } = eachReconciled();

async function payLink(): Promise<string> {
  const { json: intent } = await api().create();
  await actAt(intent.checkout_url, 'pay');
  await untilIntent(intent.id, 'succeeded');
  return intent.id as string;
}

async function untilStatus(id: string, status: string): Promise<void> {
  await waitFor(async () => (await api().show(id)).json.status === status);
}

/** Waits for Temporal's list, too, which is a moment old. */
async function terminate(workflow_id: string): Promise<void> {
  await temporal().workflow.getHandle(workflow_id).terminate();
  await untilListed(workflow_id, 0);
}

async function untilListed(workflow_id: string, running: number): Promise<void> {
  const query = `WorkflowId = '${workflow_id}' and ExecutionStatus = 'Running'`;
  await waitFor(async () => (await temporal().workflow.count(query)).count === running);
}

/** An endpoint without deliveries: the service of these tests sends no webhooks. */
async function createEndpoint(): Promise<string> {
  const { id: user_id } = api().merchant;
  return (await createTestEndpoint(api().database, { user_id, url: 'http://127.0.0.1:9/' })).id;
}

/** Its pending deliveries are due in an hour. */
async function later(endpoint: string): Promise<void> {
  await api().database.owner.raw(
    `update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where endpoint_id = ?`,
    [endpoint],
  );
}

it('names a wallet that is not the sum of its entries, an ended intent without its event, and a gap in their numbers', async () => {
  await fund(api().database.db, api().merchant.id, 'sandbox', 'EUR', 5_000n);
  const [first] = [await payLink(), await payLink()];
  expect(summary(await run())).toEqual(CLEAN);
  await damage(
    `update ledger_accounts set balance_minor = balance_minor + 1
      where user_id = ? and environment = 'sandbox' and currency = 'EUR'`,
    [api().merchant.id],
  );
  await damage('delete from events where intent_id = ?', [first]);
  const { checks, findings } = await run();
  expect(findings).toContainEqual({
    check: 'books',
    kind: 'violation',
    reference: expect.stringMatching(/^[0-9a-f-]{36}$/),
    detail: 'I3: balance is not that of its last entry',
    is_repaired: false,
  });
  expect(findings.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      'I7: ended intent without its event, or the reverse',
      'I7: events of an account are not numbered without gaps',
    ]),
  );
  expect(checks.books).toMatchObject({ status: 'found', repaired: 0n });
  expect(api().service.log).toContainEqual(
    expect.objectContaining({ part: 'reconciliation', check: 'books', status: 'found' }),
  );
});

describe('F29 events', () => {
  it('name the endpoint whose delivery is not there, and a delivery that no attempt has made', async () => {
    const endpoint = await createEndpoint();
    const [lost, unproven] = [await payLink(), await payLink()];
    await later(endpoint);
    expect(summary(await run())).toEqual(CLEAN);
    await damage(
      'delete from webhook_deliveries d using events e where e.id = d.event_id and e.intent_id = ?',
      [lost],
    );
    await damage(
      `update webhook_deliveries d set status = 'delivered', delivered_at = now(), next_attempt_at = null
         from events e where e.id = d.event_id and e.intent_id = ?`,
      [unproven],
    );
    const { findings, checks } = await run();
    expect(findings).toEqual([
      {
        check: 'events',
        kind: 'delivery_missing',
        reference: expect.any(String),
        detail: `payment.succeeded, for the endpoint ${endpoint}`,
        is_repaired: false,
      },
      {
        check: 'events',
        kind: 'delivery_without_attempt',
        reference: expect.any(String),
        detail: `to the endpoint ${endpoint}`,
        is_repaired: false,
      },
    ]);
    expect(checks.events.compared).toBe(2n);
  });

  it('ask nothing of an endpoint that came later, or was changed since', async () => {
    const changed = await createEndpoint();
    await payLink();
    await createEndpoint();
    await damage('delete from webhook_deliveries where endpoint_id = ?', [changed]);
    await api().database.db.raw('select update_webhook_endpoint(?, ?::jsonb)', [
      changed,
      '{"types": ["payment.succeeded"]}',
    ]);
    expect(summary(await run())).toEqual(CLEAN);
  });
});

describe('F29 workflows', () => {
  const missing = (workflow_id: string, detail: unknown = expect.any(String)) => ({
    check: 'workflows',
    kind: 'workflow_missing',
    reference: workflow_id,
    detail,
    is_repaired: true,
  });

  it('starts that of an open intent that was terminated, and leaves the others alone', async () => {
    const { json: lost } = await api().create();
    const { json: kept } = await api().create();
    const { runId } = await handleOf(temporal(), kept).describe();
    await terminate(intentWorkflowId('sandbox', lost.id));
    const { findings } = await run();
    expect(findings).toEqual([missing(intentWorkflowId('sandbox', lost.id), lost.reference)]);
    expect((await handleOf(temporal(), lost).describe()).status.name).toBe('RUNNING');
    expect((await handleOf(temporal(), kept).describe()).runId).toBe(runId);
    expect(summary(await run())).toEqual(CLEAN);
    await actAt(lost.checkout_url, 'pay');
    await untilStatus(lost.id, 'succeeded');
  });

  it('starts those of refunds that wait for the gateway', async () => {
    const { json: intent } = await api().create();
    await actAt(intent.checkout_url, 'pay', { refunds: 'pending' });
    await untilStatus(intent.id, 'succeeded');
    const { json: refund } = await postRefund(api(), intent.id);
    const { json: twice } = await api().create();
    await actAt(twice.checkout_url, 'pay_twice', { refunds: 'pending' });
    const [item] = await waitFor(async () => {
      const items = await suspenseOf(api().database, twice);
      return items.length > 0 && items;
    });
    await orderRefund(api().database, item!.id);
    const ids = [
      pursuitWorkflowId('refund', 'sandbox', refund.id),
      pursuitWorkflowId('suspense-refund', 'sandbox', item!.id),
    ];
    await terminate(ids[0]!);
    const { findings } = await run();
    expect(findings).toEqual([missing(ids[1]!), missing(ids[0]!, refund.reference)]);
    for (const id of ids) {
      expect((await temporal().workflow.getHandle(id).describe()).status.name).toBe('RUNNING');
    }
  });

  it('names those that run for a row that has ended, or is not there', async () => {
    const { task_queue } = api().service.config;
    const ended = await payLink();
    await damage(`update payment_intents set expires_at = now() - interval '1 hour' where id = ?`, [
      ended,
    ]);
    const started = [
      ['paymentIntent', intentWorkflowId('sandbox', ended), task_queue],
      ['paymentIntent', intentWorkflowId('live', randomUUID()), task_queue],
      ['pursue', pursuitWorkflowId('refund', 'live', randomUUID()), task_queue],
      ['pursue', pursuitWorkflowId('suspense-refund', 'sandbox', randomUUID()), task_queue],
      ['transferBatch', `transferBatch/live/${randomUUID()}`, task_queue],
    ] as const;
    // The delay stands for a task that no worker ends.
    for (const [type, workflowId, taskQueue] of started) {
      await temporal().workflow.start(WORKFLOW_TYPES[type], {
        workflowId,
        taskQueue,
        args: [{}],
        startDelay: '1 hour',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      });
    }
    for (const [, workflowId] of started) await untilListed(workflowId, 1);
    const young = transferBatchWorkflowId('live', randomUUID());
    await temporal().workflow.start(WORKFLOW_TYPES.transfers, {
      workflowId: young,
      taskQueue: task_queue,
      args: [{}],
      startDelay: '1 hour',
    });
    const { findings } = await run();
    expect(new Set(findings.map(({ kind, reference }) => `${kind} ${reference}`))).toEqual(
      new Set(started.map(([, workflowId]) => `workflow_left_over ${workflowId}`)),
    );
    expect(findings).toHaveLength(started.length);
    for (const id of [...started.map(([, workflowId]) => workflowId), young]) {
      await temporal().workflow.getHandle(id).terminate();
    }
  });

  it('does not take a run that has ended for the one that followed it', async () => {
    const { task_queue } = api().service.config;
    const workflow_id = pursuitWorkflowId('refund', 'live', randomUUID());
    const start = async (): Promise<string> => {
      const { firstExecutionRunId } = await temporal().workflow.start(WORKFLOW_TYPES.pursue, {
        workflowId: workflow_id,
        taskQueue: task_queue,
        args: [{}],
        startDelay: '1 hour',
        workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      });
      return firstExecutionRunId;
    };
    const [ended, running] = [await start(), await start()];
    const workflows = createRunningWorkflows(temporal(), task_queue);
    expect(await workflows.isRunning({ workflow_id, run_id: ended })).toBe(false);
    expect(await workflows.isRunning({ workflow_id, run_id: running })).toBe(true);
    expect(await workflows.isRunning({ workflow_id })).toBe(true);
    await temporal().workflow.getHandle(workflow_id).terminate();
  });
});

describe('a healthy system', () => {
  it('shows no finding while payments, refunds and transfers are under way', async () => {
    await restart({});
    const { merchant, database } = api();
    await fund(database.db, merchant.id, 'live', 'XOF', 1_000_000n);
    const to = await buildUser(database.db);
    let is_over = false;
    const busy = async (): Promise<void> => {
      while (!is_over) {
        const { json: intent } = await createSurely(api());
        await actAt(intent.checkout_url, 'pay_twice');
        await request(api().service, 'POST', '/transfers', {
          key: api().live_key,
          idempotency_key: randomUUID(),
          body: { to_username: to.username, amount: 100, currency: 'XOF' },
        });
        await untilStatus(intent.id, 'succeeded');
        const options = { idempotency_key: randomUUID() };
        const order = () => postRefund(api(), intent.id, { amount: 1000 }, options);
        const { json: refund } = await insist(order);
        await untilRefund(api(), refund, 'succeeded');
      }
    };
    const traffic = Promise.all([busy(), busy(), busy()]);
    try {
      for (let n = 0; n < 5; n += 1) expect(summary(await run())).toEqual(CLEAN);
    } finally {
      is_over = true;
      await traffic;
    }
    const { checks } = await run();
    expect(checks.gateway_sandbox.compared).toBeGreaterThan(0n);
  });
});

// Temporal's worker versioning: two versions of the service side by side, on one task queue.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { intentWorkflowId } from '../../domain/ids';
import { gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { request } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';

const suffix = randomBytes(8).toString('hex');
const task_queue = `versions-${suffix}`;
const deployment_name = `payments-${suffix}`;

let temporal: Client;
let first: TestApi;
let second: TestService;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  first = await startTestApi({
    overrides: { task_queue, worker_version: { deployment_name, build_id: '1' } },
  });
  await makeCurrent('1');
});

/** What an operator does: `temporal worker deployment set-current-version`. */
async function makeCurrent(buildId: string): Promise<void> {
  const { workflowService } = temporal;
  // Temporal knows a version once its workers have polled, and all queues know of the choice a moment later.
  await waitFor(async () => {
    try {
      const deployment = { namespace: 'default', deploymentName: deployment_name };
      await workflowService.setWorkerDeploymentCurrentVersion({ ...deployment, buildId });
      return true;
    } catch {
      return false;
    }
  });
  // The queue is asked: the deployment's routingConfigUpdateState once stayed at "in progress" for good.
  for (const taskQueueType of [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY]) {
    await waitFor(async () => {
      const { versioningInfo } = await workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: task_queue },
        taskQueueType,
      });
      return versioningInfo?.currentDeploymentVersion?.buildId === buildId;
    });
  }
}

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.api.enums.v1.TaskQueueType;

/** The version that took a workflow's last step; known when that step is recorded. */
async function versionOf(workflow_id: string): Promise<string | null | undefined> {
  const handle = temporal.workflow.getHandle(workflow_id);
  return waitFor(async () => {
    const { workflowExecutionInfo } = (await handle.describe()).raw;
    return workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  });
}

async function transferBy(service: Pick<TestService, 'base_url'>): Promise<string> {
  const { db } = first.database;
  const sender = await buildUser(db, { funds: { live: { XOF: 100_000n } } });
  const recipient = await buildUser(db);
  const { key } = await buildApiKey(db, { user: sender, environment: 'live' });
  const idempotency_key = randomUUID();
  const { status } = await request(service, 'POST', '/transfers', {
    key,
    idempotency_key,
    body: { amount: 100, currency: 'XOF', to_username: recipient.username },
  });
  expect(status).toBe(200);
  return `transfer/live/${sender.id}/${idempotency_key}`;
}

it('a link goes on with the newest version, a transfer ends with the one that began it', async () => {
  const { json: link } = await first.create();
  const link_id = intentWorkflowId('sandbox', link.id);
  expect(await versionOf(link_id)).toBe('1');
  const early = await transferBy(first.service);
  expect(await versionOf(early)).toBe('1');

  second = await startTestService({
    database: first.database,
    overrides: {
      task_queue,
      gateway: gatewayConfig(first.gateway),
      worker_version: { deployment_name, build_id: '2' },
    },
  });
  // Not current yet: what is started at the first goes on there.
  expect(await versionOf(await transferBy(first.service))).toBe('1');

  await makeCurrent('2');
  await first.notify(link);
  expect(await temporal.workflow.getHandle(link_id).result()).toEqual({ status: 'succeeded' });
  expect(await versionOf(link_id)).toBe('2');
  expect(await versionOf(await transferBy(second))).toBe('2');
  expect(await versionOf(early)).toBe('1');

  await first.service.stop();
  expect(await versionOf(await transferBy(second))).toBe('2');
});

import { findReconciliation } from '../../db/reconciliation/reconciliations';
import { reconciliationWorkflowId } from '../../domain/ids';
import { startTestApi, type TestApi } from '../support/api';
import { actAt, startNotificationReceiver } from '../support/sandbox-gateway';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { handleOf } from '../workflows/intents';
import { type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

let api: TestApi;
let cli: Cli;

beforeAll(async () => {
  // The gateway's notifications are lost.
  const { url: notification_url } = await startNotificationReceiver();
  api = await startTestApi({
    gateway: { notification_url },
    overrides: { reconcile_grace_ms: 0 },
  });
  cli = buildMerchantCli(api);
});

it('knows the payments that trigger makes', async () => {
  const other = await startTestApi({ overrides: { reconcile_grace_ms: 0 } });
  const own = buildMerchantCli(other);
  const { event } = await own
    .withInput(other.test_key)
    .json('trigger', 'payment.succeeded', '--key-stdin');
  await handleOf(await connectTestTemporal(), { id: event.data.id }).result();
  const found = await own.run('reconcile', 'run', '--since', '2026-01-01');
  expect(found.stdout).toContain('Nothing was found.');
});

it('lists none, compares, exits with status 1 for what it found, and with 0 when that is put right', async () => {
  expect((await cli.run('reconcile', 'list')).stdout).toContain('Nothing was reconciled yet.');
  const { json: intent } = await api.create();
  await actAt(intent.checkout_url, 'pay');
  const found = await cli.run('reconcile', 'run', '--since', '2026-01-01');
  expect(found).toMatchObject({ status: 1, stderr: expect.stringContaining('Compares now') });
  expect(found.stdout).toMatch(/^gateway_sandbox +payment_missing +pay_\w+ .* repaired$/m);
  await waitFor(async () => (await api.show(intent.id)).json.status === 'succeeded');
  // A row ends before its workflow does, and without grace what runs in between is a finding.
  await handleOf(await connectTestTemporal(), intent).result();

  const clean = await cli.json('reconcile', 'run');
  expect(clean).toMatchObject({ id: expect.any(Number), is_broken_off: false, findings: [] });
  const statuses = clean.checks as { name: string; status: string }[];
  expect(statuses.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'books clean',
    'losses clean',
    'gateway_live clean',
    'gateway_sandbox clean',
    'events clean',
    'workflows clean',
  ]);

  const { reconciliations, next_cursor } = await cli.json('reconcile', 'list', '--limit', '1');
  expect(reconciliations).toEqual([expect.objectContaining({ id: clean.id })]);
  const older = await cli.json('reconcile', 'list', '--cursor', next_cursor);
  expect(older.reconciliations).toHaveLength(1);
  const first = older.reconciliations[0].id;
  const shown = await cli.run('reconcile', 'show', String(first), '--json');
  expect(shown.status).toBe(1);
  expect(JSON.parse(shown.stdout).findings).toMatchObject([
    { check: 'gateway_sandbox', kind: 'payment_missing', is_repaired: true },
  ]);
  expect(await findReconciliation(api.database.db, BigInt(first))).toBeDefined();
  const { audit_rows } = await cli.json('audit', 'list', '--action', 'reconcile.run');
  expect(audit_rows).toHaveLength(2);
});

it('refuses a second one beside it, and what it does not know', async () => {
  const temporal = await connectTestTemporal();
  const { task_queue } = api.service.config;
  const workflowId = reconciliationWorkflowId(task_queue);
  const other = await temporal.workflow.start('reconciliation', {
    workflowId,
    taskQueue: task_queue,
    args: [{}],
    startDelay: '1 hour',
  });
  expect((await cli.fail('reconcile', 'run')).code).toBe('already_runs');
  await other.terminate();
  expect((await cli.fail('reconcile', 'show', '999999')).code).toBe('not_found');
  expect((await cli.fail('reconcile', 'run', '--since', 'yesterday')).code).toBe('usage');
});

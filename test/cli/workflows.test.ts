// `workflows restart`, after Temporal has lost workflows of open links.

import type { Client } from '@temporalio/client';
import { intentWorkflowId } from '../../domain/ids';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

const api = setUp(startTestApi);
let cli: Cli;
let temporal: Client;

beforeAll(async () => {
  cli = buildMerchantCli(api);
  temporal = await connectTestTemporal();
});

it('starts what is lost, leaves alone what runs, and needs nothing for what has ended', async () => {
  const [kept, lost, ended] = [await api.create(), await api.create(), await api.create()].map(
    ({ json }) => json,
  );
  await api.cancel(ended!.id);
  const idOf = ({ id }: { readonly id: string }) => intentWorkflowId('sandbox', id);
  const before = await temporal.workflow.getHandle(idOf(kept!)).describe();
  await temporal.workflow.getHandle(idOf(lost!)).terminate();

  expect(await cli.json('workflows', 'restart')).toEqual({ open: 2, started: 1 });
  const found = await temporal.workflow.getHandle(idOf(lost!)).describe();
  expect(found.status.name).toBe('RUNNING');
  const after = await temporal.workflow.getHandle(idOf(kept!)).describe();
  expect(after.runId).toBe(before.runId);
  expect(await cli.json('workflows', 'restart')).toEqual({ open: 2, started: 0 });

  expect((await api.cancel(lost!.id)).json.status).toBe('canceled');
});

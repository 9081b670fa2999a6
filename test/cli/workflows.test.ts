// `workflows restart`, after Temporal has lost workflows of open links.

import { intentWorkflowId } from '../../domain/ids';
import { setUp } from '../support/database';
import { connectTestTemporal } from '../support/temporal';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();
const temporal = setUp(connectTestTemporal);

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

import { createCircuitBreaker, NO_RESPONSE } from '../../temporal/circuit-breaker';
import { connectTestTemporal } from '../support/temporal';
import { closeAfterFile } from '../support/cleanup';
import { waitFor } from '../support/wait';

function buildBreakers() {
  let works = false;
  const probe = () => Promise.resolve(works);
  const breakers = { live: createCircuitBreaker(probe), sandbox: createCircuitBreaker(probe) };
  closeAfterFile(() => Object.values(breakers).forEach((breaker) => breaker.close()));
  return { ...breakers, recover: () => (works = true) };
}

describe('a circuit breaker', () => {
  it('stops the requests of its own environment only, until Temporal works', async () => {
    const { live, sandbox, recover } = buildBreakers();
    sandbox.reportFailure(NO_RESPONSE);
    expect([live.allowsRequests(), sandbox.allowsRequests()]).toEqual([true, false]);
    recover();
    await waitFor(() => sandbox.allowsRequests());
  });

  it('is tripped by what Temporal does to everybody', async () => {
    const { live } = buildBreakers();
    const temporal = await connectTestTemporal();
    const namespace = 'a-namespace-that-is-missing';
    const request = { namespace, execution: { workflowId: 'x' } };
    const error = await temporal.workflowService
      .describeWorkflowExecution(request)
      .catch((failure: unknown) => failure);
    live.reportFailure(error);
    expect(live.allowsRequests()).toBe(false);
  });

  it('is not tripped by one request that Temporal refuses, or that cannot be sent', async () => {
    const { live } = buildBreakers();
    const temporal = await connectTestTemporal();
    const refused = await temporal.workflowService
      .startWorkflowExecution({ namespace: 'default' })
      .catch((failure: unknown) => failure);
    const unsendable = await temporal.workflow
      .start('any', { workflowId: 'x', taskQueue: 'x', args: [1n] })
      .catch((failure: unknown) => failure);
    expect(unsendable).toBeInstanceOf(Error);
    for (const error of [refused, unsendable]) live.reportFailure(error);
    expect(live.allowsRequests()).toBe(true);
  });
});

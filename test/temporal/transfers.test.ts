// Starts that Temporal refuses for good: an argument above its limit of 2 MB stands for any of them.

import { randomBytes } from 'node:crypto';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createMetrics } from '../../telemetry/metrics';
import { createTransferActivities } from '../../activities/transfers';
import type { Environment } from '../../domain/environment';
import type { TransferRequest, TransferResult } from '../../domain/transfer';
import {
  createCircuitBreaker,
  createTemporalProbe,
  type CircuitBreaker,
} from '../../temporal/circuit-breaker';
import { createLocalResults, type LocalResults } from '../../temporal/local-results';
import { createTransferWorkflows, type TransferWorkflows } from '../../temporal/transfers';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { buildUser } from '../support/users';
import { buildTransferRequest, ERROR_DOCS } from '../support/postings';
import { testMessages } from '../support/secrets';
import { startTestWorker } from '../support/temporal';

// The native client warns of such an argument.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

const database = setUp(createTestDatabase);
const alice = setUp(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } }));
const bob = setUp(() => buildUser(database.db));
let workflows: TransferWorkflows;
let local_transfers: LocalResults<TransferResult>;
let log: Readonly<Record<string, unknown>>[];
let breakers: Record<Environment, CircuitBreaker>;

beforeEach(async () => {
  local_transfers = createLocalResults();
  const activities = createTransferActivities({
    db: database.db,
    workflow_messages: testMessages,
    local_transfers,
    log: () => undefined,
    error_docs_url: ERROR_DOCS,
    metrics: createMetrics(),
  });
  const { task_queue, client } = await startTestWorker({ activities });
  const probe = createTemporalProbe(client, 'default');
  breakers = { live: createCircuitBreaker(probe), sandbox: createCircuitBreaker(probe) };
  log = [];
  workflows = createTransferWorkflows({
    client,
    breakers,
    workflow_messages: testMessages,
    // One slot: all but the first of several transfers share a batch.
    config: { task_queue, transfers_in_flight: 1, transfers_per_workflow: 64 },
    log: (entry) => log.push(entry),
  });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const TOO_LARGE = { fingerprint: { amount: 'x'.repeat(2_200_000) } };

const build = (fields: Partial<TransferRequest> = {}): TransferRequest =>
  buildTransferRequest({ from: alice, to: bob, amount: 100n, ...fields });

async function submit(request: TransferRequest): Promise<TransferResult | undefined> {
  const deadline = Date.now() + 10_000;
  const transfer = { request, posted: local_transfers.expect(request.reference), deadline };
  const run = await workflows.start(transfer, deadline);
  if (typeof run === 'string') throw new Error(run);
  return run.result ?? workflows.result(run, transfer);
}

const NOT_POSTED = { outcome: 'not_posted', reference: null, is_replay: false };

it('does not post a transfer whose start is refused, and leaves its key free', async () => {
  const key = randomBytes(8).toString('hex');
  expect(await submit(build({ key, ...TOO_LARGE }))).toEqual(NOT_POSTED);
  expect(log).toMatchObject([{ part: 'transfers', refused: true }]);
  const retried = build({ key });
  expect(await submit(retried)).toMatchObject({
    outcome: 'completed',
    reference: retried.reference,
    is_replay: false,
  });
});

it('starts the others one by one when a batch is refused', async () => {
  const requests = [build(), build(), build(TOO_LARGE), build(), build()];
  const results = await Promise.all(requests.map(submit));
  expect(results).toMatchObject(
    requests.map(({ reference }, index) =>
      index === 2 ? NOT_POSTED : { outcome: 'completed', reference, is_replay: false },
    ),
  );
  // The batch, and the one that was the cause.
  expect(log.map(({ request_ids }) => (request_ids as string[]).length)).toEqual([4, 1]);
});

it('does not trip the circuit breaker: Temporal works', async () => {
  await submit(build(TOO_LARGE));
  expect(breakers.live.allowsRequests()).toBe(true);
});

describe('a start for several callers', () => {
  it('is not cut short by the one whose time is over', async () => {
    const [first, hasty, patient] = [build(), build(), build()];
    const deadline = Date.now() + 10_000;
    const start = (request: TransferRequest, own_deadline = deadline) => {
      const posted = local_transfers.expect(request.reference);
      return workflows.start({ request, posted, deadline: own_deadline }, deadline);
    };
    // The first takes the slot; the other two share the next batch.
    const runs = await Promise.all([start(first), start(hasty, Date.now()), start(patient)]);
    expect(runs.map((run) => (typeof run === 'string' ? run : run.state))).toEqual([
      'started',
      'unknown',
      'started',
    ]);
    expect(breakers.live.allowsRequests()).toBe(true);
    expect(log).toEqual([]);
    await local_transfers.expect(hasty.reference);
  });
});

describe('the result of a run', () => {
  it('is its own, and not that of a later run for the same key', async () => {
    const key = randomBytes(8).toString('hex');
    const deadline = Date.now() + 10_000;
    const start = async (request: TransferRequest) => {
      const transfer = { request, posted: new Promise<never>(() => undefined), deadline };
      const run = await workflows.start(transfer, deadline);
      if (typeof run === 'string') throw new Error(run);
      return { transfer, run };
    };
    const lapsed = await start(build({ key, accept_before: new Date(0).toISOString() }));
    expect(await workflows.result(lapsed.run, lapsed.transfer)).toMatchObject({
      outcome: 'lapsed',
    });
    const later = await start(build({ key }));
    expect(await workflows.result(later.run, later.transfer)).toMatchObject({
      outcome: 'completed',
    });
    expect(await workflows.result(lapsed.run, lapsed.transfer)).toMatchObject({
      outcome: 'lapsed',
    });
  });
});

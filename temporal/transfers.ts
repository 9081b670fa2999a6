// Starts the workflow of a transfer, or one workflow for all transfers that waited for their turn,
// and stays with it while the posting is expected in this process.

import { randomUUID } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Environment } from '../domain/environment';
import { idempotencyToken, transferBatchWorkflowId, transferWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import type { TransferOutcome, TransferRequest } from '../domain/transfer';
import { sha256Hex } from '../secrets/hash';
import { searchAttributes, WORKFLOW_TASK_TIMEOUT_MS } from '../workflows/messages';
import type { ApiDependencies } from '../api/context';
import { createBatcher, type Batcher } from './batcher';
import { within } from './ask';

/** An eagerly started workflow posts here; only a lost task makes it take longer than this. */
const LOCAL_ANSWER_MS = 1_000;
/** Keeps a posting short (some 30 ms) and the list of a batch readable in Temporal's UI. */
const BATCH_SIZE = 64;

export interface StartOptions {
  readonly request: TransferRequest;
  /** For operators' eyes in Temporal's UI. */
  readonly sender_username: string;
  /** Resolves when the posting happens in this process. */
  readonly posted: Promise<TransferOutcome>;
  readonly deadline: number;
}

/** A workflow that has, or may have, the transfer in its hands. */
export interface TransferRun {
  /** `running`: another request's workflow for the same key. `unknown`: Temporal did not say. */
  readonly state: 'eager' | 'remote' | 'running' | 'unknown';
  readonly workflow_id: string;
  /** Which of the workflow's results is this transfer's. */
  readonly position: number;
}

/** The environments do not wait for each other. */
export type TransferStarters = Readonly<
  Record<Environment, Batcher<StartOptions, TransferRun | TransferOutcome>>
>;

type Dependencies = Pick<ApiDependencies, 'temporal' | 'gate' | 'config' | 'log'>;

export function createTransferStarters(dependencies: Dependencies): TransferStarters {
  const starter = () =>
    createBatcher({
      places: dependencies.config.transfers_in_flight,
      size: BATCH_SIZE,
      carry: (batch: readonly StartOptions[]) => startBatch(dependencies, batch),
    });
  return { live: starter(), sandbox: starter() };
}

async function startBatch(
  dependencies: Dependencies,
  batch: readonly StartOptions[],
): Promise<readonly (TransferRun | TransferOutcome)[]> {
  const options = batch.length === 1 ? describeOne(batch[0]!) : describeMany(batch);
  const state = await startWorkflow(dependencies, batch, options);
  const { workflowId: workflow_id } = options;
  const runs = batch.map((_, position) => ({ state, workflow_id, position }));
  if (state !== 'eager') return runs;
  // Whatever takes longer waits outside, to hold up nobody.
  const posted = await within(LOCAL_ANSWER_MS, Promise.all(batch.map((each) => each.posted)));
  return posted ?? runs;
}

type Described = Pick<
  WorkflowStartOptions,
  'workflowId' | 'staticSummary' | 'staticDetails' | 'typedSearchAttributes'
> & {
  readonly workflow: 'transfer' | 'transfers';
  readonly args: unknown[];
};

function describeOne({ request, sender_username }: StartOptions): Described {
  const { environment, currency, to_username, attempt, request_id } = request;
  const amount = amountOf(request);
  return {
    workflow: 'transfer',
    workflowId: workflowIdOf(request),
    args: [request],
    staticSummary: `${amount} · ${sender_username} → ${to_username}`,
    staticDetails: `**${amount}** from \`${sender_username}\` to \`${to_username}\` (${environment}), reference \`${attempt}\`, request \`${request_id}\``,
    typedSearchAttributes: [
      { key: searchAttributes.environment, value: environment },
      { key: searchAttributes.account, value: sender_username },
      { key: searchAttributes.counterparty, value: to_username },
      { key: searchAttributes.currency, value: currency },
      { key: searchAttributes.reference, value: attempt },
      { key: searchAttributes.state, value: 'accepted' },
    ],
  };
}

// One random ID: which key was answered how is Postgres' to know, for a batch as for a transfer.
function describeMany(batch: readonly StartOptions[]): Described {
  const { environment } = batch[0]!.request;
  const rows = batch.map(({ request, sender_username }) => {
    const { to_username, attempt, request_id } = request;
    return `- **${amountOf(request)}** \`${sender_username}\` → \`${to_username}\`, \`${attempt}\`, \`${request_id}\``;
  });
  const parties = batch.flatMap(({ request, sender_username }) => [
    sender_username,
    request.to_username,
  ]);
  return {
    workflow: 'transfers',
    workflowId: transferBatchWorkflowId(environment, randomUUID()),
    args: [batch.map(({ request }) => request)],
    staticSummary: `${batch.length} transfers that arrived together`,
    staticDetails: rows.join('\n'),
    typedSearchAttributes: [
      { key: searchAttributes.environment, value: environment },
      { key: searchAttributes.accounts, value: [...new Set(parties)] },
      { key: searchAttributes.references, value: batch.map(({ request }) => request.attempt) },
    ],
  };
}

function amountOf({ amount_minor, currency }: TransferRequest): string {
  return `${formatAmount(BigInt(amount_minor))} ${currency}`;
}

/** Asks for the first workflow task together with the start: no hop through task matching. */
async function startWorkflow(
  { temporal, gate, config, log }: Dependencies,
  batch: readonly StartOptions[],
  { workflow, ...described }: Described,
): Promise<TransferRun['state']> {
  const deadline = Math.min(...batch.map((each) => each.deadline));
  const options = {
    ...described,
    taskQueue: config.task_queue,
    requestEagerStart: true,
    // Postgres alone decides whether a key is spent: a lapsed attempt may be tried again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
  } satisfies WorkflowStartOptions;
  try {
    const starting = temporal.connection.withDeadline(deadline, () =>
      temporal.workflow.start(workflow, options),
    );
    // The connection applies a deadline to each try, and tries again for 10 s and more.
    const handle = await within(deadline - Date.now(), starting);
    if (!handle) throw new Error('Temporal did not answer the start in time');
    return handle.eagerlyStarted ? 'eager' : 'remote';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'running';
    // The start may have arrived all the same: only the database can tell, and only later.
    gate.reportFailure();
    const request_ids = batch.map(({ request }) => request.request_id);
    log({ part: 'transfers', request_ids, unavailable: true, error: String(error) });
    return 'unknown';
  }
}

function workflowIdOf({ environment, sender_id, key }: TransferRequest): string {
  return transferWorkflowId(environment, sender_id, idempotencyToken(key, sha256Hex));
}

// Starts the workflow of a transfer, or one workflow for all transfers that wait for a slot, and
// waits for the posting while it is expected in this process.

import { randomUUID } from 'node:crypto';
import { context, type Context } from '@opentelemetry/api';
import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Config } from '../config/load';
import type { Environment } from '../domain/environment';
import { idempotencyToken, transferBatchWorkflowId, transferWorkflowId } from '../domain/ids';
import { counted } from '../domain/language';
import {
  NOT_POSTED,
  type SealedTransfers,
  type TransferRequest,
  type TransferResult,
} from '../domain/transfer';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import { inSharedSpan, inSpan } from '../telemetry/spans';
import {
  MAX_SEARCH_ATTRIBUTE_BYTES,
  MAX_STATIC_DETAILS_BYTES,
  searchAttributes,
  WORKFLOW_TASK_TIMEOUT_MS,
  WORKFLOW_TYPES,
} from '../workflows/messages';
import { callTemporal, describeError, isRefusedForGood, within } from './calls';
import { createBatcher } from './batcher';
import { NO_RESPONSE, type CircuitBreaker } from './circuit-breaker';
import { readableAmount, summaryOf } from './summaries';

/** An eagerly started workflow posts in this process; only a lost task makes it take longer. */
const LOCAL_RESULT_MS = 1_000;
/**
 * A batch takes 20 to 100 ms: one that takes longer is stuck, and the next does not wait for it.
 */
const PATIENCE_MS = 100;
/**
 * Waiting transfers of one account: more than this could not be carried out in time on a small
 * machine.
 */
const MAX_WAITING_TRANSFERS = 1_000;

/** Temporal refuses more than 2 MB, and warns of 512 kB. A single request has 64 kB at most. */
const MAX_WORDS_BYTES = 256 * 1024;

export interface PendingTransfer {
  readonly request: TransferRequest;
  /** Resolves when the posting happens in this process. */
  readonly posted: Promise<TransferResult>;
  /** ms since the epoch. */
  readonly deadline: number;
}

/** A workflow that has, or may have, taken the transfer. */
export interface TransferRun {
  /**
   * `already_running`: another request's workflow for the same key. `unknown`: Temporal did not
   * say.
   */
  readonly state: 'started' | 'already_running' | 'unknown';
  readonly workflow_id: string;
  /**
   * Undefined when Temporal did not say: the latest run of the ID, which may be another request's.
   */
  readonly run_id: string | undefined;
  /** Which of the workflow's results is this transfer's. */
  readonly position: number;
  /** Known already when the posting happened in this process, or can never happen. */
  readonly result: TransferResult | undefined;
}

export interface TransferWorkflows {
  /**
   * Nothing was started when no slot was free before `start_by` (`too_late`), or when the sender
   * has too many transfers waiting (`too_many`). Resolves at the transfer's own deadline at the
   * latest.
   */
  start(
    transfer: PendingTransfer,
    start_by: number,
  ): Promise<TransferRun | 'too_late' | 'too_many'>;
  /** Temporal's word about the transfer; undefined when none came before the deadline. */
  result(run: TransferRun, transfer: PendingTransfer): Promise<TransferResult | undefined>;
}

export interface TransferWorkflowsOptions {
  readonly client: Client;
  readonly breakers: Readonly<Record<Environment, CircuitBreaker>>;
  readonly workflow_messages: Pick<WorkflowMessages, 'sealTransfers' | 'hashIdempotencyKey'>;
  readonly config: Pick<Config, 'task_queue' | 'transfers_in_flight' | 'transfers_per_workflow'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A transfer that waits for its slot. */
interface Waiting extends PendingTransfer {
  /** The context in which its span is open. */
  readonly within: Context;
}

export function createTransferWorkflows(options: TransferWorkflowsOptions): TransferWorkflows {
  const { client, config, log } = options;
  const createEnvironmentBatcher = () =>
    createBatcher({
      slots: config.transfers_in_flight,
      max_items: config.transfers_per_workflow,
      patience_ms: PATIENCE_MS,
      sizeOf: ({ request }: Waiting) =>
        Math.max(searchAttributeBytes(request), wordsShare(request) * MAX_SEARCH_ATTRIBUTE_BYTES),
      max_bytes: MAX_SEARCH_ATTRIBUTE_BYTES,
      ownerOf: ({ request }: Waiting) => request.sender_id,
      max_waiting: MAX_WAITING_TRANSFERS,
      // A timer or another request may send the batch: it belongs to a trace of its own transfers.
      send: (batch: readonly Waiting[]) =>
        inSharedSpan(
          'transfers',
          batch.map((waiting) => waiting.within),
          () => startBatch(options, batch),
        ),
    });
  // The environments do not wait for each other.
  const batchers: Readonly<Record<Environment, ReturnType<typeof createEnvironmentBatcher>>> = {
    live: createEnvironmentBatcher(),
    sandbox: createEnvironmentBatcher(),
  };
  return {
    start: (transfer, start_by) =>
      inSpan('transfer', {}, async () => {
        const waiting: Waiting = { ...transfer, within: context.active() };
        const submitted = batchers[transfer.request.environment].submit(waiting, start_by);
        // A start waits for the last deadline of its batch, a caller only for its own. By then the
        // transfer has left the queue, so it may have been started.
        const run = await within(transfer.deadline - Date.now(), submitted);
        return run ?? unknownRun(transfer, options);
      }),
    async result({ workflow_id, run_id, position }, { request, deadline }) {
      const handle = client.workflow.getHandle(workflow_id, run_id);
      try {
        const results = await callTemporal(
          client,
          deadline,
          () => handle.result() as Promise<readonly TransferResult[]>,
        );
        return results?.[position];
      } catch (error) {
        // This says nothing about the outcome: the database is queried next.
        log({ part: 'transfers', request_id: request.request_id, error: describeError(error) });
        return undefined;
      }
    },
  };
}

/** Looked for under the ID that it has when it was started alone. */
function unknownRun({ request }: PendingTransfer, options: TransferWorkflowsOptions): TransferRun {
  const workflow_id = workflowIdOf(request, options);
  return { state: 'unknown', workflow_id, run_id: undefined, position: 0, result: undefined };
}

async function startBatch(
  options: TransferWorkflowsOptions,
  batch: readonly PendingTransfer[],
): Promise<readonly TransferRun[]> {
  const described = batch.length === 1 ? describeOne(batch[0]!, options) : describeMany(batch);
  const { state, run_id } = await startWorkflow(options, batch, described);
  const runOf = (position: number, result?: TransferResult): TransferRun => ({
    state: state === 'eager' || state === 'refused' ? 'started' : state,
    workflow_id: described.workflowId,
    run_id,
    position,
    result,
  });
  if (state === 'refused') {
    // Temporal will never run this workflow. One request may be the cause: the others go alone.
    if (batch.length === 1) return [runOf(0, NOT_POSTED)];
    const alone = batch.map((transfer) => startBatch(options, [transfer]));
    return (await Promise.all(alone)).flat();
  }
  // A posting that takes longer waits outside of the slot, so that it does not block the slot.
  const posted =
    state === 'eager'
      ? await within(LOCAL_RESULT_MS, Promise.all(batch.map((transfer) => transfer.posted)))
      : undefined;
  return batch.map((_, position) => runOf(position, posted?.[position]));
}

type Described = Required<
  Pick<
    WorkflowStartOptions,
    'workflowId' | 'staticSummary' | 'staticDetails' | 'typedSearchAttributes'
  >
>;

type Transfers = (message: SealedTransfers) => Promise<readonly TransferResult[]>;

function describeOne({ request }: PendingTransfer, options: TransferWorkflowsOptions): Described {
  const { sender_username, to_username, reference } = request;
  return {
    workflowId: workflowIdOf(request, options),
    staticSummary: summaryOf(reference, amountOf(request), `${sender_username} → ${to_username}`),
    staticDetails: detailsOf([request]),
    typedSearchAttributes: attributesOf([request]),
  };
}

function workflowIdOf(
  { environment, sender_id, key }: TransferRequest,
  { workflow_messages }: TransferWorkflowsOptions,
): string {
  const token = idempotencyToken(key, (text) => workflow_messages.hashIdempotencyKey(text));
  return transferWorkflowId(environment, sender_id, token);
}

// A random ID: which key got which response is for Postgres to know, in a batch as for one
// transfer.
function describeMany(batch: readonly PendingTransfer[]): Described {
  const requests = batch.map(({ request }) => request);
  return {
    workflowId: transferBatchWorkflowId(requests[0]!.environment, randomUUID()),
    staticSummary: counted('en', batch.length, 'transfer', 'transfers'),
    staticDetails: detailsOf(requests),
    typedSearchAttributes: attributesOf(requests),
  };
}

function attributesOf(requests: readonly TransferRequest[]): Described['typedSearchAttributes'] {
  const parties = requests.flatMap(({ sender_username, to_username }) => [
    sender_username,
    to_username,
  ]);
  return [
    { key: searchAttributes.environment, value: requests[0]!.environment },
    { key: searchAttributes.accounts, value: [...new Set(parties)] },
    { key: searchAttributes.references, value: requests.map(({ reference }) => reference) },
    { key: searchAttributes.state, value: 'accepted' },
  ];
}

/**
 * What a transfer takes of the longer list of search attributes: names in JSON, with their commas.
 */
function searchAttributeBytes({ sender_username, to_username }: TransferRequest): number {
  return Buffer.byteLength(JSON.stringify([sender_username, to_username]));
}

/** Which part it takes of what descriptions, metadata and answers a workflow may be started with. */
function wordsShare({ description = '', metadata = '', heard }: TransferRequest): number {
  if (description === '' && metadata === '' && heard === undefined) return 0;
  const words = [description, metadata, JSON.stringify(heard) ?? ''];
  return Buffer.byteLength(words.join('')) / MAX_WORDS_BYTES;
}

function detailsOf(requests: readonly TransferRequest[]): string {
  let details = '';
  for (const request of requests) {
    const { sender_username, to_username, reference, request_id } = request;
    const line = `- **${amountOf(request)}** \`${sender_username}\` → \`${to_username}\`, \`${reference}\`, request \`${request_id}\`\n`;
    if (Buffer.byteLength(details + line) > MAX_STATIC_DETAILS_BYTES) return `${details}- …`;
    details += line;
  }
  return details.trimEnd();
}

function amountOf({ amount_minor, currency }: TransferRequest): string {
  return readableAmount(amount_minor, currency);
}

interface Start {
  readonly state: 'eager' | 'refused' | TransferRun['state'];
  readonly run_id?: string;
}

/** Requests the first workflow task together with the start: no hop through task matching. */
async function startWorkflow(
  { client, breakers, config, log, workflow_messages }: TransferWorkflowsOptions,
  batch: readonly PendingTransfer[],
  described: Described,
): Promise<Start> {
  // The last one: a request that is nearly over must not make the start of the others unknown.
  const deadline = Math.max(...batch.map((transfer) => transfer.deadline));
  const breaker = breakers[batch[0]!.request.environment];
  const request_ids = batch.map(({ request }) => request.request_id);
  try {
    const handle = await callTemporal(client, deadline, () =>
      client.workflow.start<Transfers>(WORKFLOW_TYPES.transfers, {
        ...described,
        args: [workflow_messages.sealTransfers(batch.map(({ request }) => request))],
        taskQueue: config.task_queue,
        requestEagerStart: true,
        // Postgres alone decides whether a key is spent: a lapsed transfer may be tried again.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      }),
    );
    if (handle) {
      const state = handle.eagerlyStarted ? 'eager' : 'started';
      return { state, run_id: handle.firstExecutionRunId };
    }
    breaker.reportFailure(NO_RESPONSE);
    log({ part: 'transfers', request_ids, unavailable: true, error: NO_RESPONSE });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { state: 'already_running' };
    if (isRefusedForGood(error)) {
      log({ part: 'transfers', request_ids, refused: true, error: describeError(error) });
      return { state: 'refused' };
    }
    breaker.reportFailure(error);
    log({ part: 'transfers', request_ids, unavailable: true, error: describeError(error) });
  }
  // The start may have arrived all the same: only the database can tell, and only later.
  return { state: 'unknown' };
}

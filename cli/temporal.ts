// The command line's connection to Temporal. Most commands need none, so the client is loaded only
// when one does. Every call has a time limit.

import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Config } from '../config/load';
import { workflowUrl } from '../temporal/workflow-url';
import type { CommandContext } from './context';
import { CommandError } from './error';

const CONNECT_WITHIN = '3s';
const READ_WITHIN_MS = 5_000;

export type TemporalContext = Pick<CommandContext, 'config' | 'system'>;

/** @throws CommandError when Temporal cannot be reached, or refuses */
export async function withTemporal<T>(
  { config, system }: TemporalContext,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { temporal_address: address, temporal_namespace: namespace, secrets_keys } = system;
  if (address === undefined) {
    throw new CommandError(
      'temporal_unreachable',
      'The address of Temporal is not known: set TEMPORAL_ADDRESS',
    );
  }
  const connection = await connect(config, address);
  const { Client } = await import('@temporalio/client');
  try {
    const { createDataConverter } = await import('../temporal/data-converter.js');
    const { encrypt_payloads } = config;
    const dataConverter = createDataConverter({ encrypt_payloads, secrets_keys });
    return await use(new Client({ connection, namespace, dataConverter }));
  } catch (error) {
    if (!isServiceError(error) || isOutOfTime(error)) throw error;
    throw new CommandError('temporal_refused', `Temporal refused: ${serverMessage(error)}`);
  } finally {
    await connection.close();
  }
}

/** API key and mTLS come from the environment or Temporal's profile file, as for the service. */
async function connect(
  { given }: Config,
  address: string,
): Promise<Client['connection'] & Closable> {
  const { Connection } = await import('@temporalio/client');
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const loaded = given.has('TEMPORAL_ADDRESS') ? loadClientConnectConfig() : undefined;
  try {
    return await Connection.connect({
      ...loaded?.connectionOptions,
      address,
      connectTimeout: CONNECT_WITHIN,
    });
  } catch (error) {
    throw new CommandError(
      'temporal_unreachable',
      `Temporal cannot be reached at ${address}: ${(error as Error).message}`,
    );
  }
}

interface Closable {
  close(): Promise<void>;
}

export interface WorkflowState {
  readonly id: string;
  /**
   * Temporal's status in lower case; null when Temporal cannot be reached or has no such workflow.
   */
  readonly state: string | null;
  /** The details; null when Temporal has none, or no worker runs that could answer the query. */
  readonly current_details: string | null;
  /**
   * The workflow's page in Temporal's UI; null when it was not found, or the UI's address is not
   * known.
   */
  readonly url: string | null;
  readonly fault: 'unreachable' | 'not_found' | null;
}

/** Reads a workflow's state. `fault` says when Temporal is away. */
export async function readWorkflowState(
  context: TemporalContext,
  id: string,
): Promise<WorkflowState> {
  const unknown = { id, state: null, current_details: null, url: null };
  try {
    return await withTemporal(context, async (client) => {
      const handle = client.workflow.getHandle(id);
      const state = await limited(client, async () => (await handle.describe()).status.name);
      const current_details = await readCurrentDetails(client, handle);
      const url = urlOf(context, id);
      return { id, state: state.toLowerCase(), current_details, url, fault: null };
    });
  } catch (error) {
    if (nameOf(error) === 'WorkflowNotFoundError') return { ...unknown, fault: 'not_found' };
    const isAway = error instanceof CommandError || isServiceError(error);
    if (!isAway) throw error;
    return { ...unknown, fault: 'unreachable' };
  }
}

function urlOf({ system }: TemporalContext, id: string): string | null {
  return workflowUrl(system, id) ?? null;
}

export interface FoundWorkflow {
  /** The workflow's id; null when there is none, or Temporal cannot be reached. */
  readonly id: string | null;
  /** Temporal's status in lower case. */
  readonly state: string | null;
  readonly url: string | null;
  readonly fault: 'unreachable' | 'not_found' | null;
}

/** Finds the newest workflow of a query of visibility. `fault` says when Temporal is away. */
export async function findWorkflow(
  context: TemporalContext,
  query: string,
): Promise<FoundWorkflow> {
  const unknown = { id: null, state: null, url: null };
  try {
    return await withTemporal(context, async (client) => {
      const found = client.workflow.list({ query, pageSize: 1 });
      const first = await limited(client, () => found[Symbol.asyncIterator]().next());
      if (first.done === true) return { ...unknown, fault: 'not_found' };
      const { workflowId: id, status } = first.value;
      return { id, state: status.name.toLowerCase(), url: urlOf(context, id), fault: null };
    });
  } catch (error) {
    const isAway = error instanceof CommandError || isServiceError(error);
    if (!isAway) throw error;
    return { ...unknown, fault: 'unreachable' };
  }
}

async function readCurrentDetails(client: Client, handle: WorkflowHandle): Promise<string | null> {
  try {
    const metadata = await limited(client, () =>
      handle.query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata'),
    );
    return metadata.currentDetails ?? null;
  } catch (error) {
    // Only a worker can answer the query, and none may be running. The rest is known without it.
    if (!isServiceError(error) && !isQueryRefused(error)) throw error;
    return null;
  }
}

function limited<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.connection.withDeadline(Date.now() + READ_WITHIN_MS, call);
}

/** True when the request may still take effect. */
export function isOutOfTime(error: unknown): boolean {
  return chainOf(error).some(
    (one) =>
      nameOf(one) === 'WorkflowUpdateRPCTimeoutOrCancelledError' ||
      codeOf(one) === DEADLINE_EXCEEDED,
  );
}

const DEADLINE_EXCEEDED = 4;

/** Any error that comes from the connection or the server: unreachable, too late, or refused. */
function isServiceError(error: unknown): boolean {
  const isRefused = ['ServiceError', 'NamespaceNotFoundError'].includes(nameOf(error));
  return isRefused || isOutOfTime(error) || typeof codeOf(error) === 'number';
}

/** The innermost error has the server's own message. */
function serverMessage(error: unknown): string {
  return chainOf(error).at(-1)!.message;
}

/** The error, its cause, the cause's cause, and so on. */
export function chainOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

function isQueryRefused(error: unknown): boolean {
  return ['QueryNotRegisteredError', 'QueryRejectedError'].includes(nameOf(error));
}

// The name tells the class, so that it need not be loaded.
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

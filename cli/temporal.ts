// What commands ask of Temporal, each within a limit: an operator who waits for longer looks at its
// user interface instead.

import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Config } from '../config/load';
import { CommandError, type CommandContext } from './command';

const CONNECT_WITHIN = '3s';
const LOOK_WITHIN_MS = 5_000;

/** @throws CommandError when Temporal cannot be reached */
export async function withTemporal<T>(
  { config, system }: Pick<CommandContext, 'config' | 'system'>,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { temporal_address: address, temporal_namespace: namespace } = system;
  if (address === undefined) {
    throw new CommandError(
      'temporal_unreachable',
      'Nobody says where Temporal is: set TEMPORAL_ADDRESS',
    );
  }
  const connection = await connect(config, address);
  // Loaded by then; most commands need no Temporal and should not wait for its client.
  const { Client } = await import('@temporalio/client');
  try {
    return await use(new Client({ connection, namespace }));
  } catch (error) {
    if (!isServiceError(error) || isOutOfTime(error)) throw error;
    throw new CommandError('temporal_refused', `Temporal did not do it: ${reasonOf(error)}`);
  } finally {
    await connection.close();
  }
}

/** API key and mTLS come from the environment or Temporal's profile file, as for the service. */
async function connect(
  { given }: Config,
  address: string,
): Promise<Client['connection'] & Closing> {
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

interface Closing {
  close(): Promise<void>;
}

export interface WorkflowLook {
  readonly id: string;
  /** As Temporal says it, in lower case; null when it cannot be asked or knows no such workflow. */
  readonly state: string | null;
  /** Null also when no worker is there to tell. */
  readonly current_details: string | null;
  readonly fault: 'unreachable' | 'not_found' | null;
}

/** Works without Temporal, and says so. */
export async function lookAtWorkflow(
  context: Pick<CommandContext, 'config' | 'system'>,
  id: string,
): Promise<WorkflowLook> {
  const unknown = { id, state: null, current_details: null };
  try {
    return await withTemporal(context, async (client) => {
      const handle = client.workflow.getHandle(id);
      const state = await soon(client, async () => (await handle.describe()).status.name);
      const current_details = await readCurrentDetails(client, handle);
      return { id, state: state.toLowerCase(), current_details, fault: null };
    });
  } catch (error) {
    if (isWorkflowNotFound(error)) return { ...unknown, fault: 'not_found' };
    const isAway = error instanceof CommandError || isServiceError(error);
    if (!isAway) throw error;
    return { ...unknown, fault: 'unreachable' };
  }
}

async function readCurrentDetails(client: Client, handle: WorkflowHandle): Promise<string | null> {
  try {
    const metadata = await soon(client, () =>
      handle.query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata'),
    );
    return metadata.currentDetails ?? null;
  } catch (error) {
    // A worker has to answer it, and there may be none; the rest can be told all the same.
    if (!isServiceError(error) && !isQueryRefused(error)) throw error;
    return null;
  }
}

function soon<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.connection.withDeadline(Date.now() + LOOK_WITHIN_MS, call);
}

export function isWorkflowNotFound(error: unknown): boolean {
  return nameOf(error) === 'WorkflowNotFoundError';
}

/** What was asked for may happen yet. */
export function isOutOfTime(error: unknown): boolean {
  return chainOf(error).some(
    (one) =>
      nameOf(one) === 'WorkflowUpdateRPCTimeoutOrCancelledError' ||
      codeOf(one) === DEADLINE_EXCEEDED,
  );
}

const DEADLINE_EXCEEDED = 4;

/** Out of reach, out of time, or no. */
function isServiceError(error: unknown): boolean {
  const isRefused = ['ServiceError', 'NamespaceNotFoundError'].includes(nameOf(error));
  return isRefused || isOutOfTime(error) || typeof codeOf(error) === 'number';
}

/** The server's own words are the innermost. */
function reasonOf(error: unknown): string {
  return (chainOf(error).at(-1) as Error).message;
}

function chainOf(error: unknown): readonly unknown[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

function isQueryRefused(error: unknown): boolean {
  return ['QueryNotRegisteredError', 'QueryRejectedError'].includes(nameOf(error));
}

// By name, so that the classes need not be loaded.
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

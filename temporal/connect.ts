// A process's one connection to Temporal, and what a cluster must know before it is used.

import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  type MetricsExporterConfig,
} from '@temporalio/worker';
import { temporal as proto } from '@temporalio/proto';
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../config/load';
import { searchAttributes, WORKFLOW_TYPES } from '../workflows/messages';
import { hasGrpcCode } from './calls';
import { TRACED_CALLS } from './tracing';
import { createDataConverter } from './data-converter';
import { scheduleReconciliation } from './reconciliations';
import { createMissingSchedule } from './schedules';
import { SearchAttributesError } from './search-attributes-error';

export interface TemporalLink {
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly namespace: string;
  /** The converter of the client, for the workers on the connection too. */
  readonly data_converter: DataConverter;
}

/**
 * Must run before the first connection: the runtime is one per process. `metrics_address`: where
 * the SDK exports its own metrics; undefined for nowhere.
 */
export function installTemporalRuntime(
  log: (entry: Readonly<Record<string, unknown>>) => void,
  metrics_address?: string,
): void {
  Runtime.install({
    // A process stops in its own order: requests first, then workers.
    shutdownSignals: [],
    // The native part would otherwise write to standard output, between the access lines.
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN' }), forward: {} },
      ...(metrics_address === undefined ? {} : { metrics: exporterAt(metrics_address) }),
    },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (message === ACTIVITIES_ONLY) return;
      log({ log: 'temporal', at: new Date().toISOString(), level, message, ...meta });
    }),
  });
}

function exporterAt(bindAddress: string): MetricsExporterConfig {
  return {
    prometheus: {
      bindAddress,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    },
    // It would be on every line.
    attachServiceName: false,
  };
}

/** The SDK says it of the workers for batches, which are meant to be so. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

/**
 * Address, API key and mTLS come from the environment or Temporal's own profile file, as its tools
 * read them. The embedded server's address and namespace come with `config`.
 */
export async function connectTemporal(config: Config): Promise<TemporalLink> {
  // A profile is read only for a cluster that TEMPORAL_ADDRESS names: one on a developer's machine
  // describes another server than the embedded one.
  const loaded = config.given.has('TEMPORAL_ADDRESS') ? loadClientConnectConfig() : undefined;
  const connection = await NativeConnection.connect({
    ...loaded?.connectionOptions,
    ...(config.temporal_address === undefined ? {} : { address: config.temporal_address }),
    // Compression costs more CPU than it saves bytes, on loopback and inside a data centre.
    grpcCompression: { codec: 'none' },
  });
  const namespace = config.temporal_namespace;
  const data_converter = createDataConverter(config);
  const client = new Client({
    connection,
    namespace,
    dataConverter: data_converter,
    interceptors: { workflow: [TRACED_CALLS] },
  });
  return { connection, client, namespace, data_converter };
}

const { IndexedValueType } = proto.api.enums.v1;
const INDEXED_AS = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/**
 * What the namespace must have before it can run our workflows. The search attributes last: where
 * they are, the schedules were made before them.
 */
export async function prepareTemporal(link: TemporalLink, config: Config): Promise<void> {
  await scheduleSweep(link, config);
  await scheduleReconciliation(link.client, config);
  await registerSearchAttributes(link, config);
}

/**
 * Prepares a namespace anew that has lost what it had. A schedule that an operator has deleted is
 * not lost.
 */
export async function repairTemporal(link: TemporalLink, config: Config): Promise<void> {
  if ((await findMissingAttributes(link)).length > 0) await prepareTemporal(link, config);
}

/**
 * Registers our search attributes: an existing cluster, or an older database file of
 * the dev server, does not have those that a newer version added. Where our key may not add them, as in Temporal Cloud,
 * it is enough that they are there.
 */
export async function registerSearchAttributes(link: TemporalLink, config: Config): Promise<void> {
  const missing = await findMissingAttributes(link);
  if (missing.length === 0) return;
  try {
    await link.connection.operatorService.addSearchAttributes({
      namespace: link.namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, INDEXED_AS[type]]),
      ),
    });
  } catch (error) {
    // Another process that starts at the same moment was faster.
    if (hasGrpcCode(error, 'already_exists')) return;
    const isRefused = (['permission_denied', 'unimplemented'] as const).some((code) =>
      hasGrpcCode(error, code),
    );
    if (!isRefused) throw error;
    const left = await findMissingAttributes(link);
    if (left.length === 0) return;
    throw new SearchAttributesError(
      `Temporal's namespace ${link.namespace} lacks search attributes, and this process may not add them: run ${commandToAdd(left, link, config)}`,
    );
  }
}

/** Temporal's own tools, or those of Temporal Cloud, which manages search attributes elsewhere. */
function commandToAdd(
  missing: readonly { readonly name: string; readonly type: string }[],
  { namespace }: TemporalLink,
  { temporal_address = '' }: Config,
): string {
  const told = missing.map(({ name, type }) => {
    // KEYWORD_LIST is KeywordList there.
    const words = type.split('_').map((word) => word[0] + word.slice(1).toLowerCase());
    return { name, type: words.join('') };
  });
  if (/\.(?:tmprl\.cloud|api\.temporal\.io):\d+$/.test(temporal_address)) {
    const pairs = told.map(({ name, type }) => `--search-attribute ${name}=${type}`).join(' ');
    return `tcld namespace search-attributes add --namespace ${namespace} ${pairs}`;
  }
  const pairs = told.map(({ name, type }) => `--name ${name} --type ${type}`).join(' ');
  return `temporal operator search-attribute create --namespace ${namespace} ${pairs}`;
}

async function findMissingAttributes({ connection, namespace }: TemporalLink) {
  const present = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(searchAttributes).filter(
    ({ name }) => present.customAttributes?.[name] === undefined,
  );
}

/**
 * One schedule per task queue, created by the first process to start: it hands over again each
 * stored notification that was not applied.
 */
async function scheduleSweep({ client }: TemporalLink, config: Config): Promise<void> {
  const { task_queue, notification_sweep_seconds: seconds } = config;
  if (seconds === 0) return;
  await createMissingSchedule(client, {
    scheduleId: `notification-sweep/${task_queue}`,
    spec: { intervals: [{ every: `${seconds}s` }] },
    policies: { overlap: 'SKIP', catchupWindow: '10s' },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.sweepNotifications,
      workflowId: `notification-sweep/${task_queue}`,
      taskQueue: task_queue,
    },
  });
}

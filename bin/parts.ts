// The parts that processes share: connections, and the starting and waking of workflows.

import type { ApiDependencies } from '../api/context';
import { createReadiness } from '../api/status/readiness';
import { createSmtp } from '../activities/smtp';
import { ConfigError } from '../config/load';
import { connectDatabase, type Db } from '../db/connect';
import { findIntentToRun } from '../db/payment-intents/intents';
import { findPursued } from '../db/pursuits';
import { SchemaError } from '../db/schema/schema-error';
import { findPendingFiles } from '../db/schema/schema-files';
import { findNextPayoutBatch } from '../db/payout-batches/payout-batches';
import { findNextBatch } from '../db/transfer-batches/transfer-batches';
import type { CheckoutOutcome } from '../domain/intent';
import type { TransferResult } from '../domain/transfer';
import { LOOPBACK, startOnFreePort } from '../dev/embedded/ports';
import { ask } from '../gateway/question';
import { createSealer } from '../secrets/seal';
import { createWorkflowMessages } from '../secrets/workflow-messages';
import { createMetrics } from '../telemetry/metrics';
import { traceId } from '../telemetry/spans';
import type * as tracing from '../telemetry/tracing';
import { createTemporalProbe } from '../temporal/circuit-breaker';
import { connectTemporal, installTemporalRuntime, prepareTemporal } from '../temporal/connect';
import { createIdentityCheckWaker } from '../temporal/identity-checks';
import { createLocalResults } from '../temporal/local-results';
import { createMailStarter, createMailWaker } from '../temporal/mails';
import { createNotificationDelivery } from '../temporal/notifications';
import {
  createIntentEndTeller,
  createIntentRestarter,
  createIntentStarter,
} from '../temporal/payment-intents';
import {
  createReconciliationStarter,
  updateReconciliationSchedule,
} from '../temporal/reconciliations';
import { createPayoutBatchStarter } from '../temporal/payout-batches';
import { createPursuer } from '../temporal/pursuits';
import { createRunningWorkflows } from '../temporal/running-workflows';
import { createBatchStarter, createBatchWaker } from '../temporal/transfer-batches';
import { createPatience } from '../use-cases/risk/patience';
import { createProviderVoice } from '../use-cases/risk/provider';
import { createVoices } from '../use-cases/risk/voices';
import { createScreeningVoice } from '../use-cases/screening/screen';
import { createGateways, createPayoutProviders } from './gateways';
import { showMetrics } from './metrics';
import type { Closers, ServiceOptions } from './service';
import { webhookPolicy } from './webhook-policy';
import { lightenWorkflowThreads } from './workflow-threads';

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Everything that it opens closes with `closers`, in the reverse order. */
export async function openParts(options: ServiceOptions, closers: Closers) {
  const { config, roles } = options;
  let metrics_url: string | undefined;
  const metrics = createMetrics();
  const log: ApiDependencies['log'] = (entry) => {
    metrics.countLoggedError(entry['part']);
    const trace_id = traceId();
    const traced = trace_id === undefined ? {} : { trace_id };
    options.log({ log: 'error', at: new Date().toISOString(), ...entry, ...traced });
  };
  if (config.traces) {
    // An `import` would load it always.
    const { startTracing } = require('../telemetry/tracing') as typeof tracing;
    const service_name = roles.api ? 'payment-api' : 'payment-worker';
    // Closed last: what is stopped before has spans to send.
    closers.push(startTracing({ service_name, metrics, log }));
  }
  if (config.secrets_keys.length === 0) throw new ConfigError([SECRETS_KEYS_MISSING]);
  const sealer = createSealer(config.secrets_keys);
  lightenWorkflowThreads();
  const sdk_address = await installRuntime(options);
  const db = connectDatabase({
    url: config.database_url ?? '',
    read_url: config.database_read_url,
    pool_size: config.database_pool_size,
    name: roles.api ? 'payment-api' : 'payment-worker',
  });
  closers.push(() => db.destroy());
  await requireSchema(db);
  const link = await connectTemporal(config);
  closers.push(() => link.connection.close());
  await prepareTemporal(link, config);
  await updateReconciliationSchedule(link.client, config);

  const patient_db = connectDatabase({
    url: config.database_url ?? '',
    pool_size: PATIENT_POOL_SIZE,
    name: 'payment-patient',
    is_patient: true,
    statement_timeout_ms: PATIENT_STATEMENT_MS,
  });
  closers.push(() => patient_db.destroy());

  const intents = {
    client: link.client,
    task_queue: config.task_queue,
    findIntent: (id: string) => findIntentToRun(db, id),
  };
  const startBatch = createBatchStarter(link.client, config.task_queue);
  const startPayoutBatch = createPayoutBatchStarter(link.client, config.task_queue);
  const startMail =
    config.smtp === undefined ? undefined : createMailStarter(link.client, config.task_queue);
  if (config.production && !startMail) log({ part: 'mails', error: NO_MAILS });
  const probeTemporal = createTemporalProbe(link.client, link.namespace);
  const readiness = createReadiness({ db, probeTemporal });
  const findReadiness = readiness.find;
  if (sdk_address !== undefined) {
    const shown = await showMetrics({ config, metrics, db, roles, findReadiness, sdk_address });
    closers.push(() => shown.close());
    metrics_url = `${shown.url}/metrics`;
  }
  const patience = createPatience('risk-screening', log);
  const screening = { db, sealer, askOverHttp: ask, patience, log };
  return {
    config,
    link,
    metrics_url,
    db,
    metrics,
    probeTemporal,
    findReadiness,
    stopBeingReady: readiness.stop,
    intents,
    log,
    sealer,
    workflow_messages: createWorkflowMessages(config.secrets_keys),
    webhook_policy: webhookPolicy(config),
    gateways: createGateways(config, options.log),
    payout_providers: createPayoutProviders(config),
    screening,
    voices: createVoices([
      createScreeningVoice(screening),
      createProviderVoice({
        db,
        sealer,
        askOverHttp: ask,
        countAnswer: (outcome) => metrics.countProviderAnswer(outcome),
        log,
      }),
    ]),
    local_transfers: createLocalResults<TransferResult>(),
    pending_checkouts: createLocalResults<CheckoutOutcome>(),
    deliverNotification: createNotificationDelivery(intents),
    pursue: createPursuer({
      client: link.client,
      task_queue: config.task_queue,
      findPursued: (kind, ids) => findPursued(db, kind, ids),
    }),
    wakeIdentityCheck: createIdentityCheckWaker(link.client, config.task_queue),
    startReconciliation: createReconciliationStarter(link.client, config.task_queue),
    startMail,
    wakeMail: createMailWaker({ startMail, log }),
    sendMail: config.smtp && createSmtp(config.smtp),
    startIntent: createIntentStarter(link.client, config.task_queue),
    restartIntent: createIntentRestarter(intents),
    tellIntentEnded: createIntentEndTeller(link.client),
    patient_db,
    running_workflows: createRunningWorkflows(link.client, config.task_queue),
    reconcile_grace_ms: config.reconcile_grace_ms,
    startBatch,
    wakeBatches: createBatchWaker(startBatch, (user_id, environment) =>
      findNextBatch(db, user_id, environment),
    ),
    startPayoutBatch,
    wakePayoutBatches: createBatchWaker(startPayoutBatch, (user_id, environment) =>
      findNextPayoutBatch(db, user_id, environment),
    ),
  };
}

/** Returns where the SDK exports its metrics, if they are to be shown: it cannot tell a port that it chose. */
async function installRuntime({ config, log }: ServiceOptions): Promise<string | undefined> {
  if (config.metrics.port === 0) {
    installTemporalRuntime(log);
    return undefined;
  }
  return startOnFreePort(0, async (port) => {
    const address = `${LOOPBACK}:${port}`;
    installTemporalRuntime(log, address);
    return address;
  });
}

/**
 * Connections for a reconciliation, of which one runs at a time, and for the jobs over months. They
 * are opened when they are needed, and closed when that is over.
 */
const PATIENT_POOL_SIZE = 4;
/** The limit of all statements but those over the whole books. */
const PATIENT_STATEMENT_MS = 60_000;

const NO_MAILS =
  'no mail can be sent: set SMTP_URL and MAIL_FROM, or nobody can confirm an address or set a new password';

const SECRETS_KEYS_MISSING =
  'SECRETS_KEYS is required: what webhook secrets are encrypted with (openssl rand -base64 32)';

/** Refuses an empty or older database at the start. One that is away may come back. */
async function requireSchema(db: Db): Promise<void> {
  const pending = await findPendingFiles(db).catch(() => []);
  if (pending.length === 0) return;
  throw new SchemaError('The schema is out of date: run npm run migrate.');
}

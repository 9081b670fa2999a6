// The HTTP server of a process: the API, the dashboard, and what only they need.

import { createApp } from '../api/app';
import { openAccessLog } from '../api/access-log';
import type { ApiDependencies, ApiMiddleware } from '../api/context';
import { createReservations } from '../api/rate-limits/reservations';
import { createSecrets } from '../api/rate-limits/secrets';
import { createStrangers } from '../api/rate-limits/strangers';
import type { Config } from '../config/load';
import type { DashboardDependencies } from '../dashboard/context';
import { createLiveUpdates } from '../dashboard/live';
import { dashboardOrigin } from '../dashboard/origin';
import { dashboardRouter } from '../dashboard/router';
import { createVisits } from '../dashboard/visits';
import { connectDatabase, type Db, type TraceStatement } from '../db/connect';
import { findSessionHashes } from '../db/sessions';
import { findActiveKeys, findShortCodes } from '../db/strangers';
import { loadCommonPasswords } from '../secrets/common-passwords';
import { createDevices } from '../secrets/device';
import { createKeyedHash } from '../secrets/signature';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import type { Tracing } from '../telemetry/trace';
import { createCircuitBreaker } from '../temporal/circuit-breaker';
import type { TemporalLink } from '../temporal/connect';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import { createIntentWorkflows, type IntentWorkflowOptions } from '../temporal/payment-intents';
import { createReversalWorkflows } from '../temporal/reversals';
import { createTransferWorkflows } from '../temporal/transfers';
import { startHttpServer } from './http-server';
import type { ServiceOptions } from './service';

type ApiParts = Omit<
  ApiDependencies,
  | 'breakers'
  | 'transfer_workflows'
  | 'intent_workflows'
  | 'reversal_workflows'
  | 'access_log'
  | 'reservations'
  | keyof ReturnType<typeof createStrangerLimits>
> & { readonly workflow_messages: WorkflowMessages };

export async function startApi(
  parts: ApiParts & {
    readonly intents: IntentWorkflowOptions;
    readonly wakeIdentityCheck: WakeIdentityCheck;
    readonly tracing: Tracing | undefined;
    readonly trace: TraceStatement | undefined;
    readonly link: TemporalLink;
  },
  { around, drain_ms }: Pick<ServiceOptions, 'around' | 'drain_ms'>,
): Promise<{ stop(): Promise<void> }> {
  const { config, db, log, workflow_messages, probeTemporal } = parts;
  const { client } = parts.link;
  const breakers = {
    live: createCircuitBreaker(probeTemporal),
    sandbox: createCircuitBreaker(probeTemporal),
  };
  const access_log = openAccessLog({
    db,
    file: config.access_log_file,
    max_bytes: config.access_log_file_bytes,
    onError: (error) => log({ part: 'access-log', error: String(error) }),
  });
  const api: ApiDependencies = {
    ...parts,
    breakers,
    transfer_workflows: createTransferWorkflows({
      ...{ client, breakers, config, log, workflow_messages, tracing: parts.tracing },
    }),
    reversal_workflows: createReversalWorkflows({
      ...{ client, breakers, config, log, workflow_messages },
    }),
    intent_workflows: createIntentWorkflows({ ...parts.intents, workflow_messages }),
    access_log,
    reservations: createReservations(),
    ...createStrangerLimits(config, db),
  };
  const operator_db =
    config.operator_database_url === undefined
      ? undefined
      : connectDatabase({
          url: config.operator_database_url,
          pool_size: OPERATOR_POOL_SIZE,
          name: 'payment-operators',
          trace: parts.trace,
        });
  const live = createLiveUpdates({ db, log });
  const look_ups = createSessionLookUps(config, api);
  await loadCommonPasswords();
  const { wakeIdentityCheck } = parts;
  const dashboard = dashboardRouter({ ...api, operator_db, live, wakeIdentityCheck, ...look_ups });
  const app = createApp(api, {
    ...{ around, in_front: dashboardOrigin(config), tracing: parts.tracing },
    pages: [dashboard.routes() as ApiMiddleware],
  });
  app.on('error', (error: unknown) => {
    if (!isCallerGone(error)) log({ part: 'http', error: String(error) });
  });
  const server = await startHttpServer(config, app.callback(), { drain_ms });
  return {
    async stop() {
      // Streams have no end of their own.
      live.close();
      await server.stop();
      for (const breaker of Object.values(breakers)) breaker.close();
      await access_log.close();
      await operator_db?.destroy();
    },
  };
}

/** A browser that closes its page in the middle of a stream is no fault. */
function isCallerGone(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Operators are few, and their decisions must not wait for each other long. */
const OPERATOR_POOL_SIZE = 4;

function createSessionLookUps(
  { secrets_keys }: Config,
  { db, strangers }: ApiDependencies,
): Pick<DashboardDependencies, 'session_secrets' | 'formToken' | 'devices' | 'visits'> {
  return {
    formToken: createKeyedHash(secrets_keys, 'dashboard form'),
    devices: createDevices(createKeyedHash(secrets_keys, 'dashboard device')),
    visits: createVisits(),
    session_secrets: createSecrets({
      strangers,
      async findRight(secrets) {
        const hashes = secrets.map((secret) => Buffer.from(secret, 'base64'));
        return (await findSessionHashes(db, hashes)).map((hash) => hash.toString('base64'));
      },
    }),
  };
}

function createStrangerLimits(
  { anonymous_requests_per_minute: per_minute }: Config,
  db: Db,
): Pick<ApiDependencies, 'strangers' | 'key_secrets' | 'link_secrets'> {
  const strangers = createStrangers({ per_minute });
  return {
    strangers,
    key_secrets: createSecrets({
      strangers,
      async findRight(secrets) {
        const hashes = secrets.map((secret) => Buffer.from(secret, 'base64'));
        return (await findActiveKeys(db, hashes)).map((hash) => hash.toString('base64'));
      },
    }),
    link_secrets: createSecrets({ strangers, findRight: (codes) => findShortCodes(db, codes) }),
  };
}

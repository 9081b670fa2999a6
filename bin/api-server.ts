// The HTTP server of a process: the API, the dashboard, and what only they need.

import { createApp } from '../api/app';
import { openAccessLog } from '../http/access-log';
import type { ApiDependencies } from '../api/context';
import { FAULTY_OPERATIONS } from '../api/routes';
import type { HttpMiddleware } from '../http/context';
import { createSlowRequests } from '../api/sandbox/slow-requests';
import { createReservations } from '../api/rate-limits/reservations';
import { createStrangers } from '../http/strangers';
import { dashboardOrigin } from '../dashboard/origin';
import { dashboardRouter } from '../dashboard/router';
import { createVisits } from '../dashboard/visits';
import { connectDatabase } from '../db/connect';
import { loadCommonPasswords } from '../secrets/common-passwords';
import { createDevices } from '../secrets/device';
import { createKeyedHash } from '../secrets/hash';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import { createCircuitBreaker } from '../temporal/circuit-breaker';
import type { TemporalLink } from '../temporal/connect';
import type { AccountDependencies } from '../use-cases/screening/screen';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import type { StartReconciliation } from '../temporal/reconciliations';
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
  | 'slow_requests'
  | 'strangers'
> & { readonly workflow_messages: WorkflowMessages };

export async function startApi(
  parts: ApiParts & {
    readonly intents: IntentWorkflowOptions;
    readonly wakeIdentityCheck: WakeIdentityCheck;
    readonly screening: AccountDependencies;
    readonly startReconciliation: StartReconciliation;
    readonly link: TemporalLink;
  },
  { around, drain, log: writeLine }: Pick<ServiceOptions, 'around' | 'drain' | 'log'>,
): Promise<{ stop(): Promise<void> }> {
  const { config, db, log, workflow_messages, probeTemporal } = parts;
  const { client } = parts.link;
  const breakers = {
    live: createCircuitBreaker(probeTemporal),
    sandbox: createCircuitBreaker(probeTemporal),
  };
  const access_log = openAccessLog({
    db,
    log: writeLine,
    onError: (error) => log({ part: 'access-log', error: String(error) }),
  });
  const api: ApiDependencies = {
    ...parts,
    breakers,
    transfer_workflows: createTransferWorkflows({
      client,
      breakers,
      config,
      log,
      workflow_messages,
    }),
    reversal_workflows: createReversalWorkflows({
      client,
      breakers,
      config,
      log,
      workflow_messages,
    }),
    intent_workflows: createIntentWorkflows({ ...parts.intents, workflow_messages }),
    access_log,
    reservations: createReservations(),
    slow_requests: createSlowRequests(),
    strangers: createStrangers({ per_minute: config.anonymous_requests_per_minute }),
  };
  const operator_db =
    config.operator_database_url === undefined
      ? undefined
      : connectDatabase({
          url: config.operator_database_url,
          pool_size: OPERATOR_POOL_SIZE,
          name: 'payment-operators',
          has_patient: true,
        });
  await loadCommonPasswords();
  const { wakeIdentityCheck, screening, startReconciliation } = parts;
  const dashboard = dashboardRouter({
    ...api,
    operator_db,
    wakeIdentityCheck,
    screening,
    startReconciliation,
    formToken: createKeyedHash(config.secrets_keys, 'dashboard form'),
    devices: createDevices(createKeyedHash(config.secrets_keys, 'dashboard device')),
    visits: createVisits(),
    operations: FAULTY_OPERATIONS,
  });
  const app = createApp(api, {
    around,
    in_front: dashboardOrigin(config),
    pages: [dashboard.routes() as HttpMiddleware],
  });
  app.on('error', (error: unknown) => {
    if (!isCallerGone(error)) log({ part: 'http', error: String(error) });
  });
  const server = await startHttpServer(config, app.callback(), drain);
  return {
    async stop() {
      api.slow_requests.close();
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

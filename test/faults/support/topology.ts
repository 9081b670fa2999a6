// The production shape (test/topology/harness) as the experiments' load and checks know a system: callers and
// customers go through Caddy over TLS, checks go to Postgres, Temporal and the simulator themselves.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PREFIX } from '../../../http/prefix';
import { TEST_SECRETS_KEY } from '../../support/secrets';
import { waitFor } from '../../support/wait';
import type { KeptProcess } from '../../topology/harness/kept-process';
import { startTopology, type Topology } from '../../topology/harness/topology';
import { APP_SETTINGS, connectChecks, type System } from './cluster';

export interface TopologySystem extends System {
  /** Finds them by name or service; returns all of them when none is named. */
  processes(...names: string[]): readonly KeptProcess[];
}

/**
 * Lost shards, tasks and connections are found out by timeouts of seconds to tens of seconds,
 * and eight processes want a processor, where the embedded
 * server, one process, has them back at once.
 */
const SLOWNESS = 30;
const READY_LIMIT_MS = 300_000;
const SETTINGS = { ...APP_SETTINGS, WEBHOOK_ALLOW_PRIVATE: 'true' };
const OURS = ['api', 'worker', 'sandbox-gateway'];
const GATEWAY_SECRET = 'the-sandbox-secret-of-the-topology';

export async function startTopologySystem(): Promise<TopologySystem> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-faults-'));
  const topology = await startTopology({
    folder,
    variables: {
      SECRETS_KEYS: TEST_SECRETS_KEY,
      SANDBOX_GATEWAY_SECRET: GATEWAY_SECRET,
      // The funds of an experiment's users need no second operator.
      APPROVAL_ABOVE_XOF: 'off',
      APPROVAL_ABOVE_EUR: 'off',
      APPROVAL_ABOVE_USD: 'off',
    },
    settingsOf: (service) => (['api', 'worker'].includes(service) ? SETTINGS : {}),
  });
  const connections = connectTo(topology);
  const { database } = connections;
  // A seed picks among them: the order in which they got ready differs in each run.
  const listed = topology.processes.toSorted((a, b) => a.name.localeCompare(b.name));
  const processes = (...names: string[]): KeptProcess[] =>
    listed.filter(
      ({ name, service }) => names.length === 0 || names.includes(name) || names.includes(service),
    );
  const [gateway] = processes('sandbox-gateway') as [KeptProcess];
  return {
    folder,
    processes,
    database,
    db: database.db,
    apis: [{ name: 'caddy', base_url: topology.origin + PREFIX }],
    gateway: {
      url: `http://127.0.0.1:${topology.port('sandbox-gateway')}`,
      file: join(folder, 'sandbox-gateway.jsonl'),
      // Only Stripe takes live payments in production.
      secrets: { live: [], sandbox: [GATEWAY_SECRET] },
      isRunning: () => gateway.pid() !== undefined,
    },
    temporal_address: topology.temporal_address,
    temporal_namespace: 'payments',
    ca: topology.ca,
    slowness: SLOWNESS,
    unasked_ends: () => processes(...OURS).reduce((sum, one) => sum + one.unasked_ends(), 0),
    async heal() {
      const all = processes();
      for (const process of all) process.thaw();
      await Promise.all(all.map((process) => process.resume()));
      for (const { name } of processes('api')) await untilReady(topology.port(name));
    },
    async close({ keep_folder }) {
      await connections.close();
      await topology.stop();
      if (!keep_folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function connectTo(topology: Topology): ReturnType<typeof connectChecks> {
  const { DATABASE_URL: app_url } = topology.environment('api');
  const { OPERATOR_DATABASE_URL: operator_url } = topology.environment('cli');
  return connectChecks({
    name: 'payments',
    app_url: app_url!,
    operator_url: operator_url!,
    owner_url: topology.superuser_url('payments'),
  });
}

/** It reaches Postgres and Temporal. */
async function untilReady(port: number): Promise<void> {
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/ready`, { headers: { 'X-Forwarded-Proto': 'https' } }).then(
        ({ ok }) => ok,
        () => false,
      ),
    READY_LIMIT_MS,
  );
}

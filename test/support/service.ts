// The real service, API and worker in one, on a free port and a task queue of its own.

import { randomBytes } from 'node:crypto';
import { IllegalStateError } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import { PREFIX } from '../../http/prefix';
import { startService, type ServiceOptions } from '../../bin/service';
import { loadConfig, type Config } from '../../config/load';
import type { AccessEntry } from '../../db/requests/access-log';
import { closeAfterFile } from './cleanup';
import type { TestDatabase } from './database';
import { pickTestPort } from './ports';
import { TEST_SECRETS_KEY } from './secrets';
import { readStack } from './stack';

// A process has one Temporal runtime and one service; a process of tests may have two services. A file that installs
// a runtime and connects to no server leaves it behind, and the next file's settings would be ignored.
const install = Runtime.install.bind(Runtime);
Runtime.install = (options) => {
  try {
    const runtime = install(options);
    closeAfterFile(() => runtime.shutdown());
    return runtime;
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    return Runtime.instance();
  }
};

export type AccessLine = AccessEntry & { readonly log: 'access'; readonly trace_id?: string };

export interface TestService {
  /** `http://127.0.0.1:<port>`: what is outside of the prefix, such as /openapi.json. */
  readonly origin: string;
  /** The origin with the path prefix. */
  readonly base_url: string;
  readonly config: Config;
  /** The operators' log, but for the access log: one entry a line. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly access_lines: readonly AccessLine[];
  /** Called by itself after the file; safe to call twice. */
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  readonly database: TestDatabase;
  readonly overrides?: Partial<Config>;
  /** Whether it also delivers webhooks; not by default, because most tests have none. */
  readonly webhooks?: boolean;
  readonly around?: ServiceOptions['around'];
}

export async function startTestService({
  database,
  overrides = {},
  webhooks = false,
  around,
}: TestServiceOptions): Promise<TestService> {
  const config = { ...(await defaultConfig(database)), ...overrides };
  const log: Readonly<Record<string, unknown>>[] = [];
  const access_lines: AccessLine[] = [];
  const service = await startService({
    config,
    roles: { api: true, webhooks },
    around,
    log: (entry) =>
      entry['log'] === 'access'
        ? access_lines.push(entry as unknown as AccessLine)
        : log.push(entry),
  });
  let is_stopping = false;
  const stop = (): Promise<void> => {
    is_stopping = true;
    return service.stop();
  };
  // A worker that fails ends the test. The SDK seldom finds a worker that has stopped "still in use", and says so late.
  service.failed.catch((error: unknown) => {
    if (!is_stopping) throw error;
  });
  closeAfterFile(stop);
  const origin = `${config.tls ? 'https' : 'http'}://${config.host}:${config.port}`;
  return { origin, base_url: origin + PREFIX, config, log, access_lines, stop };
}

async function defaultConfig({ app_url, operator_url, owner_url }: TestDatabase): Promise<Config> {
  const { temporal_address, workflow_bundle, folder } = readStack();
  const port = await pickTestPort();
  return loadConfig({
    PORT: String(port),
    DATABASE_URL: app_url,
    DATABASE_OWNER_URL: owner_url,
    OPERATOR_DATABASE_URL: operator_url,
    DATABASE_POOL_SIZE: '10',
    TEMPORAL_ADDRESS: temporal_address,
    WORKFLOW_BUNDLE: workflow_bundle,
    TASK_QUEUE: `test-${randomBytes(8).toString('hex')}`,
    DATA_DIRECTORY: folder,
    SECRETS_KEYS: TEST_SECRETS_KEY,
    // Every test is the same address.
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
    // The receivers of tests.
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
    // A schedule of a task queue would outlive its test.
    NOTIFICATION_SWEEP_SECONDS: '0',
    METRICS_PORT: '0',
    RECONCILE_SCHEDULE: 'off',
  });
}

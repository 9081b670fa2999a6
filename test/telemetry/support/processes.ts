// The API and a worker as processes of their own, with and without tracing, beside a gateway in this one.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PREFIX } from '../../../api/prefix';
import { buildCli } from '../../cli/support/cli';
import { createAppProcess, type AppProcess } from '../../faults/support/app-process';
import { closeAfterFile } from '../../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { pickTestPort } from '../../support/ports';
import { startTestGateway, type RunningGateway } from '../../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../../support/secrets';
import { readStack } from '../../support/stack';

type Variables = Readonly<Record<string, string>>;

/** One database, task queue and gateway for the processes of a test file. */
export interface Installation {
  readonly database: TestDatabase;
  readonly task_queue: string;
  readonly gateway: RunningGateway;
  startApi(variables?: Variables): Promise<ApiProcess>;
  startWorker(variables?: Variables): Promise<RunningProcess>;
}

export interface RunningProcess extends AppProcess {
  readonly metrics_url: string;
  /** Its standard error, line by line. */
  logged(): readonly Readonly<Record<string, unknown>>[];
}

export interface ApiProcess extends RunningProcess {
  readonly base_url: string;
  accessLines(): readonly Readonly<Record<string, unknown>>[];
}

const DIST = join(__dirname, '..', '..', '..', 'dist', 'bin');

/** The gateway's notifications go to the first API. */
export async function createInstallation(): Promise<Installation> {
  const database = await createTestDatabase();
  await buildCli(database);
  const { folder, temporal_address } = readStack();
  const task_queue = `traces-${randomBytes(8).toString('hex')}`;
  const first_port = await pickTestPort();
  const origin = `http://127.0.0.1:${first_port}`;
  const gateway = await startTestGateway({
    notification_url: `${origin}/internal/gateway/notifications`,
  });
  const shared: Variables = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: database.app_url,
    TEMPORAL_ADDRESS: temporal_address,
    TASK_QUEUE: task_queue,
    SECRETS_KEYS: TEST_SECRETS_KEY,
    SANDBOX_GATEWAY_URL: gateway.url,
    SANDBOX_GATEWAY_SECRETS: gateway.secrets.sandbox.join(','),
    LIVE_SIMULATOR_SECRETS: gateway.secrets.live.join(','),
    PUBLIC_URL: origin,
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
    // A schedule of a task queue would outlive its test.
    NOTIFICATION_SWEEP_SECONDS: '0',
    RECONCILE_SCHEDULE: 'off',
  };
  let started = 0;

  const start = async (kind: 'api' | 'worker', own: Variables): Promise<RunningProcess> => {
    started += 1;
    const name = `${kind}-${started}-${task_queue}`;
    const metrics_port = await pickTestPort();
    const log_file = join(folder, `${name}.log`);
    const running = createAppProcess({
      ...{ name, log_file, script: join(DIST, `${kind}.js`) },
      env: { ...shared, METRICS_PORT: String(metrics_port), DATA_DIRECTORY: folder, ...own },
    });
    closeAfterFile(() => running.close());
    await running.start();
    const metrics_url = `http://127.0.0.1:${metrics_port}/metrics`;
    return { ...running, metrics_url, logged: () => readLines(log_file) };
  };

  return {
    ...{ database, task_queue, gateway },
    async startApi(variables = {}) {
      const port = started === 0 ? first_port : await pickTestPort();
      const access_log = join(folder, `access-${port}-${task_queue}.log`);
      const own = { PORT: String(port), ACCESS_LOG_FILE: access_log, ...variables };
      return {
        ...(await start('api', own)),
        base_url: `http://127.0.0.1:${port}${PREFIX}`,
        accessLines: () => readLines(access_log),
      };
    },
    startWorker: (variables = {}) => start('worker', variables),
  };
}

function readLines(file: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

// The sandbox gateway for `npm start`: the one in the environment variables, or one that it starts.

import { join } from 'node:path';
import type { Config } from '../config/load';
import { CHILD_PATH, startChild, waitUntilReady, type Child } from './embedded/child';
import { EmbeddedError } from './embedded/error';
import { endOwner } from './embedded/run-lock';
import { choosePort, loadOrCreateSecret, makePassword, startPart, type DevRun } from './dev-run';

const NAME = 'The sandbox gateway';
const READY_SECONDS = 20;
const STOP_STEPS = [
  { signal: 'SIGTERM', wait_seconds: 10 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

/** Starts the simulator in its own process, for the sandbox and, without Stripe, for live too. */
export async function startGateway(run: DevRun, public_url: string): Promise<Config['gateway']> {
  const { gateway, given } = run.given;
  // Uses the API's actual address: its port may have been replaced.
  const notification_url = given.has('GATEWAY_NOTIFICATION_URL')
    ? gateway.simulator_process.notification_url
    : public_url + gateway.notification_path;
  const simulator_process = { ...gateway.simulator_process, notification_url };
  if (gateway.simulator) return { ...gateway, simulator_process };
  run.say('Starting the sandbox gateway …');
  // A start that was killed leaves its simulator running, on the port and the file that this one takes.
  await endOwner(`${simulator_process.file}.lock`, STOP_STEPS);
  const has_real_gateway = (gateway.stripe ?? gateway.pawapay) !== undefined;
  const secrets = gatewaySecrets(run);
  const port = await choosePort(run, 'SANDBOX_GATEWAY_PORT', simulator_process.port);
  const url = `http://127.0.0.1:${port}`;
  await startPart(run, NAME, () =>
    startGatewayProcess({
      log_file: join(run.logs, 'sandbox-gateway.log'),
      port,
      settings: {
        SANDBOX_GATEWAY_PORT: String(port),
        SANDBOX_GATEWAY_URL: url,
        SANDBOX_GATEWAY_FILE: simulator_process.file,
        SANDBOX_GATEWAY_SECRETS: secrets.sandbox,
        ...(has_real_gateway ? {} : { LIVE_SIMULATOR_SECRETS: secrets.live }),
        GATEWAY_NOTIFICATION_URL: notification_url,
      },
    }),
  );
  const live = has_real_gateway ? [] : [secrets.live];
  return {
    ...gateway,
    simulator: { url, secrets: { live, sandbox: [secrets.sandbox] } },
    simulator_process,
  };
}

/** Created once and kept in the data folder, where the command line finds them. */
function gatewaySecrets(run: DevRun): { readonly live: string; readonly sandbox: string } {
  const secret = (): string => makePassword(40);
  const text = loadOrCreateSecret(
    run,
    'gateway-secrets.json',
    () => `${JSON.stringify({ live: secret(), sandbox: secret() }, null, 2)}\n`,
  );
  return JSON.parse(text) as { live: string; sandbox: string };
}

async function startGatewayProcess(options: {
  readonly log_file: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<Child> {
  const { port, settings, log_file } = options;
  const child = await startChild({
    name: NAME,
    command: process.execPath,
    args: [join(__dirname, '..', 'bin', 'sandbox-gateway.js')],
    cwd: process.cwd(),
    env: { PATH: CHILD_PATH, ...settings },
    log_file,
    stop_steps: STOP_STEPS,
  });
  await waitUntilReady(
    child,
    READY_SECONDS,
    () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (log) => new EmbeddedError(`${NAME} did not start. The last lines of its log:\n${log}`),
  );
  return child;
}

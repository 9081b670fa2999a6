// The sandbox gateway as a process of its own.

import { takeLock } from '../embedded/run-lock';
import { startSandboxGateway, type SandboxGatewayOptions } from '../gateway/sandbox/server';

type Settings = Pick<
  SandboxGatewayOptions,
  'port' | 'file' | 'secrets' | 'notification_url' | 'public_url'
>;

const DEFAULT_PORT = 8090;

async function main(): Promise<void> {
  const stopped = stopSignal();
  const settings = readSettings(process.env);
  const lock = takeLock(`${settings.file}.lock`);
  if (!('release' in lock)) throw new Error(`process ${lock.pid} writes ${settings.file}`);
  try {
    const gateway = await startSandboxGateway({ ...settings, log: logLine });
    logLine({ log: 'ready', at: new Date().toISOString(), url: gateway.url });
    if (settings.secrets.live.length > 0) {
      logLine({ warning: 'the simulator stands in for the live gateway: no real money moves' });
    }
    await Promise.race([stopped, gateway.failed]);
    await gateway.stop();
  } finally {
    lock.release();
  }
}

function readSettings(env: NodeJS.ProcessEnv): Settings {
  const faults: string[] = [];
  const required = (name: string): string => {
    const text = env[name] ?? '';
    if (text === '') faults.push(`${name} is required`);
    return text;
  };
  const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) < 65_536;
  const port = env['SANDBOX_GATEWAY_PORT'] ?? String(DEFAULT_PORT);
  if (!isPort(port)) faults.push('SANDBOX_GATEWAY_PORT must be a port');
  const public_url = env['SANDBOX_GATEWAY_URL'];
  const settings = {
    port: Number(port),
    file: required('SANDBOX_GATEWAY_FILE'),
    secrets: {
      live: listOf(env['LIVE_SIMULATOR_SECRETS'] ?? ''),
      sandbox: listOf(required('SANDBOX_GATEWAY_SECRETS')),
    },
    notification_url: required('GATEWAY_NOTIFICATION_URL'),
    ...(public_url === undefined ? {} : { public_url }),
  };
  for (const [name, url] of [
    ['GATEWAY_NOTIFICATION_URL', settings.notification_url],
    ['SANDBOX_GATEWAY_URL', public_url ?? ''],
  ] as const) {
    if (url !== '' && !URL.canParse(url)) faults.push(`${name} must be a URL`);
  }
  if (faults.length > 0)
    throw new Error(`the settings are not complete:\n  ${faults.join('\n  ')}`);
  return settings;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** As in bin/process.ts, which would load the whole service, Temporal included, for three lines. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}

function logLine(entry: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`sandbox gateway: ${message}\n`);
  // At once: a journal that cannot be written promises nothing, and neither may the server.
  process.exit(1);
});

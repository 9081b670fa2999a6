// The production shape as processes: each service of docker-compose.yml as often as it says, with its
// settings and scripts, in the order of its `depends_on`, on the loopback interface.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { PREFIX } from '../../../http/prefix';
import { CHILD_PATH, startChild, waitUntilReady, type Child } from '../../../dev/embedded/child';
import { EmbeddedError } from '../../../dev/embedded/error';
import { isListening, LOOPBACK } from '../../../dev/embedded/ports';
import { signalProcess, signalTree } from '../../../dev/embedded/process';
import { makeSealingKey } from '../../../secrets/keyring';
import { makeAuthority, writeCertificate, type Authority } from '../../support/certificate';
import { pickTestPort } from '../../support/ports';
import { readCompose, type ComposeService, type Variables } from './compose-file';
import { keepRunning, type KeptProcess, type Launched } from './kept-process';
import { commandLine, environmentOf, localCaddyfile, type Place, type Ports } from './local';
import { startTopologyPostgres } from './postgres';
import { acquirePrograms } from './programs';

/** The place and its authority, before the first process starts. */
export interface Prepared extends Place {
  readonly authority: Authority;
}

export interface TopologyOptions {
  /** Gets everything: data, logs, certificates. */
  readonly folder: string;
  /** Stand for lines of `.env`. */
  readonly variables?: Variables;
  /** Added to what docker-compose.yml sets for a service, at each start of a process. */
  readonly settingsOf?: (service: string, name: string, prepared: Prepared) => Variables;
}

export interface Topology {
  readonly folder: string;
  /** `https://localhost:…` */
  readonly origin: string;
  /** The authority of its certificates, in PEM. */
  readonly ca: string;
  readonly processes: readonly KeptProcess[];
  /** Returns where a process listens, past Caddy. */
  port(name: string): number;
  /** Returns what a container of the service would have; the command line gets the same. */
  environment(service: string): Variables;
  superuser_url(database: string): string;
  /** The service finds Temporal here; `frontend_addresses` has each frontend by itself. */
  readonly temporal_address: string;
  readonly frontend_addresses: readonly string[];
  stop(): Promise<void>;
}

/** No program of theirs is built here; all it would do is show. */
const NOT_RUN = 'temporalio/ui';
const READY_SECONDS = 120;
const TASK_ATTEMPTS = 6;
const STOP_STEPS = [
  { signal: 'SIGTERM', wait_seconds: 50 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const closers: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    return { ...(await open(options, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  { folder, variables, settingsOf }: TopologyOptions,
  closers: (() => Promise<unknown> | void)[],
): Promise<Omit<Topology, 'stop'>> {
  // Postgres runs as another user than root, and must be able to enter.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const domains = {
    main: await pickTestPort(),
    sandbox: await pickTestPort(),
    http: await pickTestPort(),
  };
  const compose = readCompose({
    ...makeSecrets(),
    ...variables,
    DOMAIN: `localhost:${domains.main}`,
    SANDBOX_DOMAIN: `localhost:${domains.sandbox}`,
  });
  const services = compose.services.filter(
    ({ is_optional, image }) => !is_optional && image !== NOT_RUN,
  );
  const ports: Record<string, Ports> = {};
  for (const name of services.filter(({ is_task }) => !is_task).flatMap(namesOf)) {
    ports[name] = {
      main: await pickTestPort(),
      membership: await pickTestPort(),
      http: await pickTestPort(),
    };
  }
  const portsOf = (name: string): number[] =>
    namesOf(services.find((one) => one.name === name)!).map((one) => ports[one]!.main);
  const temporal_port = await pickTestPort();
  const authority = makeAuthority();
  const prepared: Prepared = {
    folder,
    ports,
    authority,
    ca_file: join(folder, 'ca.pem'),
    programs: await acquirePrograms(join(folder, 'tools')),
    addresses: {
      'postgres:5432': `${LOOPBACK}:${ports['postgres']!.main}`,
      'temporal:7233': `${LOOPBACK}:${temporal_port}`,
      'sandbox-gateway:8090': `${LOOPBACK}:${ports['sandbox-gateway']!.main}`,
    },
  };
  const files = { cert_file: join(folder, 'caddy.crt'), key_file: join(folder, 'caddy.key') };
  writeFileSync(prepared.ca_file, authority.cert);
  writeCertificate(files, authority.issue({ names: ['localhost'] }));
  const caddyfile = localCaddyfile({
    ...files,
    http_port: domains.http,
    https_port: domains.main,
    api_ports: portsOf('api'),
    gateway_port: ports['sandbox-gateway']!.main,
  });
  writeFileSync(join(folder, 'Caddyfile'), caddyfile);
  closers.push(await shareOut(temporal_port, portsOf('temporal-frontend')));

  const processes: KeptProcess[] = [];
  let superuserUrl: ((database: string) => string) | undefined;
  const logOf = (name: string): string => join(folder, 'logs', `${name}.log`);
  const environmentIn = (service: ComposeService, name: string): Variables => ({
    ...environmentOf(service, name, prepared),
    ...settingsOf?.(service.name, name, prepared),
  });
  const startProcess = (service: ComposeService, name: string): Promise<Child> =>
    startChild({
      name,
      cwd: folder,
      log_file: logOf(name),
      stop_steps: STOP_STEPS,
      ...commandLine(service, prepared),
      env: {
        PATH: `${prepared.programs.tools}:${CHILD_PATH}`,
        HOME: folder,
        ...environmentIn(service, name),
      },
      shares_group: true,
    });
  const launch = async (service: ComposeService, name: string): Promise<Launched> => {
    const port = ports[name]!.main;
    if (service.name === 'postgres') {
      const options = { folder, port, log_file: logOf(name) };
      const postgres = await startTopologyPostgres(service, options);
      superuserUrl = (database) => postgres.superuser_url(database);
      return postgres;
    }
    const child = await startProcess(service, name);
    const explain = (tail: string): EmbeddedError =>
      new EmbeddedError(`${name} did not start:\n${tail}`);
    const probe = (): Promise<boolean> => isReady(service, port, child, authority.cert);
    await waitUntilReady(child, READY_SECONDS, probe, explain);
    return child;
  };
  const runTask = async (service: ComposeService): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const child = await startProcess(service, service.name);
      if ((await child.exited).code === 0) return;
      if (attempt === TASK_ATTEMPTS) throw new Error(`${service.name}:\n${child.logTail()}`);
    }
  };
  const startReplica = async (service: ComposeService, name: string): Promise<void> => {
    // Postgres' sessions are processes of their own.
    const signal = service.name === 'postgres' ? signalTree : signalProcess;
    const kept = await keepRunning({
      name,
      service: service.name,
      signal,
      launch: () => launch(service, name),
    });
    processes.push(kept);
    closers.push(() => kept.stop());
  };
  /** Each as soon as what it depends on is ready, or has ended if it is a task. */
  const started = new Map<string, Promise<unknown>>();
  const start = (service: ComposeService): Promise<unknown> => {
    const own = async (): Promise<unknown> => {
      const needed = services.filter(({ name }) => service.depends_on.includes(name));
      await Promise.all(needed.map(start));
      if (service.is_task) return runTask(service);
      return Promise.all(namesOf(service).map((name) => startReplica(service, name)));
    };
    if (!started.has(service.name)) started.set(service.name, own());
    return started.get(service.name)!;
  };
  // All of them come to an end before a failure is told: what has started has to be stopped.
  const results = await Promise.allSettled(services.map(start));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return {
    folder,
    processes,
    ca: authority.cert,
    origin: `https://localhost:${domains.main}`,
    superuser_url: (database) => superuserUrl!(database),
    temporal_address: `${LOOPBACK}:${temporal_port}`,
    frontend_addresses: portsOf('temporal-frontend').map((port) => `${LOOPBACK}:${port}`),
    port: (name) => ports[name]!.main,
    environment: (name) =>
      environmentIn(
        compose.services.find((service) => service.name === name)!,
        name,
      ),
  };
}

/** An operator writes these into `.env`. */
function makeSecrets(): Variables {
  const names = [
    'POSTGRES_PASSWORD',
    'PAYMENTS_OWNER_PASSWORD',
    'PAYMENTS_APP_PASSWORD',
    'PAYMENTS_OPERATOR_PASSWORD',
    'TEMPORAL_DB_PASSWORD',
    'SANDBOX_GATEWAY_SECRET',
  ];
  const secrets = names.map((name) => [name, randomBytes(24).toString('hex')]);
  return { ...Object.fromEntries(secrets), SECRETS_KEYS: makeSealingKey() };
}

function namesOf({ name, replicas }: ComposeService): string[] {
  if (replicas === 1) return [name];
  return Array.from({ length: replicas }, (_, index) => `${name}-${index + 1}`);
}

/** Asks what the health checks of the compose file ask; a worker says that it is ready. */
async function isReady(
  { name, environment }: ComposeService,
  port: number,
  child: Child,
  ca: string,
): Promise<boolean> {
  switch (name) {
    case 'api':
      return isOk(`http://${LOOPBACK}:${port}/ready`, ca);
    case 'sandbox-gateway':
      return isOk(`http://${LOOPBACK}:${port}/health`, ca);
    case 'worker':
      return child.logHead().includes('"log":"ready"');
    case 'caddy':
      return isOk(`https://${environment['DOMAIN']}${PREFIX}/health`, ca);
    default:
      return isListening(port);
  }
}

async function isOk(url: string, ca: string): Promise<boolean> {
  const dispatcher = new Agent({ connect: { ca } });
  try {
    const headers = { 'X-Forwarded-Proto': 'https' };
    const { statusCode, body } = await request(url, { dispatcher, headers });
    await body.dump();
    return statusCode === 200;
  } catch {
    // It does not listen yet.
    return false;
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Stands in for Docker's DNS at a service with several containers: one address, and each new connection goes to the
 * next of those that are up.
 */
async function shareOut(port: number, targets: readonly number[]): Promise<() => void> {
  const open = new Set<{ destroy(): void }>();
  let turn = 0;
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (caller) => {
    const first = turn++;
    open.add(caller);
    caller.on('error', () => undefined);
    const forward = (tries: number): void => {
      if (tries === targets.length) return void caller.destroy();
      const target = connect({
        host: LOOPBACK,
        port: targets[(first + tries) % targets.length]!,
        noDelay: true,
      });
      open.add(target);
      let is_connected = false;
      target.on('error', () => (is_connected ? undefined : forward(tries + 1)));
      target.once('close', () => open.delete(target) && is_connected && caller.destroy());
      target.once('connect', () => {
        is_connected = true;
        caller.pipe(target).pipe(caller);
        caller.once('close', () => target.destroy());
      });
    };
    caller.once('close', () => open.delete(caller));
    forward(0);
  });
  await new Promise<void>((resolve) => server.listen({ host: LOOPBACK, port }, resolve));
  return () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
}

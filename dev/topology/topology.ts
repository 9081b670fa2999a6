// The production shape as processes: each service of docker-compose.yml as often as it says, with its
// settings and scripts, in the order of its `depends_on`, on the loopback interface.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { PREFIX } from '../../api/prefix';
import { CHILD_PATH, startChild, waitUntilReady, type Child } from '../../embedded/child';
import { makeAuthority, writeCertificate, type Authority } from '../../embedded/certificate';
import { EmbeddedError } from '../../embedded/error';
import { isListening, LOOPBACK, pickPort } from '../../embedded/ports';
import { signalProcess, signalTree } from '../../embedded/process';
import { takeRunLock } from '../../embedded/run-lock';
import { localCaddyfile } from './caddyfile';
import { readCompose, type ComposeFile, type ComposeService, type Variables } from './compose-file';
import { openForwarder } from './forwarder';
import { startGuardian, type Guardian } from './guardian';
import { keepRunning, type KeptProcess } from './kept-process';
import {
  commandLine,
  environmentOf,
  imageOf,
  type Place,
  type Ports,
  type Programs,
} from './local';
import { startTopologyPostgres } from './postgres';
import { loadSecrets } from './settings';
import { secureTemporal, type Security, type TemporalSecurity } from './temporal-security';

export interface TopologyOptions {
  /** Keeps everything: data, logs, passwords, certificates. */
  readonly folder: string;
  readonly programs: Programs;
  readonly say: (text: string) => void;
  /** The first of the range in which ports are looked for. */
  readonly first_port: number;
  /** As if they stood in `.env`. */
  readonly variables?: Variables;
  /** Added to what docker-compose.yml sets for a service, at each start of a process. */
  readonly settingsOf?: (service: string) => Variables;
  /** The folder whose `dist` a process of ours runs, asked for at each start; this checkout when left out. */
  readonly programFolder?: (service: string) => string;
  /** What Temporal demands of its callers; by default nothing, as in docker-compose.yml. */
  readonly temporal_security?: TemporalSecurity;
}

export interface Topology {
  readonly folder: string;
  /** `https://localhost:…` */
  readonly origin: string;
  readonly sandbox_origin: string;
  /** The authority of its certificates, in PEM. */
  readonly ca: string;
  readonly processes: readonly KeptProcess[];
  /** Where a process listens, past Caddy. */
  port(name: string): number;
  /** Of the command line, and of any other process of a service: what its container would have. */
  environment(service: string): Variables;
  readonly superuser_url: (database: string) => string;
  /** Where the service finds Temporal, and each frontend by itself. */
  readonly temporal_address: string;
  readonly frontend_addresses: readonly string[];
  stop(): Promise<void>;
}

/** No program of theirs is built here; all it would do is show. */
const NOT_RUN = new Set(['temporalio/ui']);

const READY_SECONDS = 120;
const TASK_ATTEMPTS = 6;
const STOP_STEPS = [
  { signal: 'SIGTERM', wait_seconds: 50 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

type Closers = (() => Promise<unknown> | void)[];

export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const closers: Closers = [];
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    return await open(options, closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the parts of one start share. */
interface Run {
  readonly options: TopologyOptions;
  readonly place: Place;
  readonly guardian: Guardian;
  readonly security: Security | undefined;
  readonly closers: Closers;
  readonly processes: KeptProcess[];
  superuser_url: (database: string) => string;
}

async function open(
  options: TopologyOptions,
  closers: Closers,
  stop: () => Promise<void>,
): Promise<Topology> {
  const { folder, programs } = options;
  // Postgres runs as another user than root, and must be able to enter.
  mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const lock = takeRunLock(folder);
  closers.push(() => lock.release());
  const take = portTaker(options.first_port);
  const domains = { main: await take(), sandbox: await take(), http: await take() };
  const compose = readCompose({
    ...loadSecrets(folder),
    ...options.variables,
    DOMAIN: `localhost:${domains.main}`,
    SANDBOX_DOMAIN: `localhost:${domains.sandbox}`,
  });
  const services = compose.services.filter(
    (service) => !service.is_optional && !NOT_RUN.has(imageOf(service)),
  );
  const ports = await takePorts(services, take);
  const addresses = {
    'postgres:5432': `${LOOPBACK}:${ports['postgres']!.main}`,
    'temporal:7233': `${LOOPBACK}:${await take()}`,
    'sandbox-gateway:8090': `${LOOPBACK}:${ports['sandbox-gateway']!.main}`,
  };
  const authority = makeAuthority();
  const ca_file = join(folder, 'ca.pem');
  writeFileSync(ca_file, authority.cert);
  const place: Place = { folder, ports, addresses, ca_file, programs };
  writeCaddyfile(place, authority, services, domains);

  const frontends = portsOf(services, ports, 'temporal-frontend');
  const forwarder = await openForwarder(portIn(addresses['temporal:7233']), frontends);
  closers.push(() => forwarder.close());
  const guardian = startGuardian();
  // Last: until then it would end what is left.
  closers.push(() => guardian.stop());
  const security =
    options.temporal_security && secureTemporal(options.temporal_security, authority, folder);
  const run: Run = {
    ...{ options, place, guardian, security, closers },
    processes: [],
    superuser_url: () => '',
  };
  await startAll(run, services);
  return {
    ...{ folder, processes: run.processes, stop },
    ...{ ca: authority.cert, superuser_url: run.superuser_url },
    origin: `https://localhost:${domains.main}`,
    sandbox_origin: `https://localhost:${domains.sandbox}`,
    temporal_address: addresses['temporal:7233'],
    frontend_addresses: frontends.map((port) => `${LOOPBACK}:${port}`),
    port: (name) => ports[name]!.main,
    environment: (name) => environmentIn(run, serviceNamed(compose, name), name),
  };
}

/** Each as soon as what it depends on has started, is ready, or has ended, as the file says. */
async function startAll(run: Run, services: readonly ComposeService[]): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const start = (service: ComposeService): Promise<void> => {
    const known = started.get(service.name);
    if (known !== undefined) return known;
    const needed = Object.keys(service.depends_on).map((name) =>
      start(services.find((other) => other.name === name)!),
    );
    const own = Promise.all(needed).then(async () => {
      run.options.say(`Starting ${service.name} …`);
      await (service.is_task ? runTask(run, service) : startReplicas(run, service));
    });
    started.set(service.name, own);
    return own;
  };
  // All of them come to an end before a failure is told: what has started has to be stopped.
  const results = await Promise.allSettled(services.map(start));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function startReplicas(run: Run, service: ComposeService): Promise<void> {
  await Promise.all(
    namesOf(service).map(async (name) => {
      const kept = await keepRunning({
        ...{ name, service: service.name, say: run.options.say },
        launch: () => launch(run, service, name),
        // Postgres' sessions are processes of their own.
        signal: imageOf(service) === 'postgres' ? signalTree : signalProcess,
      });
      run.processes.push(kept);
      run.closers.push(() => kept.stop());
    }),
  );
}

async function launch(run: Run, service: ComposeService, name: string) {
  const { folder, ports } = run.place;
  const log_file = logFile(run, name);
  if (imageOf(service) === 'postgres') {
    const postgres = await startTopologyPostgres({
      ...{ service, folder, log_file, port: ports[name]!.main },
    });
    run.guardian.watch(postgres.pid);
    run.superuser_url = (database) => postgres.superuser_url(database);
    return postgres;
  }
  const child = await startProcess(run, service, name);
  await waitUntilReady(
    child,
    READY_SECONDS,
    () => isReady(run, service, name, child),
    (tail) => new EmbeddedError(`${name} did not start. The end of ${log_file}:\n${tail}`),
  );
  return child;
}

async function runTask(run: Run, service: ComposeService): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const child = await startProcess(run, service, service.name);
    const { code } = await child.exited;
    if (code === 0) return;
    if (attempt === TASK_ATTEMPTS) {
      throw new EmbeddedError(
        `${service.name} failed. The end of ${logFile(run, service.name)}:\n${child.logTail()}`,
      );
    }
  }
}

async function startProcess(run: Run, service: ComposeService, name: string): Promise<Child> {
  const { tools } = run.place.programs;
  const child = await startChild({
    name,
    ...commandLine(service, run.place, run.options.programFolder?.(service.name)),
    cwd: run.place.folder,
    env: {
      PATH: `${tools}:${CHILD_PATH}`,
      HOME: run.place.folder,
      ...environmentIn(run, service, name),
    },
    log_file: logFile(run, name),
    stop_steps: STOP_STEPS,
  });
  run.guardian.watch(child.pid);
  return child;
}

function environmentIn(run: Run, service: ComposeService, name: string): Variables {
  const { security, options } = run;
  return {
    ...environmentOf(service, name, run.place),
    ...options.settingsOf?.(service.name),
    ...(imageOf(service) === 'temporalio/server'
      ? security?.server(service.name, run.place.ports[name]!)
      : {}),
    ...(service.environment['TEMPORAL_ADDRESS'] === undefined
      ? {}
      : security?.client(service.name)),
  };
}

/** As the health checks of the compose file, and as Docker's DNS, which finds only what runs. */
async function isReady(
  { place }: Run,
  service: ComposeService,
  name: string,
  child: Child,
): Promise<boolean> {
  const port = place.ports[name]!.main;
  switch (service.name) {
    case 'api':
      return isApiReady(`http://${LOOPBACK}:${port}`);
    case 'sandbox-gateway':
      return isOk(`http://${LOOPBACK}:${port}/health`);
    case 'worker':
      return child.logHead().includes('"log":"ready"');
    case 'caddy': {
      const { DOMAIN } = service.environment as { readonly DOMAIN: string };
      return isOkOverTls(`https://${DOMAIN}${PREFIX}/health`, place.ca_file);
    }
    default:
      return isListening(port);
  }
}

/** Release 0.1 had no `/ready`. */
async function isApiReady(url: string): Promise<boolean> {
  const status = await statusOf(`${url}/ready`);
  return status === 200 || (status === 404 && (await isOk(`${url}${PREFIX}/health`)));
}

async function isOk(url: string): Promise<boolean> {
  return (await statusOf(url)) === 200;
}

/** Undefined: nobody answered. */
function statusOf(url: string): Promise<number | undefined> {
  return fetch(url, { headers: { 'X-Forwarded-Proto': 'https' } }).then(
    ({ status }) => status,
    () => undefined,
  );
}

function isOkOverTls(url: string, ca_file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(url, { ca: readFileSync(ca_file), agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.once('error', () => resolve(false));
    call.end();
  });
}

/** Free ports, each given once. */
function portTaker(first_port: number): () => Promise<number> {
  let next = first_port;
  return async () => {
    const port = await pickPort(next);
    // Above it, so that none is given twice; another one when the system had to pick.
    next = Math.max(next, port === next ? port : next) + 1;
    return port;
  };
}

async function takePorts(
  services: readonly ComposeService[],
  take: () => Promise<number>,
): Promise<Record<string, Ports>> {
  const ports: Record<string, Ports> = {};
  const listeners = async () => ({
    ...{ main: await take(), membership: await take(), http: await take() },
  });
  for (const name of services.filter(({ is_task }) => !is_task).flatMap(namesOf)) {
    ports[name] = { ...(await listeners()), internal: await listeners() };
  }
  return ports;
}

function namesOf({ name, replicas }: ComposeService): string[] {
  if (replicas === 1) return [name];
  return Array.from({ length: replicas }, (_, index) => `${name}-${index + 1}`);
}

function portsOf(
  services: readonly ComposeService[],
  ports: Readonly<Record<string, Ports>>,
  service: string,
): number[] {
  const { name, replicas } = services.find((one) => one.name === service)!;
  return namesOf({ name, replicas } as ComposeService).map((one) => ports[one]!.main);
}

function portIn(address: string): number {
  return Number(address.split(':')[1]);
}

function serviceNamed({ services }: ComposeFile, name: string): ComposeService {
  const found = services.find((service) => service.name === name);
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

function writeCaddyfile(
  place: Place,
  authority: Authority,
  services: readonly ComposeService[],
  domains: { readonly main: number; readonly http: number },
): void {
  const files = {
    cert_file: join(place.folder, 'caddy.crt'),
    key_file: join(place.folder, 'caddy.key'),
  };
  writeCertificate(files, authority.issue({ names: ['localhost'] }));
  const text = localCaddyfile({
    ...files,
    http_port: domains.http,
    https_port: domains.main,
    api_ports: portsOf(services, place.ports, 'api'),
    gateway_port: place.ports['sandbox-gateway']!.main,
  });
  writeFileSync(join(place.folder, 'Caddyfile'), text);
}

function logFile(run: Run, name: string): string {
  return join(run.place.folder, 'logs', `${name}.log`);
}

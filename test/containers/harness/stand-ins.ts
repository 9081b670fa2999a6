// The base images of docker-compose.yml and the Dockerfile, made once per engine: no registry of images is needed. The
// programs are those of the versions that these files name.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { acquireGoProgram, type GoProgram, type Log } from '../../../dev/embedded/go-program';
import {
  findPostgresBinaries,
  hydratePostgresSymlinks,
} from '../../../dev/embedded/postgres-binaries';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';

export const PROJECT = join(__dirname, '..', '..', '..');
const SOURCES = join(__dirname, '..', 'stand-ins');

const TEMPORAL = { module: 'temporal-server', from: 'go.temporal.io/server' } as const;
const CADDY = { module: 'caddy', from: 'github.com/caddyserver/caddy/v2' } as const;
const UI = { module: 'temporal-ui', from: 'github.com/temporalio/ui-server/v2' } as const;
const COMPOSE = { module: 'compose', from: 'github.com/docker/compose/v2' } as const;

export const GO_PROGRAMS = {
  server: { ...TEMPORAL, name: 'temporal-server', package: `${TEMPORAL.from}/cmd/server` },
  sql_tool: { ...TEMPORAL, name: 'temporal-sql-tool', package: `${TEMPORAL.from}/cmd/tools/sql` },
  ui: { ...UI, name: 'temporal-ui', package: `${UI.from}/cmd/server` },
  caddy: { ...CADDY, name: 'caddy', package: `${CADDY.from}/cmd/caddy` },
  compose: {
    ...COMPOSE,
    name: 'docker-compose',
    package: `${COMPOSE.from}/cmd`,
    // Compose asks whether it is new enough for what a file uses.
    ldflags: `-X ${COMPOSE.from}/internal.Version=v2.29.7`,
  },
} as const satisfies Record<string, GoProgram>;

/** The official image, and the stage of stand-ins/Dockerfile that stands in for it. */
const STAGES: Readonly<Record<string, string>> = {
  node: 'node',
  postgres: 'postgres',
  caddy: 'caddy',
  'temporalio/server': 'temporal-server',
  'temporalio/admin-tools': 'temporal-tools',
  'temporalio/ui': 'temporal-ui',
};

export interface Tools {
  readonly docker: (args: readonly string[]) => Promise<string>;
  readonly compose: string;
  readonly env: NodeJS.ProcessEnv;
  /** Keeps what images are made of. */
  readonly folder: string;
  readonly log: Log;
}

/** The official images that the two files name, without their digests. */
export function officialImages(): string[] {
  const named = [...read('docker-compose.yml').matchAll(/^ +image: (?!payment-api)(\S+)@/gm)];
  const base = /^ARG BASE=(\S+)@/m.exec(read('Dockerfile'))!;
  return [...named, base].map(([, image]) => image!);
}

/** Returns the name of the stand-in of each official image. */
export async function makeStandIns(tools: Tools): Promise<ReadonlyMap<string, string>> {
  const files = [__filename, ...readdirSync(SOURCES).map((file) => join(SOURCES, file))];
  const sources = files.map((file) => readFileSync(file, 'utf8'));
  const key = createHash('sha256')
    .update([...sources, ...officialImages()].join())
    .digest('hex');
  const names = new Map(
    officialImages().map((image) => [image, `payment-api-stand-in/${image}-${key.slice(0, 8)}`]),
  );
  const there = await tools.docker(['images', '--format', '{{.Repository}}:{{.Tag}}']);
  const isThere = (name: string): boolean => there.split('\n').includes(name);
  if (![...names.values()].every(isThere)) await build(tools, names);
  return names;
}

async function build(tools: Tools, names: ReadonlyMap<string, string>): Promise<void> {
  const context = join(tools.folder, 'context');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  cpSync(SOURCES, context, { recursive: true });
  await gather(tools, context);
  const DEBIAN = await importDebian(tools);
  const services = Object.fromEntries(
    [...names].map(([official, image]) => {
      const target = STAGES[official.split(':')[0]!];
      return [target, { image, build: { context, target, args: { DEBIAN } } }];
    }),
  );
  const file = join(tools.folder, 'stand-ins.json');
  writeFileSync(file, JSON.stringify({ services }));
  tools.log('Building the base images …');
  await run(tools, tools.compose, ['-p', 'payment-api-stand-ins', '-f', file, 'build', '--quiet']);
}

/** Puts everything into the folder that the Dockerfile copies. */
async function gather(tools: Tools, context: string): Promise<void> {
  for (const program of Object.values(GO_PROGRAMS)) {
    copyFileSync(await acquireGoProgram(program, tools), join(context, program.name));
  }
  copyFileSync(await acquireTemporalBinary(tools), join(context, 'temporal'));
  const server = await moduleFolder(tools, TEMPORAL);
  copyFileSync(
    join(server, 'docker/scripts/sh/entrypoint.sh'),
    join(context, 'temporal-entrypoint.sh'),
  );
  const ui = await moduleFolder(tools, UI);
  copyFileSync(join(ui, 'docker/start-ui-server.sh'), join(context, 'temporal-ui.sh'));
  copyFileSync(join(ui, 'config/docker.yaml'), join(context, 'temporal-ui.yaml'));
  for (const file of ['temporal-ui.yaml', 'temporal-ui.sh']) chmodSync(join(context, file), 0o755);
  hydratePostgresSymlinks();
  const { postgres } = findPostgresBinaries();
  cpSync(join(postgres, '..', '..'), join(context, 'postgres'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const [, version] = officialImages()
    .find((image) => image.startsWith('node:'))!
    .split(/[:-]/);
  const npm = join(tools.folder, 'npm');
  const node = `node-linux-${process.arch}`;
  mkdirSync(npm, { recursive: true });
  tools.log(`Fetching Node ${version} …`);
  const packages = [`${node}@${version}`, `npm@${NPM_VERSION}`];
  await run(tools, 'npm', [
    'install',
    '--prefix',
    npm,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...packages,
  ]);
  copyFileSync(join(npm, 'node_modules', node, 'bin', 'node'), join(context, 'node'));
  cpSync(join(npm, 'node_modules', 'npm'), join(context, 'npm'), { recursive: true });
  const trusted = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt';
  const ca = existsSync(trusted) ? readFileSync(trusted) : '';
  writeFileSync(join(context, 'ca.pem'), ca);
}

/** Npm comes with Node in the official image. */
const NPM_VERSION = '11.21.2';

async function importDebian(tools: Tools): Promise<string> {
  const name = 'payment-api-stand-in/debian:bookworm';
  if ((await tools.docker(['images', '--quiet', name])) !== '') return name;
  const file = join(tools.folder, 'debian.tar');
  if (!existsSync(file)) {
    tools.log('Making a Debian …');
    // Like the slim official images: no documents, and nothing kept of what apt has read.
    const paths = ['doc', 'man', 'locale', 'info'].map((name) => `/usr/share/${name}/*`);
    const options = [
      ...paths.map((path) => `--dpkgopt=path-exclude=${path}`),
      // Merged from the start, so that the program that would merge it, and Perl with it, is not needed.
      '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
      '--include=usr-is-merged',
      ...['pkgcache', 'srcpkgcache'].map((cache) => `--aptopt=Dir::Cache::${cache} ""`),
    ];
    const draft = `${file}.draft.tar`;
    await run(tools, 'mmdebstrap', ['--quiet', '--variant=apt', ...options, 'bookworm', draft]);
    await run(tools, 'mv', [draft, file]);
  }
  await tools.docker(['import', file, name]);
  return name;
}

/** The source of a pinned module, for what is beside its programs. */
async function moduleFolder(
  tools: Tools,
  { module, from }: Pick<GoProgram, 'module' | 'from'>,
): Promise<string> {
  const cwd = join(PROJECT, 'dev', 'tools', module);
  const text = await run(tools, 'go', ['mod', 'download', '-json', from], cwd);
  return (JSON.parse(text) as { Dir: string }).Dir;
}

async function run(
  { env }: Tools,
  command: string,
  args: readonly string[],
  cwd = PROJECT,
): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { env, cwd, maxBuffer: 2 ** 26 });
  return stdout;
}

export function read(file: string): string {
  return readFileSync(join(PROJECT, file), 'utf8');
}

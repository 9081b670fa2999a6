// The rules of the house that no compiler knows: which room may import which, names, and what must never be
// in the sources.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { parseSync, type ModuleItem } from '@swc/core';
import { buildOpenApi } from '../api/openapi';
import { PREFIX } from '../http/prefix';
import { ROUTES } from '../api/routes';
import { ERROR_CODES } from '../domain/errors';

const ROOT = join(__dirname, '..');

/** Tracked and new files, without those that are ignored or only deleted so far. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');

const SOURCES = FILES.filter((file) => /\.tsx?$/.test(file)).filter((file) => read(file) !== '');

function read(file: string): string {
  try {
    return readFileSync(join(ROOT, file), 'utf8');
  } catch {
    // Deleted, and not yet committed so.
    return '';
  }
}

interface Room {
  /** Other rooms, or one file of a room. */
  readonly rooms: readonly string[];
  /** Rooms whose types may be used, and nothing that runs. */
  readonly types_of?: readonly string[];
  /** Packages and Node built-ins; `node:*` is all of them. */
  readonly packages: readonly string[];
}

const EVERYTHING: Room = {
  rooms: ['*'],
  packages: ['*'],
};

const ROOMS: Readonly<Record<string, Room>> = {
  domain: { rooms: [], packages: [] },
  secrets: {
    rooms: ['domain'],
    packages: [
      'node:crypto',
      'node:zlib',
      'node:util',
      '@node-rs/argon2',
      '@zxcvbn-ts/language-common',
      'otpauth',
    ],
  },
  config: { rooms: ['domain'], packages: ['ajv', 'json-schema-to-ts', 'node:fs', 'node:path'] },
  db: {
    rooms: ['domain', 'telemetry/spans'],
    packages: [
      'knex',
      'pg',
      'node:crypto',
      'node:fs',
      'node:path',
      'node:stream',
      'node:timers/promises',
    ],
  },
  'db/archives': { rooms: ['domain', 'db'], packages: ['node:*'] },
  gateway: { rooms: ['domain', 'secrets'], packages: ['node:*', 'stripe', 'undici'] },
  webhooks: {
    rooms: ['domain', 'db', 'secrets', 'telemetry/spans'],
    types_of: ['telemetry'],
    packages: ['node:*', 'undici'],
  },
  'dev/simulators': {
    rooms: ['domain', 'secrets', 'pages', 'gateway/sandbox', 'gateway/pawapay', 'gateway/fields'],
    packages: ['node:*', 'koa', '@koa/router', 'preact'],
  },
  workflows: {
    rooms: ['domain'],
    types_of: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  telemetry: {
    rooms: ['domain'],
    packages: [
      'node:*',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-node',
    ],
  },
  activities: {
    rooms: [
      'domain',
      'db',
      'gateway',
      'secrets',
      'webhooks',
      'telemetry/spans',
      'use-cases/lost-workflows',
      'use-cases/mails',
      'use-cases/payout-batches/check',
      'use-cases/payouts/destination',
      'use-cases/questions',
      'use-cases/receipts',
      'use-cases/risk/payments',
      'use-cases/risk/voices',
      'use-cases/sandbox/ordered-faults',
    ],
    types_of: ['workflows/messages', 'temporal', 'telemetry'],
    packages: ['nodemailer', 'undici', '@temporalio/activity'],
  },
  temporal: {
    rooms: ['domain', 'secrets', 'workflows/messages', 'telemetry/spans'],
    types_of: ['config', 'db'],
    packages: [
      'node:*',
      '@opentelemetry/api',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
      '@temporalio/proto',
      '@temporalio/worker',
    ],
  },
  'use-cases': {
    rooms: ['domain', 'db', 'secrets', 'temporal', 'pages/formats', 'webhooks/url'],
    types_of: ['config', 'gateway'],
    packages: [
      'node:crypto',
      'node:fs',
      'node:path',
      'node:stream',
      'node:timers/promises',
      'node:worker_threads',
      'node:zlib',
      'csv-parse',
      'pdfkit',
      'pngjs',
    ],
  },
  // Reads, limits, answers and records the requests of both doors.
  http: {
    rooms: ['domain', 'db', 'telemetry/spans', 'use-cases/requests'],
    types_of: ['config', 'secrets', 'telemetry', 'temporal', 'webhooks'],
    packages: ['node:*', 'koa', 'ipaddr.js', 'proxy-addr'],
  },
  api: {
    rooms: [
      'domain',
      'db',
      'http',
      'pages',
      'secrets',
      'gateway',
      'temporal',
      'use-cases',
      'webhooks/url',
      'telemetry/spans',
    ],
    types_of: ['config', 'activities', 'telemetry'],
    packages: ['node:*', 'koa', '@koa/router', 'ajv', 'json-schema-to-ts', 'preact'],
  },
  pages: {
    rooms: ['domain'],
    packages: [
      'node:crypto',
      'node:fs',
      'node:path',
      'preact',
      'preact-render-to-string',
      'qrcode',
    ],
  },
  dashboard: {
    rooms: [
      'domain',
      'db',
      'http',
      'pages',
      'secrets',
      'temporal',
      'use-cases',
      'webhooks/url',
      // Forms read the bounds of their fields from the schemas of bodies.
      'api/schemas',
      'api/payment-intents/schema',
      'api/payment-links/schema',
      'api/payouts/schema',
      'api/refunds/schema',
      'api/transfers/schema',
      'api/webhook-endpoints/schema',
      'api/webhook-resends/schema',
    ],
    types_of: ['config'],
    packages: [
      'node:*',
      'ajv',
      'json-schema-to-ts',
      'koa',
      '@koa/router',
      'preact',
      'preact-render-to-string',
      'csv-parse',
      '@fastify/busboy',
    ],
  },
  'dev/adapter-kit': {
    rooms: ['domain', 'secrets', 'gateway', 'dev/simulators'],
    packages: ['node:*', 'undici'],
  },
  // `npm run adapter:new` makes these, for authors of adapters.
  adapters: { rooms: ['domain', 'secrets', 'gateway', 'dev/adapter-kit'], packages: ['*'] },
  'dev/embedded': { rooms: [], packages: ['node:*', 'pg', '@temporalio/client'] },
  // Packages for merchants: they have no dependencies, and know nothing of the service's own code.
  clients: { rooms: [], packages: [] },
  // The composition roots.
  bin: EVERYTHING,
  cli: EVERYTHING,
  dev: EVERYTHING,
  test: EVERYTHING,
};

interface Import {
  readonly file: string;
  readonly source: string;
  readonly types_only: boolean;
}

function importsOf(file: string): Import[] {
  const { body } = parseSync(read(file), {
    syntax: 'typescript',
    tsx: file.endsWith('.tsx'),
    target: 'es2022',
  });
  return [
    ...body.flatMap((item) => staticImport(file, item)),
    ...Array.from(read(file).matchAll(/\b(?:import|require)\(\s*'([^']+)'/g), ([, source]) => ({
      file,
      source: source!,
      types_only: false,
    })),
  ];
}

function staticImport(file: string, item: ModuleItem): Import[] {
  if (item.type === 'ImportDeclaration') {
    const { specifiers, source, typeOnly } = item;
    const isType = (specifier: (typeof specifiers)[number]): boolean =>
      specifier.type === 'ImportSpecifier' && specifier.isTypeOnly;
    const types_only = typeOnly || (specifiers.length > 0 && specifiers.every(isType));
    return [{ file, source: source.value, types_only }];
  }
  if (item.type === 'ExportNamedDeclaration' && item.source) {
    const { typeOnly } = item as typeof item & { typeOnly?: boolean };
    return [{ file, source: item.source.value, types_only: typeOnly === true }];
  }
  if (item.type === 'ExportAllDeclaration') {
    return [{ file, source: item.source.value, types_only: false }];
  }
  return [];
}

/** The fault of an import, or undefined. */
function faultOf({ file, source, types_only }: Import): string | undefined {
  const name = roomOf(file);
  const room = ROOMS[name];
  if (!room) return `${file} is in no room that the architecture knows`;
  if (!source.startsWith('.')) {
    const isNode = source.startsWith('node:');
    const owner = isNode
      ? source
      : source
          .split('/')
          .slice(0, source.startsWith('@') ? 2 : 1)
          .join('/');
    const isAllowed =
      room.packages.includes('*') ||
      room.packages.includes(owner) ||
      (isNode && room.packages.includes('node:*'));
    return isAllowed ? undefined : `${file} imports ${source}`;
  }
  const target = normalize(join(dirname(file), source));
  const isIn = (allowed: readonly string[] = []): boolean =>
    allowed.some((one) => one === '*' || target === one || target.startsWith(`${one}/`));
  if (roomOf(target) === name || isIn(room.rooms)) return undefined;
  if (isIn(room.types_of)) return types_only ? undefined : `${file} imports values of ${target}`;
  return `${file} imports ${target}`;
}

/** A folder of `dev` that knows less than `dev` is a room of its own. */
function roomOf(file: string): string {
  const [folder, inner] = file.split('/');
  const room = `${folder}/${inner}`;
  return room in ROOMS ? room : folder!;
}

function inRooms(...rooms: readonly string[]): string[] {
  return SOURCES.filter((file) => rooms.includes(roomOf(file)));
}

/** Every place where a pattern matches, comments left out. */
function findAll(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    withoutComments(read(file))
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [],
      ),
  );
}

// Line by line, so that line numbers stay; a URL's slashes follow a colon.
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

describe('imports', () => {
  it('stay within what each room may know', () => {
    const rooms = SOURCES.filter((file) => file.includes('/'));
    expect(rooms.flatMap(importsOf).map(faultOf).filter(Boolean)).toEqual([]);
  });

  it('never name bin, but in the other composition roots', () => {
    const others = SOURCES.filter((file) => !['bin', 'cli', 'dev', 'test'].includes(roomOf(file)));
    const faults = others.flatMap(importsOf).filter(({ file, source }) => {
      return source.startsWith('.') && roomOf(normalize(join(dirname(file), source))) === 'bin';
    });
    expect(faults).toEqual([]);
  });

  it('load nothing of the SDK of OpenTelemetry, which a process needs only with a collector', () => {
    const loaded = SOURCES.filter((file) => roomOf(file) !== 'test')
      .flatMap(importsOf)
      .filter(({ types_only }) => !types_only);
    const of_sdk = loaded.filter(({ source }) => /^@opentelemetry\/(?!api$)/.test(source));
    expect(new Set(of_sdk.map(({ file }) => file))).toEqual(new Set(['telemetry/tracing.ts']));
    const of_tracing = loaded.filter(({ source }) => source.endsWith('telemetry/tracing'));
    expect(of_tracing.map(({ file }) => file)).toEqual(['bin/parts.ts']);
    expect(read('bin/parts.ts')).toMatch(/^ {4}const \{ startTracing \} = require\(/m);
  });

  it('are found by the rule when they are wrong', () => {
    const wrong: Import[] = [
      { file: 'domain/x.ts', source: 'node:fs', types_only: false },
      { file: 'domain/x.ts', source: '../db/connect', types_only: true },
      { file: 'workflows/x.ts', source: '../activities/transfers', types_only: false },
      { file: 'api/wallets/x.ts', source: '../../workflows/transfer', types_only: false },
      { file: 'api/wallets/x.ts', source: '../../config/load', types_only: false },
      { file: 'api/x.ts', source: 'pg', types_only: false },
      { file: 'api/x.ts', source: '@temporalio/client', types_only: true },
      { file: 'api/x.ts', source: '../workflows/messages', types_only: false },
      { file: 'activities/x.ts', source: '../temporal/calls', types_only: false },
      { file: 'temporal/x.ts', source: '../db/intents', types_only: false },
      { file: 'use-cases/x.ts', source: '../api/context', types_only: false },
      { file: 'dev/simulators/gateway/x.ts', source: '../../../db/connect', types_only: true },
      { file: 'api/x.ts', source: '../webhooks/send', types_only: false },
      { file: 'api/x.ts', source: '../dashboard/router', types_only: false },
      { file: 'http/x.ts', source: '../api/context', types_only: true },
      { file: 'pages/x.ts', source: '../db/connect', types_only: true },
      { file: 'dashboard/keys/x.tsx', source: '../../workflows/messages', types_only: false },
      { file: 'dashboard/x.ts', source: 'pg', types_only: false },
      { file: 'dashboard/x.ts', source: '../api/context', types_only: true },
      { file: 'webhooks/x.ts', source: '../use-cases/news', types_only: true },
      { file: 'db/x.ts', source: 'node:child_process', types_only: false },
      { file: 'utils/x.ts', source: './y', types_only: false },
    ];
    expect(wrong.map(faultOf).filter(Boolean)).toHaveLength(wrong.length);
  });
});

describe('the container image', () => {
  it('is built from every room that the build reads', () => {
    const copied = read('.dockerignore').split('\n');
    const rooms = Object.keys(ROOMS).filter(
      (room) => !['test', 'clients'].includes(room) && !room.includes('/'),
    );
    expect(rooms.filter((room) => !copied.includes(`!${room}`))).toEqual([]);
  });
});

describe('names', () => {
  it('of prepared statements are each of one statement: a connection refuses the second', () => {
    const named = SOURCES.filter((file) => !file.startsWith('test/')).flatMap((file) =>
      Array.from(read(file).matchAll(/\bname: '([a-z_0-9]+)',\s*text\b/g), ([, name]) => name!),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((name, place) => named.indexOf(name) !== place)).toEqual([]);
  });

  it('of files are kebab-case', () => {
    const names = FILES.filter((file) => /\.(tsx?|mjs|js|css|sql)$/.test(file));
    const kebab = /^\.?[a-z0-9]+([-.][a-z0-9]+)*\.(tsx?|mjs|js|css|sql)$/;
    expect(names.filter((file) => !kebab.test(basename(file)))).toEqual([]);
  });

  it('of folders say what is in them', () => {
    const folders = new Set(FILES.flatMap((file) => dirname(file).split('/')));
    for (const vague of ['utils', 'util', 'shared', 'common', 'helpers', 'types', 'lib', 'src']) {
      expect([...folders]).not.toContain(vague);
    }
  });
});

describe('sources', () => {
  it('read the environment in config and the composition roots only', () => {
    const rooms = Object.keys(ROOMS).filter(
      (room) => !['config', 'bin', 'cli', 'dev', 'test'].includes(room),
    );
    const found = findAll(inRooms(...rooms), /process\.env/);
    // Programs for merchants, which run at theirs.
    expect(found.filter((one) => !one.startsWith('dashboard/guides/samples.ts:'))).toEqual([]);
  });

  it('ask no clock and no dice in domain and workflows', () => {
    const impure =
      /Math\.random|new Date\(\)|performance\.|randomUUID|setTimeout|setInterval|process\./;
    expect(findAll(inRooms('domain', 'workflows'), impure)).toEqual([]);
    // Workflows may use Date.now: Temporal gives it the history's time, the same at each replay.
    expect(findAll(inRooms('domain'), /Date\.now/)).toEqual([]);
  });

  it('keep no state in the modules of domain and workflows', () => {
    // A set that cannot be added to is no state.
    const state =
      /^(export )?(let|var) |^(export )?const \w+(: (?!ReadonlySet|ReadonlyMap)[^=]+)? = new (Map|Set|WeakMap)\b/;
    expect(findAll(inRooms('domain', 'workflows'), state)).toEqual([]);
  });

  it('have no markers left from work under way', () => {
    const marker = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|'));
    const texts = FILES.filter((file) => /\.(ts|mjs|js|sql|md|json|yml)$/.test(file)).filter(
      (file) => file !== 'package-lock.json' && !file.includes('/histories/'),
    );
    const found = texts.filter((file) => new RegExp(`\\b(${marker.source})\\b`).test(read(file)));
    expect(found).toEqual([]);
  });

  it('write HTML by preact: one file makes documents, and puts what is not escaped into them', () => {
    const product = SOURCES.filter((file) => roomOf(file) !== 'test');
    const found = findAll(product, /dangerouslySetInnerHTML|<!doctype/i);
    expect(found.map((place) => place.split(':')[0])).toEqual(Array(2).fill('pages/document.tsx'));
  });

  it('have no test that is skipped or runs alone', () => {
    const alone = /\b(describe|it|test)\.(only|skip|todo)\b|\b(fit|fdescribe|xit|xdescribe)\(/;
    expect(findAll(inRooms('test'), alone)).toEqual([]);
  });

  it('use no syntax that erasing types would not remove', () => {
    const erasable = /^\s*(export )?(declare )?(const )?enum |^\s*(export )?namespace /;
    expect(findAll(SOURCES, erasable)).toEqual([]);
  });
});

describe('every error code', () => {
  // The table's own test names them all and provokes none.
  const tests = inRooms('test').filter((file) => file !== 'test/domain/errors.test.ts');

  it.each(ERROR_CODES)('is in a test: %s', (code) => {
    const word = new RegExp(`\\b${code}\\b`);
    expect(tests.filter((file) => word.test(read(file)))).not.toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  const document = JSON.parse(read('api/openapi.json') || '{}') as {
    servers?: { url: string }[];
    paths?: Record<string, Record<string, unknown>>;
  };

  it('is checked in as it is generated: npm run --silent openapi > api/openapi.json', () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(buildOpenApi(''))));
    const isSameText =
      read('api/openapi.json') === `${JSON.stringify(buildOpenApi(''), null, 2)}\n`;
    expect(isSameText).toBe(true);
  });

  it.each(ROUTES.map(({ method, path }) => [method, path] as const))(
    'has %s %s',
    (method, path) => {
      expect(document.paths?.[path]?.[method.toLowerCase()]).toBeDefined();
      expect(document.servers).toEqual([{ url: PREFIX }]);
    },
  );
});

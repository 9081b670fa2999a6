// One embedded Postgres and one Temporal dev server serve the whole run (test/support/stack.ts);
// each test file has a database and a task queue of its own, so files run side by side. The servers
// start only when a file that needs them is among those that were asked for.

const { testsWithoutServers } = require('./test/support/server-tests');

// Faults kill servers on purpose, mutants run the tests, and containers need an engine:
// `npm run faults`, `npm run mutants`, `npm run test:containers`.
const APART = [
  '/node_modules/',
  '<rootDir>/test/faults/',
  '<rootDir>/test/containers/',
  '<rootDir>/test/failover/',
  '<rootDir>/test/upgrade/',
  '<rootDir>/test/mutants/mutants.test',
  // It measures processor time, which other load makes longer.
  ...(process.env.SWEEP ? [] : ['<rootDir>/test/invariants/costs.test']),
];

// The compiler that the workflow bundler uses as well.
const compiler = (parser, more = {}) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript', ...parser }, ...more },
  },
];

// With `--watch` a file runs again because a module has changed.
const modules = process.argv.some((argument) => argument.startsWith('--watch'))
  ? {}
  : {
      runtime: '<rootDir>/test/support/shared-runtime.js',
      testEnvironment: '<rootDir>/test/support/shared-environment.js',
    };

/** @type {import('jest').Config} */
const base = {
  rootDir: __dirname,
  roots: ['<rootDir>/test'],
  ...modules,
  setupFiles: ['<rootDir>/test/support/realm.ts', '<rootDir>/test/support/threads.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/after-file.js'],
  // The exporter of traces imports Node's http at run time, which Jest's realm cannot do.
  transformIgnorePatterns: ['/node_modules/(?!@opentelemetry/otlp-exporter-base/)'],
  // Imports at run time name the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.+)\\.js$': '$1' },
  transform: {
    '\\.[jt]s$': compiler({}),
    '\\.tsx$': compiler(
      { tsx: true },
      { transform: { react: { runtime: 'automatic', importSource: 'preact' } } },
    ),
  },
};

const without_servers = testsWithoutServers();

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  // Tests mostly wait: for Postgres, for Temporal, for moments to pass.
  maxWorkers: 4,
  // A process that has more in its heap after a file is started anew: tests of outages keep much.
  workerIdleMemoryLimit: '1GB',
  // Far above what any test needs: reached only when something hangs.
  testTimeout: 180_000,
  // For the other configurations.
  transform: base.transform,
  projects: [
    { ...base, testPathIgnorePatterns: APART, testRegex: without_servers },
    {
      ...base,
      testPathIgnorePatterns: [...APART, ...without_servers],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
};

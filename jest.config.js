// One embedded Postgres and one Temporal dev server serve the whole run (test/support/stack.ts);
// each test file has a database and a task queue of its own, so files run side by side. The servers
// start only when a file that needs them is among those that were asked for.

const { testsWithoutServers } = require('./test/support/server-tests');

// Faults kill servers on purpose, mutants run the tests, and a topology needs servers that are built with Go:
// `npm run faults`, `npm run mutants`, `npm run test:topology`.
const APART = [
  ...['/node_modules/', '<rootDir>/test/faults/', '<rootDir>/test/topology/'],
  '<rootDir>/test/mutants/mutants.test',
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

/** @type {import('jest').Config} */
const base = {
  rootDir: __dirname,
  roots: ['<rootDir>/test'],
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/realm.ts', '<rootDir>/test/support/threads.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/cleanup.ts'],
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
  // Tests mostly wait. With two, 16 files of all kinds took 102 s on two cores, with three 85 s, with four
  // 94 s.
  maxWorkers: 3,
  // Far above what any test needs: reached only when something hangs.
  testTimeout: 90_000,
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

// One embedded Postgres and one Temporal dev server serve the whole run (test/support/stack.ts);
// each test file has a database and a task queue of its own, so files run side by side.

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/test'],
  // Faults kill servers on purpose: they run alone, with `npm run faults`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/realm.ts', '<rootDir>/test/support/threads.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/cleanup.ts'],
  // Two servers work beside the tests: more workers than this only wait for each other.
  maxWorkers: 2,
  // Far above what any test needs: reached only when something hangs.
  testTimeout: 30_000,
  transform: {
    // The compiler that the workflow bundler uses as well.
    '\\.[jt]s$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'commonjs' },
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      },
    ],
  },
};

// Each test makes one slip in a copy of the sources and runs the tests that must notice, on the
// servers of this run: `npm run mutants`, or `npm run mutants -- -t T12`.

const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: base.rootDir,
  roots: ['<rootDir>/test/mutants'],
  testMatch: ['<rootDir>/test/mutants/mutants.test.ts'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: base.transform,
  maxWorkers: 1,
  // A slip may make a test wait until its limit.
  testTimeout: 600_000,
};

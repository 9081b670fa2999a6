// The containers of docker-compose.yml (npm run test:containers): apart from the tests, because they need a Docker
// engine and base images, which take minutes to make once.

const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: base.rootDir,
  roots: ['<rootDir>/test/containers'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/containers/harness/set-up.ts',
  globalTeardown: '<rootDir>/test/containers/harness/tear-down.ts',
  setupFiles: ['<rootDir>/test/support/realm.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/after-file.js'],
  transform: base.transform,
  maxWorkers: 1,
  // Each test of a file needs what the one before it leaves.
  bail: 1,
  // The steps have limits of their own; this ends one that hangs.
  testTimeout: 300_000,
};

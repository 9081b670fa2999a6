// The main job from beginning to end on a topology that runs (npm run topology): npm run test:e2e. npm test runs
// the same file on servers of its own.

const base = require('../../jest.config.js');

process.env.E2E_TOPOLOGY ??= '.data/topology';

/** @type {import('jest').Config} */
module.exports = {
  rootDir: base.rootDir,
  roots: ['<rootDir>/test/e2e'],
  testRegex: 'journey\\.test\\.ts$',
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/realm.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/cleanup.ts'],
  transform: base.transform,
  testTimeout: base.testTimeout,
};

// The production shape as processes (npm run test:topology): apart from the tests, because its servers are
// built with Go, and because half of a machine's processes die in it.

const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: base.rootDir,
  roots: ['<rootDir>/test/topology'],
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/realm.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/after-file.js'],
  transform: base.transform,
  maxWorkers: 1,
  // The steps have limits of their own; this ends one that hangs.
  testTimeout: 300_000,
};

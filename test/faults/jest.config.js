// Fault experiments: they start, kill and restart servers and processes of their own, one
// experiment of a file after the other, so they run apart from the tests (npm run faults, run.mjs).

const base = require('../../jest.config.js');

// These tests last for as long as one likes.
const lengths = ['NEMESIS_SECONDS', 'SOAK_SECONDS'].map((name) => Number(process.env[name] ?? 0));

// One seed for the whole run, printed with every experiment; give it again to repeat the plan.
process.env.FAULT_SEED ??= String(1 + Math.floor(Math.random() * 999_999));

/** @type {import('jest').Config} */
module.exports = {
  rootDir: base.rootDir,
  roots: ['<rootDir>/test/faults'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/faults/support/interruption.ts',
  setupFiles: ['<rootDir>/test/support/realm.ts'],
  transform: base.transform,
  maxWorkers: 1,
  // An experiment has limits of its own for each of its steps, which say what did not come and grow with the
  // slowness; this ends one that hangs.
  testTimeout:
    (process.env.FAULT_ON_TOPOLOGY === 'true' ? 1_800_000 : 300_000) *
      Math.max(1, Number(process.env.FAULT_SLOWNESS ?? 1) / 3) +
    2_000 * Math.max(...lengths),
};

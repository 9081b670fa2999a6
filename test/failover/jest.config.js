// The rounds of `npm run test:failover`: the frame, the load and the judges are those of the fault experiments.

const faults = require('../faults/jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...faults,
  roots: ['<rootDir>/test/failover'],
  // A round has limits of its own for each of its steps; this ends one that hangs.
  testTimeout: 600_000,
};

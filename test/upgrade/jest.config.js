// The two files of `npm run test:upgrade`: the frame, the load and the judges are those of the fault experiments.

const faults = require('../faults/jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...faults,
  roots: ['<rootDir>/test/upgrade'],
  // 100,000 transfers come first, and 5,000,000 rows.
  testTimeout: 1_800_000,
};

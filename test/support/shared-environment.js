// The global object of shared-runtime.js: one for each process, as its modules are.

const { TestEnvironment } = require('jest-environment-node');

let shared;

module.exports = class SharedEnvironment extends TestEnvironment {
  constructor(...options) {
    if (shared !== undefined) {
      // Of the file before: they would report its tests again.
      delete shared.global[Symbol.for('EVENT_HANDLERS')];
      return shared;
    }
    super(...options);
    shared = this;
  }

  async teardown() {
    this.fakeTimersModern.useRealTimers();
  }
};

// The global object of shared-runtime.js: one for each process, as its modules are.

const { TestEnvironment } = require('jest-environment-node');

let shared;

module.exports = class SharedEnvironment extends TestEnvironment {
  constructor(...options) {
    if (shared !== undefined) {
      // The handlers of the file before would report its tests again.
      delete shared.global[Symbol.for('EVENT_HANDLERS')];
      return shared;
    }
    super(...options);
    shared = this;
  }

  /** Tells `afterEach` that its test failed: the browser then shows what it saw. */
  async handleTestEvent({ name }) {
    if (name === 'test_start') this.global.testFailed = false;
    if (name === 'test_fn_failure') this.global.testFailed = true;
  }

  async teardown() {
    this.fakeTimersModern.useRealTimers();
  }
};

// One module registry for each process of Jest: what test files import is loaded once and stays, as in any
// program, instead of once for each file (1.3 s of processor time, most of it the same 2,200 modules).
// A test file therefore leaves no patched module and no fake clock behind; what it opened is closed by
// cleanup.ts. Test files, and Jest's own modules, are new for each file.

const hooks = require('node:async_hooks');
const { default: Runtime } = require('jest-runtime');

let shared;

// A process that ends by itself frees its heap object by object first. On a busy machine that takes more than the half
// second after which Jest kills it, and says that a test left something open.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

// A storage that was ever used makes each promise of the process slower until Node 24, and a
// connection to Temporal has one. One that is used again is on again.
const storages = [];
hooks.AsyncLocalStorage = class extends hooks.AsyncLocalStorage {
  constructor(...options) {
    super(...options);
    storages.push(this);
  }
};

module.exports = class SharedRuntime extends Runtime {
  constructor(...options) {
    if (shared !== undefined) {
      shared.begin(options);
      return shared;
    }
    super(...options);
    shared = this;
  }

  begin([, , , , , , test_file]) {
    this.registries.moduleRegistry.delete(this._testPath);
    // Jest keeps the tests of a file there.
    this.registries.internalModuleRegistry.clear();
    this.testMainModule.reset();
    this._testPath = test_file;
  }

  /** A module may load another one at any time. */
  leaveTestCode() {}

  teardown() {
    for (const storage of storages.splice(0)) storage.disable();
    this.restoreAllMocks();
  }
};

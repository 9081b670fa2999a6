// Makes calls into the workflow sandbox cheap (docs/decisions/workflows.md). The
// SDK limits each call to 5 s, for which Node starts and joins an operating-system thread: 220 µs a
// call against 2 µs without, about twenty times per transfer. The limit guards against workflow
// code that never returns; every loop of ours awaits.

import threads, { isMainThread, type WorkerOptions } from 'node:worker_threads';
import { Script, type Context, type RunningScriptOptions } from 'node:vm';

/** Must run before the first worker is created: it only affects threads that are started later. */
export function lightenWorkflowThreads(): void {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      // The process's own flags are left out: Node refuses V8 flags for a thread.
      const execArgv = [...(options.execArgv ?? []), '--require', __filename];
      super(file, { ...options, execArgv });
    }
  };
}

if (!isMainThread) {
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { runInContext } = Script.prototype;
  Script.prototype.runInContext = function (
    this: Script,
    context: Context,
    options?: RunningScriptOptions,
  ): unknown {
    const { timeout: _, ...rest } = options ?? {};
    return runInContext.call(this, context, rest);
  };
}

// Makes the workflow sandbox cheap to use (docs/decisions/0020-workflow-sandbox-calls.md): the SDK gives
// each call into it a 5 s limit, for which Node starts and joins an operating-system thread: measured
// at 220 µs a call against 2 µs without, some twenty times in a transfer. The limit guards against
// workflow code that never returns; ours has no loop that does not wait.

import threads, { isMainThread, type WorkerOptions } from 'node:worker_threads';
import { Script, type Context, type RunningScriptOptions } from 'node:vm';

/** Must run before the first worker is made: it reaches the threads that are started afterwards. */
export function lightenWorkflowThreads(): void {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      // Not the process's own flags: Node refuses those for V8 when they are given to a thread.
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

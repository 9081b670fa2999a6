// Whether Temporal can take work. After a failed start no further one is tried until a probe
// succeeds, so that callers get their 503 at once instead of each waiting for its own deadline;
// what was never started can never happen, which makes that 503 safe.

import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';

/** gRPC's NOT_FOUND: the server looked, and there is no such workflow. */
const GRPC_NOT_FOUND = 5;
const PROBE_EVERY_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;

export interface TemporalGate {
  isOpen(): boolean;
  /** Closes the gate and probes until Temporal answers. */
  reportFailure(): void;
  /** True when Temporal does real work now. */
  probe(): Promise<boolean>;
  close(): void;
}

export function createTemporalGate(client: Client, namespace: string): TemporalGate {
  let open = true;
  let stopped = false;

  // A look-up that must reach the server's database: a health check is answered by servers whose
  // database handle is dead (temporalio/temporal#11691).
  const lookUp = async (): Promise<boolean> => {
    try {
      await client.connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
        client.workflowService.describeWorkflowExecution({
          namespace,
          execution: { workflowId: 'status/probe' },
        }),
      );
      return true;
    } catch (error) {
      return isGrpcServiceError(error) && Number(error.code) === GRPC_NOT_FOUND;
    }
  };
  // One look-up at a time tells all who ask meanwhile. The native client goes on trying for some ten
  // seconds when its connection is refused, whatever the deadline: the limit is held here.
  let looking: Promise<boolean> | undefined;
  const probe = (): Promise<boolean> => {
    looking ??= lookUp().finally(() => {
      looking = undefined;
    });
    return Promise.race([looking, delay(PROBE_TIMEOUT_MS, false, { ref: false })]);
  };
  const probeUntilOpen = async (): Promise<void> => {
    while (!open && !stopped) {
      open = await probe();
      if (!open) await delay(PROBE_EVERY_MS, undefined, { ref: false });
    }
  };

  return {
    isOpen: () => open,
    reportFailure() {
      if (!open) return;
      open = false;
      void probeUntilOpen();
    },
    probe,
    close() {
      stopped = true;
    },
  };
}

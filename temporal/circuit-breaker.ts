// A circuit breaker for Temporal. After a failed start nothing is started until a probe succeeds, so
// that callers get their 503 at once instead of each waiting for its own deadline. What was never
// started can never happen, which makes that 503 safe.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { callTemporal, hasGrpcCode } from './calls';

const PROBE_EVERY_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;

export interface CircuitBreaker {
  /** False from a reported failure until a probe has succeeded. */
  allowsRequests(): boolean;
  /** Stops requests, and probes until Temporal responds. */
  reportFailure(): void;
  /** True when Temporal does real work now. */
  probe(): Promise<boolean>;
  close(): void;
}

export function createCircuitBreaker(client: Client, namespace: string): CircuitBreaker {
  let is_tripped = false;
  let is_closed = false;

  // A look-up that must reach the server's database: a health check is answered by servers whose
  // database handle is dead (temporalio/temporal#11691).
  const lookUp = async (): Promise<boolean> => {
    try {
      const found = await callTemporal(client, Date.now() + PROBE_TIMEOUT_MS, () =>
        client.workflowService.describeWorkflowExecution({
          namespace,
          execution: { workflowId: 'status/probe' },
        }),
      );
      return found !== undefined;
    } catch (error) {
      // The server looked, and there is no such workflow.
      return hasGrpcCode(error, 'not_found');
    }
  };
  // Callers that probe at the same time share one look-up.
  let probing: Promise<boolean> | undefined;
  const probe = (): Promise<boolean> => {
    probing ??= lookUp().finally(() => {
      probing = undefined;
    });
    return probing;
  };
  const probeUntilItWorks = async (): Promise<void> => {
    while (is_tripped && !is_closed) {
      is_tripped = !(await probe());
      if (is_tripped) await delay(PROBE_EVERY_MS, undefined, { ref: false });
    }
  };

  return {
    allowsRequests: () => !is_tripped,
    reportFailure() {
      if (is_tripped) return;
      is_tripped = true;
      void probeUntilItWorks();
    },
    probe,
    close() {
      is_closed = true;
    },
  };
}

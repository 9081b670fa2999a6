// A circuit breaker for Temporal. After a failed start nothing is started until a probe succeeds,
// so that callers get their 503 at once instead of each waiting for its own deadline. What was
// never started can never happen, which makes that 503 safe.

import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { callTemporal, hasGrpcCode } from './calls';

const PROBE_EVERY_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;

/** The reason of a call that got no response before its deadline. */
export const NO_RESPONSE = 'no response';

export interface CircuitBreaker {
  /** False from a reported failure until a probe has succeeded. */
  allowsRequests(): boolean;
  /**
   * Stops requests, and probes until Temporal responds. An error that says nothing about Temporal
   * itself does neither: one request that cannot be sent must not stop the others.
   */
  reportFailure(error: unknown): void;
  close(): void;
}

/** One for each environment: they do not share their failures. */
export function createCircuitBreaker(probe: () => Promise<boolean>): CircuitBreaker {
  let is_tripped = false;
  let is_closed = false;

  const probeUntilItWorks = async (): Promise<void> => {
    while (is_tripped && !is_closed) {
      is_tripped = !(await probe());
      if (is_tripped) await delay(PROBE_EVERY_MS, undefined, { ref: false });
    }
  };

  return {
    allowsRequests: () => !is_tripped,
    reportFailure(error) {
      if (is_tripped || !isFailureOfTemporal(error)) return;
      is_tripped = true;
      void probeUntilItWorks();
    },
    close() {
      is_closed = true;
    },
  };
}

/** A refused request is Temporal's answer to that request; other codes are about the server. */
function isFailureOfTemporal(error: unknown): boolean {
  if (error === NO_RESPONSE) return true;
  if (hasGrpcCode(error, 'invalid_argument') || hasGrpcCode(error, 'already_exists')) return false;
  // Anything else was thrown before the request left this process.
  return error instanceof ServiceError || isGrpcServiceError(error);
}

/** True when Temporal does real work now. Callers that probe at the same time share one look-up. */
export function createTemporalProbe(client: Client, namespace: string): () => Promise<boolean> {
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
  let probing: Promise<boolean> | undefined;
  return () => {
    probing ??= lookUp().finally(() => {
      probing = undefined;
    });
    return probing;
  };
}

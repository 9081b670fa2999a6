// Delivers what is due to one endpoint: as many at once as it answers well, one at a time when it
// does not, and then lingers for what may come next, because the way here through Temporal costs more
// than a delivery. Whatever happens, a delivery that was not recorded is sent again.

import type { Db } from '../../db/connect';
import {
  beginDrain,
  claimDeliveries,
  leaveDrain,
  type ClaimedDelivery,
  type DrainedEndpoint,
} from '../../db/webhooks';
import type { Sealer } from '../../secrets/seal';
import { signWebhook } from '../../secrets/webhook-secret';
import type { WebhookSender } from '../../webhooks/send';
import { createAttemptRecorder } from './attempt-recorder';
import type { Drains } from './active-runs';
import type { Leases } from './leases';
import { createAllowance, createEndpointHealth, type Allowance } from './endpoint-health';

export interface DeliverySettings {
  /** Waits between tries. */
  readonly retry_seconds: readonly number[];
  /** Of one attempt. */
  readonly timeout_ms: number;
  /** At once, to an endpoint that answers well. */
  readonly concurrency: number;
  readonly disable_after_seconds: number;
  readonly pace: DrainPace;
}

export interface DrainPace {
  /** No new deliveries are taken after this, or half as long again: then another turn begins. */
  readonly drain_ms: number;
  /** Without anything to do for so long, a drain ends. */
  readonly linger_ms: number;
  /** A commit that nobody told of is seen after this at the latest. */
  readonly look_ms: number;
  /** Whoever died is replaced after this. */
  readonly lease_ms: number;
}

export const DRAIN_PACE: DrainPace = {
  drain_ms: 40_000,
  linger_ms: 2_000,
  look_ms: 1_000,
  lease_ms: 5_000,
};

export interface DrainDependencies {
  readonly db: Db;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly drains: Drains;
  readonly leases: Leases;
  readonly deliveries: DeliverySettings;
}

/** Lower than a pool, so that the last ones of a claim do not wait for the next claim. */
const CLAIMED_AHEAD = 2;
const FIRST_TURN_MS = 5_000;

export interface Drained {
  /** `lost`: another one took the endpoint, or it was closed. */
  readonly ended: 'done' | 'busy' | 'closed' | 'lost';
  readonly wait_ms: number | null;
}

export async function drain(
  deps: DrainDependencies,
  endpoint_id: string,
  turn_number = 0,
): Promise<Drained> {
  const { db, drains } = deps;
  const { lease_ms } = deps.deliveries.pace;
  const token = crypto.randomUUID();
  const begun = await beginDrain(db, endpoint_id, token, lease_ms);
  if (begun.state !== 'draining') return { ended: begun.state, wait_ms: begun.wait_ms };
  const turn = createTurn(deps, { endpoint_id, token, turn_number });
  const entry = drains.enter(endpoint_id, turn.poke);
  const lease = deps.leases.hold(endpoint_id, token);
  try {
    return { ended: await turn.run(), wait_ms: null };
  } finally {
    lease.release();
    // After the lease: a commit that still saw it is heard by this process for a while.
    await leaveDrain(db, endpoint_id, token).finally(() => entry.leave());
  }
}

interface TurnOptions {
  readonly endpoint_id: string;
  readonly token: string;
  readonly turn_number: number;
}

function createTurn(deps: DrainDependencies, { endpoint_id, token, turn_number }: TurnOptions) {
  const { db, drains, deliveries } = deps;
  const { pace, concurrency } = deliveries;
  const began = performance.now();
  // Those that began together do not end together.
  const longest_ms = Math.min(pace.drain_ms, FIRST_TURN_MS * 2 ** Math.min(turn_number, 10));
  const drain_ms = longest_ms * (1 + Math.random() / 2);
  const health = createEndpointHealth(endpoint_id, concurrency);
  const recorder = createAttemptRecorder({ db, deliveries, endpoint_id, health });
  const queue: ClaimedDelivery[] = [];
  /** Sent or being sent, and not recorded yet. */
  const on_their_way = new Set<string>();
  let endpoint: DrainedEndpoint | undefined;
  let allowance: Allowance | undefined;
  let secrets: OpenSecrets | undefined;
  let sending = 0;
  let busy_at = began;
  let must_look = true;
  let looked_at = began;
  let changed = (): void => undefined;
  let has_changed = false;

  const poke = (): void => {
    must_look = true;
    notice();
  };
  const notice = (): void => {
    has_changed = true;
    changed();
  };
  const waitForChange = async (ms: number): Promise<void> => {
    if (has_changed) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      changed = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    changed = () => undefined;
  };

  const send = async (delivery: ClaimedDelivery, to: DrainedEndpoint): Promise<void> => {
    const started = performance.now();
    const result = await deps.sender.send({
      url: to.url,
      body: delivery.body,
      deadline_ms: deliveries.timeout_ms,
      headers: signWebhook({
        id: delivery.event_id,
        timestamp: Math.floor(Date.now() / 1_000),
        body: delivery.body,
        ...secrets!,
      }),
    });
    if (to.url === endpoint?.url) health.saw(result);
    recorder.add({ delivery, url: to.url, started, result });
  };
  const startSending = (delivery: ClaimedDelivery, to: DrainedEndpoint): void => {
    sending += 1;
    busy_at = performance.now();
    void send(delivery, to)
      .catch((error: unknown) => recorder.fail(error))
      .finally(() => {
        sending -= 1;
        busy_at = performance.now();
        notice();
      });
  };

  /** False when this turn holds the endpoint no more. */
  const claim = async (): Promise<boolean> => {
    const limit = Math.max(health.window * CLAIMED_AHEAD, 1);
    must_look = false;
    const claimed = await claimDeliveries(db, endpoint_id, token, limit, [...on_their_way]);
    if (!claimed) return false;
    const url = endpoint?.url;
    ({ endpoint } = claimed);
    if (endpoint.url !== url) {
      health.begin(endpoint.consecutive_failures);
      recorder.begin(endpoint);
    }
    if (endpoint.pause_ms > 0) health.pause(endpoint.pause_ms);
    secrets = openSecrets(deps.sealer, endpoint_id, endpoint, secrets);
    if (allowance?.per_second !== endpoint.max_per_second) {
      allowance = createAllowance(endpoint.max_per_second);
    }
    for (const delivery of claimed.deliveries) {
      queue.push(delivery);
      on_their_way.add(delivery.id);
    }
    // A full page says that there may be more behind it.
    if (claimed.deliveries.length === limit) must_look = true;
    return true;
  };

  const look = async (): Promise<boolean> => {
    const asked_at = performance.now();
    const is_ours = await claim();
    looked_at = performance.now();
    // A process that stood still for longer than its lease: the endpoint may be another's by now.
    if (looked_at - asked_at >= pace.lease_ms) giveBack();
    return is_ours;
  };

  /**
   * What waited for so long is claimed again: meanwhile the endpoint may have got another secret or
   * address, or be switched off.
   */
  const giveBack = (): void => {
    for (const { id } of queue.splice(0)) on_their_way.delete(id);
    must_look = true;
  };

  const isOver = (): boolean => {
    const now = performance.now();
    if (drains.is_stopping || recorder.is_closed || health.is_paused) return true;
    if (now - began > drain_ms) return true;
    return sending === 0 && queue.length === 0 && now - busy_at > pace.linger_ms;
  };

  const run = async (): Promise<Drained['ended']> => {
    recorder.onRecorded = (ids) => {
      for (const id of ids) on_their_way.delete(id);
      notice();
    };
    try {
      return (await deliver()) && !recorder.is_closed ? 'done' : 'lost';
    } finally {
      while (sending > 0) {
        has_changed = false;
        await waitForChange(pace.look_ms);
      }
      await recorder.flush();
    }
  };

  /** False when the endpoint was lost meanwhile. What was claimed and not sent is simply still due. */
  const deliver = async (): Promise<boolean> => {
    const mayLook = (): boolean => must_look && queue.length === 0 && sending < health.window;
    while (!isOver()) {
      has_changed = false;
      if (performance.now() - looked_at >= pace.look_ms) giveBack();
      if (mayLook() && !(await look())) return false;
      const wait_ms = sendWhatMay();
      if (!mayLook()) await waitForChange(wait_ms);
    }
    return true;
  };

  /** As many as the endpoint's health and limit allow; says how long to wait at most. */
  const sendWhatMay = (): number => {
    while (queue.length > 0 && sending < health.window && !health.is_paused) {
      const wait_ms = allowance!.take();
      if (wait_ms > 0) return Math.min(wait_ms, pace.look_ms);
      startSending(queue.shift()!, endpoint!);
    }
    return pace.look_ms;
  };

  return { poke, run };
}

interface OpenSecrets {
  readonly sealed: readonly [Buffer, Buffer | null];
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** Opened again only when they were rotated. */
function openSecrets(
  sealer: Sealer,
  endpoint_id: string,
  { sealed_secret, sealed_previous }: DrainedEndpoint,
  known: OpenSecrets | undefined,
): OpenSecrets {
  const isSame = (a: Buffer | null, b: Buffer | null): boolean =>
    a === null || b === null ? a === b : a.equals(b);
  if (known && isSame(known.sealed[0], sealed_secret) && isSame(known.sealed[1], sealed_previous)) {
    return known;
  }
  return {
    sealed: [sealed_secret, sealed_previous],
    secret: sealer.open(sealed_secret, endpoint_id),
    previous_secret: sealed_previous && sealer.open(sealed_previous, endpoint_id),
  };
}

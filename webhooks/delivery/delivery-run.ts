// One delivery run over one endpoint: sends what is due, as many requests at once as the endpoint
// responds well to, or one at a time when it fails. Then the run lingers for new deliveries, because
// the next one has to take the lease again. A delivery that was sent and not recorded is sent again.

import type { DatabaseClock } from '../../db/clock';
import type { Db } from '../../db/connect';
import { takeWebhookFaults } from '../../db/sandbox/webhook-faults';
import {
  beginDeliveryRun,
  claimDeliveries,
  endDeliveryRun,
  type ClaimedDelivery,
} from '../../db/webhooks/webhook-delivery-runs';
import type { Sealer } from '../../secrets/seal';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import { failSpan, inSpan, SpanKind } from '../../telemetry/spans';
import type { Metrics } from '../../telemetry/metrics';
import type { SendResult, WebhookSender } from '../send';
import {
  createAttemptRecorder,
  type AttemptRecorder,
  type FinishedAttempt,
} from './attempt-recorder';
import { createClaimedQueue, type ClaimedQueue, type QueuedDelivery } from './claimed-queue';
import { createEndpointHealth, type EndpointHealth } from './endpoint-health';
import type { Leases } from './leases';
import type { DeliverySettings } from './settings';
import { readTarget, type Target } from './target';
import type { Wakeup } from './wakeup';

export interface DeliveryRunDependencies {
  readonly db: Db;
  /** Dates the signatures: receivers refuse one that is minutes away from their own time. */
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly leases: Leases;
  readonly deliveries: DeliverySettings;
  readonly metrics: Pick<Metrics, 'countWebhookAttempt'>;
}

/** What a run hears while it goes on. */
export interface RunNews {
  readonly wakeup: Wakeup;
  /** There may be deliveries that no claim has seen. */
  must_poll: boolean;
  /** The process stops: the run sends nothing new, and another process delivers what is left. */
  is_stopping: boolean;
}

/**
 * `busy`: another run holds the endpoint. `closed`: it is disabled or deleted. `lost`: during the
 * run, the endpoint was closed or another run took it.
 */
export type DeliveryRunEnd = 'done' | 'busy' | 'closed' | 'lost';

/** Twice what may be sent at once: sends never wait for the next claim. */
const CLAIMED_AHEAD = 2;

/** Throws when an attempt could not be recorded. */
export async function runDeliveries(
  deps: DeliveryRunDependencies,
  endpoint_id: string,
  news: RunNews,
): Promise<DeliveryRunEnd> {
  const { db, leases } = deps;
  const token = crypto.randomUUID();
  const state = await beginDeliveryRun(db, endpoint_id, token, deps.deliveries.pace.lease_ms);
  if (state !== 'begun') return state;
  const run = createRun(deps, endpoint_id, token, news);
  const lease = leases.hold(endpoint_id, token);
  try {
    return (await deliver(run)) ? 'done' : 'lost';
  } finally {
    lease.release();
    await endDeliveryRun(db, endpoint_id, token);
  }
}

interface DeliveryRun {
  readonly deps: DeliveryRunDependencies;
  readonly endpoint_id: string;
  /** The token of the lease. */
  readonly token: string;
  readonly news: RunNews;
  readonly queue: ClaimedQueue;
  readonly health: EndpointHealth;
  readonly recorder: AttemptRecorder;
  /** The last claim has read it. */
  target: Target | undefined;
  polled_at: number;
  /** How many requests are under way. */
  sending: number;
  /** The time at which a request last began or ended. */
  busy_at: number;
  /** In a sandbox whose clock was moved, or with faults. */
  is_rehearsing: boolean;
}

function createRun(
  deps: DeliveryRunDependencies,
  endpoint_id: string,
  token: string,
  news: RunNews,
): DeliveryRun {
  const { db, deliveries, metrics } = deps;
  const queue = createClaimedQueue();
  const health = createEndpointHealth(endpoint_id, deliveries.concurrency);
  const recorder = createAttemptRecorder({
    db,
    deliveries,
    endpoint_id,
    health,
    metrics,
    onRecorded(delivery_ids) {
      queue.remove(delivery_ids);
      // A retry of a rehearsal may be due at once.
      if (run.is_rehearsing) news.must_poll = true;
      news.wakeup.notify();
    },
  });
  const now = performance.now();
  news.must_poll = true;
  const run: DeliveryRun = {
    deps,
    endpoint_id,
    token,
    news,
    queue,
    health,
    recorder,
    target: undefined,
    polled_at: now,
    sending: 0,
    busy_at: now,
    is_rehearsing: false,
  };
  return run;
}

/** False when the endpoint was closed or another run took it. */
async function deliver(run: DeliveryRun): Promise<boolean> {
  const { recorder, news, deps } = run;
  try {
    return (await deliverUntilFinished(run)) && !recorder.is_closed;
  } finally {
    while (run.sending > 0) await news.wakeup.wait(deps.deliveries.pace.poll_ms);
    await recorder.flush();
  }
}

/** False when a claim found the lease lost. What was claimed and not sent is due as before. */
async function deliverUntilFinished(run: DeliveryRun): Promise<boolean> {
  const { poll_ms } = run.deps.deliveries.pace;
  while (!isFinished(run)) {
    if (performance.now() - run.polled_at >= poll_ms) giveBack(run);
    if (mayPoll(run) && !(await poll(run))) return false;
    const wait_ms = Math.min(sendAllowed(run), lingerLeft(run));
    if (!mayPoll(run)) await run.news.wakeup.wait(wait_ms);
  }
  return true;
}

function isFinished(run: DeliveryRun): boolean {
  const { news, recorder, health } = run;
  return news.is_stopping || recorder.is_closed || health.is_paused || lingerLeft(run) <= 0;
}

/** How long the run goes on without anything to do; without end while it has something to do. */
function lingerLeft({ sending, queue, busy_at, deps }: DeliveryRun): number {
  if (sending > 0 || !queue.is_empty) return Infinity;
  return busy_at + deps.deliveries.pace.linger_ms - performance.now();
}

function mayPoll({ news, queue, sending, health }: DeliveryRun): boolean {
  return news.must_poll && queue.is_empty && sending < health.window;
}

/**
 * Deliveries that have waited for so long are claimed again before they are sent: meanwhile the
 * endpoint may have got another secret or URL, or may have been disabled.
 */
function giveBack(run: DeliveryRun): void {
  run.queue.giveBack();
  run.news.must_poll = true;
}

/** False when the lease is lost. */
async function poll(run: DeliveryRun): Promise<boolean> {
  const asked_at = performance.now();
  const is_ours = await claim(run);
  run.polled_at = performance.now();
  // The process stood still for longer than its lease: another run may have the endpoint by now.
  if (run.polled_at - asked_at >= run.deps.deliveries.pace.lease_ms) giveBack(run);
  return is_ours;
}

async function claim(run: DeliveryRun): Promise<boolean> {
  const { deps, endpoint_id, token, queue, health, recorder } = run;
  const limit = Math.max(health.window * CLAIMED_AHEAD, 1);
  // Cleared before the query: a notification that comes during it asks for another one.
  run.news.must_poll = false;
  const claimed = await claimDeliveries(deps.db, endpoint_id, token, limit, queue.ids());
  if (!claimed) return false;
  const { endpoint, deliveries } = claimed;
  if (endpoint.url !== run.target?.url) {
    health.reset(endpoint.consecutive_failures);
    recorder.reset(endpoint);
  }
  if (endpoint.pause_ms > 0) health.pause(endpoint.pause_ms);
  run.target = readTarget(deps.sealer, { ...endpoint, id: endpoint_id }, run.target);
  run.is_rehearsing ||= deliveries.some(({ rehearsal }) => rehearsal !== null);
  const allowed = run.is_rehearsing ? await applyFaults(run, deliveries) : deliveries;
  queue.add(allowed);
  // Behind a full page there may be more; and what was put off may be due already, after a jump of the clock.
  if (deliveries.length === limit || allowed.length < deliveries.length) run.news.must_poll = true;
  return true;
}

/** Only of a sandbox. Those that are put off are left out. */
async function applyFaults(
  { deps, endpoint_id, token }: DeliveryRun,
  deliveries: readonly ClaimedDelivery[],
): Promise<readonly QueuedDelivery[]> {
  if (!deliveries[0]?.rehearsal?.has_faults) return deliveries;
  const ids = deliveries.map(({ id }) => id);
  const taken = await takeWebhookFaults(deps.db, endpoint_id, token, ids);
  const faults = new Map(taken.map(({ id, fault }) => [id, fault]));
  return deliveries
    .filter(({ id }) => faults.has(id))
    .map((delivery) => ({ ...delivery, fault: faults.get(delivery.id) ?? null }));
}

/** Sends what the endpoint's health and rate limit allow. Returns how long to wait at most. */
function sendAllowed(run: DeliveryRun): number {
  const { queue, health, target, deps } = run;
  const { poll_ms } = deps.deliveries.pace;
  while (target && !queue.is_empty && run.sending < health.window && !health.is_paused) {
    const wait_ms = target.rate_limit.take();
    if (wait_ms > 0) return Math.min(wait_ms, poll_ms);
    startSending(run, queue.next()!, target);
  }
  return poll_ms;
}

function startSending(run: DeliveryRun, delivery: QueuedDelivery, target: Target): void {
  run.sending += 1;
  run.busy_at = performance.now();
  void send(run, delivery, target)
    .catch((error: unknown) => run.recorder.fail(error))
    .finally(() => {
      run.sending -= 1;
      run.busy_at = performance.now();
      run.news.wakeup.notify();
    });
}

async function send(run: DeliveryRun, delivery: QueuedDelivery, target: Target): Promise<void> {
  const attempt = await makeAttempt(run, delivery, target);
  if (delivery.fault !== 'duplicate') return run.recorder.add(attempt);
  // Both are recorded together: a process that dies between them sends both again.
  const copy = await makeAttempt(run, delivery, target);
  run.recorder.add({ ...attempt, copy });
}

async function makeAttempt(
  run: DeliveryRun,
  delivery: QueuedDelivery,
  target: Target,
): Promise<FinishedAttempt> {
  const { deps, health } = run;
  const { account, url, secrets } = target;
  const { body, event_id } = delivery;
  const started = performance.now();
  const { secret, previous_secret } =
    delivery.fault === 'bad-signature' ? othersOf(secrets) : secrets;
  const timestamp = Math.floor(deps.clock.now() / 1_000);
  const headers = signWebhook({ id: event_id, timestamp, body, secret, previous_secret });
  const attempt = (): Promise<SendResult> =>
    deps.sender.send({ account, url, body, headers, deadline_ms: deps.deliveries.timeout_ms });
  const result = await traceAttempt(delivery, attempt);
  // A response from an address that the endpoint had before says nothing of this one.
  const is_judged = result.outcome === 'delivered' || !delivery.rehearsal?.is_behind;
  if (url === run.target?.url && is_judged) health.report(result);
  return { delivery, url, started, result };
}

/** Their signatures have the right form, and no receiver accepts them. */
function othersOf({ previous_secret }: Target['secrets']): Omit<Target['secrets'], 'sealed'> {
  return {
    secret: makeWebhookSecret(),
    previous_secret: previous_secret && makeWebhookSecret(),
  };
}

/**
 * Leaves out the address, which may have a token in it. The receiver learns nothing of our traces.
 */
function traceAttempt(
  { event_id }: ClaimedDelivery,
  attempt: () => Promise<SendResult>,
): Promise<SendResult> {
  const attributes = { 'http.request.method': 'POST', 'webhook.event_id': event_id };
  return inSpan('POST webhook', { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const result = await attempt();
    span.setAttribute('webhook.outcome', result.outcome);
    if (result.status !== null) span.setAttribute('http.response.status_code', result.status);
    if (result.outcome !== 'delivered') failSpan(span, result.outcome);
    return result;
  });
}

// The frame of every experiment: its users and its random numbers before, the same complete check after.
//
//   describe('killed processes', () => {
//     const experiment = useCluster();
//     experiment('F1 kills workers', async (context) => {
//       await underLoad(context, async () => { … });
//     });
//   });

import { ACCEPT_WITHIN_MS } from '../../../domain/transfer';
import type { OperationRecord } from './caller';
import { countOutcomes, findFaults } from './checks';
import { startCluster, type Cluster, type ClusterOptions, type System } from './cluster';
import { judgeHooks, noteAskedWait } from './hook-end';
import { moody, openHooks, well, type Hooks } from './hooks';
import { createHttpClient, type HttpClient } from './http-client';
import { onInterruption } from './interruption';
import { startLoad, type LoadOptions } from './load';
import { createOperations } from './operations';
import { buildUsers, type FundedUser } from './users';
import { createRandom, type Random } from './random';
import { judgeOrders } from './order-end';
import { startOrderLoad, type OrderLoadOptions } from './order-load';
import { judgePayouts } from './payout-end';
import { startPayoutLoad, type PayoutLoadOptions, type PayoutRecord } from './payout-load';
import type { OrderRecord } from './run-order';
import { awaitDatabaseClock, awaitFreshTransfers, awaitNoOpenWorkflow } from './recovery';
import { FAULT_SECONDS, FAULT_SEED } from './settings';
import { findReadingFaults } from './shown';
import { leaveOut, whyNoDisks } from './small-disk';
import { watchForStalls } from './stalls';

export interface ExperimentContext<S extends System = Cluster> {
  /** `F3`: chance is drawn by it, and results are printed under it. */
  readonly code: string;
  readonly cluster: S;
  readonly users: FundedUser[];
  readonly random: Random;
  readonly client: HttpClient;
  /** Every request of the experiment, and every response it got. */
  readonly records: OperationRecord[];
  /** The same of payment intents, where the experiment has orders. */
  readonly orders: OrderRecord[];
  /** The same of payouts. */
  readonly payouts: PayoutRecord[];
  /** The receivers of the users' webhooks. */
  readonly hooks: Hooks;
  /** Everything ran again at this time after the faults (epoch, ms). */
  healed_at: number;
  /** How late, from then on, an intent may expire whose time is over. */
  expiry_limit_ms: number;
  /** How long, at that moment, the planned waits of webhooks were. */
  webhook_asked_ms: number;
  /** Faults in words: all of them are shown, unlike a first failed expectation. */
  readonly faults: string[];
  /** A figure for the line that the experiment prints. */
  note(name: string, figure: number): void;
  /** Runs after the checks, or after the failure. */
  onEnd(step: () => Promise<void> | void): void;
}

export type Experiment<S extends System = Cluster> = (
  title: string,
  work: (context: ExperimentContext<S>) => Promise<void>,
) => void;

const USERS = 8;
const CALLERS = 10;
/**
 * A lost task comes back after 5 s. A server that thaws gives tasks to callers who have long gone, so
 * that several may be lost in a row; as a rule it is below 5 s, which the experiment's line shows.
 */
const EXPIRY_LIMIT_MS = 20_000;
const CLOCK_MARGIN_MS = 1_000;
/** Enough of a fault to know it by; the logs have the rest. */
const FAULT_WIDTH = 200;

/** One cluster for all experiments of a `describe`. */
export function useCluster(options?: ClusterOptions): Experiment {
  const why = options?.disks ? whyNoDisks() : undefined;
  if (why !== undefined) return (title) => leaveOut(title, why);
  return useSystem(() => startCluster(options));
}

/** @param start_limit_ms the limit of any test when left out */
export function useSystem<S extends System>(
  start: () => Promise<S>,
  start_limit_ms?: number,
): Experiment<S> {
  let cluster: S;
  let hasFailed = false;
  const close = async (): Promise<void> => {
    await cluster.close({ keep_folder: hasFailed });
    if (hasFailed) say(`The logs are kept in ${cluster.folder}`);
  };
  let forget: (() => void) | undefined;
  beforeAll(async () => {
    cluster = await start();
    forget = onInterruption(() => cluster.close({ keep_folder: false }));
  }, start_limit_ms);
  afterAll(async () => {
    // Neither is there when the cluster has not started: that failure is the one to show.
    if (forget === undefined) return;
    forget();
    await close();
  });
  return (title, work) => {
    it(title, async () => {
      try {
        await runExperiment(cluster, title, work);
      } catch (error) {
        hasFailed = true;
        await cluster.heal();
        throw error;
      }
    });
  };
}

async function runExperiment<S extends System>(
  cluster: S,
  title: string,
  work: (context: ExperimentContext<S>) => Promise<void>,
): Promise<void> {
  const code = title.split(' ')[0]!;
  const started = Date.now();
  const notes = new Map<string, number>();
  const endings: (() => Promise<void> | void)[] = [];
  const client = createHttpClient({ ca: cluster.ca });
  const users = await buildUsers(cluster.db, USERS);
  const hooks = await openHooks(cluster, users);
  endings.push(() => hooks.close());
  const context: ExperimentContext<S> = {
    code,
    cluster,
    client,
    users,
    hooks,
    random: createRandom(FAULT_SEED, code),
    records: [],
    orders: [],
    payouts: [],
    healed_at: started,
    expiry_limit_ms: EXPIRY_LIMIT_MS * cluster.slowness,
    webhook_asked_ms: 0,
    faults: [],
    note: (name, figure) => void notes.set(name, figure),
    onEnd: (step) => void endings.push(step),
  };
  const { faults } = context;
  const stalls = watchForStalls();
  const ends_before = cluster.unasked_ends();
  // Whatever breaks, the rest is judged: a run without a verdict proves nothing.
  const attempt = async (what: string, step: () => Promise<void> | void): Promise<void> => {
    try {
      await step();
    } catch (error) {
      say(`${what} broke: ${error instanceof Error ? error.stack : String(error)}`);
      faults.push(`${what} broke: ${String(error)}`);
    }
  };
  await attempt('the experiment', () => work(context));
  if (faults.length > 0)
    await attempt('the healing', () => cluster.heal().then(() => settle(context)));
  for (const [what, find] of Object.entries(JUDGES)) {
    await attempt(`the judge of ${what}`, async () => void faults.push(...(await find(context))));
  }
  const ends = cluster.unasked_ends() - ends_before;
  if (ends > 0) faults.push(`${ends} processes ended by themselves`);
  for (const end of endings.reverse()) await attempt('an ending', end);
  client.close();
  const stalled_ms = stalls.stop();
  if (stalled_ms > 0) notes.set('stalled_ms', stalled_ms);
  notes.set('seconds', Math.round((Date.now() - started) / 1000));
  const figures = { ...countOutcomes(context.records), ...Object.fromEntries(notes) };
  const line = Object.entries(figures).map(([name, figure]) => `${name}=${figure}`);
  say(`${code} seed=${FAULT_SEED} violations=${faults.length} ${line.join(' ')}`);
  expect(faults.map((fault) => fault.slice(0, FAULT_WIDTH))).toEqual([]);
}

type Judge = (context: ExperimentContext<System>) => Promise<string[]>;

/** In this order: what payouts take out of the gateway's account is compared with the orders; the event of an end is sent after it. */
const JUDGES: Readonly<Record<string, Judge>> = {
  payouts: async (context) => (context.payouts.length === 0 ? [] : judgePayouts(context)),
  orders: async (context) => (context.orders.length === 0 ? [] : judgeOrders(context)),
  webhooks: judgeHooks,
  'workflows and transfers': judgeTransfers,
};

async function judgeTransfers(context: ExperimentContext<System>): Promise<string[]> {
  const { cluster, users, records, client } = context;
  const workflows = await awaitNoOpenWorkflow(cluster);
  context.note('workflows', workflows.completed);
  if (workflows.replaced > 0) context.note('workflows_replaced', workflows.replaced);
  const believed = records.filter(({ is_abandoned }) => is_abandoned);
  if (believed.length > 0) {
    const last = Math.max(...believed.flatMap(({ attempts }) => attempts.map(({ at }) => at)));
    await awaitDatabaseClock(cluster, last + ACCEPT_WITHIN_MS + CLOCK_MARGIN_MS);
  }
  return [
    ...(workflows.broken === 0 ? [] : [`${workflows.broken} workflows did not complete`]),
    ...(await findFaults(cluster, users, records)),
    ...(await findReadingFaults(cluster, users, records, client)),
  ];
}

export interface UnderLoadOptions extends Partial<LoadOptions> {
  /** Counts in FAULT_SECONDS: a process takes seconds to start again, a longer plan kills more. */
  readonly length?: number;
  /** The users who transfer; all when left out. */
  readonly users?: readonly FundedUser[];
  /** Payment intents beside the transfers. */
  readonly order_options?: OrderLoadOptions;
  /** Payouts beside the transfers, of merchants of their own. */
  readonly payout_options?: PayoutLoadOptions;
  /** The gateway is among what fails: the pauses between calls to it grow with the time it is away. */
  readonly is_gateway_hit?: boolean;
}

/** Load, faults under it, everything healed, a fresh transfer on each process, and the end of what is under way. */
export async function underLoad(
  context: ExperimentContext<System>,
  faults: (plan: { readonly until: number }) => Promise<void>,
  {
    length = 1,
    order_options,
    payout_options,
    users = context.users,
    is_gateway_hit,
    ...options
  }: UnderLoadOptions = {},
): Promise<void> {
  const { code, cluster, records, client } = context;
  // Apart from the faults' chance: callers and faults draw at moments that no seed repeats.
  const next = createOperations('op', users, createRandom(FAULT_SEED, `${code} operations`));
  const apis = options.apis ?? cluster.apis;
  const load = startLoad({ client, apis, records, callers: CALLERS, next, ...options });
  context.hooks.answer = moody(createRandom(FAULT_SEED, `${code} webhooks`));
  const others = { ...context, cluster: { ...cluster, apis } };
  const order_load = order_options && startOrderLoad(others, order_options);
  const payout_load = payout_options && (await startPayoutLoad(others, payout_options));
  const started = Date.now();
  try {
    await faults({ until: started + length * FAULT_SECONDS * 1000 });
    await cluster.heal();
    await settle(context);
    if (is_gateway_hit) context.expiry_limit_ms += context.healed_at - started;
    const { slowness } = cluster;
    const healed = await awaitFreshTransfers({ apis, slowness }, users, records, { client });
    context.note('recovery_ms', healed);
  } finally {
    await Promise.all([load.stop(), order_load?.stop(), payout_load?.stop()]);
  }
  const made = {
    transfers: records,
    orders: order_load && context.orders,
    payouts: payout_load && context.payouts,
  };
  for (const [what, those] of Object.entries(made)) {
    if (those?.length === 0) context.faults.push(`no ${what} were made, so none were judged`);
  }
}

/** Everything runs again, and every receiver responds 2xx. */
export async function settle(context: ExperimentContext<System>): Promise<void> {
  context.hooks.answer = well;
  context.healed_at = Date.now();
  context.webhook_asked_ms = await noteAskedWait(context);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// F20: the disk of one part after the other is full, under load, and then has room again.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { waitFor } from '../support/wait';
import type { Cluster } from './support/cluster';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import { pause } from './support/plan';
import { startReaders } from './support/readers';
import { leaveOut, openSmallDisk, whyNoDisks, type SmallDisk } from './support/small-disk';

/** On a machine that does other work, too. */
const NOTICED_WITHIN_MS = 60_000;

type Checks = Readonly<Record<'postgres' | 'disk' | 'temporal' | 'schema', 'ok' | 'failed'>>;

/** Waits until each API says that it is not ready, and returns what it names first. */
function awaitNotReady(
  { apis }: Pick<Cluster, 'apis'>,
  isIt: (checks: Checks) => boolean,
): Promise<unknown> {
  return Promise.all(
    apis.map(({ base_url }) =>
      waitFor(async () => {
        const response = await fetch(new URL('/ready', base_url));
        const { checks } = (await response.json()) as { readonly checks: Checks };
        return response.status === 503 && isIt(checks);
      }, NOTICED_WITHIN_MS),
    ),
  );
}

/** Waits until somebody who has asked since then was refused. */
function await503({ records }: Pick<ExperimentContext, 'records'>, since: number): Promise<true> {
  return waitFor(
    () =>
      records.some(({ attempts }) => attempts.some((it) => it.at >= since && it.status === 503)),
    NOTICED_WITHIN_MS,
  );
}

/** Asks Postgres for a new segment of its write-ahead log, for which there is no room: that ends it. */
async function demandSegment(superuser_url: string): Promise<void> {
  const client = new Client({ connectionString: superuser_url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (;;)
      await client.query(`select pg_logical_emit_message(true, 'full', 'full'), pg_switch_wal()`);
  } catch {
    // The server is gone.
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe('a full disk', () => {
  const experiment = useCluster({ disks: true });

  experiment('F20 a full disk of Postgres costs 503 and no more', async (context) => {
    const { cluster, random, users } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      const since = Date.now();
      cluster.disks!.postgres.fill();
      await awaitNotReady(cluster, ({ disk }) => disk === 'failed');
      await await503(context, since);
      await pause(random, 2_000, 4_000);
    };
    await underLoad(context, plan, { order_options: { merchants: users } });
  });

  experiment('F20 a Postgres that a full disk has ended loses nothing', async (context) => {
    const { cluster, random, users } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      cluster.disks!.postgres.fill();
      await demandSegment(cluster.postgres.current().superuser_url('postgres'));
      await awaitNotReady(cluster, ({ postgres }) => postgres === 'failed');
      await pause(random, 2_000, 4_000);
    };
    await underLoad(context, plan, { order_options: { merchants: users } });
  });

  experiment(
    'F20 a full disk of Temporal costs 503 for writes, and reads go on',
    async (context) => {
      const { cluster, random } = context;
      const readers = startReaders(context);
      context.onEnd(async () => void (await readers.stop()));
      const plan = async (): Promise<void> => {
        await pause(random, 1_000, 2_000);
        const since = Date.now();
        cluster.disks!.temporal.fill();
        await await503(context, since);
        await pause(random, 3_000, 5_000);
      };
      await underLoad(context, plan);
      const reads = await readers.stop();
      context.note('reads', reads.length);
      for (const { path, status } of reads) {
        if (status !== 200) context.faults.push(`GET ${path} answered ${status}`);
      }
    },
  );

  experiment('F20 a full disk of the access log fails nobody', async (context) => {
    const { cluster, random, records } = context;
    const plan = async (): Promise<void> => {
      await pause(random, 1_000, 2_000);
      const from = records.length;
      cluster.disks!.access_log.fill();
      await waitFor(
        () => records.slice(from).filter(({ final }) => final).length > 200,
        NOTICED_WITHIN_MS,
      );
      cluster.disks!.access_log.free();
      await pause(random, 1_000, 2_000);
    };
    await underLoad(context, plan);
    const attempts = records.flatMap((record) => record.attempts);
    const refused = attempts.filter(({ status }) => status === undefined || status >= 500);
    expect(refused).toEqual([]);
    const lines = cluster.apis.flatMap(({ name }) => readLines(cluster.accessLogOf(name)));
    // The line that found the last room was cut off there; the next one begins anew.
    expect(lines.filter((line) => !isJson(line)).length).toBeLessThanOrEqual(cluster.apis.length);
    expect(lines.filter((line) => line.indexOf('{"log"', 1) > 0)).toEqual([]);
    // Not by their number: the files have the lines of the experiments before this one, too.
    const written = new Set(lines.filter(isJson).map((line) => JSON.parse(line).request_id));
    const ids = records.flatMap(({ asked }) => asked);
    const lost = ids.filter((id) => !written.has(id)).length;
    context.note('lines_lost', lost);
    expect(lost).toBeGreaterThan(0);
    // Every request has its row all the same.
    await waitFor(async () => {
      const { rows } = (await cluster.database.owner.raw(
        'select count(distinct request_id)::integer as count from access_entries where request_id = any(?)',
        [ids],
      )) as { rows: { count: number }[] };
      return rows[0]!.count === ids.length;
    }, NOTICED_WITHIN_MS);
  });
});

/** One caller after the other with `npm start`: a key each, sent until it is answered 200. */
interface Sent {
  readonly key: string;
  readonly statuses: (number | undefined)[];
  text: string | undefined;
}

const CALLERS = 4;

describe('npm start on one disk', () => {
  const title = 'F20 comes back by itself when its full disk has room again';
  const why = whyNoDisks();
  if (why !== undefined) return leaveOut(title, why);

  it(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payment-api-start-'));
    const disk = openSmallDisk(folder);
    const started = startDev(folder);
    let giveUp = (): void => undefined;
    try {
      await provesItself({ folder, disk, ...started, onEnd: (step) => (giveUp = step) });
    } finally {
      giveUp();
      disk.free();
      await started.stop();
      disk.close();
      rmSync(folder, { recursive: true });
    }
  });

  async function provesItself({ folder, disk, child, output, onEnd }: Run): Promise<void> {
    const demo_file = join(folder, 'demo.json');
    await waitFor(() => existsSync(demo_file) && output().includes('is ready'), STARTED_WITHIN_MS);
    const { base_url } = JSON.parse(readFileSync(demo_file, 'utf8')) as {
      readonly base_url: string;
    };
    const to: Target = { base_url, key: makeKey(folder) };
    const { sent, ...callers } = startCallers(to);
    onEnd(() => callers.giveUp());
    const countDone = (): number => sent.filter(({ text }) => text !== undefined).length;
    await waitFor(() => countDone() > 20, NOTICED_WITHIN_MS);
    disk.fill();
    await waitFor(() => sent.some(({ statuses }) => statuses.includes(503)), NOTICED_WITHIN_MS);
    await demandSegment(superuserUrl(folder));
    await waitFor(() => output().includes('starts as soon as there is room'), NOTICED_WITHIN_MS);
    disk.free();
    const before = countDone();
    await waitFor(() => countDone() > before + 20, NOTICED_WITHIN_MS);
    await callers.stop();

    const statuses = [...new Set(sent.flatMap((it) => it.statuses))];
    expect([undefined, 200, 409, 503]).toEqual(expect.arrayContaining(statuses));
    expect(child.exitCode).toBeNull();
    for (const { key, text } of sent) {
      const again: Sent = { key, statuses: [], text: undefined };
      await waitFor(async () => (await send(to, again), again.text !== undefined));
      expect(again.text).toBe(text);
    }
    const references = new Set(
      sent.map(({ text }) => (JSON.parse(text!) as { reference: string }).reference),
    );
    expect(references.size).toBe(sent.length);
    command(folder, 'ledger', 'verify');
  }
});

/** Each has one transfer under way. */
function startCallers(to: Target) {
  const sent: Sent[] = [];
  let is_over = false;
  let is_given_up = false;
  const call = async (caller: number): Promise<void> => {
    for (let number = 0; !is_over; number += 1) {
      const operation: Sent = { key: `caller-${caller}-${number}`, statuses: [], text: undefined };
      sent.push(operation);
      while (operation.text === undefined && !is_given_up) await send(to, operation);
    }
  };
  const calls = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  return {
    sent,
    /** Resolves when everyone has the answer. */
    async stop(): Promise<void> {
      is_over = true;
      await calls;
    },
    giveUp(): void {
      is_over = true;
      is_given_up = true;
    },
  };
}

interface Run extends Dev {
  readonly folder: string;
  readonly disk: SmallDisk;
  readonly onEnd: (step: () => void) => void;
}

interface Target {
  readonly base_url: string;
  readonly key: string;
}

interface Dev {
  readonly child: ChildProcess;
  readonly output: () => string;
  stop(): Promise<void>;
}

const STARTED_WITHIN_MS = 120_000;

function program(name: string): string {
  return join(__dirname, '..', '..', 'dist', 'bin', name);
}

/** What the command line prints about the running system. */
function command(folder: string, ...words: string[]): string {
  return execFileSync(process.execPath, [program('cli.js'), ...words], {
    env: { ...process.env, DATA_DIRECTORY: folder },
    encoding: 'utf8',
  });
}

/** One with limits that no load here reaches. */
function makeKey(folder: string): string {
  const limits = ['--requests-per-minute', '100000', '--writes-per-minute', '100000'];
  const made = command(
    folder,
    'keys',
    'create',
    '--user',
    'merchant',
    '--environment',
    'live',
    '--json',
    ...limits,
  );
  return (JSON.parse(made) as { readonly key: string }).key;
}

function startDev(folder: string): Dev {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program('dev.js')], {
    env: { PATH, HOME, DATA_DIRECTORY: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    child,
    output: () => output,
    async stop() {
      if (child.exitCode !== null) return endRest(folder, output);
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** One request; a pause after one that was refused. */
async function send({ base_url, key }: Target, operation: Sent): Promise<void> {
  const response = await fetch(`${base_url}/transfers`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': operation.key,
    },
    body: JSON.stringify({ to_username: 'customer', currency: 'XOF', amount: 1 }),
  }).catch(() => undefined);
  operation.statuses.push(response?.status);
  const text = await response?.text().catch(() => undefined);
  if (response?.status === 200) operation.text = text;
  else await delay(1_000 * Number(response?.headers.get('retry-after') ?? 1));
}

/** What ended by itself has left its Temporal server running. */
function endRest(folder: string, output: string): void {
  process.stdout.write(`npm start has ended:\n${output}\n`);
  const file = join(folder, 'temporal', 'temporal.db.pid');
  if (!existsSync(file)) return;
  process.kill((JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid, 'SIGKILL');
}

function superuserUrl(folder: string): string {
  const url = new URL(readFileSync(join(folder, 'operator-database-url'), 'utf8').trim());
  url.username = 'postgres';
  url.password = readFileSync(join(folder, 'postgres', 'superuser-password'), 'utf8').trim();
  url.pathname = '/postgres';
  return url.href;
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

// Measures each process of a cluster at a moment: memory, descriptors, sessions, files, workflows.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster';
import { withTemporal } from './recovery';
import { processTree } from '../../../dev/embedded/process';
import { postgresFolder, temporalFolder } from './servers';

/** Keys are names such as `memory of api-1`. */
export type Sample = ReadonlyMap<string, number>;

const MB = 1024 * 1024;

/** Linux tells memory and descriptors of a process in files; elsewhere they are left out. */
const PROC = '/proc';

export async function takeSample(cluster: Cluster): Promise<Sample> {
  const sample = new Map<string, number>();
  const { apis, workers, gateway, temporal, postgres, folder } = cluster;
  const groups = new Map<string, readonly number[]>([
    ...[...apis, ...workers, gateway].map((it) => [it.name, [it.pid()!]] as const),
    ['temporal', processTree(temporal.current().pid)],
    ['postgres', processTree(postgres.current().pid)],
  ]);
  for (const [name, pids] of groups) {
    if (process.platform !== 'linux') break;
    sample.set(`memory of ${name}`, sum(pids.map(ownMemory)) / MB);
    if (pids.length === 1) sample.set(`descriptors of ${name}`, countDescriptors(pids[0]!));
  }
  const { rows } = (await cluster.database.owner.raw(
    `select pg_database_size(current_database())::float8 as size,
            (select count(*)::integer from pg_stat_activity where usename = 'payments_app') as sessions`,
  )) as { rows: { size: number; sessions: number }[] };
  sample.set('sessions of Postgres', rows[0]!.sessions);
  sample.set('size of the database', rows[0]!.size);
  const { count } = await withTemporal(cluster, ({ workflow }) =>
    workflow.count(`ExecutionStatus = 'Running'`),
  );
  sample.set('open workflows', count);
  sample.set('size of temporal.db', sizeOf(join(temporalFolder(folder), 'temporal.db')));
  sample.set(
    'size of temporal.db-wal',
    sizeOf(join(temporalFolder(folder), 'temporal.db-wal')) / MB,
  );
  sample.set('size of pg_wal', sizeOfFolder(join(postgresFolder(folder), 'data', 'pg_wal')) / MB);
  sample.set(
    'size of the access logs',
    sum(apis.map(({ name }) => sizeOf(cluster.accessLogOf(name)))),
  );
  const logs = [...apis, ...workers].map(({ name }) => sizeOf(join(folder, `${name}.log`)));
  sample.set('size of the error logs', sum(logs) / MB);
  return sample;
}

/** The process's own memory: that which the sessions of Postgres share is touched by and by. */
function ownMemory(pid: number): number {
  const status = readIfThere(join(PROC, String(pid), 'status'));
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function countDescriptors(pid: number): number {
  return readdirSync(join(PROC, String(pid), 'fd')).length;
}

/** A session may end between the list and the look at it. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function sizeOfFolder(folder: string): number {
  return sum(readdirSync(folder).map((name) => sizeOf(join(folder, name))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

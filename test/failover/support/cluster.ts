// A Postgres of three hosts that fails over by itself, as the fault experiments know a server.

import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../../dev/embedded/postgres';
import type { ServerNode } from '../../faults/support/servers';
import { noteSeen, waitFor } from '../../support/wait';
import {
  databaseUrl,
  NODE_NAMES,
  openBridge,
  openNode,
  restUrl,
  startEtcd,
  type Node,
} from './nodes';
import { PASSWORD } from './settings';

interface Member {
  readonly name: string;
  /** `leader`, `sync_standby` or `replica`. */
  readonly role: string;
  readonly state: string;
}

export interface Patroni extends ServerNode<EmbeddedPostgres> {
  readonly nodes: readonly Node[];
  /** Those that etcd knows. */
  members(): Promise<readonly Member[]>;
  primary(): Promise<Node>;
  standbys(): Promise<{ readonly sync: Node; readonly other: Node }>;
  /** Asks Patroni for a planned change. */
  switchover(): Promise<void>;
}

const HEALTHY_LIMIT_MS = 240_000;
const ASKED_WITHIN_MS = 2_000;

export async function openPatroni(folder: string): Promise<Patroni> {
  openBridge();
  const etcd = startEtcd(folder);
  const nodes = NODE_NAMES.map((_, index) => openNode(folder, index));
  for (const node of nodes) node.start();

  const ask = async (): Promise<readonly Member[]> => {
    const answers = nodes.map(async (node) => {
      const signal = AbortSignal.timeout(ASKED_WITHIN_MS);
      const response = await fetch(`${restUrl(node)}/cluster`, { signal });
      return ((await response.json()) as { members: Member[] }).members;
    });
    return Promise.any(answers);
  };
  const nodeOf = (members: readonly Member[], role: string): Node => {
    const member = members.find((one) => one.role === role);
    const node = nodes.find(({ name }) => name === member?.name);
    if (!node) throw new Error(`There is no ${role}: ${JSON.stringify(members)}`);
    return node;
  };
  const awaitHealth = (): Promise<unknown> =>
    waitFor(async () => {
      const members = await ask().catch(() => []);
      noteSeen('the members', members);
      const roles = members.map(({ role }) => role).sort();
      if (roles.join() !== 'leader,replica,sync_standby') return false;
      return streams(databaseUrl(nodes, PASSWORD, 'postgres'), nodeOf(members, 'leader'));
    }, HEALTHY_LIMIT_MS);
  const heal = async (): Promise<void> => {
    for (const node of nodes) node.heal();
    await awaitHealth();
  };
  await awaitHealth();

  const server: EmbeddedPostgres = {
    port: 0,
    pid: 0,
    superuser_url: (database) => databaseUrl(nodes, PASSWORD, database),
    stop: () => Promise.resolve(),
    exited: new Promise(() => undefined),
  };
  return {
    nodes,
    members: ask,
    primary: async () => nodeOf(await ask(), 'leader'),
    async standbys() {
      const members = await ask();
      return { sync: nodeOf(members, 'sync_standby'), other: nodeOf(members, 'replica') };
    },
    async switchover() {
      const members = await ask();
      const leader = nodeOf(members, 'leader');
      const candidate = nodeOf(members, 'sync_standby').name;
      const response = await fetch(`${restUrl(leader)}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    current: () => server,
    // Each host has faults of its own: `start` undoes them all.
    isRunning: () => false,
    start: heal,
    async kill() {
      await Promise.all(nodes.map((node) => node.kill()));
    },
    freeze: () => nodes.forEach((node) => node.freeze()),
    thaw: () => nodes.forEach((node) => node.thaw()),
    async stop() {
      for (const node of nodes) {
        await node.kill();
        node.disk.close();
      }
      await etcd.stop();
    },
  };
}

/** Both standbys follow the primary, and one of them synchronously. */
async function streams(url: string, { address }: Node): Promise<boolean> {
  const single = url.replace(/@[^/]*/, `@${address}:5432`);
  const client = new Client({ connectionString: single, connectionTimeoutMillis: ASKED_WITHIN_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ sync_state: string }>(
      `select sync_state from pg_stat_replication where state = 'streaming' and application_name like 'n_' order by 1`,
    );
    noteSeen('the standbys', rows);
    return rows.map(({ sync_state }) => sync_state).join() === 'async,sync';
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}

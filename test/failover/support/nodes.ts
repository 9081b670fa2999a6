// Three hosts, each a network namespace with a disk, a Patroni and a Postgres of its own, on one bridge with the
// test, where etcd and the service are. run.sh gives this process a network and mounts that end with it.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processTree, signalProcess, signalTree } from '../../../dev/embedded/process';
import { openSmallDisk, type SmallDisk } from '../../faults/support/small-disk';
import { waitFor } from '../../support/wait';
import { clusterConfig, PORT, REST_PORT } from './settings';

/** The folder of a Debian, made by run.sh, with these programs. */
const ROOT = process.env['FAILOVER_ROOT'] ?? '';
export const TEST_ADDRESS = '10.77.0.1';
export const NODE_NAMES = ['n1', 'n2', 'n3'] as const;
const NETWORK = '10.77.0';
/** An address of the link layer that no host has: what is sent to it is lost without a word. */
const NOWHERE = '02:00:00:00:00:99';

export type Direction = 'both ways' | 'to it' | 'from it';

export interface Node {
  readonly name: string;
  readonly address: string;
  readonly disk: SmallDisk;
  /** Starts Patroni, which starts Postgres. */
  start(): void;
  /** SIGKILL for Postgres; Patroni lives and sees it. */
  killPostgres(): void;
  /** SIGKILL for all of the host. */
  kill(): Promise<void>;
  /** SIGSTOP for all of the host: its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** The process of Postgres that receives the log from the primary stands still. */
  freezeReceiver(): void;
  cut(direction: Direction): void;
  /** Undoes every fault; a host that is down is started. */
  heal(): void;
}

function sh(command: string): void {
  execFileSync('sh', ['-ec', command], { stdio: 'pipe' });
}

export function openBridge(): void {
  sh(`ip link add br0 type bridge; ip addr add ${TEST_ADDRESS}/24 dev br0; ip link set br0 up`);
}

export function openNode(folder: string, index: number): Node {
  const name = NODE_NAMES[index]!;
  const address = `${NETWORK}.1${index + 1}`;
  const link = `v-${name}`;
  sh(`ip netns add ${name}
      ip link add ${link} type veth peer name e0 netns ${name}
      ip link set ${link} master br0 up
      ip netns exec ${name} sh -c 'ip link set lo up; ip addr add ${address}/24 dev e0; ip link set e0 up'`);
  /** The programs see it there. */
  const inside = `/mnt/${name}`;
  const home = ROOT + inside;
  const disk = openSmallDisk(home);
  const user = userIds();
  chownSync(home, user.uid, user.gid);
  // YAML has JSON in it.
  const config = JSON.stringify(clusterConfig({ name, address, home: inside }), null, 2);
  writeFileSync(`${home}.yml`, config);
  const log = openSync(join(folder, `${name}.log`), 'a');
  let patroni: ChildProcess | undefined;

  const isRunning = (): boolean => patroni?.exitCode === null && patroni.signalCode === null;
  const postgres = (): number | undefined => {
    try {
      const pid = Number(readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 0);
      return pid;
    } catch {
      return undefined;
    }
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = postgres();
    if (isRunning()) signalTree(patroni!.pid!, signal);
    if (pid !== undefined) signalTree(pid, signal);
  };
  const others = [TEST_ADDRESS, ...NODE_NAMES.map((_, other) => `${NETWORK}.1${other + 1}`)].filter(
    (other) => other !== address,
  );
  const neighbour = (verb: string, who: string, to: string, dev: string): string => {
    const enter = who === TEST_ADDRESS ? '' : `ip netns exec ${nameOf(who)} `;
    return `${enter}ip neigh ${verb} ${to} ${verb === 'replace' ? `lladdr ${NOWHERE} nud permanent ` : ''}dev ${dev} || true`;
  };
  const devOf = (who: string): string => (who === TEST_ADDRESS ? 'br0' : 'e0');

  return {
    name,
    address,
    disk,
    start() {
      const enter = [`--net=/run/netns/${name}`, 'chroot', ROOT];
      const become = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
      patroni = spawn('nsenter', [...enter, ...become, 'patroni', `${inside}.yml`], {
        stdio: ['ignore', log, log],
        env: { PATH: '/usr/bin:/usr/sbin', HOME: inside },
      });
    },
    killPostgres() {
      signalTree(postgres()!, 'SIGKILL');
    },
    async kill() {
      const ended = isRunning() ? once(patroni!, 'exit') : undefined;
      signalAll('SIGKILL');
      await ended;
      await waitFor(() => postgres() === undefined);
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    freezeReceiver() {
      for (const pid of processTree(postgres()!)) {
        if (/walreceiver/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))) {
          signalProcess(pid, 'SIGSTOP');
        }
      }
    },
    cut(direction) {
      if (direction === 'both ways') sh(`ip link set ${link} down`);
      else if (direction === 'from it')
        sh(others.map((to) => neighbour('replace', address, to, 'e0')).join('\n'));
      else sh(others.map((who) => neighbour('replace', who, address, devOf(who))).join('\n'));
    },
    heal() {
      disk.free();
      sh(`ip link set ${link} up
          ${others.map((to) => neighbour('del', address, to, 'e0')).join('\n')}
          ${others.map((who) => neighbour('del', who, address, devOf(who))).join('\n')}`);
      signalAll('SIGCONT');
      if (!isRunning()) this.start();
    },
  };
}

/** The address of the database with the hosts in this order. */
export function databaseUrl(nodes: readonly Node[], password: string, database: string): string {
  const hosts = nodes.map(({ address }) => `${address}:${PORT}`).join(',');
  return `postgres://postgres:${password}@${hosts}/${database}?target_session_attrs=read-write`;
}

export function restUrl({ address }: Node): string {
  return `http://${address}:${REST_PORT}`;
}

function nameOf(address: string): string {
  return NODE_NAMES[Number(address.at(-1)) - 1]!;
}

/** Postgres refuses to run as root. */
function userIds(): { readonly uid: number; readonly gid: number } {
  const users = readFileSync(join(ROOT, 'etc/passwd'), 'utf8');
  const [, uid, gid] = /^postgres:x:(\d+):(\d+):/m.exec(users)!;
  return { uid: Number(uid), gid: Number(gid) };
}

/** One etcd in the test's own network; production has three. */
export function startEtcd(folder: string): { stop(): Promise<void> } {
  const log = openSync(join(folder, 'etcd.log'), 'a');
  const clients = `http://${TEST_ADDRESS}:2379`;
  const peers = 'http://127.0.0.1:2380';
  const etcd = spawn(
    'chroot',
    [
      [ROOT, 'etcd', '--data-dir', '/mnt/etcd'],
      ['--listen-client-urls', clients, '--advertise-client-urls', clients],
      ['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ['--initial-cluster', `default=${peers}`],
    ].flat(),
    { stdio: ['ignore', log, log] },
  );
  return {
    async stop() {
      if (etcd.exitCode !== null) return;
      etcd.kill('SIGKILL');
      await once(etcd, 'exit');
    },
  };
}

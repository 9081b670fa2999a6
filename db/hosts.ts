// Leads connections to the one of several hosts that takes writes. pg knows one host only. After a failover the
// host is another one, and the old one may still listen: as a standby, or frozen.

import { Client } from 'pg';
import { hostUrls, targetOf } from '../domain/database-url';

export interface Host {
  /** The database's address with this host alone. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

export interface Hosts {
  /** Remembers the host until it is forgotten; callers that come meanwhile share one search. */
  find(): Promise<Host>;
  /** To be called when a connection has ended: its server may be no primary any more. */
  forget(): void;
  /** Whether a session that only reads is of no use. */
  readonly takes_writes: boolean;
}

/** Shorter than a request waits for its connection: the rest is for the connection itself. */
const ANSWER_WITHIN_MS = 1_500;
/** A search that failed holds for so long, so that callers do not flood servers that are being promoted. */
const FAILURE_HOLDS_MS = 200;

/** How the hosts of an address are chosen: one host is taken as it is, unless the address says more. */
export function hostsOf(url: string): { connectionString: string; hosts?: Hosts } {
  const [first, second] = hostUrls(url);
  const is_any = second === undefined && targetOf(url) === undefined;
  return { connectionString: first, ...(is_any ? {} : { hosts: createHosts(url) }) };
}

function createHosts(url: string): Hosts {
  let search: Promise<Host> | undefined;
  return {
    takes_writes: targetOf(url) !== 'prefer-standby',
    find() {
      if (search) return search;
      const started = findHost(url);
      search = started;
      started.catch(() =>
        setTimeout(() => {
          if (search === started) search = undefined;
        }, FAILURE_HOLDS_MS).unref(),
      );
      return started;
    },
    forget() {
      search = undefined;
    },
  };
}

/**
 * Asks all hosts at once, because a frozen one would hold up the others: the first that takes writes is taken. Where a
 * standby is preferred, it is the first standby, or any host when there is none.
 */
export async function findHost(url: string): Promise<Host> {
  const prefers_standby = targetOf(url) === 'prefer-standby';
  const answers = hostUrls(url).map((one) => ask(one));
  try {
    return await Promise.any(answers.map((answer) => wanted(answer, prefers_standby)));
  } catch (error) {
    const others = prefers_standby ? await Promise.allSettled(answers) : [];
    const other = others.find((one) => one.status === 'fulfilled');
    if (other) return other.value;
    const reasons = (error as AggregateError).errors.map(({ message }: Error) => message);
    const found = prefers_standby ? 'answers' : 'takes writes';
    throw new Error(`Connection terminated: no host of Postgres ${found} (${reasons.join('; ')})`);
  }
}

interface Answer extends Host {
  readonly reads_only: boolean;
}

async function wanted(answer: Promise<Answer>, prefers_standby: boolean): Promise<Answer> {
  const host = await answer;
  if (host.reads_only === prefers_standby) return host;
  throw new Error(`${host.host}:${host.port}: ${host.reads_only ? 'reads only' : 'no standby'}`);
}

async function ask(url: string): Promise<Answer> {
  const limits = { connectionTimeoutMillis: ANSWER_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS };
  const client = new Client({ connectionString: url, ...limits });
  // The call that waits is told as well; without a listener the error would end the process.
  client.on('error', () => undefined);
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query<{ reads_only: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as reads_only`,
    );
    return { url, host, port, reads_only: rows[0]!.reads_only };
  } catch (error) {
    throw new Error(`${host}:${port}: ${(error as Error).message}`, { cause: error });
  } finally {
    void client.end().catch(() => undefined);
  }
}

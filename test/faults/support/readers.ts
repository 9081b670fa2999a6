// Callers who only read, one after the other, beside everything else that happens.

import type { ExperimentContext } from './experiment';

export interface Read {
  readonly status: number | undefined;
  readonly path: string;
  readonly ms: number;
  /** The request was sent at this time (epoch, ms). */
  readonly at: number;
}

const READERS = 4;
const PATHS = ['/wallets', '/transactions', '/me', '/status'];

export function startReaders({
  cluster,
  client,
  users,
}: Pick<ExperimentContext, 'cluster' | 'client' | 'users'>): { stop(): Promise<Read[]> } {
  const reads: Read[] = [];
  let stopped = false;
  const loop = async (reader: number): Promise<void> => {
    for (let turn = reader; !stopped; turn += 1) {
      const api = cluster.apis[(turn >> 2) % cluster.apis.length]!;
      const path = PATHS[turn % PATHS.length]!;
      const user = users[turn % users.length]!;
      const at = Date.now();
      const { status, ms } = await client.send({
        method: 'GET',
        url: api.base_url + path,
        headers: { authorization: `Bearer ${user.keys.live}` },
        timeout_ms: 20_000,
      });
      reads.push({ status, path, ms, at });
    }
  };
  const loops = Array.from({ length: READERS }, (_, reader) => loop(reader));
  return {
    async stop() {
      stopped = true;
      await Promise.all(loops);
      return reads;
    },
  };
}

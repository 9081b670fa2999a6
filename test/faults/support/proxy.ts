// A TCP proxy in front of Postgres that loses responses: the statement arrives and commits, and
// its sender never gets a response. It can also hold a statement back, and let it go later.

import { connect, createServer, type Socket } from 'node:net';
import { pickTestPort } from '../../support/ports';
import type { Api } from './cluster';
import type { ExperimentContext } from './experiment';

export interface PostgresProxy {
  /** The database address with the proxy's port in it. */
  readonly url: string;
  /** Called for every piece that a client sends, which is one statement as a rule. */
  loseAnswerIf(choice: (statement: string) => boolean): void;
  /** Keeps the first statement that contains this text; `arrived` resolves when it is here. */
  holdNext(text: string): { readonly arrived: Promise<void>; release(): void };
  readonly lost: () => number;
  close(): Promise<void>;
}

/** More API processes, which reach Postgres through a proxy; all of it until the end of the experiment. */
export async function apisBehindProxy(
  { cluster, onEnd }: Pick<ExperimentContext, 'cluster' | 'onEnd'>,
  count = 1,
): Promise<{ readonly proxy: PostgresProxy; readonly apis: readonly Api[] }> {
  const proxy = await startProxy(cluster.database_url);
  onEnd(() => proxy.close());
  const apis: Api[] = [];
  onEnd(async () => void (await Promise.all(apis.map((api) => api.kill()))));
  while (apis.length < count) {
    added += 1;
    apis.push(await cluster.addApi(`api-behind-proxy-${added}`, proxy.url));
  }
  return { proxy, apis };
}

let added = 0;

export async function startProxy(database_url: string): Promise<PostgresProxy> {
  const target = new URL(database_url);
  const url = new URL(database_url);
  url.port = String(await pickTestPort());
  const sockets = new Set<Socket>();
  let isAnswerLost: (statement: string) => boolean = () => false;
  let hold: { text: string; catch_: (release: () => void) => void } | undefined;
  let lost = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isLosing = false;
    const close = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', close);
      socket.on('close', close);
    }
    client.on('data', (piece: Buffer) => {
      const statement = piece.toString('latin1');
      if (hold && statement.includes(hold.text)) {
        const { catch_ } = hold;
        hold = undefined;
        client.pause();
        catch_(() => {
          upstream.write(piece);
          client.resume();
        });
        return;
      }
      if (isAnswerLost(statement)) isLosing = true;
      upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => {
      if (!isLosing) {
        client.write(piece);
        return;
      }
      // The server responds to a statement only after its commit: the effect is there.
      lost += 1;
      close();
    });
  });
  await new Promise<void>((resolve) =>
    server.listen(Number(url.port), target.hostname, () => resolve()),
  );

  return {
    url: url.href,
    loseAnswerIf(choice) {
      isAnswerLost = choice;
    },
    holdNext(text) {
      let release: (() => void) | undefined;
      const arrived = new Promise<void>((resolve) => {
        const catch_ = (let_go: () => void): void => {
          release = let_go;
          resolve();
        };
        hold = { text, catch_ };
      });
      return { arrived, release: () => release?.() };
    },
    lost: () => lost,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

// The load generator, a process of its own: takes one job a message and answers with its summary.

import { randomUUID } from 'node:crypto';
import { runClosedLoop } from './closed-loop';
import { openConnection } from './http-client';
import type { Summary } from './stats';

export interface LoadJob {
  readonly port: number;
  readonly clients: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
  readonly keys: readonly string[];
  readonly usernames: readonly string[];
  /** `transfer` sends money between random users; a path is fetched. */
  readonly target: 'transfer' | { readonly path: string };
}

export interface LoadResult {
  readonly summary: Summary;
  /** Anything but 200 spoils a run. */
  readonly failures: number;
  readonly first_failure: string | null;
}

async function run(job: LoadJob): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: job.clients }, () => openConnection(job.port)),
  );
  let failures = 0;
  let first_failure: string | null = null;
  const summary = await runClosedLoop({
    ...job,
    async once(client) {
      const [head, body] = makeRequest(job);
      const answer = await connections[client]!.send(head, body);
      if (answer.status === 200) return;
      failures += 1;
      first_failure ??= `${answer.status} ${answer.body}`;
    },
  });
  for (const connection of connections) connection.close();
  return { summary, failures, first_failure };
}

function makeRequest(job: LoadJob): [head: string, body?: string] {
  const sender = Math.floor(Math.random() * job.keys.length);
  const authorization = `Host: 127.0.0.1\r\nAuthorization: Bearer ${job.keys[sender]}`;
  if (job.target !== 'transfer') return [`GET ${job.target.path} HTTP/1.1\r\n${authorization}`];
  const step = 1 + Math.floor(Math.random() * (job.usernames.length - 1));
  const to_username = job.usernames[(sender + step) % job.usernames.length]!;
  return [
    `POST /api/public/v1/transfers HTTP/1.1\r\n${authorization}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}`,
    JSON.stringify({ to_username, currency: 'XOF', amount: 100 }),
  ];
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send!(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

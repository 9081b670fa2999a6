// Builds one process of the service: the API, a worker, or both on one connection, and stops it in
// the order in which nothing is lost.

import type { AroundMiddleware } from '../api/app';
import { errorDocsUrl } from '../domain/docs-paths';
import type { Config } from '../config/load';
import { startApi } from './api-server';
import type { HttpServerOptions } from './http-server';
import { startBatchWorker } from './batch-worker';
import { startJobs } from './jobs';
import { startMainWorker } from './main-worker';
import { openParts } from './parts';
import type { RunningWorker } from './running-worker';
import { startWebhookWorker } from './webhook-worker';

export interface Service {
  /** Finishes what is under way, then closes everything. */
  stop(): Promise<void>;
  /** Rejects when the worker or the server fails for good. */
  readonly failed: Promise<never>;
  /** Undefined when they are not shown. */
  readonly metrics_url: string | undefined;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly roles: { readonly api: boolean; readonly webhooks: boolean };
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** Serves tests of what happens when a middleware fails. */
  readonly around?: AroundMiddleware | undefined;
  /** How the HTTP server drains; not at all when left out. */
  readonly drain?: HttpServerOptions | undefined;
}

/** The parts in the order of starting; they are stopped in the reverse. */
export type Closers = (() => Promise<unknown> | void)[];

export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: Closers = [];
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    const started = await startParts(options, closers);
    return { ...started, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: ServiceOptions,
  closers: Closers,
): Promise<Pick<Service, 'failed' | 'metrics_url'>> {
  const { config, roles } = options;
  const parts = await openParts(options, closers);
  startJobs(parts, roles, closers);
  const workers: RunningWorker[] = [];
  const stopping: Pick<RunningWorker, 'stop'>[] = [];
  // Together: each takes its time when what it has under way cannot end.
  closers.push(() => Promise.all([...workers, ...stopping].map((worker) => worker.stop())));
  workers.push(await startMainWorker(parts));
  const error_docs_url = errorDocsUrl(config.public_url);
  workers.push(await startBatchWorker({ ...parts, error_docs_url }));
  if (roles.webhooks) stopping.push(startWebhookWorker(parts));
  if (roles.api) {
    // Stopped first: a request under way still needs the worker of this process.
    const api = await startApi(parts, options);
    closers.push(() => api.stop());
  }
  closers.push(parts.stopBeingReady);
  // The promise is in an object, because a promise of a promise is only one.
  const ended = Promise.all(workers.map(({ working }) => working));
  return {
    metrics_url: parts.metrics_url,
    failed: ended.then(() => new Promise<never>(() => undefined)),
  };
}

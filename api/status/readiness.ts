// GET /ready, beside the API and without a key: does this process have all that it needs to work?
// Each part does real work for it, at most once a second however many ask, and the answer comes
// within two seconds.

import { performance } from 'node:perf_hooks';
import { createSchemaCheck, doesPostgresWork, hasPostgresRoom } from '../../db/health/health';
import type { Db } from '../../db/connect';
import { within } from '../../temporal/calls';
import type { ApiDependencies } from '../context';
import type { HttpMiddleware } from '../../http/context';

export interface Readiness {
  readonly ok: boolean;
  /** It has been asked to end, and should get no more requests. */
  readonly is_stopping: boolean;
  readonly checks: Readonly<Record<'postgres' | 'disk' | 'temporal' | 'schema', 'ok' | 'failed'>>;
}

/** How long an answer serves all who ask. */
const KEPT_MS = 1_000;
/** A part that has not answered by then has failed. */
const WITHIN_MS = 2_000;

export function answerReadiness({
  findReadiness,
}: Pick<ApiDependencies, 'findReadiness'>): HttpMiddleware {
  return async (ctx) => {
    const readiness = await findReadiness();
    ctx.status = readiness.ok ? 200 : 503;
    ctx.body = readiness;
  };
}

export interface ReadinessDependencies {
  readonly db: Db;
  readonly probeTemporal: () => Promise<boolean>;
}

export interface ReadinessWatch {
  readonly find: () => Promise<Readiness>;
  /** Says from now on that the process is stopping. */
  readonly stop: () => void;
}

/** An API reads, and answers true 503s to orders, while Temporal is away or the database's disk is full. */
export function mayServe({ checks, is_stopping }: Readiness): boolean {
  return !is_stopping && checks.postgres === 'ok' && checks.schema === 'ok';
}

export function createReadiness({ db, probeTemporal }: ReadinessDependencies): ReadinessWatch {
  let is_stopping = false;
  const checks = {
    postgres: createCheck(() => doesPostgresWork(db)),
    disk: createCheck(() => hasPostgresRoom(db)),
    temporal: createCheck(probeTemporal),
    schema: createCheck(createSchemaCheck(db)),
  };
  const find = async (): Promise<Readiness> => {
    const [postgres, room, temporal, schema] = await Promise.all([
      checks.postgres(),
      checks.disk(),
      checks.temporal(),
      checks.schema(),
    ]);
    // Without Postgres that cannot be known, and it is not what has to be mended first.
    const disk = room || !postgres;
    const name = (works: boolean) => (works ? 'ok' : 'failed');
    return {
      ok: !is_stopping && postgres && disk && temporal && schema,
      is_stopping,
      checks: {
        postgres: name(postgres),
        disk: name(disk),
        temporal: name(temporal),
        schema: name(schema),
      },
    };
  };
  return { find, stop: () => void (is_stopping = true) };
}

/**
 * Never throws. The part is asked again only when it has answered, so that asking cannot pile up.
 */
function createCheck(ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let known: { readonly works: boolean; readonly until: number } | undefined;
  const know = (works: boolean): boolean => {
    known = { works, until: performance.now() + KEPT_MS };
    return works;
  };
  return async () => {
    if (known && performance.now() < known.until) return known.works;
    asked ??= ask()
      .catch(() => false)
      .then(know)
      .finally(() => {
        asked = undefined;
      });
    return (await within(WITHIN_MS, asked)) ?? know(false);
  };
}

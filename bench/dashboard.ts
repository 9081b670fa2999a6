// `npm run bench:dashboard [-- --json]`: what each page of the dashboard costs the database, for an account
// with a million transactions. Counted by Postgres itself (pg_stat_statements), so that neither Node nor
// the machine's noise outside of Postgres is in it.

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { ROUTES } from '../dashboard/routes';
import { beginSession } from '../db/sessions';
import { hashSessionToken, makeSessionToken } from '../secrets/session-token';
import { setStage, type Stage } from './contestants';
import { fillHistory } from './history';
import { round } from './stats';

const ROWS = 1_000_000;
/** Of one page; the first ones, which fill caches, are not counted. */
const WARM_UPS = 3;
const VISITS = 20;

interface PageCost {
  readonly page: string;
  readonly status: number;
  readonly statements: number;
  /** Planning and execution, in Postgres. */
  readonly database_ms: number;
}

async function main(): Promise<void> {
  const log = (text: string): void => void process.stderr.write(`${text}\n`);
  const postgres = {
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track_planning': 'on',
  };
  const stage = await setStage(log, { postgres });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(130)));
  }
  try {
    const costs = await measurePages(stage, log);
    const isJson = process.argv.includes('--json');
    process.stdout.write(`${isJson ? JSON.stringify(costs) : costs.map(describe).join('\n')}\n`);
  } finally {
    await stage.close();
  }
}

async function measurePages(stage: Stage, log: (text: string) => void): Promise<PageCost[]> {
  const owner = new Client({ connectionString: stage.owner_url });
  await owner.connect();
  try {
    await owner.query('create extension pg_stat_statements');
    const { id } = stage.users[0]!;
    log('making a history of a million transactions …');
    await fillHistory(stage.owner_url, id, ROWS);
    const cookie = await signIn(stage, owner, id);
    const newest = await owner.query(
      `select id from transactions where user_id = $1 and environment = 'sandbox'
        order by created_at desc limit 1`,
      [id],
    );
    const pages = pagesOf(newest.rows[0].id as string);
    const costs: PageCost[] = [];
    for (const page of pages) {
      costs.push(await measurePage(stage, owner, page, cookie));
      log(describe(costs.at(-1)!));
    }
    return costs;
  } finally {
    await owner.end();
  }
}

/** Those that need no object but the account, and those of its transactions. */
function pagesOf(transaction: string): string[] {
  const plain = ROUTES.filter(
    ({ method, path, access }) =>
      method === 'GET' && !path.includes(':') && !path.includes('.csv') && access !== 'anyone',
  ).map(({ path }) => path);
  return [
    ...plain.filter((path) => !path.startsWith('/operators')),
    `/transactions/${transaction}`,
    '/transactions?cursor=2015-01-01T00:00:00.000000Z',
    '/transactions?type=deposit',
    '/transactions?currency=EUR&status=failed',
    '/transactions?reference=TRF-NOSUCHREFERENCE',
  ];
}

async function signIn(stage: Stage, owner: Client, user_id: string): Promise<string> {
  const { rows } = await owner.query(
    `select l.id, l.password_hash from memberships m join logins l on l.id = m.login_id
      where m.user_id = $1`,
    [user_id],
  );
  const token = makeSessionToken();
  await beginSession(stage.db, {
    login_id: rows[0].id as string,
    password_hash: rows[0].password_hash as string,
    token_hash: hashSessionToken(token),
    second_factor: 'none',
    ip: '127.0.0.1',
    user_agent: `bench ${randomUUID()}`,
    lasts_seconds: 3_600,
  });
  return `payments_session=${token}`;
}

async function measurePage(
  stage: Stage,
  owner: Client,
  page: string,
  cookie: string,
): Promise<PageCost> {
  const url = `http://127.0.0.1:${stage.api_port}/dashboard${page === '/' ? '' : page}`;
  const visit = async (): Promise<number> => {
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  };
  for (let count = 0; count < WARM_UPS; count += 1) await visit();
  await owner.query('select pg_stat_statements_reset()');
  let status = 0;
  for (let count = 0; count < VISITS; count += 1) status = await visit();
  // What the service does for itself in the same seconds: the access log's rows, sweeps, wake-ups.
  const { rows } = await owner.query(
    `select sum(s.calls)::float8 as calls,
            sum(s.total_exec_time + s.total_plan_time) as ms
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
      where s.toplevel and r.rolname = 'payments_app' and s.calls >= $1
        and s.query !~ 'add_access_entries|tend_access_log|touch_session'`,
    [VISITS],
  );
  return {
    page,
    status,
    statements: round((rows[0].calls as number) / VISITS),
    database_ms: round((rows[0].ms as number) / VISITS),
  };
}

function describe({ page, status, statements, database_ms }: PageCost): string {
  return `${String(status)}  ${String(statements).padStart(4)} statements  ${String(database_ms).padStart(7)} ms  ${page}`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

// The cost of a page for the database, counted at the driver: every statement that its request sends.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import { ROUTES } from '../../dashboard/routes';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildExamples, type Examples } from './examples';

/** The session's included, and for operators the counters of their sections. */
const MOST = 6;
/** A payment’s pages show all that belongs to it. */
const MORE: Readonly<Record<string, number>> = { '/links/:id': 8, '/operators/payments/:id': 10 };

const request = new AsyncLocalStorage<string[]>();
/** Holds those of the last page. */
let statements: string[] = [];
let service: TestService;
let examples: Examples;

// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;

afterAll(() => {
  Client.prototype.query = query as typeof Client.prototype.query;
});

beforeAll(async () => {
  Client.prototype.query = function (this: Client, ...args: unknown[]) {
    const [given] = args as [string | { readonly name?: string; readonly text?: string }];
    const text = typeof given === 'string' ? given : (given.name ?? given.text ?? 'unnamed');
    request.getStore()?.push(text);
    return query.apply(this, args);
  } as typeof Client.prototype.query;
  const database = await createTestDatabase();
  service = await startTestService({
    database,
    around: (name, middleware) =>
      name === 'pages'
        ? (ctx, next) => {
            statements = [];
            return request.run(statements, () => middleware(ctx, next));
          }
        : middleware,
  });
  examples = await buildExamples(service, database);
});

const PAGES = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);

it.each(PAGES)('%s takes few statements', async (path) => {
  const example = examples.find(path);
  if (example === 'no page') return;
  const visitor = example.visitor!;
  // The first visit touches the session's row, once a minute, and takes what is shown once.
  await visitor.open(example.path);
  const page = await visitor.open(example.path);
  expect([path, page.status]).toEqual([path, example.status ?? 200]);
  const tooMany = statements.length > (MORE[path] ?? MOST) ? statements : [];
  expect(tooMany).toEqual([]);
});

it('counts: the first page of somebody who is signed in takes some', async () => {
  await examples.owner.visitor.open('/');
  expect(statements).toContain('find_session');
  expect(statements.length).toBeGreaterThan(1);
});

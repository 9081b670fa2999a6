// The route table, and the types that tie each row's handler to its schemas. tsc checks every
// `@ts-expect-error` here: one that expects nothing is an error itself.

import type { ApiDependencies, ApiRequest, ApiResponse } from '../../api/context';
import { routesOf } from '../../api/route';
import { response } from '../../api/schemas';
import { ROUTES } from '../../api/routes';

const body = {
  type: 'object',
  required: ['to'],
  additionalProperties: false,
  properties: { to: { type: 'string', maxLength: 64 } },
} as const;
const query = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
    status: { type: 'string', enum: ['open', 'closed'] },
  },
} as const;
const row = {
  scope: 'transfers:write',
  summary: 'An example',
  description: 'For this test.',
  response: response('Example', {}),
} as const;
const on = routesOf('Service');
const path = '/examples';

type Status = 'open' | 'closed';
type Handling<Query, Body> = (
  dependencies: ApiDependencies,
  request: ApiRequest<Query, Body>,
) => ApiResponse;
function handling<Query = unknown, Body = unknown>(): Handling<Query, Body> {
  return () => ({ status: 200, body: '{}' });
}

describe('routesOf()', () => {
  it('does not compile without a word on each name in the path', () => {
    const [named_path, named] = ['/examples/{id}/{part}', { ...row, handler: handling() }] as const;
    const id = "The example's id.";
    on.post(named_path, { ...named, path_parameters: { id, part: 'Which part.' } });
    // @ts-expect-error `part` is missing
    on.post(named_path, { ...named, path_parameters: { id } });
    // @ts-expect-error both are missing
    on.post(named_path, named);
  });

  it('does not compile without the scope of what writes', () => {
    const { scope: _, ...open } = row;
    // @ts-expect-error a POST needs one
    on.post(path, { ...open, handler: handling() });
  });

  it('takes a handler whose body and query are what the schemas let through', () => {
    on.post(path, { ...row, handler: handling() });
    on.post(path, { ...row, body, handler: handling<unknown, { to: string }>() });
    on.post(path, { ...row, query, handler: handling<{ limit: number; status?: Status }>() });
    on.post(path, { ...row, query, body, handler: handling<{ limit: number }, { to: string }>() });
  });

  it('does not compile with a body that its schema does not let through', () => {
    // @ts-expect-error `to` is text
    on.post(path, { ...row, body, handler: handling<unknown, { to: number }>() });
    // @ts-expect-error the schema has no `from`
    on.post(path, { ...row, body, handler: handling<unknown, { to: string; from: string }>() });
    // @ts-expect-error no schema, no body
    on.post(path, { ...row, handler: handling<unknown, { to: string }>() });
  });

  it('does not compile with a query that its schema does not let through', () => {
    // @ts-expect-error `status` may be absent
    on.post(path, { ...row, query, handler: handling<{ limit: number; status: Status }>() });
    // @ts-expect-error `status` may also be closed
    on.post(path, { ...row, query, handler: handling<{ limit: number; status?: 'open' }>() });
    // @ts-expect-error no schema, no query
    on.post(path, { ...row, handler: handling<{ limit: number }>() });
  });
});

describe('the route table', () => {
  it('names each operation after its handler', () => {
    const names = ROUTES.map(({ operation_id }) => operation_id);
    expect(
      names.filter(
        (name) =>
          !/^(get|list|create|change|delete|cancel|confirm|approve|reject|check|rotate|send|resend|advance|fund|give|preview)[A-Z]/.test(
            name,
          ),
      ),
    ).toEqual([]);
    expect(ROUTES.map(({ handler }) => handler.name)).toEqual(names);
  });

  it('has each operation once, and each method and path once', () => {
    const ids = ROUTES.map(({ operation_id }) => operation_id);
    const addresses = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ROUTES.length);
    expect(new Set(addresses).size).toBe(ROUTES.length);
  });
});

// The route table, and the types that tie each row's handler to its schemas. tsc checks every
// `@ts-expect-error` here: one that expects nothing is an error itself.

import type { ApiDependencies, ApiRequest, ApiResponse } from '../../api/context';
import { route } from '../../api/route';
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
  method: 'POST',
  scope: 'transfers:write',
  path: '/examples',
  tag: 'Service',
  summary: 'An example',
  description: 'For this test.',
  rate: 'write',
  response: response('Example', {}),
} as const;

type Handling<Query, Body> = (
  dependencies: ApiDependencies,
  request: ApiRequest<Query, Body>,
) => ApiResponse;
function handling<Query = unknown, Body = unknown>(): Handling<Query, Body> {
  return () => ({ status: 200, body: '{}' });
}

describe('route()', () => {
  it('does not compile without a word on each name in the path', () => {
    const named = { ...row, path: '/examples/{id}/{part}', handler: handling() } as const;
    route({ ...named, path_parameters: { id: "The example's id.", part: 'Which part.' } });
    // @ts-expect-error `part` is missing
    route({ ...named, path_parameters: { id: "The example's id." } });
    // @ts-expect-error both are missing
    route(named);
  });

  it('does not compile without the scope of what writes', () => {
    const { scope: _, ...open } = row;
    // @ts-expect-error a POST needs one
    route({ ...open, handler: handling() });
  });

  it('takes a handler whose body and query are what the schemas let through', () => {
    route({ ...row, handler: handling() });
    route({ ...row, body, handler: handling<unknown, { to: string }>() });
    route({ ...row, query, handler: handling<{ limit: number; status?: 'open' | 'closed' }>() });
    route({ ...row, query, body, handler: handling<{ limit: number }, { to: string }>() });
  });

  it('does not compile with a body that its schema does not let through', () => {
    // @ts-expect-error `to` is text
    route({ ...row, body, handler: handling<unknown, { to: number }>() });
    // @ts-expect-error the schema has no `from`
    route({ ...row, body, handler: handling<unknown, { to: string; from: string }>() });
    // @ts-expect-error no schema, no body
    route({ ...row, handler: handling<unknown, { to: string }>() });
  });

  it('does not compile with a query that its schema does not let through', () => {
    // @ts-expect-error `status` may be absent
    route({ ...row, query, handler: handling<{ limit: number; status: 'open' | 'closed' }>() });
    // @ts-expect-error `status` may also be closed
    route({ ...row, query, handler: handling<{ limit: number; status?: 'open' }>() });
    // @ts-expect-error no schema, no query
    route({ ...row, handler: handling<{ limit: number }>() });
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

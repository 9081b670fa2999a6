// The route table as an OpenAPI 3.1 document, served at /openapi.json and checked in beside this.

import { ERRORS, type ErrorCode } from '../domain/errors';
import { API_KEY_PATTERN } from '../domain/ids';
import { errorSchema, pathName } from './schemas';
import { PREFIX } from './prefix';
import { errorsOf, type Route } from './route';
import { ROUTES } from './routes';

type Json = Record<string, unknown>;

export function buildOpenApi(public_url: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment API',
      version: 'v1',
      description:
        'Wallets in XOF, EUR and USD, transfers by username. Amounts are JSON numbers with two decimals; a test key selects the sandbox, where transfers are simulated.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: public_url + PREFIX }],
    security: [{ api_key: [] }],
    paths,
    components: {
      securitySchemes: {
        api_key: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, test or live: \`${API_KEY_PATTERN}\`. Its last six characters are a checksum of the others.`,
        },
      },
      schemas: { Error: errorSchema },
      headers: {
        RequestId: { description: 'Names this request in our logs.', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
      },
    },
  };
}

function operation(route: Route): Json {
  return {
    operationId: route.operation_id,
    summary: route.summary,
    ...(route.rate ? {} : { security: [] }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body
      ? {
          requestBody: {
            required: !route.may_omit_body,
            content: { 'application/json': { schema: route.body } },
          },
        }
      : {}),
    responses: responses(route),
  };
}

function pathParameters(route: Route): Json[] {
  return Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: pathName,
  }));
}

function queryParameters(route: Route): Json[] {
  return Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));
}

function headerParameters(route: Route): Json[] {
  if (!route.idempotent) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Printable ASCII. The same key and body get the first response again.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    },
  ];
}

function responses(route: Route): Json {
  const all: Json = {
    [route.status]: {
      description: 'Success.',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
      content: { 'application/json': { schema: route.response } },
    },
  };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const isDelayed = status === 429 || status === 503 || status === 409;
    all[status] = {
      description: codes.map((code) => `${code}: ${ERRORS[code].message}`).join(' '),
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/RequestId' },
        ...(isDelayed ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return all;
}

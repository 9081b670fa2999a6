// The route table as an OpenAPI 3.1 document, served at /openapi.json and checked in beside this.

import { API_KEY_PATTERN } from '../domain/ids';
import { ERRORS, type ErrorCode } from '../domain/errors';
import { nameSchemas, type NamedSchemas } from './named-schemas';
import { INTRODUCTION } from './openapi-introduction';
import { describeWebhooks } from './openapi-webhooks';
import { REFERENCE_PATH } from '../domain/docs-paths';
import EXAMPLES from './openapi-examples.json';
import { event } from './events/schema';
import { errorSchema, idempotencyKey, pathName } from './schemas';
import { PREFIX } from '../http/prefix';
import { errorsOf, type Route } from './route';
import { ROUTES } from './routes';
import { TAGS } from './tags';

type Json = Readonly<Record<string, unknown>>;

interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}

/**
 * Requests and responses that were really sent, by operation; webhooks by the type of their event.
 * test/api/openapi-examples.test.ts makes the file and holds it to the schemas.
 */
export const examples: Readonly<Record<string, Example>> = EXAMPLES;

export function buildOpenApi(public_url: string): Json {
  const named = nameSchemas([...ROUTES.flatMap(schemasOf), event, errorSchema]);
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    const method = route.method.toLowerCase();
    paths[route.path] = { ...paths[route.path], [method]: operation(route, named) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment API',
      version: 'v1',
      description: INTRODUCTION,
      // The service is its operator's: callers turn to where it is.
      contact: { name: 'Payment API', ...(public_url && { url: public_url + REFERENCE_PATH }) },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: public_url + PREFIX }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ api_key: [] }],
    paths,
    webhooks: describeWebhooks(named.refer, (type) => examples[type]?.request),
    components: {
      securitySchemes: {
        api_key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: API_KEY_PATTERN,
          description: `An API key, test or live, as it was shown when it was made, such as \`pay_test_…\`. What stands beside it at an operation is the scope that the key needs.`,
        },
      },
      schemas: named.schemas,
      headers: HEADERS,
    },
  };
}

function schemasOf(route: Route): readonly unknown[] {
  return [route.response, requestSchema(route), ...Object.values(route.query?.properties ?? {})];
}

/** A body is named after its operation: CreateTransferRequest. */
function requestSchema({ operation_id, body, documented_body }: Route): unknown {
  const title = `${operation_id.charAt(0).toUpperCase()}${operation_id.slice(1)}Request`;
  const schema = documented_body ?? body;
  return schema && { title, ...schema, properties: mapValues(schema.properties, withoutDefault) };
}

// A default makes a field required in clients that openapi-typescript generates.
function withoutDefault({ default: left_out, ...schema }: Json): Json {
  if (left_out === undefined) return schema;
  const { description = '' } = schema;
  const text = `${String(description)} When left out: ${JSON.stringify(left_out)}.`.trim();
  return { ...schema, description: text };
}

function mapValues(object: Readonly<Record<string, Json>>, map: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

function operation(route: Route, named: NamedSchemas): Json {
  const { operation_id, tag, summary, description } = route;
  const request = examples[operation_id]?.request;
  return {
    operationId: operation_id,
    tags: [tag],
    summary,
    description,
    security: route.rate ? [{ api_key: route.scope === null ? [] : [route.scope] }] : [],
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route, named),
      ...headerParameters(route),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.may_omit_body,
            content: {
              'application/json': {
                schema: named.refer(requestSchema(route)),
                ...(request === undefined ? {} : { example: request }),
              },
            },
          },
        }
      : {}),
    responses: responses(route, named),
  };
}

function pathParameters({ path_parameters }: Route): Json[] {
  return Object.entries(path_parameters).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: name === 'key' ? idempotencyKey : pathName,
  }));
}

function queryParameters({ query }: Route, named: NamedSchemas): Json[] {
  return Object.entries(query?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: query?.required?.includes(name) === true,
    description,
    schema: named.refer(schema),
  }));
}

function headerParameters({ idempotent }: Route): Json[] {
  if (!idempotent) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Printable ASCII, new for each new request. The same key and body get the first response again, and nothing happens twice; with another body the answer is 422.',
      schema: idempotencyKey,
    },
  ];
}

const HEADERS = {
  RequestId: {
    description: 'Names this request in our logs: your own X-Request-Id, or a generated one.',
    schema: { type: 'string', maxLength: 128 },
  },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  IdempotencyKey: {
    description: 'The key of this request: yours, or a generated one to retry with.',
    schema: { type: 'string', maxLength: 255 },
  },
  IdempotentReplayed: {
    description: '`true` when this is the stored response of an earlier request with the key.',
    schema: { type: 'string', const: 'true' },
  },
  RateLimitPolicy: {
    description:
      'The limits of the key as the IETF draft writes them: requests and writes (`q`) in each window (`w`, seconds).',
    schema: { type: 'string' },
    example: '"requests";q=600;w=60',
  },
  RateLimit: {
    description: 'Of the tighter limit: what remains (`r`), and seconds until it is reset (`t`).',
    schema: { type: 'string' },
    example: '"requests";r=599;t=60',
  },
  RateLimitLimit: {
    description: 'Requests that the tighter limit allows in a minute.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitRemaining: {
    description: 'How many of them remain.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until all are there again.',
    schema: { type: 'integer', minimum: 0 },
  },
  SandboxClock: {
    description: "Only to test keys of an account whose clock was moved: that clock's time.",
    schema: { type: 'string', format: 'date-time', maxLength: 40 },
  },
} as const;

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

const LIMIT_HEADERS = {
  'RateLimit-Policy': header('RateLimitPolicy'),
  RateLimit: header('RateLimit'),
  'X-RateLimit-Limit': header('RateLimitLimit'),
  'X-RateLimit-Remaining': header('RateLimitRemaining'),
  'X-RateLimit-Reset': header('RateLimitReset'),
};

const REPLAY_HEADERS = {
  'Idempotency-Key': header('IdempotencyKey'),
  'Idempotent-Replayed': header('IdempotentReplayed'),
};

function responses(route: Route, named: NamedSchemas): Json {
  const schema = named.refer(route.response);
  const example = examples[route.operation_id]?.response;
  const headers = {
    'X-Request-Id': header('RequestId'),
    ...(route.rate ? { ...LIMIT_HEADERS, 'Sandbox-Clock': header('SandboxClock') } : {}),
    ...(route.idempotent ? REPLAY_HEADERS : {}),
  };
  const all: Record<string, Json> = {
    [route.status]: {
      description: 'Success.',
      headers,
      content: {
        'application/json': { schema, ...(example === undefined ? {} : { example }) },
      },
    },
  };
  if (route.also_status) {
    const { status, description } = route.also_status;
    all[status] = { description, headers, content: { 'application/json': { schema } } };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const isDelayed = status === 429 || status === 503 || status === 409;
    all[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join(' '),
      headers: {
        'X-Request-Id': header('RequestId'),
        ...(isDelayed ? { 'Retry-After': header('RetryAfter') } : {}),
        ...(status === 429 && route.rate ? LIMIT_HEADERS : {}),
      },
      content: { 'application/json': { schema: named.refer(errorSchema) } },
    };
  }
  return all;
}

// One row of the route table: what the router, the validation and the OpenAPI document know of it.

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { ErrorCode } from '../domain/errors';
import type { IdempotentOperation } from '../domain/idempotency';
import type { Scope } from '../domain/scopes';
import type { Handler } from './context';
import type { StrangerKind } from '../http/strangers';
import type { NamedSchema } from './schemas';
import type { Tag } from './tags';

/** The schema of a query or a body. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

/** The forms in which a response may come, beside JSON. */
export type FileForm = 'csv' | 'pdf';

interface RouteDescription {
  readonly summary: string;
  /** The scope that a key needs; null: any key may call it. */
  readonly scope?: Scope | null;
  /** Tells callers more than the summary and the fields; Markdown. */
  readonly description: string;
  /** It needs no key, and this limit per address counts its calls. */
  readonly anonymous?: StrangerKind;
  /** The operation that its idempotency keys belong to. */
  readonly idempotent?: IdempotentOperation;
  /** Only test keys may call it. */
  readonly sandbox_only?: true;
  /** It has a gateway called, about what its key makes (`created`) or about what its path names. */
  readonly gateway?: 'created' | 'payment_intent' | 'payment_attempt' | 'payout';
  /** A request without a body counts as one with an empty object. */
  readonly may_omit_body?: true;
  /** The longest body that it takes; 64 KiB when left out. */
  readonly max_body_bytes?: number;
  /** The OpenAPI document shows this when the handler itself checks a part of the body. */
  readonly documented_body?: ObjectSchema;
  /**
   * Other forms of the response, for callers that prefer one by `Accept`. Only the description names
   * them: a second type of response would make a union of what generated clients return.
   */
  readonly also?: readonly FileForm[];
  /** The status of a success; 200 when left out. */
  readonly status?: number;
  /** Another one, with the same body, and what it says. */
  readonly also_status?: { readonly status: number; readonly description: string };
  /** The body of a success: a named schema of the OpenAPI document. */
  readonly response: NamedSchema;
  /** The errors beyond those that every route with a key, a query or a body has. */
  readonly errors?: readonly ErrorCode[];
}

export interface Route extends RouteDescription {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * The path in OpenAPI's form, relative to the prefix; what stands in braces reaches the handler
   * as text.
   */
  readonly path: string;
  readonly tag: Tag;
  /** The limit that counts its calls; null for the few paths that need no key. */
  readonly rate: 'read' | 'write' | null;
  readonly status: number;
  readonly errors: readonly ErrorCode[];
  readonly path_parameters: Readonly<Record<string, string>>;
  /** The name of its handler. */
  readonly operation_id: string;
  readonly scope: Scope | null;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly handler: Handler;
}

type Schema = (ObjectSchema & JSONSchema) | undefined;

/** The parts of a request that has passed this schema; nothing where there is no schema. */
type Validated<S extends Schema> = S extends JSONSchema ? FromSchema<S> : undefined;

/** The names in braces. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Each name in the path with what it identifies; left out when the path has none. */
type PathParameters<Path extends string> = [NamesIn<Path>] extends [never]
  ? { readonly path_parameters?: undefined }
  : { readonly path_parameters: Readonly<Record<NamesIn<Path>, string>> };

interface TypedRoute<Query extends Schema, Body extends Schema> extends RouteDescription {
  readonly query?: Query;
  readonly body?: Body;
  readonly handler: Handler<Validated<NoInfer<Query>>, Validated<NoInfer<Body>>>;
}

/** A handler whose query or body is not what the schemas let through does not compile. */
type Add<Scoped> = <
  const Path extends string,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(
  path: Path,
  row: TypedRoute<Query, Body> & PathParameters<Path> & Scoped,
) => Route;

type Reading = Add<{ readonly scope?: null }>;
type Writing = Add<{ readonly scope: Scope }>;

/** The rows of a tag, by their methods: one that reads needs the scope `read`, one that writes names its own. */
export function routesOf(tag: Tag) {
  const defaults = { tag, scope: 'read', path_parameters: {}, status: 200, errors: [] } as const;
  const by =
    (method: Route['method']) =>
    (path: string, row: RouteDescription & Pick<Route, 'handler'>): Route => {
      const rate = row.anonymous ? null : method === 'GET' ? 'read' : 'write';
      return { ...defaults, method, path, rate, operation_id: row.handler.name, ...row };
    };
  // The validation middleware makes this true: no handler runs before both schemas have passed.
  return {
    get: by('GET') as Reading,
    post: by('POST') as unknown as Writing,
    patch: by('PATCH') as unknown as Writing,
    del: by('DELETE') as unknown as Writing,
  };
}

/** The method and the path's template: the operation's name in the document. */
export function operationOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** Every error that a route can answer, those of its kind included. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  return [
    'malformed_request',
    'not_found',
    'forbidden',
    'internal_error',
    'unavailable',
    'rate_limited',
    ...route.errors,
    ...(route.rate ? (['unauthorized', 'account_frozen'] as const) : []),
    // Any request with a key may name an unknown Sandbox-Fault.
    ...(route.rate || route.query || route.body ? (['invalid_request'] as const) : []),
    ...(route.body
      ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const)
      : []),
    ...(route.idempotent
      ? (['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reuse'] as const)
      : []),
  ];
}

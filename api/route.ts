// One row of the route table: all that the router, the validation and the OpenAPI document know of it.

import type { OperationKey } from '../db/api-keys';
import type { ErrorCode } from '../domain/errors';
import type { ApiResponse, ApiDependencies, ApiRequest } from './context';
import type { ObjectSchema } from './middleware/validate';

export interface Route {
  readonly operation_id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** In OpenAPI's form, relative to the prefix. */
  readonly path: string;
  readonly summary: string;
  /** The limit that counts it, behind a key; null for the few paths without one. */
  readonly rate: 'read' | 'write' | null;
  /** The operation that its idempotency keys belong to. */
  readonly idempotent?: OperationKey['operation'];
  readonly params?: Readonly<Record<string, object>>;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** A request without a body is one with an empty object. */
  readonly may_omit_body?: true;
  readonly answer: { readonly status: number; readonly schema: object };
  /** Beyond those that every route with a key, a query or a body has. */
  readonly errors: readonly ErrorCode[];
  // The schemas above are what makes these arguments true; the table cannot say so per row.
  readonly handler: (
    dependencies: ApiDependencies,
    // oxlint-disable-next-line typescript/no-explicit-any
    request: ApiRequest<any, any>,
  ) => ApiResponse | Promise<ApiResponse>;
}

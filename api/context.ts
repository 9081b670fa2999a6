// The API's dependencies, and the calls and results of its handlers.

import type { Readable } from 'node:stream';
import type { Caller } from '../db/keys/api-keys';
import type { JsonSource } from '../domain/json-source';
import type { HttpDependencies } from '../http/context';
import type { DeliverNotification } from '../temporal/notifications';
import type { Language } from '../domain/language';
import type { FileForm } from './route';
import type { SlowRequests } from './sandbox/slow-requests';
import type { Reservations } from './rate-limits/reservations';
import type { Readiness } from './status/readiness';

export interface ApiDependencies extends HttpDependencies {
  /** True when Temporal does real work now. */
  readonly probeTemporal: () => Promise<boolean>;
  /** Looks at most once a second. */
  readonly findReadiness: () => Promise<Readiness>;
  readonly deliverNotification: DeliverNotification;
  readonly reservations: Reservations;
  readonly slow_requests: SlowRequests;
}

/** A response ready to be sent: its body is rendered JSON text. */
export interface ApiResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sent as it is read. */
export interface ApiFile {
  readonly status: number;
  readonly type: string;
  readonly body: Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that passed authentication, limits and validation. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly request_id: string;
  /** The caller's address. */
  readonly ip: string;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Source text of the body's numbers by JSON pointer. */
  readonly numbers: JsonSource['numbers'];
  /** The caller's or a generated one, on routes that take one. */
  readonly idempotency_key: string | undefined;
  /** True when the key is the caller's, who may have sent it before. */
  readonly has_own_key: boolean;
  /** The caller's preference among the route's forms. */
  readonly form: 'json' | FileForm;
  /** The language of texts for the people who get the response; English unless the caller prefers French. */
  readonly language: Language;
}

export type Handler<Query = unknown, Body = unknown> = (
  dependencies: ApiDependencies,
  request: ApiRequest<Query, Body>,
) => ApiResponse | Promise<ApiResponse | ApiFile>;

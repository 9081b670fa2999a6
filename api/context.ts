// What the middlewares hand on, and what the API is built from.

import type { Middleware, ParameterizedContext } from 'koa';
import type { Client } from '@temporalio/client';
import type { Config } from '../config/load';
import type { Caller } from '../db/api-keys';
import type { DeliverNotification } from '../temporal/notifications';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import type { Gateways, OpeningOutcome } from '../activities/payment-intents';
import type { Db } from '../db/connect';
import type { IntentRow } from '../db/intents';
import type { JsonSource } from '../domain/json-source';
import type { TransferOutcome } from '../domain/transfer';
import type { Sealer } from '../secrets/seal';
import type { WebhookUrlPolicy } from '../webhooks/url';
import type { AccessLog } from './middleware/access-log';
import type { CallLeases } from './rate-limits/reservations';
import type { TemporalGate } from '../temporal/circuit-breaker';
import type { TransferStarters } from '../temporal/transfers';
import type { Waiters } from '../temporal/local-results';

export interface ApiDependencies {
  readonly config: Config;
  readonly db: Db;
  readonly temporal: Client;
  readonly gate: TemporalGate;
  readonly waiters: Waiters<TransferOutcome>;
  /** Of intents whose checkout is being opened. */
  readonly openings: Waiters<OpeningOutcome>;
  /** Rows that the activity of this process need not read again. */
  readonly just_created: Map<string, IntentRow>;
  readonly gateways: Gateways;
  readonly deliverNotification: DeliverNotification;
  readonly waker: EndpointWaker;
  /** For webhook secrets. */
  readonly sealer: Sealer;
  readonly webhook_policy: WebhookUrlPolicy;
  readonly starters: TransferStarters;
  readonly access_log: AccessLog;
  readonly leases: CallLeases;
  /** What went wrong, for operators: one JSON line an entry, which gets its kind and time. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface ApiState {
  request_id: string;
  ip: string;
  /** The route's path as written in the table. */
  route: string;
  caller?: Caller | undefined;
  /** Named in the answer, whatever it is. */
  idempotency_key?: string;
  body?: { readonly value: unknown; readonly source: JsonSource };
  query?: unknown;
}

export type ApiContext = ParameterizedContext<ApiState>;
export type ApiMiddleware = Middleware<ApiState>;

/** An answer ready to be sent: its JSON text was rendered by whoever decided it. */
export interface ApiResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that passed authentication, limits and validation. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly request_id: string;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Source text of the body's numbers by JSON pointer. */
  readonly numbers: JsonSource['numbers'];
  /** The caller's or one of ours, on routes that take one. */
  readonly idempotency_key: string | undefined;
}

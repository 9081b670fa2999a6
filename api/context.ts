// What the API is built from, and what its middlewares and handlers pass on.

import type { Readable } from 'node:stream';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Config } from '../config/load';
import type { Caller } from '../db/api-keys';
import type { DeliverNotification } from '../temporal/notifications';
import type { WakeMail } from '../temporal/mails';
import type { WakePaymentRefund } from '../temporal/refunds';
import type { WakeRefund } from '../temporal/suspense';
import type { WakeBatches } from '../temporal/transfer-batches';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import type { Environment } from '../domain/environment';
import type { Gateways } from '../gateway/port';
import type { Db } from '../db/connect';
import type { JsonSource } from '../domain/json-source';
import type { CheckoutOutcome } from '../domain/intent';
import type { TransferResult } from '../domain/transfer';
import type { Sealer } from '../secrets/seal';
import type { WebhookUrlPolicy } from '../webhooks/url';
import type { Metrics } from '../telemetry/metrics';
import type { AccessLog } from './access-log';
import type { Readiness } from './status/readiness';
import type { Reservations } from './rate-limits/reservations';
import type { Secrets } from './rate-limits/secrets';
import type { Strangers } from './rate-limits/strangers';
import type { CircuitBreaker } from '../temporal/circuit-breaker';
import type { LocalResults } from '../temporal/local-results';
import type { IntentWorkflows } from '../temporal/payment-intents';
import type { ReversalWorkflows } from '../temporal/reversals';
import type { TransferWorkflows } from '../temporal/transfers';

export interface ApiDependencies {
  readonly config: Config;
  readonly db: Db;
  /** What one environment's calls run into does not stop the other's. */
  readonly breakers: Readonly<Record<Environment, CircuitBreaker>>;
  /** True when Temporal does real work now. */
  readonly probeTemporal: () => Promise<boolean>;
  /** Looks at most once a second. */
  readonly findReadiness: () => Promise<Readiness>;
  readonly transfer_workflows: TransferWorkflows;
  readonly reversal_workflows: ReversalWorkflows;
  readonly intent_workflows: IntentWorkflows;
  /** By the transfer's reference. */
  readonly local_transfers: LocalResults<TransferResult>;
  /** By the intent's id: what opening its checkout came to. */
  readonly pending_checkouts: LocalResults<CheckoutOutcome>;
  readonly gateways: Gateways;
  readonly deliverNotification: DeliverNotification;
  /** Of an item of suspense. */
  readonly wakeRefund: WakeRefund;
  /** Called after the commit that ordered or cancelled a bulk transfer. */
  readonly wakeBatches: WakeBatches;
  readonly wakePaymentRefund: WakePaymentRefund;
  readonly waker: EndpointWaker;
  /** Called after the commit that wrote a mail (use-cases/mails.ts). */
  readonly wakeMail: WakeMail;
  /** For webhook secrets and mails. */
  readonly sealer: Sealer;
  readonly webhook_policy: WebhookUrlPolicy;
  readonly access_log: AccessLog;
  readonly metrics: Pick<Metrics, 'countRequest'>;
  readonly reservations: Reservations;
  readonly strangers: Strangers;
  /** Hashes of API keys, in base64. */
  readonly key_secrets: Secrets;
  /** Short codes of payment links. */
  readonly link_secrets: Secrets;
  /** Tells operators what went wrong: one JSON line per entry, to which kind and time are added. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface ApiState {
  request_id: string;
  /** When traces are made. */
  trace_id?: string | undefined;
  ip: string;
  /** It came encrypted, to us or to a trusted proxy. */
  is_secure: boolean;
  /** The route's path as written in the table. */
  route: string;
  caller?: Caller | undefined;
  /** Somebody is signed in to the dashboard. */
  is_signed_in?: boolean;
  /** Set by this response, by name; undefined: taken away. */
  new_cookies?: Map<string, string | undefined>;
  /** Set when the request was counted as a stranger's, or turned out to be none's. */
  is_counted?: boolean;
  /** Of a valid key that was used from an address which it does not allow. */
  refused_key_id?: string;
  /** Set when a gateway of ours signed it. */
  is_vouched_for?: boolean;
  /** Set for a health check. */
  is_probe?: boolean;
  /** In the header of every response, failures included. */
  idempotency_key?: string;
  /** The caller sent the key, and may have sent it before. */
  has_own_key?: boolean;
  /** The handler was called: from here on something may have happened. */
  is_begun?: boolean;
  body?: { readonly value: unknown; readonly source: JsonSource };
  query?: unknown;
}

export type ApiContext = ParameterizedContext<ApiState>;
export type ApiMiddleware = Middleware<ApiState>;

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
  /** The caller's or a generated one, on routes that take one. */
  readonly idempotency_key: string | undefined;
  /** True when the key is the caller's, who may have sent it before. */
  readonly has_own_key: boolean;
  /** The caller prefers CSV to JSON, on routes that have it. */
  readonly accepts_csv: boolean;
}

export type Handler<Query = unknown, Body = unknown> = (
  dependencies: ApiDependencies,
  request: ApiRequest<Query, Body>,
) => ApiResponse | Promise<ApiResponse | ApiFile>;

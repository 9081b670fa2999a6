// The context of a request, which every door has: its dependencies, and the state that the
// middlewares in front of the doors pass on.

import type { Middleware, ParameterizedContext } from 'koa';
import type { Config } from '../config/load';
import type { Caller } from '../db/keys/api-keys';
import type { JsonSource } from '../domain/json-source';
import type { Sealer } from '../secrets/seal';
import type { Metrics } from '../telemetry/metrics';
import type { WakeMail } from '../temporal/mails';
import type { OrderDependencies } from '../use-cases/requests/dependencies';
import type { WebhookUrlPolicy } from '../webhooks/url';
import type { AccessLog } from './access-log';
import type { Strangers } from './strangers';

export interface HttpDependencies extends OrderDependencies {
  readonly config: Config;
  /** Called after the commit that wrote a mail (use-cases/mails.ts). */
  readonly wakeMail: WakeMail;
  /** Seals webhook secrets and mails. */
  readonly sealer: Sealer;
  readonly webhook_policy: WebhookUrlPolicy;
  readonly access_log: AccessLog;
  readonly metrics: Pick<Metrics, 'countRequest'>;
  readonly strangers: Strangers;
}

export interface HttpState {
  request_id: string;
  ip: string;
  /** It came encrypted, to us or to a trusted proxy. */
  is_secure: boolean;
  /** The route's path as written in the table. */
  route: string;
  /** The words of all paths, of a call that no route took: its log shows no others. */
  words?: ReadonlySet<string>;
  caller?: Caller | undefined;
  /** The request is of a person who is signed in to the dashboard. */
  is_signed_in?: boolean;
  /** Set by this response, by name; undefined: taken away. */
  new_cookies?: Map<string, string | undefined>;
  /** The forms of a dashboard's page carry these on. */
  carried?: {
    readonly draft?: string | undefined;
    readonly page?: string | undefined;
    readonly kept?: URLSearchParams | undefined;
    readonly sent?: URLSearchParams | undefined;
  };
  /** Set when the request was counted as a stranger's, or turned out to be none's. */
  is_counted?: boolean;
  /** The id of a valid key that was used from an address which it does not allow. */
  refused_key_id?: string;
  /** Set when a gateway of ours signed it. */
  is_vouched_for?: boolean;
  /** The page is about an amount in XOF: French is what its reader most likely reads. */
  is_of_francs?: boolean;
  /** Set for a health check. */
  is_probe?: boolean;
  /** The version that a page of the dashboard has, when its script asks for a newer one. */
  look?: string;
  /** Sent in the header of every response, failures included. */
  idempotency_key?: string;
  /** The caller sent the key, and may have sent it before. */
  has_own_key?: boolean;
  /** The handler was called: from here on something may have happened. */
  is_begun?: boolean;
  /** The body is one of the few large ones that this process treats at once. */
  is_body_large?: boolean;
  /** It goes wrong because its caller in the sandbox has ordered it: that is no alarm. */
  is_fault_ordered?: boolean;
  body?: { readonly value: unknown; readonly source: JsonSource };
  query?: unknown;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

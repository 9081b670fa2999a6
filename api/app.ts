// The Koa app: the order of middlewares on one screen.

import Router, { type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import { LANGUAGES } from '../domain/language';
import { Refusal } from '../domain/refusal';
import type { ApiDependencies, ApiRequest } from './context';
import type { HttpContext, HttpMiddleware, HttpState } from '../http/context';
import { accessLog } from '../http/middleware/access-log';
import { gatewayNotifications } from './gateway/notifications';
import { authenticate, authenticateTheRest } from './middleware/authenticate';
import { errorResponse } from '../http/middleware/error-response';
import { nameIdempotencyKey, readIdempotencyKey } from './middleware/idempotency';
import { jsonBody } from './middleware/json-body';
import { sandboxFaults } from './middleware/sandbox-faults';
import { readOff } from '../http/middleware/read-off';
import { requestId } from '../http/middleware/request-id';
import { countTheRest, limitStrangers } from '../http/middleware/strangers';
import { traceRequests } from '../http/middleware/tracing';
import { transport } from '../http/middleware/transport';
import { validateBody, validateQuery } from './middleware/validate';
import { addDocuments } from './docs/add-documents';
import { answerReadiness } from './status/readiness';
import { payRouter } from './pay/router';
import { createPayDependencies } from './payment-intents/pay';
import { PREFIX } from '../http/prefix';
import type { Route } from './route';
import { ROUTES } from './routes';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The words of our paths. */
const WORDS = new Set(
  ROUTES.flatMap(({ path }) => (PREFIX + path).split('/')).filter((word) => !word.startsWith('{')),
);

/**
 * Called with each middleware; what it returns is used in its place. Tests make them fail with it.
 */
export type AroundMiddleware = (name: string, middleware: HttpMiddleware) => HttpMiddleware;

export interface AppOptions {
  readonly around?: AroundMiddleware | undefined;
  /** Run before everything that answers: they refuse what may not be served by a name. */
  readonly in_front?: readonly HttpMiddleware[];
  /** The dashboard, beside the API and the pay page. */
  readonly pages?: readonly HttpMiddleware[];
}

export function createApp(
  dependencies: ApiDependencies,
  { around = (_name, middleware) => middleware, in_front = [], pages = [] }: AppOptions = {},
): Koa<HttpState> {
  const app = new Koa<HttpState>();
  app.use(readOff());
  // This one is outside everything: what the next two throw gets the one error shape as well.
  app.use(errorResponse(dependencies));
  app.use(mergeSlashes());
  const use = (name: string, middleware: HttpMiddleware) => app.use(around(name, middleware));
  use('requestId', requestId());
  use('tracing', traceRequests);
  use('accessLog', accessLog(dependencies));
  use('errorResponse', errorResponse(dependencies));
  use('countTheRest', countTheRest(dependencies.strangers));
  use('transport', transport(dependencies.config));
  for (const middleware of in_front) use('inFront', middleware);
  use('authenticateTheRest', authenticateTheRest(dependencies, WORDS));
  const router = buildRouter(dependencies, around);
  use('router', router.routes() as HttpMiddleware);
  const pay = payRouter(createPayDependencies(dependencies));
  use('payRouter', pay.routes() as HttpMiddleware);
  for (const page of pages) use('pages', page);
  use('allowedMethods', router.allowedMethods() as HttpMiddleware);
  return app;
}

function buildRouter(dependencies: ApiDependencies, around: AroundMiddleware) {
  const router = new Router<HttpState>();
  const limit = limitStrangers(dependencies.strangers, 'request');
  addDocuments(router, {
    public_url: dependencies.config.public_url,
    before: (name) => [nameRoute(name), limit],
  });
  const health = limitStrangers(dependencies.strangers, 'health');
  router.get('/ready', nameRoute('/ready'), health, answerReadiness(dependencies));
  const { notification_path } = dependencies.config.gateway;
  // Some providers send with PUT.
  router.register(
    notification_path,
    ['post', 'put'],
    [nameRoute(notification_path), gatewayNotifications(dependencies)],
  );
  // 404 rather than 405, because 405 would reveal that the path exists.
  router.all(notification_path, limit, () => {
    throw new Refusal('not_found');
  });
  for (const route of ROUTES) {
    const path = PREFIX + route.path.replace(/\{(\w+)\}/g, ':$1');
    const steps = stepsOf(dependencies, route).map((step) => around(...step));
    router.register(path, [route.method], steps as RouterMiddleware<HttpState>[]);
  }
  return router;
}

/** A base URL with a slash at its end gives `//wallets`. */
function mergeSlashes(): HttpMiddleware {
  return (ctx, next) => {
    ctx.path = ctx.path.replaceAll(/\/{2,}/g, '/');
    return next();
  };
}

function nameRoute(route: string): HttpMiddleware {
  return (ctx, next) => {
    ctx.state.route = route;
    return next();
  };
}

/**
 * Authenticate, limit, read, validate, handle: an unauthenticated request costs at most one query.
 */
function stepsOf(
  dependencies: ApiDependencies,
  route: Route,
): (readonly [name: string, middleware: HttpMiddleware])[] {
  const handle: HttpMiddleware = async (ctx) => {
    const request = requestOf(ctx, route);
    ctx.state.is_begun = true;
    const response = await route.handler(dependencies, request);
    ctx.status = response.status;
    ctx.type = 'type' in response ? response.type : JSON_TYPE;
    if ('headers' in response && response.headers) ctx.set(response.headers);
    ctx.body = response.body;
  };
  const { body, idempotent, max_body_bytes, may_omit_body, query, rate } = route;
  const allowance = limitStrangers(dependencies.strangers, route.anonymous ?? 'request');
  return [
    ['nameRoute', nameRoute(PREFIX + route.path)],
    ...(idempotent ? ([['nameIdempotencyKey', nameIdempotencyKey()]] as const) : []),
    rate
      ? ['authenticate', authenticate(dependencies, { ...route, rate })]
      : ['limitStrangers', allowance],
    ...(query ? ([['validateQuery', validateQuery(query)]] as const) : []),
    ...(body
      ? ([
          ['jsonBody', jsonBody({ may_be_omitted: may_omit_body, max_bytes: max_body_bytes })],
          ['validateBody', validateBody(body)],
        ] as const)
      : []),
    ...(rate ? ([['sandboxFaults', sandboxFaults(dependencies, route)]] as const) : []),
    ['handle', handle],
  ];
}

function requestOf(ctx: HttpContext, route: Route): ApiRequest {
  return {
    request_id: ctx.state.request_id,
    ip: ctx.state.ip,
    // Undefined on the routes without a key, whose handlers use no caller.
    caller: ctx.state.caller!,
    // Set by the router.
    params: ctx['params'] as Readonly<Record<string, string>>,
    query: ctx.state.query,
    body: ctx.state.body?.value,
    numbers: ctx.state.body?.source.numbers ?? new Map(),
    // The generated one when the caller sent none; a malformed one is refused here.
    idempotency_key: route.idempotent
      ? (readIdempotencyKey(ctx) ?? ctx.state.idempotency_key)
      : undefined,
    has_own_key: ctx.state.has_own_key === true,
    form: formOf(ctx, route),
    language: ctx.acceptsLanguages(...LANGUAGES) === 'fr' ? 'fr' : 'en',
  };
}

function formOf(ctx: HttpContext, { also = [] }: Route): ApiRequest['form'] {
  return also.find((form) => ctx.accepts('json', ...also) === form) ?? 'json';
}

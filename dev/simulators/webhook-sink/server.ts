// The webhook sink: the specification's sample receiver as a server, for trying webhooks. It responds with 200 `ok`
// to a webhook signed with the secret of an endpoint at that URL, with 401 `invalid signature` to all others, and
// shows what arrived. It listens on this machine only, as its pages need no key.

import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { isServiceSignature, signWebhook } from '../../../secrets/webhook-secret';
import { listen, requireLocalHost, type Listening } from '../local-server';
import { readForm, readRawBody } from '../raw-body';
import { ANSWERS, KEPT, POLICY, renderArrival, renderArrivals } from './page';

/** Our largest event is far smaller; together with KEPT it bounds the memory. */
const MAX_BODY_BYTES = 256 * 1024;
/** The tolerance of Standard Webhooks' libraries: an older request may be a replay. */
const MAX_AGE_SECONDS = 300;

/** An endpoint that a webhook may have come from, with the secret before a rotation too. */
export type SinkEndpoint = { readonly id: string; readonly secrets: readonly string[] };

export interface WebhookSinkOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** The endpoints whose webhooks go to this URL. */
  readonly secretsFor: (url: string) => Promise<readonly SinkEndpoint[]>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/** `page` is the URL that shows what arrived. */
export type WebhookSink = Listening & { readonly page: string };

export type Arrival = ReturnType<typeof judge> & {
  /** Counts from 1 since the start. */
  readonly number: number;
  readonly status: keyof typeof ANSWERS;
};

/** @throws when the port is taken */
export async function startWebhookSink(options: WebhookSinkOptions): Promise<WebhookSink> {
  let arrivals: readonly Arrival[] = [];
  let is_failing = false;
  const router = new Router();
  router.post(/^\/hooks(\/|$)/, async (ctx) => {
    const raw = await readRawBody(ctx.req, MAX_BODY_BYTES);
    if (!raw) return write(ctx, 413, 'too large');
    const judged = judge(ctx, raw, await options.secretsFor(server.url + ctx.url));
    const status = judged.endpoint_id === null ? 401 : is_failing ? 500 : 200;
    const number = (arrivals[0]?.number ?? 0) + 1;
    arrivals = [{ number, status, ...judged }, ...arrivals.slice(0, KEPT - 1)];
    write(ctx, status, ANSWERS[status]);
  });
  router.post('/answer', async (ctx) => {
    // A browser says where a form comes from; only the sink's own page may choose.
    const from = ctx.headers['sec-fetch-site'] ?? 'same-origin';
    if (from !== 'same-origin') return write(ctx, 403, 'forbidden');
    const answer = (await readForm(ctx.req)).get('with');
    if (answer !== '200' && answer !== '500') return write(ctx, 422, 'with: 200 or 500');
    is_failing = answer === '500';
    ctx.set('Location', '/');
    write(ctx, 303, '');
  });
  router.get('/', (ctx) => write(ctx, 200, renderArrivals(arrivals, server.url, is_failing)));
  router.get('/deliveries.json', (ctx) => {
    ctx.body = `${JSON.stringify({ deliveries: arrivals }, null, 2)}\n`;
    ctx.type = 'json';
  });
  router.get('/deliveries/:number', (ctx) => {
    const found = arrivals.find(({ number }) => String(number) === ctx['params']['number']);
    write(ctx, found ? 200 : 404, renderArrival(found));
  });
  const app = new Koa();
  // The answer is 500: the signature could not be checked, so the service must retry the delivery.
  app.on('error', (error) => options.log?.({ part: 'webhook-sink', error: String(error) }));
  app.use(requireLocalHost());
  app.use((ctx, next) => {
    ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
    ctx.set({ 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' });
    return next();
  });
  app.use(router.routes()).use(router.allowedMethods());
  const server = await listen(app, options.port);
  return { ...server, page: `${server.url}/` };
}

function write(ctx: Context, status: number, body: string): void {
  ctx.status = status;
  ctx.body = body;
}

/** Verifies as a careful receiver would; only the specification's own signature says whose it is. */
function judge(ctx: Context, raw: Buffer, endpoints: readonly SinkEndpoint[]) {
  const [at, body] = [new Date(), raw.toString('utf8')];
  const header = (name: string): string => String(ctx.headers[name] ?? '');
  const [id, timestamp] = [header('webhook-id'), Number(header('webhook-timestamp'))];
  const isServices = (secret: string): boolean =>
    isServiceSignature(raw, header('x-service-signature'), secret);
  const isStandard = (secret: string): boolean => {
    const signed = signWebhook({ id, timestamp, body, secret, previous_secret: null });
    return header('webhook-signature').split(' ').includes(signed['webhook-signature']!);
  };
  const signed_by = endpoints.find(({ secrets }) => secrets.some(isServices));
  const secrets = (signed_by ? [signed_by] : endpoints).flatMap((one) => one.secrets);
  const is_recent = Math.abs(at.getTime() / 1_000 - timestamp) <= MAX_AGE_SECONDS;
  const verdict = (name: string, is_verified: boolean) =>
    header(name) === '' ? 'missing' : is_verified ? 'verified' : 'wrong';
  const shown = /^(x-service-|webhook-|content-type$|user-agent$)/;
  return {
    at: at.toISOString(),
    path: ctx.url,
    x_service_signature: verdict('x-service-signature', signed_by !== undefined),
    standard_webhooks: verdict('webhook-signature', is_recent && secrets.some(isStandard)),
    endpoint_id: signed_by?.id ?? null,
    event: readEvent(body),
    headers: Object.fromEntries(Object.entries(ctx.headers).filter(([name]) => shown.test(name))),
    body,
  } as const;
}

/** The texts and numbers of an event and of its `data`; a body may be anything. */
function readEvent(body: string): Readonly<Record<string, string | number>> {
  try {
    const event = Object(JSON.parse(body)) as Record<string, unknown>;
    const fields = Object.entries({ ...Object(event['data']), ...event });
    const plain = fields.filter(([, value]) => ['string', 'number'].includes(typeof value));
    return Object.fromEntries(plain) as Record<string, string | number>;
  } catch {
    // It is not JSON.
    return {};
  }
}

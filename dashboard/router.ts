// The dashboard over HTTP: who is asking, whether they may, the form they sent, the page they get.
// Every rule that holds for all pages is applied here, so that no page can forget one
// (docs/decisions/0054-dashboard.md).

import Router, { type RouterMiddleware } from '@koa/router';
import { Refusal } from '../domain/refusal';
import type { HttpContext, HttpState } from '../http/context';
import { logFault } from '../http/log-fault';
import { countStranger } from '../http/middleware/strangers';
import { strangerLimited } from '../http/strangers';
import { beginActivity, endActivity, type ActivityOutcome } from '../db/people/activities';
import { setLoginLanguage } from '../db/people/logins';
import { isOperatorsLogin, isOwnAccount } from '../db/errors';
import { findSession, touchSession, type SessionRow } from '../db/people/sessions';
import { isLanguage } from '../domain/language';
import { createLimit } from '../domain/limit';
import { cachingOf } from '../pages/assets';
import { PasswordsBusyError } from '../secrets/password';
import { hashSessionToken, isSessionToken } from '../secrets/session-token';
import { refuseAccess } from './access';
import { ASSETS } from './assets';
import { askAgain } from './confirm';
import type { Answer, DashboardDependencies, DashboardRoute, Visit } from './context';
import { getCookie } from './cookies';
import { readFields, readForm, withoutNul } from '../http/form';
import { faultOfForm, readFileForm } from './form-check';
import { BASE_PATH, href } from './frame';
import { ROUTES } from './routes';
import { isFromElsewhere, languageOf, sendAnswer, sendPage } from './send';
import { troublePage, type Trouble } from './trouble';

export function dashboardRouter(dependencies: DashboardDependencies): Router<HttpState> {
  const router = new Router<HttpState>();
  router.get(`${BASE_PATH}/assets/:name`, (ctx) => sendAsset(ctx, dependencies));
  for (const route of ROUTES) {
    const path = route.path === '/' ? BASE_PATH : BASE_PATH + route.path;
    router.register(path, [route.method], serve(dependencies, route));
  }
  const unknown = serve(dependencies, {
    method: 'GET',
    path: '/{rest}',
    access: 'anyone',
    action: null,
    handler: (_dependencies, { ctx, language }) =>
      troublePage(language, { kind: isKnownPath(ctx.path) ? 'method' : 'unknown' }),
  });
  router.all([BASE_PATH, `${BASE_PATH}/*rest`], unknown);
  return router;
}

const PATTERNS = ROUTES.map(
  ({ path }) => new RegExp(`^${href(path).replace(/:\w+/g, '[^/]+')}/?$`),
);

function isKnownPath(path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(path));
}

/** The queue of passwords is empty again by then. */
const BUSY_SECONDS = '5';

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

function serve(
  dependencies: DashboardDependencies,
  route: DashboardRoute,
): RouterMiddleware<HttpState> {
  return async (context) => {
    const ctx = context as HttpContext;
    ctx.state.route = BASE_PATH + route.path;
    ctx.set(HEADERS);
    let session: SessionRow | undefined;
    let answer: Answer;
    try {
      session = await identify(ctx, dependencies);
      answer = await respond(ctx, dependencies, route, session);
      await sendAnswer(ctx, dependencies, session, answer);
    } catch (error) {
      ctx.remove('Content-Disposition');
      answer = troublePage(languageOf(ctx, session), troubleOf(ctx, dependencies, error));
      sendPage(ctx, dependencies, { session, answer, flash: undefined });
    }
  };
}

/** Finds whose browser it is. @throws Refusal rate_limited */
async function identify(
  ctx: HttpContext,
  { db, strangers, visits }: DashboardDependencies,
): Promise<SessionRow | undefined> {
  const token = getCookie(ctx, 'session');
  if (token === undefined || !isSessionToken(token)) {
    countStranger(strangers, ctx);
    return undefined;
  }
  const hash = hashSessionToken(token);
  // The look-up counts wrong cookies.
  ctx.state.is_counted = true;
  const found = await strangers.lookUp(ctx.state.ip, hash.toString('base64'), () =>
    findSession(db, hash),
  );
  if (typeof found === 'number') throw strangerLimited(found);
  if (!found) return undefined;
  ctx.state.is_signed_in = true;
  const seconds = visits.take(ctx.method === 'POST' ? 'form' : 'page', found);
  if (seconds > 0) throw strangerLimited(seconds);
  if (found.is_stale) await touchSession(db, found.id);
  const language = ctx.query['lang'];
  if (isLanguage(language) && language !== found.language && !isFromElsewhere(ctx)) {
    await setLoginLanguage(db, found.login_id, language);
  }
  return found;
}

async function respond(
  ctx: HttpContext,
  dependencies: DashboardDependencies,
  route: DashboardRoute,
  session: SessionRow | undefined,
): Promise<Answer> {
  const language = languageOf(ctx, session);
  const empty: Visit = {
    ctx,
    language,
    session,
    params: Object.fromEntries(
      Object.entries((ctx['params'] ?? {}) as Visit['params']).map(([name, value]) => [
        name,
        withoutNul(value),
      ]),
    ),
    query: readFields(ctx.querystring),
    form: new URLSearchParams(),
    file: undefined,
  };
  // A large body is read only when the person may send it.
  const early = route.max_file_bytes ? refuseAccess(empty, route.access, dependencies) : undefined;
  if (early) return early;
  const go = async (): Promise<Answer> => respondTo(dependencies, route, empty);
  return route.max_file_bytes && session ? UPLOADS.run(go, session.login_id) : go();
}

/** One of each person, from its first byte to its answer: the others are not read before, and take no memory. */
const UPLOADS = createLimit({ each: 1 });

async function respondTo(
  dependencies: DashboardDependencies,
  route: DashboardRoute,
  empty: Visit,
): Promise<Answer> {
  const { ctx, language, session } = empty;
  const visit = { ...empty, ...(await readSent(ctx, route)) };
  if (route.method === 'POST') {
    const trouble = faultOfForm(visit, dependencies);
    // Its page was opened before another tab signed in: the handler only leads on.
    const isLate = trouble?.kind === 'form' && session && route.path === '/sign-in';
    if (trouble && !isLate) return troublePage(language, trouble);
  }
  const refusal = refuseAccess(visit, route.access, dependencies);
  if (refusal) return refusal;
  const asked = session && (await askAgain(dependencies, { ...visit, session }, route.confirmed));
  if (asked) return asked;
  const account = session?.account ?? undefined;
  const complete = (account ? { ...visit, account } : visit) as Visit;
  const handle = async (): Promise<Answer> => route.handler(dependencies, complete);
  return route.action !== null && session
    ? noteActivity(dependencies, visit, session, route.action, handle)
    : handle();
}

async function readSent(
  ctx: HttpContext,
  { method, max_file_bytes }: DashboardRoute,
): Promise<Partial<Visit>> {
  if (method !== 'POST') return {};
  return max_file_bytes ? readFileForm(ctx, max_file_bytes) : { form: await readForm(ctx) };
}

/** The row comes before the effect, so that no effect is without one. */
async function noteActivity(
  { db, log }: DashboardDependencies,
  { ctx }: Visit,
  { login_id, account, environment }: SessionRow,
  action: string,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  const user_id = account?.user_id ?? null;
  const { ip } = ctx.state;
  const id = await beginActivity(db, { login_id, user_id, environment, action, ip });
  let outcome: ReturnType<typeof outcomeOf> = 'failed';
  let subject: string | null = null;
  try {
    const answer = await handle();
    outcome = outcomeOf(answer, action);
    subject = answer.subject ?? null;
    return answer;
  } finally {
    // The effect has happened: a row without an end says that its outcome is not known.
    await endActivity(db, id, outcome, subject).catch((error: unknown) => {
      logFault(log, ctx, error);
    });
  }
}

/** A wrong password is no slip of the keyboard: what people try with their login stays on record. */
function outcomeOf(answer: Answer, action: string): ActivityOutcome | 'mistyped' {
  if (answer.kind === 'see_other') return answer.flash?.tone === 'bad' ? 'refused' : 'done';
  const status = answer.kind === 'page' ? (answer.status ?? 200) : 200;
  if (status === 422 && !action.startsWith('login.')) return 'mistyped';
  return status >= 400 ? 'refused' : 'done';
}

function troubleOf(ctx: HttpContext, { log }: DashboardDependencies, error: unknown): Trouble {
  if (error instanceof Refusal) {
    if (error.code === 'rate_limited') {
      const seconds = error.retry_after_seconds ?? 60;
      ctx.set('Retry-After', String(seconds));
      return { kind: 'limit', seconds };
    }
    if (error.code === 'payload_too_large') {
      // What is left of the body is read off no further.
      ctx.set('Connection', 'close');
      return { kind: 'large' };
    }
    // The browser went away before the form was whole, or sent something else.
    if (error.code === 'unsupported_media_type' || error.code === 'invalid_json') {
      return { kind: 'form' };
    }
    if (error.code === 'unavailable') return { kind: 'unavailable' };
    if (error.code === 'kyc_required') return { kind: 'identity_check' };
  }
  if (error instanceof PasswordsBusyError) {
    ctx.set('Retry-After', BUSY_SECONDS);
    return { kind: 'busy' };
  }
  if (isOwnAccount(error)) return { kind: 'own_account' };
  if (isOperatorsLogin(error)) return { kind: 'operators_login' };
  const unavailable = logFault(log, ctx, error);
  return unavailable
    ? { kind: 'unavailable' }
    : { kind: 'fault', request_id: ctx.state.request_id };
}

function sendAsset(context: unknown, { strangers }: DashboardDependencies): void {
  const ctx = context as HttpContext;
  ctx.state.route = `${BASE_PATH}/assets/{name}`;
  countStranger(strangers, ctx, 'payment_page');
  const params = ctx['params'] as Readonly<Record<string, string>>;
  const asset = ASSETS.get(params['name'] ?? '');
  if (!asset) throw new Refusal('not_found');
  ctx.set(HEADERS);
  ctx.set('Cache-Control', cachingOf(asset, ctx.query['v']));
  ctx.type = asset.type;
  ctx.body = asset.body;
}

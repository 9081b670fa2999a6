// The dashboard over HTTP: who is asking, whether they may, the form they sent, the page they get.
// Every rule that holds for all pages is applied here, so that no page can forget one
// (docs/decisions/dashboard.md).

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
import { isUuid } from '../domain/ids';
import { createLimit } from '../domain/limit';
import { cachingOf } from '../pages/assets';
import { parameterOf } from '../pages/query';
import { PasswordsBusyError } from '../secrets/password';
import { hashSessionToken, isSessionToken } from '../secrets/session-token';
import { readFields, readForm, withoutNul } from '../http/form';
import { refuseAccess } from './access';
import { ASSETS } from './assets';
import { askAgain } from './confirm';
import {
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type MemberVisit,
  type Visit,
} from './context';
import { getCookie } from './cookies';
import { findDraft } from './drafts';
import { faultOfForm, readFileForm } from './form-check';
import { DRAFT_FIELD } from './forms';
import { BASE_PATH, href } from './frame';
import { readKept, type Kept } from './kept';
import { comeBack, pageBefore, pageOfLate } from './late';
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
      answer = troublePage(languageOf(ctx, session), troubleOf(ctx, dependencies, error, session));
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
  const look = ctx.method === 'GET' ? ctx.get('Page-Version') : '';
  const seconds = visits.take(look ? 'look' : ctx.method === 'POST' ? 'form' : 'page', found);
  if (seconds > 0) throw strangerLimited(seconds);
  if (look) {
    // The page asks, and not the person: an unused session ends, and the other tabs keep their language.
    ctx.state.look = look;
    return found;
  }
  if (found.is_stale) await touchSession(db, found.id);
  const language = parameterOf(ctx, 'lang');
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
  const { ctx, session } = empty;
  const isPage = route.method === 'GET';
  const kept = isPage ? readKept(dependencies, ctx) : undefined;
  const visit = { ...empty, ...(isPage ? withKept(empty, kept) : await readSent(ctx, route)) };
  ctx.state.carried = carriedBy(visit, kept);
  const back = kept && (await comeBack(dependencies, visit, kept));
  const refusal =
    back ??
    (isPage ? undefined : refuseForm(dependencies, visit, route)) ??
    refuseAccess(visit, route.access, dependencies);
  if (refusal) return refusal;
  const account = session?.account ?? undefined;
  // The handler of an order's page is for members.
  const complete = (account ? { ...visit, account } : visit) as MemberVisit;
  const { operation } = route;
  const draft = operation && (await findDraft(dependencies, complete, operation));
  if (draft && 'kind' in draft) return draft;
  const asked = session && (await askAgain(dependencies, { ...visit, session }, route.confirmed));
  if (asked) return asked;
  const given = draft ? { ...complete, draft } : complete;
  const handle = async (): Promise<Answer> => {
    try {
      const answer = await route.handler(dependencies, given);
      return answer ?? troublePage(visit.language, { kind: 'unknown' });
    } catch (error) {
      if (!operation || !isReuse(error)) throw error;
      // This draft was sent at the same time with other fields: what came of that one is shown.
      const found = await findDraft(dependencies, complete, operation);
      return 'kind' in found ? found : troublePage(visit.language, { kind: 'unavailable' });
    }
  };
  return route.action !== null && session
    ? noteActivity(dependencies, visit, session, route.action, handle)
    : handle();
}

function withKept({ query }: Visit, kept: Kept | undefined): Pick<Visit, 'query'> {
  const all = new URLSearchParams(query);
  for (const [name] of kept?.fields ?? []) all.delete(name);
  for (const [name, value] of kept?.fields ?? []) all.append(name, value);
  return { query: all };
}

function carriedBy(
  { ctx, query, form }: Visit,
  kept: Kept | undefined,
): NonNullable<HttpState['carried']> {
  const draft = form.get(DRAFT_FIELD) ?? query.get(DRAFT_FIELD) ?? '';
  return {
    draft: isUuid(draft) ? draft : undefined,
    ...(ctx.method === 'POST' ? { page: pageBefore({ ctx, form }), sent: form } : {}),
    kept: kept && new URLSearchParams(kept.fields.map(([name, value]) => [name, value])),
  };
}

function refuseForm(
  dependencies: DashboardDependencies,
  visit: Visit,
  { access, path }: DashboardRoute,
): Answer | undefined {
  const { session, language } = visit;
  const trouble = faultOfForm(visit, dependencies);
  if (trouble?.kind !== 'late') return trouble && troublePage(language, trouble);
  // Its page was opened before another tab signed in: the handler only leads on.
  if (session && path === '/sign-in') return undefined;
  const page = access === 'anyone' ? undefined : pageOfLate(dependencies, visit);
  if (page === undefined) return troublePage(language, { kind: 'form' });
  return session ? seeOther(page) : refuseAccess(visit, access, dependencies);
}

function isReuse(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'idempotency_key_reuse';
}

async function readSent(
  ctx: HttpContext,
  { max_file_bytes }: DashboardRoute,
): Promise<Partial<Visit>> {
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

function troubleOf(
  ctx: HttpContext,
  { log }: DashboardDependencies,
  error: unknown,
  session: SessionRow | undefined,
): Trouble {
  if (error instanceof Refusal) {
    if (error.code === 'rate_limited') {
      const seconds = error.retry_after_seconds ?? 60;
      ctx.set('Retry-After', String(seconds));
      return { kind: 'limit', seconds };
    }
    if (error.code === 'payload_too_large') {
      // The rest of the body is not read.
      ctx.set('Connection', 'close');
      return { kind: 'large' };
    }
    // The browser went away before the form was whole, or sent something else.
    if (error.code === 'unsupported_media_type' || error.code === 'invalid_json') {
      return { kind: 'form' };
    }
    if (error.code === 'unavailable') return { kind: 'unavailable' };
    if (error.code === 'forbidden') return { kind: 'forbidden' };
    if (error.code === 'kyc_required') {
      return { kind: 'identity_check', since: session?.account?.kyc_since ?? null };
    }
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
  ctx.set('Cache-Control', cachingOf(asset, parameterOf(ctx, 'v')));
  ctx.type = asset.type;
  ctx.body = asset.body;
}

// Sends what a handler answered.

import type { HttpContext } from '../http/context';
import { logFault } from '../http/log-fault';
import type { SessionRow } from '../db/people/sessions';
import type { Language } from '../domain/language';
import { pickLanguage } from '../pages/language';
import type { Answer, DashboardDependencies, Flash, PageAnswer, RedirectAnswer } from './context';
import { getCookie, setCookie } from './cookies';
import { keepFlash, takeFlash } from './flash';
import { formSecret } from './form-check';
import { href, type Frame } from './frame';
import { renderDocument } from './page';
import { carriedOutPage } from './trouble';

export async function sendAnswer(
  ctx: HttpContext,
  dependencies: DashboardDependencies,
  session: SessionRow | undefined,
  answer: Answer,
): Promise<void> {
  switch (answer.kind) {
    case 'page': {
      const flash = await takeFlash(dependencies, session);
      return sendPage(ctx, dependencies, { session, answer, flash });
    }
    case 'see_other':
      return redirect(ctx, dependencies, session, answer);
    case 'file': {
      ctx.type = answer.type;
      if (answer.name !== undefined) ctx.attachment(answer.name);
      ctx.body = answer.body;
    }
  }
}

async function redirect(
  ctx: HttpContext,
  dependencies: DashboardDependencies,
  session: SessionRow | undefined,
  { to, flash }: RedirectAnswer,
): Promise<void> {
  if (flash && session) {
    try {
      await keepFlash(dependencies, session.id, flash);
    } catch (error) {
      // The form was carried out, and its result may be shown only once, such as a key: it is shown
      // here.
      logFault(dependencies.log, ctx, error);
      const answer = carriedOutPage(languageOf(ctx, session), to);
      return sendPage(ctx, dependencies, { session, answer, flash });
    }
  }
  ctx.status = 303;
  ctx.redirect(to.startsWith('/') ? href(to) : to);
}

export function sendPage(
  ctx: HttpContext,
  { formToken }: DashboardDependencies,
  {
    session,
    answer: { title, content, status = 200 },
    flash,
  }: {
    readonly session: SessionRow | undefined;
    readonly answer: PageAnswer;
    readonly flash: Flash | undefined;
  },
): void {
  const language = languageOf(ctx, session);
  if (ctx.query['lang'] === language && !isFromElsewhere(ctx)) setCookie(ctx, 'language', language);
  const frame: Frame = {
    language,
    session,
    flash,
    form_token: formToken(formSecret(ctx)),
    path: pathForLinks(ctx),
  };
  ctx.status = status;
  ctx.set('Content-Language', language);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderDocument(frame, { title, content });
}

/** The path that leads back to this page. A page that answered a form has its own path. */
function pathForLinks(ctx: HttpContext): string {
  const query = new URLSearchParams(ctx.method === 'GET' ? ctx.querystring : '');
  query.delete('lang');
  const text = query.toString();
  return text === '' ? ctx.path : `${ctx.path}?${text}`;
}

/** True when another site led here: its link must not choose the language for good. */
export function isFromElsewhere(ctx: HttpContext): boolean {
  return ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'));
}

export function languageOf(ctx: HttpContext, session: SessionRow | undefined): Language {
  return pickLanguage(ctx, session?.language ?? getCookie(ctx, 'language'));
}

// Sends what a handler answered.

import { createHash } from 'node:crypto';
import type { HttpContext } from '../http/context';
import { logFault } from '../http/log-fault';
import type { SessionRow } from '../db/people/sessions';
import type { Language } from '../domain/language';
import { pickLanguage } from '../pages/language';
import { parameterOf } from '../pages/query';
import type { Answer, DashboardDependencies, Flash, PageAnswer, RedirectAnswer } from './context';
import { getCookie, setCookie } from './cookies';
import { keepFlash, takeFlash } from './flash';
import { formSecret } from './form-check';
import { href, type Frame } from './frame';
import { renderContent, renderDocument } from './page';
import { pathHere, pathWith } from './paths';
import { carriedOutPage } from './trouble';

export async function sendAnswer(
  ctx: HttpContext,
  dependencies: DashboardDependencies,
  session: SessionRow | undefined,
  answer: Answer,
): Promise<void> {
  switch (answer.kind) {
    case 'page': {
      if (ctx.state.look !== undefined) return sendLook(ctx, dependencies, session, answer);
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
    answer: { title, content, status = 200, faults },
    flash,
  }: {
    readonly session: SessionRow | undefined;
    readonly answer: PageAnswer;
    readonly flash: Flash | undefined;
  },
): void {
  const frame = frameOf(ctx, { formToken }, session, flash);
  const { language } = frame;
  if (parameterOf(ctx, 'lang') === language && !isFromElsewhere(ctx))
    setCookie(ctx, 'language', language);
  ctx.status = status;
  ctx.set('Content-Language', language);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderDocument({ ...frame, faults }, { title, content });
}

/**
 * Answers the script of a page that updates by itself: with the content alone, or with nothing when it is as the
 * script has it. What is shown once stays for the person's next page.
 */
function sendLook(
  ctx: HttpContext,
  dependencies: DashboardDependencies,
  session: SessionRow | undefined,
  { content, status = 200 }: PageAnswer,
): void {
  const html = renderContent(frameOf(ctx, dependencies, session, undefined), content);
  const version = createHash('sha256').update(html).digest('base64url');
  ctx.set('Page-Version', version);
  ctx.status = version === ctx.state.look ? 204 : status;
  if (ctx.status === 204) return;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}

function frameOf(
  ctx: HttpContext,
  { formToken }: Pick<DashboardDependencies, 'formToken'>,
  session: SessionRow | undefined,
  flash: Flash | undefined,
): Frame {
  return {
    language: languageOf(ctx, session),
    session,
    flash,
    form_token: formToken(formSecret(ctx)),
    path: pathForLinks(ctx),
    sent_to: ctx.path,
    ...ctx.state.carried,
  };
}

/** The path that leads back to this page, or to the one whose form it answers. */
function pathForLinks(ctx: HttpContext): string {
  if (ctx.method === 'GET') return href(pathWith(pathHere(ctx), { lang: null }));
  const { page } = ctx.state.carried ?? {};
  return page === undefined ? ctx.path : href(page);
}

/** True when another site led here: its link must not choose the language for good. */
export function isFromElsewhere(ctx: HttpContext): boolean {
  return ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'));
}

export function languageOf(ctx: HttpContext, session: SessionRow | undefined): Language {
  return pickLanguage(ctx, session?.language ?? getCookie(ctx, 'language'));
}

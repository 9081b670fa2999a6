// Sends what a handler answered.

import type { ApiContext } from '../api/context';
import type { SessionRow } from '../db/sessions';
import type { Language } from '../domain/language';
import { pickLanguage } from '../pages/language';
import type { Answer, DashboardDependencies, Flash, PageAnswer } from './context';
import { getCookie, setCookie } from './cookies';
import { keepFlash, takeFlash } from './flash';
import { formSecret } from './form-check';
import { href, type Frame } from './frame';
import { renderDocument } from './page';

export async function sendAnswer(
  ctx: ApiContext,
  dependencies: DashboardDependencies,
  session: SessionRow | undefined,
  answer: Answer,
): Promise<void> {
  switch (answer.kind) {
    case 'page': {
      const flash = await takeFlash(dependencies, session);
      return sendPage(ctx, dependencies, { session, answer, flash });
    }
    case 'see_other': {
      if (answer.flash && session) await keepFlash(dependencies, session.id, answer.flash);
      ctx.status = 303;
      ctx.redirect(answer.to.startsWith('/') ? href(answer.to) : answer.to);
      return;
    }
    case 'file': {
      ctx.type = answer.type;
      if (answer.name !== undefined) ctx.attachment(answer.name);
      ctx.body = answer.body;
    }
  }
}

export function sendPage(
  ctx: ApiContext,
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
  if (ctx.query['lang'] === language) setCookie(ctx, 'language', language);
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

/** Of a page that answered a form, the way back to it is its own path. */
function pathForLinks(ctx: ApiContext): string {
  const query = new URLSearchParams(ctx.method === 'GET' ? ctx.querystring : '');
  query.delete('lang');
  const text = query.toString();
  return text === '' ? ctx.path : `${ctx.path}?${text}`;
}

export function languageOf(ctx: ApiContext, session: SessionRow | undefined): Language {
  return pickLanguage(ctx, session?.language ?? getCookie(ctx, 'language'));
}

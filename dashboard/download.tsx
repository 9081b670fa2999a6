// Files that are read from the database while a browser takes them.

import type { Readable } from 'node:stream';
import { createLimit } from '../domain/limit';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from './context';
import { WORDS } from './transactions/words';

/** One file of a login in this process: a second one would only take turns with the first. */
const FILES_OF_LOGIN = createLimit({ each: 1 });

export interface Download {
  readonly name: string;
  /** The media type. The default is that of CSV. */
  readonly type?: string;
  readonly write: (onError: (error: Error) => void) => Readable | Promise<Readable>;
}

/** The file, unless the person is downloading one already. The place is free again when this answer is over. */
export async function download(
  { log }: Pick<DashboardDependencies, 'log'>,
  { session, ctx, language }: MemberVisit,
  { name, type = 'text/csv; charset=utf-8', write }: Download,
): Promise<Answer> {
  const words = WORDS[language];
  const leave = FILES_OF_LOGIN.enter(session.login_id);
  if (!leave) return page(words.busy, <p class="lead">{words.busy_text}</p>, 429);
  ctx.res.once('close', leave);
  const body = await write((error) => {
    // The browser sees that the file broke off; one that went away is no fault.
    const hasLeft = (error as { readonly code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (hasLeft) return;
    log({ request_id: ctx.state.request_id, route: ctx.state.route, error: String(error) });
  });
  return { kind: 'file', type, name, body };
}

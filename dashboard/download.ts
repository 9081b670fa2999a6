// Files that are read from the database while a browser takes them.

import { createLimit } from '../domain/limit';
import type { DashboardDependencies, MemberVisit } from './context';

/** One file of a login in this process: a second one would only take turns with the first. */
const FILES_OF_LOGIN = createLimit({ each: 1 });

/** False while the person is downloading a file already. The place is free again when this answer is over. */
export function mayDownload({ session, ctx }: Pick<MemberVisit, 'session' | 'ctx'>): boolean {
  const leave = FILES_OF_LOGIN.enter(session.login_id);
  if (leave) ctx.res.once('close', leave);
  return leave !== undefined;
}

/** Logs why a file broke off, which the browser sees. A browser that went away is no fault. */
export function onBrokenFile({ log }: Pick<DashboardDependencies, 'log'>, { ctx }: MemberVisit) {
  return (error: Error): void => {
    const hasLeft = (error as { readonly code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (hasLeft) return;
    log({ request_id: ctx.state.request_id, route: ctx.state.route, error: String(error) });
  };
}

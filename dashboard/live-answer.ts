// The answer to a page that wants to be kept up to date.

import type { Answer, DashboardDependencies, MemberVisit } from './context';
import type { LiveTopic } from './live';
import { troublePage } from './trouble';

export function watchLive<State>(
  { live }: DashboardDependencies,
  { ctx, language, account, session, query }: MemberVisit,
  topic: LiveTopic<State>,
): Answer {
  const body = live.watch(topic, {
    session_id: session.id,
    login_id: session.login_id,
    user_id: account.user_id,
    language,
    // After a lost connection the browser names the last event that it got.
    version: ctx.get('Last-Event-ID') || (query.get('version') ?? ''),
  });
  if (!body) return troublePage(language, { kind: 'streams' });
  // nginx would keep events back until its buffer is full.
  ctx.set('X-Accel-Buffering', 'no');
  return { kind: 'file', type: 'text/event-stream; charset=utf-8', body };
}

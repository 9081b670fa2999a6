// The streams behind the list of payment links and the page of one: who has it open at the counter
// sees that it was paid.

import type { Answer, DashboardDependencies, MemberVisit } from '../context';
import type { LiveTopic } from '../live';
import { watchLive } from '../live-answer';
import { renderPart } from '../page';
import { troublePage } from '../trouble';
import { LinkPart, LinkRows, LinkState } from './links';
import {
  linkProps,
  readLink,
  readLinkFilters,
  readLinkPage,
  type LinkPage,
  type WatchedLink,
} from './read';

export async function watchLink(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session } = visit;
  const found = await readLink(dependencies, visit);
  if (!found) return troublePage(visit.language, { kind: 'unknown' });
  const topic: LiveTopic<WatchedLink> = {
    // What it offers depends on the role.
    key: `link/${account.user_id}/${session.environment}/${found.view.id}/${account.role}`,
    // A link is never deleted.
    read: async () => (await readLink(dependencies, visit)) ?? found,
    async render(watched, language) {
      const props = await linkProps(dependencies, visit, watched);
      return {
        state: renderPart(language, <LinkState view={watched.view} />),
        link: renderPart(language, <LinkPart {...props} />),
      };
    },
  };
  return watchLive(dependencies, visit, topic);
}

export function watchLinks(dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  const { account, session, query } = visit;
  const { user_id } = account;
  const { environment } = session;
  const read = readLinkFilters(query);
  if (!read.ok) return troublePage(visit.language, { kind: 'unknown' });
  // The topic has only what the page's query means, so that a client cannot make many of one page.
  const shown = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...read.filters, cursor: read.before })) {
    if (value !== undefined) shown.set(name, value);
  }
  const topic: LiveTopic<LinkPage> = {
    key: `links/${user_id}/${environment}?${shown.toString()}`,
    read: () => readLinkPage(dependencies, { user_id, environment }, read),
    render: async (links, language) => ({
      links: renderPart(language, <LinkRows {...links} query={shown} />),
    }),
  };
  return watchLive(dependencies, visit, topic);
}

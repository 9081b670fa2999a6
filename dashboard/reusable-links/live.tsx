// The streams behind the list of reusable links and the page of one.

import type { PaymentLinkView } from '../../domain/payment-link';
import type { Answer, DashboardDependencies, MemberVisit } from '../context';
import type { LiveTopic } from '../live';
import { watchLive } from '../live-answer';
import { renderPart } from '../page';
import { troublePage } from '../trouble';
import { Payments, ReusableCard, ReusableRows, ReusableState } from './links';
import { cursorOf, findNamed, ownerOf, readLinks, readProps } from './read';

export function watchReusables(dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  const { user_id, environment } = ownerOf(visit);
  const query = shownQuery(visit);
  const topic: LiveTopic<Awaited<ReturnType<typeof readLinks>>> = {
    key: `reusable-links/${user_id}/${environment}?${query.toString()}`,
    read: () => readLinks(dependencies, visit),
    render: (links, language) =>
      Promise.resolve({
        links: renderPart(language, <ReusableRows {...links} query={query} />),
      }),
  };
  return watchLive(dependencies, visit, topic);
}

export async function watchReusable(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const found = await findNamed(dependencies, visit);
  if (!found) return troublePage(visit.language, { kind: 'unknown' });
  const query = shownQuery(visit);
  const topic: LiveTopic<PaymentLinkView> = {
    key: `reusable-link/${ownerOf(visit).user_id}/${found.id}?${query.toString()}`,
    // A link is never deleted.
    read: async () => (await findNamed(dependencies, visit)) ?? found,
    async render(link, language) {
      const props = await readProps(dependencies, visit, link);
      return {
        state: renderPart(language, <ReusableState link={link} />),
        link: renderPart(language, <ReusableCard {...props} />),
        payments: renderPart(language, <Payments {...props} query={query} />),
      };
    },
  };
  return watchLive(dependencies, visit, topic);
}

/** What the page's query means, so that a client cannot make many topics of one page. */
function shownQuery(visit: MemberVisit): URLSearchParams {
  const cursor = cursorOf(visit);
  return new URLSearchParams(cursor === undefined ? {} : { cursor });
}

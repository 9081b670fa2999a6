// The list of an account's disputes.

import { listDisputes } from '../../db/disputes/disputes';
import { parseInstant } from '../../domain/instant';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Link, Pager } from '../parts';
import { DISPUTE_WORDS } from './dispute-words';
import { DisputeTable } from './disputes';
import { pageOf, PAGE_ROWS } from './read';
import { LinkTabs } from './tabs';

async function showDisputes(
  { db }: DashboardDependencies,
  { account, session, language, query }: MemberVisit,
): Promise<Answer> {
  const words = DISPUTE_WORDS[language];
  const { rows, next_cursor } = pageOf(
    await listDisputes(db, {
      user_id: account.user_id,
      environment: session.environment,
      before: parseInstant(query.get('cursor') ?? ''),
      limit: PAGE_ROWS + 1,
      filters: {},
    }),
  );
  return page(
    words.disputes,
    <>
      <LinkTabs current="/disputes" />
      {rows.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <>
          <p class="lead">{words.lead}</p>
          <DisputeTable
            rows={rows}
            caption={words.caption}
            last={{
              column: words.payment,
              cell: (row) => <Link to={`/links/${row.intent_id}`}>{words.see}</Link>,
            }}
          />
          <Pager path="/disputes" query={query} next_cursor={next_cursor} />
        </>
      )}
    </>,
  );
}

export const DISPUTE_ROUTES = [pageRoute('/disputes', 'read', showDisputes)];

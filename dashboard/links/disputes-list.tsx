// The list of an account's disputes.

import { listDisputes } from '../../db/disputes/disputes';
import { listRoutes } from '../list-page';
import { Link } from '../parts';
import { DISPUTE_WORDS } from './dispute-words';
import { disputeColumns } from './disputes';
import { LinkTabs } from './tabs';

export const DISPUTE_ROUTES = listRoutes({
  path: '/disputes',
  access: 'sales',
  words: (language) => {
    const { disputes: title, caption, none } = DISPUTE_WORDS[language];
    return { title, caption, none };
  },
  filters: {},
  above: (_dependencies, { language }) => (
    <>
      <LinkTabs current="/disputes" />
      <p class="lead">{DISPUTE_WORDS[language].lead}</p>
    </>
  ),
  read: ({ db }, query) => listDisputes(db, query),
  columns: (language) => {
    const { payment: label, see } = DISPUTE_WORDS[language];
    return [
      ...disputeColumns(language),
      { label, cell: ({ intent_id }) => <Link to={`/links/${intent_id}`}>{see}</Link> },
    ];
  },
});

// The list of payment links.

import { listIntents } from '../../db/payment-intents/intent-views';
import { INTENT_STATUSES } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import { amount, at, CURRENCY, EMAIL, listRoutes, oneOf, REFERENCE } from '../list-page';
import { Link, Time } from '../parts';
import { offerTestLinks } from './from-test';
import { StatusTag } from './links';
import { LinkTabs } from './tabs';
import { STATUS_WORDS, WORDS } from './words';

export const LINK_LIST = listRoutes({
  path: '/links',
  access: 'sales',
  words: (language) => ({ title: WORDS[language].links, caption: WORDS[language].caption }),
  filters: {
    status: oneOf('status', INTENT_STATUSES, STATUS_WORDS),
    currency: CURRENCY,
    reference: REFERENCE,
    customer_email: EMAIL,
  },
  above: async (dependencies, visit) => (
    <>
      <LinkTabs current="/links" />
      {await offerTestLinks(dependencies, visit)}
      <p class="lead">{WORDS[visit.language].lead}</p>
      {mayDo(visit.account.role, 'links', visit.session.environment) && (
        <Link to="/links/new" class="button">
          {WORDS[visit.language].make}
        </Link>
      )}
    </>
  ),
  read: ({ db, config: { pay_url_base } }, query) => listIntents(db, { ...query, pay_url_base }),
  columns: (language) => {
    const words = WORDS[language];
    return [
      at(words.at),
      {
        label: words.description,
        as: 'what',
        cell: ({ id, description, reference }) => (
          <Link to={`/links/${id}`}>
            {description === null ? <code>{reference}</code> : <bdi>{description}</bdi>}
          </Link>
        ),
      },
      { label: words.customer, as: 'who', cell: ({ customer_email }) => customer_email ?? '—' },
      amount(words.amount),
      { label: words.status, as: 'state', cell: (row) => <StatusTag of={row} /> },
      { label: words.ends, cell: ({ expires_at }) => <Time at={expires_at} /> },
    ];
  },
  is_live: true,
});

// One box for what a caller can name: a reference, a payment link, a customer's address, an amount.

import { searchEverything, type FoundThing } from '../../use-cases/operator-search';
import { page } from '../context';
import { Link, Money, Table, Tag, Time } from '../parts';
import { AccountLink, EnvironmentTag, MAX_SEARCH, WorkflowLink, operatorPage } from './frame';
import { stateWords } from './payment-words';
import { WORDS } from './words';

export const SEARCH_ROUTES = [
  operatorPage('/operators/search', async ({ operator_db, config }, { query, language }) => {
    const words = WORDS[language];
    const text = (query.get('q') ?? '').trim().slice(0, MAX_SEARCH);
    const { things, accounts } = await searchEverything(operator_db, config.pay_url_base, text);
    return page(
      words.found,
      <>
        {things.length > 0 && (
          <Table
            caption={words.found}
            columns={[words.time, words.reference, words.amount, words.account, words.state]}
            rows={things.map((one) => [
              <Time at={one.created_at} />,
              <div>
                {words.kinds[one.kind]} · <Name of={one} />{' '}
                {one.workflow_id && <WorkflowLink config={config} id={one.workflow_id} />}
              </div>,
              <div>
                {one.amount_minor !== null && one.currency !== null && (
                  <Money minor={one.amount_minor} currency={one.currency} />
                )}{' '}
                {one.environment !== null && <EnvironmentTag environment={one.environment} />}
              </div>,
              <div>
                {one.accounts.map((username) => (
                  <>
                    <AccountLink username={username} />{' '}
                  </>
                ))}
                {one.customer_email}
              </div>,
              <Tag>{stateWords(language, one)}</Tag>,
            ])}
          />
        )}
        {accounts.length > 0 && (
          <Table
            caption={words.accounts}
            columns={[words.account, words.email]}
            rows={accounts.map(({ username, email }) => [
              <AccountLink username={username} />,
              email,
            ])}
          />
        )}
        {things.length + accounts.length === 0 && <p class="empty">{words.found_nothing}</p>}
      </>,
    );
  }),
];

/** Leads to the page of what was found, where it has one. A refund is on its payment's. */
function Name({ of }: { readonly of: FoundThing }) {
  const { kind, payment_id, payout_id, item_id, reference } = of;
  const page =
    (payment_id && `payments/${payment_id}`) ??
    (payout_id && `payouts/${payout_id}`) ??
    (item_id && `suspense/${item_id}`) ??
    (kind === 'case' && `risk/${reference}`);
  return page ? <Link to={`/operators/${page}`}>{reference}</Link> : <code>{reference}</code>;
}

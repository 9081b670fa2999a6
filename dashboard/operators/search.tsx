// One box for what a caller can name: a reference, a payment link, a customer's address, an amount.

import { searchEverything } from '../../use-cases/operator-search';
import { page } from '../context';
import { Link, Money, Table, Tag, Time } from '../parts';
import { AccountLink, EnvironmentTag, MAX_SEARCH, WorkflowLink, operatorPage } from './frame';
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
                {words.kinds[one.kind]} · {one.reference}{' '}
                {one.item_id && <Link to={`/operators/suspense/${one.item_id}`}>{words.see}</Link>}
                {one.payout_id && (
                  <Link to={`/operators/payouts/${one.payout_id}`}>{words.see}</Link>
                )}{' '}
                {one.workflow_id && <WorkflowLink config={config} id={one.workflow_id} />}
              </div>,
              <div>
                <Money minor={one.amount_minor} currency={one.currency} />{' '}
                <EnvironmentTag environment={one.environment} />
              </div>,
              <div>
                {one.accounts.map((username) => (
                  <>
                    <AccountLink username={username} />{' '}
                  </>
                ))}
                {one.customer_email}
              </div>,
              <Tag>{one.status}</Tag>,
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

// One box for what a caller can name: a reference, a payment link, a customer's address, an amount.

import { searchEverything } from '../../use-cases/operator-search';
import { page, pageRoute, type Answer, type SignedInVisit } from '../context';
import { Link, Money, Table, Tag, Time } from '../parts';
import {
  AccountLink,
  EnvironmentTag,
  MAX_SEARCH,
  WorkflowLink,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

async function showFound(
  { operator_db, config }: OperatorDependencies,
  { query, language }: SignedInVisit,
): Promise<Answer> {
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
              <EnvironmentTag environment={one.environment} words={words} />
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
          rows={accounts.map(({ username, email }) => [<AccountLink username={username} />, email])}
        />
      )}
      {things.length + accounts.length === 0 && <p class="empty">{words.found_nothing}</p>}
    </>,
  );
}

export const SEARCH_ROUTES = [pageRoute('/operators/search', 'operator', showFound)];

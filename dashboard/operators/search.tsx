// One box for what a caller can name: a reference, a payment link, somebody's address, an amount.

import type { JSX } from 'preact';
import { listAccounts } from '../../db/operators/operators';
import {
  findOperatorIntent,
  listIntentsOfCustomer,
} from '../../db/payment-intents/operator-intents';
import { findOperatorRefund } from '../../db/refunds/operator-refunds';
import { findSuspenseOf, listSuspense } from '../../db/suspense/suspense';
import { findOperatorTransfer } from '../../db/transfers/operator-transfers';
import type { Currency } from '../../domain/currency';
import { readEmail } from '../../domain/email';
import type { Environment } from '../../domain/environment';
import { intentWorkflowId, refundWorkflowId } from '../../domain/ids';
import { parseAmount } from '../../domain/money';
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

/** Of each kind. */
const LIMIT = 50;

interface Found {
  readonly kind: 'intent' | 'transfer' | 'refund' | 'item';
  readonly at: string;
  readonly reference: string;
  /** The page of the thing, or its workflow. */
  readonly link: JSX.Element | null;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly accounts: readonly string[];
  readonly customer: string | null;
  readonly status: string;
}

async function showFound(
  dependencies: OperatorDependencies,
  { query, language }: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const text = (query.get('q') ?? '').trim().slice(0, MAX_SEARCH);
  const { operator_db } = dependencies;
  const things = text === '' ? [] : await findThings(dependencies, text);
  const accounts =
    text === ''
      ? []
      : await listAccounts(operator_db, { search: text, after: undefined, limit: LIMIT });
  return page(
    words.found,
    <>
      {things.length > 0 && (
        <Table
          caption={words.found}
          columns={[words.time, words.reference, words.amount, words.account, words.state]}
          rows={things.map((one) => [
            <Time at={one.at} />,
            <div>
              <p>
                {words.kinds[one.kind]} · {one.reference}
              </p>
              {one.link}
            </div>,
            <div>
              <Money minor={one.amount_minor} currency={one.currency} />{' '}
              <EnvironmentTag environment={one.environment} words={words} />
            </div>,
            <div>
              {one.accounts.map((username) => (
                <p>
                  <AccountLink username={username} />
                </p>
              ))}
              {one.customer}
            </div>,
            <Tag>{one.status}</Tag>,
          ])}
        />
      )}
      {accounts.length > 0 && (
        <>
          <h2>{words.accounts}</h2>
          <ul>
            {accounts.map(({ username, email }) => (
              <li>
                <AccountLink username={username} /> · {email}
              </li>
            ))}
          </ul>
        </>
      )}
      {things.length + accounts.length === 0 && <p class="empty">{words.found_nothing}</p>}
    </>,
  );
}

async function findThings(
  { operator_db, config }: OperatorDependencies,
  text: string,
): Promise<Found[]> {
  const intentOf = (one: NonNullable<Awaited<ReturnType<typeof findOperatorIntent>>>): Found => ({
    ...one,
    kind: 'intent',
    at: one.created_at,
    link: <WorkflowLink config={config} id={intentWorkflowId(one.environment, one.id)} />,
    accounts: [one.username],
    customer: one.customer_email,
  });
  const itemOf = (one: NonNullable<Awaited<ReturnType<typeof findSuspenseOf>>>): Found => ({
    ...one,
    kind: 'item',
    at: one.created_at,
    link: <Link to={`/operators/suspense/${one.id}`}>{one.reference}</Link>,
    accounts: one.username === null ? [] : [one.username],
    customer: null,
  });
  const email = readEmail(text);
  if (email !== undefined) {
    return (await listIntentsOfCustomer(operator_db, email, LIMIT)).map(intentOf);
  }
  const [intent, transfer, refund, item, waiting] = await Promise.all([
    findOperatorIntent(operator_db, text),
    findOperatorTransfer(operator_db, text),
    findOperatorRefund(operator_db, text),
    findSuspenseOf(operator_db, text),
    // An amount is looked for among the money that waits, which is bounded; others are too many to have one.
    listSuspense(operator_db, false),
  ]);
  const found = [];
  if (intent) found.push(intentOf(intent));
  if (transfer) {
    const { from_username, to_username, created_at: at } = transfer;
    const accounts = [from_username, to_username];
    found.push({
      ...transfer,
      kind: 'transfer' as const,
      at,
      link: null,
      accounts,
      customer: null,
    });
  }
  if (refund) {
    const link = (
      <WorkflowLink config={config} id={refundWorkflowId(refund.environment, refund.id)} />
    );
    const { username, created_at: at } = refund;
    const accounts = [username];
    found.push({ ...refund, kind: 'refund' as const, at, link, accounts, customer: null });
  }
  if (item) found.push(itemOf(item));
  const amounts = waiting.filter(({ amount_minor, currency }) => {
    const parsed = parseAmount(text.replaceAll(/\s/g, '').replace(',', '.'), currency);
    return parsed.ok && parsed.amount === amount_minor;
  });
  return [...found, ...amounts.slice(0, LIMIT).map(itemOf)];
}

export const SEARCH_ROUTES = [pageRoute('/operators/search', 'operator', showFound)];

// The first page: what a new account does first, what needs attention, what was sold, what the account holds
// and what happened last. It updates by itself when money moves.

import { readToDo, type Attention } from '../../db/people/attention';
import { listHistory, type HistoryRow } from '../../db/ledger/history';
import { listWallets, type WalletRow } from '../../db/ledger/wallets';
import { PERIODS, readSales, type Sales } from '../../db/payment-intents/sales';
import type { Environment } from '../../domain/environment';
import type { SessionRow } from '../../db/people/sessions';
import { formatCount, type Language } from '../../domain/language';
import { mayDo, type Permission } from '../../domain/members';
import { formatDay, formatMoney } from '../../pages/formats';
import { BarTable, Bars } from '../bars';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { GoLive } from '../live-mode';
import { LiveNote } from '../live-note';
import { Details, Link, Money } from '../parts';
import { HistoryTable } from '../transactions/transactions';
import { UsedFirst } from '../wallets/used';
import { Steps } from './steps';
import { WORDS } from './words';

const LATEST = 5;

interface Moved {
  readonly wallets: readonly WalletRow[];
  readonly latest: readonly HistoryRow[];
}

interface AttentionItem {
  readonly text: string;
  readonly link: string;
  readonly to: string;
}

/** The items that the people of this account should look at, most urgent first. */
function attentionItems(
  language: Language,
  { account, environment, is_email_verified }: SessionRow,
  {
    failing_endpoints,
    ending_links,
    held_payments,
    payouts_to_approve,
    payout_batches_to_approve,
    disputes,
  }: Attention,
): AttentionItem[] {
  const words = WORDS[language];
  const may = (permission: Permission): boolean => mayDo(account!.role, permission, environment);
  const items: (AttentionItem | false)[] = [
    failing_endpoints > 0 &&
      may('webhooks') && {
        text: words.failing_endpoints(failing_endpoints),
        link: words.to_webhooks,
        to: '/webhooks',
      },
    payouts_to_approve > 0 &&
      may('read') && {
        text: words.payouts_to_approve(payouts_to_approve),
        link: words.to_payouts,
        to: '/payouts?status=requires_approval',
      },
    payout_batches_to_approve > 0 &&
      may('read') && {
        text: words.payout_batches_to_approve(payout_batches_to_approve),
        link: words.to_payout_batches,
        to: '/payout-batches',
      },
    disputes > 0 && {
      text: words.open_disputes(disputes),
      link: words.to_disputes,
      to: '/disputes',
    },
    held_payments > 0 && {
      text: words.held_payments(held_payments),
      link: words.to_links,
      to: '/links',
    },
    ending_links > 0 && {
      text: words.ending_links(ending_links),
      link: words.to_open_links,
      to: '/links?status=open',
    },
    !is_email_verified && {
      text: words.unverified_email,
      link: words.to_security,
      to: '/security',
    },
  ];
  return items.filter((item) => item !== false);
}

function AttentionList({ items }: { readonly items: readonly AttentionItem[] }) {
  const words = WORDS[useFrame().language];
  if (items.length === 0) return null;
  return (
    <section class="card attention" aria-labelledby="attention">
      <h2 id="attention">{words.attention}</h2>
      <ul>
        {items.map(({ text, link, to }) => (
          <li>
            <span>{text}</span> <Link to={to}>{link}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function MovedMoney({
  wallets,
  latest,
  environment,
}: Moved & { readonly environment: Environment }) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <h2>{words.wallets[environment]}</h2>
      <UsedFirst rows={wallets} wallets={wallets} show={(rows) => <Wallets wallets={rows} />} />
      <h2>{words.latest}</h2>
      <HistoryTable rows={latest} />
      {latest.length > 0 && (
        <p>
          <Link to="/transactions">{words.all_transactions}</Link>
        </p>
      )}
    </>
  );
}

function SalesCards({
  of,
  environment,
}: {
  readonly of: readonly Sales[];
  readonly environment: Environment;
}) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <h2>{words.sales[environment]}</h2>
      <p class="hint">{words.sales_hint}</p>
      <div class="cards pictures">
        {of.map(({ currency, ...sales }) => (
          <div class="card">
            <p class="hint">{currency}</p>
            <Details
              rows={PERIODS.map((period) => [
                words.periods[period],
                <>
                  <strong>
                    <Money minor={sales[period].amount_minor} currency={currency} />
                  </strong>{' '}
                  <span class="hint nowrap">{words.payments(sales[period].payments)}</span>
                </>,
              ])}
            />
            <SalesDays currency={currency} days={sales.days} />
          </div>
        ))}
      </div>
    </>
  );
}

function SalesDays({ currency, days }: Pick<Sales, 'currency' | 'days'>) {
  const { language } = useFrame();
  const words = WORDS[language];
  const first = formatDay(language, days[0]!.day);
  const best = days.reduce((a, b) => (b.amount_minor > a.amount_minor ? b : a));
  const label = words.sales_chart(
    currency,
    first,
    formatDay(language, days.at(-1)!.day),
    formatMoney(language, best.amount_minor, currency),
    formatDay(language, best.day),
  );
  return (
    <>
      <Bars
        values={days.map(({ amount_minor }) => amount_minor)}
        label={label}
        axis={[first, words.today]}
      />
      <BarTable
        summary={words.days}
        caption={words.sales_days(currency)}
        columns={[
          words.day,
          { label: words.sales.live, as: 'number' },
          { label: words.paid, as: 'number' },
        ]}
        rows={days.map(({ day, amount_minor, payments }) => [
          formatDay(language, day),
          <Money minor={amount_minor} currency={currency} />,
          formatCount(language, payments),
        ])}
        newest={words.today}
      />
    </>
  );
}

function Wallets({ wallets }: { readonly wallets: readonly WalletRow[] }) {
  return (
    <div class="cards">
      {wallets.map(({ currency, balance_minor }) => (
        <div class="card">
          <p class="hint">{currency}</p>
          <p class="big">
            <Money minor={balance_minor} currency={currency} />
          </p>
        </div>
      ))}
    </div>
  );
}

export const OVERVIEW_ROUTES = [
  pageRoute('/', 'signed_in', async ({ db }, visit) => {
    const { session, language } = visit;
    const words = WORDS[language];
    const { account, environment } = session;
    if (!account) return page(words.overview, <p class="lead">{words.no_account}</p>);
    const { user_id } = account;
    const mayRead = mayDo(account.role, 'read', environment);
    const query = { user_id, environment, before: undefined, limit: LATEST, filters: {} };
    const [steps, sales, wallets, latest] = await Promise.all([
      readToDo(db, user_id, environment),
      readSales(db, user_id, environment, new Date().toISOString().slice(0, 10)),
      mayRead ? listWallets(db, user_id, environment) : [],
      mayRead ? listHistory(db, query) : [],
    ]);
    const items = attentionItems(language, session, steps);
    const mayMakeLink =
      mayDo(account.role, 'links', environment) &&
      (environment === 'sandbox' || account.kyc_status === 'approved');
    return page(
      words.overview,
      <>
        {!steps.has_live && <GoLive session={session} />}
        {mayMakeLink && (
          <p>
            <Link to="/links/new" class="button first">
              {words.make_link}
            </Link>
          </p>
        )}
        <div data-live-part="todo">
          {/* The steps are those of a person who can take all of them. */}
          {mayDo(account.role, 'profile', environment) && (
            <Steps of={steps} environment={environment} />
          )}
          <AttentionList items={items} />
        </div>
        <div data-live-part="money">
          {sales.length > 0 && <SalesCards of={sales} environment={environment} />}
          {mayRead && <MovedMoney {...{ wallets, latest, environment }} />}
        </div>
        <LiveNote />
      </>,
    );
  }),
];

// The balances of an environment, with a picture of the last 30 days.

import {
  listWalletDays,
  listWallets,
  type WalletDay,
  type WalletRow,
} from '../../db/ledger/wallets';
import { readLimits, type LimitRow } from '../../db/limits/limits';
import type { Currency } from '../../domain/currency';
import { CURRENCY_LABELS, formatDay, formatMoney } from '../../pages/formats';
import { BarTable, Bars } from '../bars';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { LimitBars } from '../limits/bars';
import { Link, Money, Notice } from '../parts';
import { UsedFirst } from './used';
import { WORDS } from './words';

const DAYS = 30;

function Wallet({
  wallet: { currency, balance_minor },
  days,
  limits,
}: {
  readonly wallet: WalletRow;
  readonly days: readonly WalletDay[];
  readonly limits: readonly LimitRow[];
}) {
  const words = WORDS[useFrame().language];
  return (
    <section class="card" aria-labelledby={`wallet-${currency}`}>
      <h2 id={`wallet-${currency}`}>{CURRENCY_LABELS[currency]}</h2>
      <p class="big">
        <span class="hidden">{words.now} </span>
        <Money minor={balance_minor} currency={currency} />
      </p>
      <LimitBars limits={limits} />
      <History currency={currency} days={days} />
      <p>
        <Link to={`/transactions?currency=${currency}`}>{words.history(currency)}</Link>
      </p>
    </section>
  );
}

function History({
  currency,
  days,
}: {
  readonly currency: Currency;
  readonly days: readonly WalletDay[];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  const values = days.map(({ balance_minor }) => balance_minor);
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  const label = words.chart(
    currency,
    formatDay(language, days[0]!.day),
    formatDay(language, days.at(-1)!.day),
    formatMoney(language, sorted[0]!, currency),
    formatMoney(language, sorted.at(-1)!, currency),
  );
  return (
    <>
      <Bars values={values} label={label} axis={[formatDay(language, days[0]!.day), words.today]} />
      <BarTable
        summary={words.days}
        caption={words.days_of(currency)}
        columns={[words.day, { label: words.balance, as: 'number' }]}
        rows={days.map(({ day, balance_minor }) => [
          formatDay(language, day),
          <Money minor={balance_minor} currency={currency} />,
        ])}
        newest={words.today}
      />
    </>
  );
}

export const WALLET_ROUTES = [
  pageRoute('/wallets', 'read', async ({ db }, { account, session, language }) => {
    const { environment } = session;
    const [wallets, days, { limits }] = await Promise.all([
      listWallets(db, account.user_id, environment),
      listWalletDays(db, account.user_id, environment, DAYS),
      readLimits(db, account.user_id, environment),
    ]);
    const words = WORDS[language];
    return page(
      words.wallets,
      <>
        <p class="lead">{words.lead}</p>
        {environment === 'sandbox' && <Notice>{words.sandbox}</Notice>}
        <UsedFirst
          rows={wallets}
          wallets={wallets}
          show={(rows) => (
            <div class="cards pictures">
              {rows.map((wallet) => (
                <Wallet
                  wallet={wallet}
                  days={days.filter(({ currency }) => currency === wallet.currency)}
                  limits={limits.filter(({ currency }) => currency === wallet.currency)}
                />
              ))}
            </div>
          )}
        />
      </>,
    );
  }),
];

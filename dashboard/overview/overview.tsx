// The first page: how to make the first call, and after that what the account holds, what happened
// last and what needs attention.

import type { VNode } from 'preact';
import { hasMadeCalls } from '../../db/requests/access-log';
import { readAttention, type Attention } from '../../db/people/attention';
import { listHistory } from '../../db/ledger/history';
import { listWallets, type WalletRow } from '../../db/ledger/wallets';
import type { SessionRow } from '../../db/people/sessions';
import type { Language } from '../../domain/language';
import { mayDo } from '../../domain/members';
import { PREFIX } from '../../http/prefix';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type SignedInVisit,
} from '../context';
import { useFrame } from '../frame';
import { Link, Money, Snippet } from '../parts';
import { HistoryTable } from '../transactions/transactions';
import { WORDS } from './words';

const LATEST = 5;

async function showOverview(
  { db, config }: DashboardDependencies,
  { session, language }: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const { account, environment } = session;
  if (!account) return page(words.overview, <p class="lead">{words.no_account}</p>);
  const { user_id } = account;
  const [wallets, has_called, history, attention] = await Promise.all([
    listWallets(db, user_id, environment),
    hasMadeCalls(db, user_id),
    listHistory(db, { user_id, environment, before: undefined, limit: LATEST, filters: {} }),
    readAttention(db, user_id, environment),
  ]);
  const isDeveloper = mayDo(account.role, 'keys', environment);
  return page(
    words.overview,
    <>
      {!has_called && isDeveloper && <FirstCall base_url={config.public_url + PREFIX} />}
      <AttentionList items={attentionItems(language, session, attention)} />
      <h2>{words.wallets}</h2>
      <Wallets wallets={wallets} />
      <h2>{words.latest}</h2>
      <HistoryTable rows={history.rows} />
      {history.rows.length > 0 && (
        <p>
          <Link to="/transactions">{words.all_transactions}</Link>
        </p>
      )}
    </>,
  );
}

interface AttentionItem {
  readonly text: string;
  readonly link: string;
  readonly to: string;
}

/** What the people of this account should look at, most urgent first. */
function attentionItems(
  language: Language,
  { account, is_email_verified }: SessionRow,
  { failing_endpoints, ending_links, held_payments }: Attention,
): AttentionItem[] {
  const words = WORDS[language];
  const items: (AttentionItem | false)[] = [
    failing_endpoints > 0 && {
      text: words.failing_endpoints(failing_endpoints),
      link: words.to_webhooks,
      to: '/webhooks',
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
    account?.kyc_status !== 'approved' && {
      text: account?.kyc_status === 'pending' ? words.kyc_pending : words.kyc_missing,
      link: words.to_profile,
      to: '/profile',
    },
  ];
  return items.filter((item) => item !== false);
}

function AttentionList({ items }: { readonly items: readonly AttentionItem[] }): VNode | null {
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

function FirstCall({ base_url }: { readonly base_url: string }): VNode {
  const { flash, language } = useFrame();
  const words = WORDS[language];
  const key = flash?.secret?.value;
  const curl = `curl -s ${base_url}/wallets \\
  -H 'Authorization: Bearer ${key ?? 'YOUR_TEST_KEY'}'`;
  return (
    <section class="card">
      <h2>{words.welcome}</h2>
      <p>{words.lead}</p>
      <Snippet text={curl} label={words.curl} />
      <p class="hint">
        {key === undefined ? words.your_key : words.key_is_in_it}{' '}
        <Link to="/keys">{words.make_key}</Link>
      </p>
    </section>
  );
}

function Wallets({ wallets }: { readonly wallets: readonly WalletRow[] }): VNode {
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

export const OVERVIEW_ROUTES = [pageRoute('/', 'signed_in', showOverview)];

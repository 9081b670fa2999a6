// The first page: how to make the first call, and after that what the account holds.

import type { VNode } from 'preact';
import { hasMadeCalls } from '../../db/access-log';
import { listWallets, type WalletRow } from '../../db/wallets';
import { mayDo } from '../../domain/members';
import { PREFIX } from '../../api/prefix';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type SignedInVisit,
} from '../context';
import { useFrame } from '../frame';
import { Link, Money, Snippet } from '../parts';
import { WORDS } from './words';

async function showOverview(
  { db, config }: DashboardDependencies,
  { session, language }: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const { account, environment } = session;
  if (!account) return page(words.overview, <p class="lead">{words.no_account}</p>);
  const [wallets, has_called] = await Promise.all([
    listWallets(db, account.user_id, environment),
    hasMadeCalls(db, account.user_id),
  ]);
  const isDeveloper = mayDo(account.role, 'keys', environment);
  return page(
    words.overview,
    <>
      {!has_called && isDeveloper && <FirstCall base_url={config.public_url + PREFIX} />}
      <h2>{words.wallets}</h2>
      <Wallets wallets={wallets} />
    </>,
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

// The document around every page: the band that says which money it is about, navigation, content.

import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { mayDo, type Permission } from '../domain/members';
import { Document, renderPage } from '../pages/document';
import { assetUrl } from './assets';
import type { Flash } from './context';
import { ActionButton, Form } from './forms';
import { BASE_PATH, FrameContext, href, useFrame, type Frame } from './frame';
import { Copyable, Notice } from './parts';

interface PageContent {
  readonly title: string;
  readonly content: VNode;
}

export function renderDocument(frame: Frame, content: PageContent): string {
  return renderPage(
    <FrameContext.Provider value={frame}>
      <Page {...content} />
    </FrameContext.Provider>,
  );
}

/** The page's content, without the document around it. */
export function renderContent(frame: Frame, content: VNode): string {
  return render(<FrameContext.Provider value={frame}>{content}</FrameContext.Provider>);
}

function Page({ title, content }: PageContent) {
  const { flash, language, session, words } = useFrame();
  const isIn = session !== undefined && session.second_factor !== 'awaited';
  const head = (
    <>
      <link rel="stylesheet" href={assetUrl('dashboard.css')} />
      <link rel="icon" href={assetUrl('icon.svg')} />
      <script src={assetUrl('dashboard.js')} defer />
    </>
  );
  return (
    <Document
      language={language}
      title={`${title} · ${words.product}`}
      head={head}
      class={isIn && session.account ? session.environment : 'outside'}
    >
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <Header isIn={isIn} />
      <div class={isIn ? 'frame' : 'frame narrow'}>
        {isIn && <Navigation />}
        <main id="content" tabIndex={-1}>
          {flash && <FlashNotice {...flash} />}
          {isIn && <Parent />}
          <h1>{title}</h1>
          {content}
          {isIn && <TestMark />}
        </main>
      </div>
    </Document>
  );
}

function Band() {
  const { path, session, words } = useFrame();
  if (session?.is_operator && isForOperators(path)) {
    return (
      <div class="band">
        <p>{words.operators_band}</p>
      </div>
    );
  }
  if (!session?.account) return null;
  return (
    <div class="band">
      <p>{session.environment === 'live' ? words.live_band : words.sandbox_band}</p>
      {session.account.is_frozen && <p class="frozen">{words.frozen_band}</p>}
    </div>
  );
}

/** Lies across what is printed in the sandbox: a poster of play money must not hang in a shop. */
function TestMark() {
  const { path, session, words } = useFrame();
  const isTest = session?.account && session.environment === 'sandbox' && !isForOperators(path);
  if (!isTest) return null;
  return (
    <p class="test-mark">
      <b>TEST</b> {words.sandbox_band}
    </p>
  );
}

/** Operators' pages are about every account, whatever the switch shows. */
function isForOperators(path: string): boolean {
  return /^\/operators([/?]|$)/.test(path.slice(BASE_PATH.length));
}

function Header({ isIn }: { readonly isIn: boolean }) {
  const { words } = useFrame();
  return (
    <header>
      {isIn && <Band />}
      <a class="brand" href={BASE_PATH}>
        {words.product}
      </a>
      {isIn ? (
        <>
          <div class="wide">
            <Controls isIn />
          </div>
          <details class="menu">
            <summary class="button plain small">{words.menu}</summary>
            <Controls isIn />
            <Navigation />
          </details>
        </>
      ) : (
        <Controls isIn={false} />
      )}
    </header>
  );
}

/**
 * Stands in the header, and on a phone in its menu, which works without a script: so a page has it
 * twice.
 */
function Controls({ isIn }: { readonly isIn: boolean }) {
  const { path, session, words } = useFrame();
  return (
    <>
      {isIn && session?.account && (
        <>
          {!isForOperators(path) && <EnvironmentSwitch />}
          <p class="who">
            <b>{session.account.username}</b> <span>{session.email}</span>
            {session.account_count > 1 && (
              <>
                {' '}
                <a href={href('/accounts')}>{words.switch_account}</a>
              </>
            )}
          </p>
        </>
      )}
      <div class="aside">
        <LanguageLink />
        {session ? (
          <ActionButton action="/sign-out">{words.sign_out}</ActionButton>
        ) : (
          <a href={href('/sign-in')}>{words.sign_in}</a>
        )}
      </div>
    </>
  );
}

function EnvironmentSwitch() {
  const { session, words, path } = useFrame();
  return (
    <Form action="/environment" class="switch">
      <fieldset>
        <legend class="hidden">{words.environment}</legend>
        <input type="hidden" name="path" value={path} />
        {(['sandbox', 'live'] as const).map((environment) => (
          <button
            type="submit"
            name="environment"
            value={environment}
            aria-pressed={session?.environment === environment ? 'true' : 'false'}
          >
            {words[environment]}
          </button>
        ))}
      </fieldset>
    </Form>
  );
}

function LanguageLink() {
  const { language, path, words } = useFrame();
  const other = language === 'en' ? 'fr' : 'en';
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('lang', other);
  return (
    <a href={url.pathname + url.search} hreflang={other} lang={other}>
      {words.other_language}
    </a>
  );
}

/** The lists whose pages are not below a path of the navigation: by the beginning of their paths. */
const LISTS = [
  ['/batches/', '/batches', 'batches'],
  ['/payout-batches/', '/payout-batches', 'payout_batches'],
  ['/deliveries/', '/webhooks', 'webhooks'],
  ['/payouts/', '/payouts', 'payouts'],
  ['/transfers/TRF-', '/transactions', 'transactions'],
  ['/transactions/', '/transactions', 'transactions'],
  ['/links/', '/links', 'links'],
  ['/reusable-links/', '/reusable-links', 'reusable_links'],
  ['/keys/', '/keys', 'keys'],
  ['/webhooks/', '/webhooks', 'webhooks'],
  ['/team/', '/team', 'team'],
  ['/security/', '/security', 'security'],
  ['/profile/', '/profile', 'profile'],
] as const;

/** The way up from one thing to its list. */
function Parent() {
  const { path, words } = useFrame();
  const below = path.slice(BASE_PATH.length);
  const list = LISTS.find(([beginning]) => below.startsWith(beginning));
  if (!list) return null;
  const [, to, name] = list;
  return (
    <nav class="parent" aria-label={words.parent}>
      <a href={href(to)}>{words[name]}</a>
    </nav>
  );
}

interface Entry {
  readonly path: string;
  readonly label: string;
  /** The permission that the link needs in the environment that is shown. */
  readonly permission?: Permission;
}

function Navigation() {
  const { path: here, session, words } = useFrame();
  const isMembers = session?.account && !isForOperators(here);
  return (
    <nav class="pages" aria-label={words.navigation}>
      {session?.account && <Entries of={[{ path: '/', label: words.overview }]} />}
      {isMembers && (
        <Entries
          title={words.group_money}
          of={[
            { path: '/links', label: words.links },
            { path: '/wallets', label: words.wallets, permission: 'read' },
            { path: '/transactions', label: words.transactions, permission: 'read' },
            { path: '/payouts', label: words.pay_someone, permission: 'read' },
            { path: '/transfers/new', label: words.transfers, permission: 'money' },
            { path: '/statements', label: words.statements, permission: 'read' },
            { path: '/fees', label: words.fees, permission: 'read' },
          ]}
        />
      )}
      <Entries
        title={words.group_account}
        of={[
          ...(isMembers
            ? ([
                { path: '/profile', label: words.profile },
                ...(session.account?.kyc_status === 'approved'
                  ? []
                  : ([{ path: '/identity', label: words.identity, permission: 'read' }] as const)),
                { path: '/team', label: words.team },
                { path: '/activity', label: words.activity, permission: 'read' },
              ] as const)
            : []),
          { path: '/security', label: words.security },
        ]}
      />
      {isMembers && <Developers />}
      {session?.is_operator && (
        <Entries title={words.operators} of={[{ path: '/operators', label: words.operators }]} />
      )}
    </nav>
  );
}

/** Folded for all but developers; before the account's first key or endpoint, one link that opens it. */
function Developers() {
  const { path: here, session, words } = useFrame();
  const { role, has_key, has_endpoint } = session!.account!;
  const { environment } = session!;
  if (!mayDo(role, 'keys', environment)) return null;
  const entries: readonly Entry[] = [
    { path: '/guides', label: words.guides },
    { path: '/keys', label: words.keys },
    { path: '/webhooks', label: words.webhooks },
    ...(environment === 'sandbox' ? [{ path: '/rehearse', label: words.rehearse }] : []),
    { path: '/requests', label: words.requests },
  ];
  const isHere = entries.some(({ path }) => isAt(here, path)) || isAt(here, '/deliveries');
  if (!isHere && !has_key && !has_endpoint && role !== 'developer') {
    return <Entries of={[{ path: '/guides', label: words.for_developers }]} />;
  }
  return (
    <details open={isHere || role === 'developer'}>
      <summary>{words.for_developers}</summary>
      <Entries of={entries} />
    </details>
  );
}

function Entries({ title, of }: { readonly title?: string; readonly of: readonly Entry[] }) {
  const { session } = useFrame();
  const account = session?.account;
  const shown = of.filter(
    ({ permission }) =>
      permission === undefined || (account && mayDo(account.role, permission, session.environment)),
  );
  return (
    <div>
      {title && <h2>{title}</h2>}
      <ul>
        {shown.map(({ path, label }) => (
          <li>
            <NavigationLink path={path}>{label}</NavigationLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whether a page is the one of an entry, or below it. */
function isAt(here: string, path: string): boolean {
  const [page = ''] = here.split('?');
  const target = href(path);
  return page === target || (path !== '/' && page.startsWith(`${target}/`));
}

function NavigationLink({
  path,
  children,
}: {
  readonly path: string;
  readonly children: ComponentChildren;
}) {
  const { path: here } = useFrame();
  return (
    <a href={href(path)} aria-current={isAt(here, path) ? 'page' : undefined}>
      {children}
    </a>
  );
}

function FlashNotice({ notice, tone = 'good', secret }: Flash) {
  const { words } = useFrame();
  return (
    <Notice tone={tone}>
      {notice && <p>{notice}</p>}
      {secret && (
        <>
          <p>
            <b>{secret.label}</b> {words.shown_once[secret.kind]}
          </p>
          <Copyable value={secret.value} label={secret.label} />
          {secret.file && (
            <a
              class="button plain small"
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${secret.value}\n`)}`}
              download={secret.file}
            >
              {words.save}
            </a>
          )}
        </>
      )}
    </Notice>
  );
}

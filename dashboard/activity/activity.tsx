// The log of activities. Owners see all of it; others see their own, because addresses and working hours of colleagues
// are not theirs to know.

import { listActivities, type ActivityRow } from '../../db/people/activities';
import { mayDo } from '../../domain/members';
import { byNumber, pageOf } from '../../domain/page';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { Link, Pager, Table, Tag, Time, type Tone } from '../parts';
import { numberedPlace } from '../list-page';
import { WORDS } from './words';

const PAGE_SIZE = 50;

function Action({ row: { action, environment } }: { readonly row: ActivityRow }) {
  const { language, words } = useFrame();
  const isLive = environment === 'live';
  return (
    <>
      {WORDS[language].actions[action] ?? action} {isLive && <Tag tone="warn">{words.live}</Tag>}
    </>
  );
}

const PAGES: Readonly<Record<string, string>> = {
  api_key: '/keys',
  payment_link: '/reusable-links/',
  payout_settings: '/payouts/settings',
  payout_batch: '/payout-batches/',
  transaction: '/transactions/',
  transfer_batch: '/batches/',
  webhook_delivery: '/deliveries/',
  webhook_endpoint: '/webhooks/',
};

/** A link to what it was about, where that has a page in the environment that is shown. */
function Subject({ row: { subject, action, environment } }: { readonly row: ActivityRow }) {
  const { language, session } = useFrame();
  if (subject === null) return <></>;
  const to = session?.environment === environment ? pathOf(action, subject) : undefined;
  return to === undefined ? <code>{subject}</code> : <Link to={to}>{WORDS[language].open}</Link>;
}

function pathOf(action: string, subject: string): string | undefined {
  if (action.startsWith('links.')) return `/links/${subject}`;
  if (subject.startsWith('PYT-')) return `/payouts/${subject}`;
  if (subject.startsWith('TRF-')) return `/transfers/${subject}`;
  const [kind = '', rest = ''] = subject.split('/');
  const page = PAGES[kind];
  // After the id there may be what was done.
  return page?.endsWith('/') ? page + rest.split(' ')[0] : page;
}

const TONES: Readonly<Record<NonNullable<ActivityRow['outcome']>, Tone>> = {
  done: 'good',
  refused: 'quiet',
  failed: 'bad',
};

function Outcome({ row: { outcome } }: { readonly row: ActivityRow }) {
  const { language } = useFrame();
  const { outcomes } = WORDS[language];
  return outcome === null ? (
    <Tag tone="warn">{outcomes.open}</Tag>
  ) : (
    <Tag tone={TONES[outcome]}>{outcomes[outcome]}</Tag>
  );
}

export const ACTIVITY_ROUTES = [
  pageRoute('/activity', 'read', async ({ db }, { account, session, query, language }) => {
    const words = WORDS[language];
    const before = numberedPlace(query);
    if (before === null) return undefined;
    const seesAll = mayDo(account.role, 'team', session.environment);
    const found = await listActivities(db, {
      user_id: account.user_id,
      login_id: seesAll ? undefined : session.login_id,
      before,
      limit: PAGE_SIZE + 1,
    });
    const { rows, next_cursor } = pageOf(found, PAGE_SIZE, byNumber);
    return page(
      words.activity,
      <>
        <p class="lead">{seesAll ? words.lead_all : words.lead_own}</p>
        <Table
          caption={words.activity}
          columns={[
            words.at,
            words.person,
            words.action,
            words.subject,
            words.outcome,
            words.address,
          ]}
          rows={rows.map((row) => [
            <Time at={row.at} />,
            row.email,
            <Action row={row} />,
            <Subject row={row} />,
            <Outcome row={row} />,
            <span class="address">{row.ip}</span>,
          ])}
        />
        <Pager path="/activity" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
];

// The log of activities. Owners see all of it; others see their own, because addresses and working hours of colleagues
// are not theirs to know.

import type { VNode } from 'preact';
import { listActivities, type ActivityRow } from '../../db/people/activities';
import { mayDo } from '../../domain/members';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { useFrame } from '../frame';
import { Link, Pager, Table, Tag, Time, type Tone } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

const PAGE_SIZE = 50;
/** A number of at most 18 digits is below the largest bigint. */
const CURSOR = /^[1-9]\d{0,17}$/;

async function showActivity(
  { db }: DashboardDependencies,
  { account, session, query, language }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const cursor = query.get('cursor');
  if (cursor !== null && !CURSOR.test(cursor)) return troublePage(language, { kind: 'unknown' });
  const seesAll = mayDo(account.role, 'team', session.environment);
  const rows = await listActivities(db, {
    user_id: account.user_id,
    login_id: seesAll ? undefined : session.login_id,
    before: cursor === null ? undefined : BigInt(cursor),
    limit: PAGE_SIZE + 1,
  });
  const shown = rows.slice(0, PAGE_SIZE);
  const next_cursor = rows.length > PAGE_SIZE ? shown.at(-1)!.id.toString() : null;
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
        rows={shown.map((row) => [
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
}

function Action({ row: { action, environment } }: { readonly row: ActivityRow }): VNode {
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
function Subject({ row: { subject, action, environment } }: { readonly row: ActivityRow }): VNode {
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

function Outcome({ row: { outcome } }: { readonly row: ActivityRow }): VNode {
  const { language } = useFrame();
  const { outcomes } = WORDS[language];
  return outcome === null ? (
    <Tag tone="warn">{outcomes.open}</Tag>
  ) : (
    <Tag tone={TONES[outcome]}>{outcomes[outcome]}</Tag>
  );
}

export const ACTIVITY_ROUTES = [pageRoute('/activity', 'read', showActivity)];

// What the list of payment links and the page of one show, for the page and for its updates.

import { getMerchant } from '../../db/accounts/public-profiles';
import {
  listEndOfTimeline,
  listIntents,
  type IntentQuery,
} from '../../db/payment-intents/intent-views';
import { findPaymentLink } from '../../db/payment-links/payment-links';
import { CURRENCIES } from '../../domain/currency';
import { parseInstant } from '../../domain/instant';
import { INTENT_STATUSES, payUrl, type IntentView } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import type { DisputeView } from '../../domain/dispute';
import type { RefundView } from '../../domain/refund';
import { findLink } from '../../use-cases/payment-intents/cancel';
import type { DashboardDependencies, MemberVisit } from '../context';
import { readDisputes } from './disputes';
import { readRefunds } from './refund';

export type LinkChoice = Pick<IntentQuery, 'filters' | 'before'>;

export const LONGEST = { reference: 64, customer_email: 254 } as const;

/** A page's query. */
export function readLinkFilters(
  query: URLSearchParams,
): ({ readonly ok: true } & LinkChoice) | { readonly ok: false } {
  const text = (name: string): string => (query.get(name) ?? '').trim();
  const status = INTENT_STATUSES.find((one) => one === text('status'));
  const currency = CURRENCIES.find((one) => one === text('currency'));
  const reference = text('reference');
  const customer_email = text('customer_email');
  const isRight =
    (status !== undefined || text('status') === '') &&
    (currency !== undefined || text('currency') === '') &&
    reference.length <= LONGEST.reference &&
    customer_email.length <= LONGEST.customer_email;
  if (!isRight) return { ok: false };
  return {
    ok: true,
    before: parseInstant(query.get('cursor') ?? ''),
    filters: {
      status,
      currency,
      reference: reference === '' ? undefined : reference,
      customer_email: customer_email === '' ? undefined : customer_email,
    },
  };
}

export const PAGE_ROWS = 50;

export interface LinkPage {
  readonly rows: readonly IntentView[];
  readonly next_cursor: string | null;
}

type LinkDependencies = Pick<DashboardDependencies, 'db' | 'config'>;

export async function readLinkPage(
  { db, config: { pay_url_base } }: LinkDependencies,
  owner: Pick<IntentQuery, 'user_id' | 'environment'>,
  { filters, before }: LinkChoice,
): Promise<LinkPage> {
  const found = await listIntents(db, {
    ...owner,
    pay_url_base,
    filters,
    before,
    limit: PAGE_ROWS + 1,
  });
  return pageOf(found);
}

/** Makes a page of rows, newest first, that were read with one more than it has. */
export function pageOf<Row extends { readonly created_at: string }>(
  found: readonly Row[],
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const rows = found.slice(0, PAGE_ROWS);
  return { rows, next_cursor: found.length > PAGE_ROWS ? rows.at(-1)!.created_at : null };
}

export interface WatchedLink {
  readonly view: IntentView;
  readonly refunds: readonly RefundView[];
  readonly disputes: readonly DisputeView[];
}

/** Undefined: not one of this account and environment. */
export async function readLink(
  dependencies: LinkDependencies,
  visit: MemberVisit,
): Promise<WatchedLink | undefined> {
  const { account, session, params } = visit;
  const owner = { user_id: account.user_id, environment: session.environment };
  const view = await findLink(dependencies, owner, params['id'] ?? '');
  if (!view) return undefined;
  if (view.status !== 'succeeded') return { view, refunds: [], disputes: [] };
  const [refunds, disputes] = await Promise.all([
    readRefunds(dependencies, visit, view.id),
    readDisputes(dependencies, visit, view.id),
  ]);
  return { view, refunds, disputes };
}

const TIMELINE_ROWS = 100;

/**
 * What the page of a link shows of it. What happened is read only when its state has changed, and who is paid only
 * for a link that is shared.
 */
export async function linkProps(
  { db, config }: LinkDependencies,
  { account, session }: Pick<MemberVisit, 'account' | 'session'>,
  { view, refunds, disputes }: WatchedLink,
) {
  const { payment_link_id: id } = view;
  const { user_id } = account;
  const scope = { user_id, environment: session.environment, pay_url_base: config.pay_url_base };
  const [entries, merchant, reusable] = await Promise.all([
    listEndOfTimeline(db, view.id, TIMELINE_ROWS),
    view.status === 'open' ? getMerchant(db, user_id) : undefined,
    id === null ? undefined : findPaymentLink(db, scope, { id }),
  ]);
  const may_move = mayDo(account.role, 'money', session.environment);
  const pay_url = payUrl(config.pay_url_base, view.short_code);
  return { view, refunds, disputes, entries, merchant, reusable, pay_url, may_move };
}

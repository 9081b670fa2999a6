// A payment link's page: what it shows.

import { getMerchant } from '../../db/accounts/public-profiles';
import { listEndOfTimeline } from '../../db/payment-intents/intent-views';
import { findPaymentLink } from '../../db/payment-links/payment-links';
import { payUrl } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import { findLink } from '../../use-cases/payment-intents/cancel';
import type { DashboardDependencies, MemberVisit } from '../context';
import { readDisputes } from './disputes';
import { readRefunds } from './refund';

type LinkDependencies = Pick<DashboardDependencies, 'db' | 'config'>;

const TIMELINE_ROWS = 100;

/** The data of a link's page. Undefined: not one of this account and environment. */
export async function readLink(dependencies: LinkDependencies, visit: MemberVisit) {
  const { db, config } = dependencies;
  const { account, session, params } = visit;
  const owner = { user_id: account.user_id, environment: session.environment };
  const view = await findLink(dependencies, owner, params['id'] ?? '');
  if (!view) return undefined;
  const { payment_link_id, status } = view;
  const { pay_url_base } = config;
  const [refunds, disputes, entries, merchant, reusable] = await Promise.all([
    status === 'succeeded' ? readRefunds(dependencies, visit, view.id) : [],
    status === 'succeeded' ? readDisputes(dependencies, visit, view.id) : [],
    listEndOfTimeline(db, view.id, TIMELINE_ROWS),
    status === 'open' ? getMerchant(db, owner.user_id) : undefined,
    payment_link_id === null
      ? undefined
      : findPaymentLink(db, { ...owner, pay_url_base }, { id: payment_link_id }),
  ]);
  const may_move = mayDo(account.role, 'money', session.environment);
  const pay_url = payUrl(pay_url_base, view.short_code);
  return { view, refunds, disputes, entries, merchant, reusable, pay_url, may_move };
}

export type LinkProps = NonNullable<Awaited<ReturnType<typeof readLink>>>;

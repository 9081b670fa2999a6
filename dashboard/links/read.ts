// A payment link's page: what it shows.

import { getMerchant } from '../../db/accounts/public-profiles';
import { findPayer } from '../../db/payment-attempts/payment-attempts';
import { listEndOfTimeline } from '../../db/payment-intents/intent-views';
import { findPaymentLink } from '../../db/payment-links/payment-links';
import { payUrl } from '../../domain/intent';
import { mayDo } from '../../domain/members';
import { type DashboardDependencies, type MemberVisit, ownerOf } from '../context';
import { readDisputes } from './disputes';
import { readRefunds, findOwn } from './refund';

type LinkDependencies = Pick<DashboardDependencies, 'db' | 'config'>;

const TIMELINE_ROWS = 100;

/** The data of a link's page. Undefined: not one of this account and environment. */
export async function readLink(dependencies: LinkDependencies, visit: MemberVisit) {
  const { db, config } = dependencies;
  const view = await findOwn(dependencies, visit);
  if (!view) return undefined;
  const { payment_link_id, status } = view;
  const { pay_url_base } = config;
  const [refunds, disputes, entries, merchant, reusable, payer] = await Promise.all([
    status === 'succeeded' ? readRefunds(dependencies, visit, view.id) : [],
    status === 'succeeded' ? readDisputes(dependencies, visit, view.id) : [],
    listEndOfTimeline(db, view.id, TIMELINE_ROWS),
    ['open', 'succeeded'].includes(status) ? getMerchant(db, visit.account.user_id) : undefined,
    payment_link_id === null
      ? undefined
      : findPaymentLink(db, { ...ownerOf(visit), pay_url_base }, { id: payment_link_id }),
    status === 'succeeded' ? findPayer(db, view.id) : undefined,
  ]);
  const { role } = visit.account;
  const may_read = mayDo(role, 'read', visit.session.environment);
  const may_move = mayDo(role, 'money', visit.session.environment);
  const pay_url = payUrl(pay_url_base, view.short_code);
  const found = { view, refunds, disputes, entries, merchant, reusable, payer };
  return { ...found, pay_url, may_move, may_read };
}

export type LinkProps = NonNullable<Awaited<ReturnType<typeof readLink>>>;

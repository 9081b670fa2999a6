// A reusable link's page: what it shows.

import { getMerchant } from '../../db/accounts/public-profiles';
import { listPaymentsOfLink, type PaymentLinkView } from '../../db/payment-links/payment-links';
import { parseInstant } from '../../domain/instant';
import { linkUrl } from '../../domain/payment-link';
import { byTime, pageOf } from '../../domain/page';
import { findOwnLink } from '../../use-cases/payment-links/order';
import { ownerOf, type DashboardDependencies, type MemberVisit } from '../context';
import { PAGE_ROWS } from '../list-page';

type Dependencies = Pick<DashboardDependencies, 'db' | 'config'>;

/** Undefined: not one of this account and environment. */
export function findNamed(
  dependencies: Dependencies,
  visit: MemberVisit,
): Promise<PaymentLinkView | undefined> {
  return findOwnLink(dependencies, ownerOf(visit), visit.params['id'] ?? '');
}

/** The data of a link's page. */
export async function readProps(
  { db, config }: Dependencies,
  visit: MemberVisit,
  link: PaymentLinkView,
) {
  const { pay_url_base } = config;
  const before = parseInstant(visit.query.get('cursor') ?? '');
  const query = { link_id: link.id, before, limit: PAGE_ROWS + 1, pay_url_base };
  const [payments, merchant] = await Promise.all([
    listPaymentsOfLink(db, query),
    link.status === 'active' ? getMerchant(db, visit.account.user_id) : undefined,
  ]);
  return {
    link,
    ...pageOf(payments, PAGE_ROWS, byTime),
    merchant,
    pay_url: linkUrl(pay_url_base, link.code),
  };
}

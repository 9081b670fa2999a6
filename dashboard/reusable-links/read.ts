// What the list of reusable links and the page of one show, for the page and for its updates.

import { getMerchant } from '../../db/accounts/public-profiles';
import { listPaymentLinks, listPaymentsOfLink } from '../../db/payment-links/payment-links';
import { parseInstant } from '../../domain/instant';
import { linkUrl, type PaymentLinkView } from '../../domain/payment-link';
import { findOwnLink } from '../../use-cases/payment-links/order';
import type { DashboardDependencies, MemberVisit } from '../context';
import { PAGE_ROWS, pageOf } from '../links/read';

type Dependencies = Pick<DashboardDependencies, 'db' | 'config'>;

export const ownerOf = ({ account, session }: MemberVisit) => ({
  user_id: account.user_id,
  environment: session.environment,
});

/** Rows strictly before this instant. */
export const cursorOf = ({ query }: MemberVisit): string | undefined =>
  parseInstant(query.get('cursor') ?? '');

export async function readLinks({ db, config }: Dependencies, visit: MemberVisit) {
  const { pay_url_base } = config;
  const query = { ...ownerOf(visit), pay_url_base, before: cursorOf(visit), filters: {} };
  return pageOf(await listPaymentLinks(db, { ...query, limit: PAGE_ROWS + 1 }));
}

/** What is watched of a link, too: it changes with each payment that succeeds. Undefined: not one of this account and environment. */
export function findNamed(
  dependencies: Dependencies,
  visit: MemberVisit,
): Promise<PaymentLinkView | undefined> {
  return findOwnLink(dependencies, ownerOf(visit), visit.params['id'] ?? '');
}

/** What the page of a link shows of it. */
export async function readProps(
  { db, config }: Dependencies,
  visit: MemberVisit,
  link: PaymentLinkView,
) {
  const { pay_url_base } = config;
  const query = { link_id: link.id, before: cursorOf(visit), limit: PAGE_ROWS + 1, pay_url_base };
  const [payments, merchant] = await Promise.all([
    listPaymentsOfLink(db, query),
    link.status === 'active' ? getMerchant(db, visit.account.user_id) : undefined,
  ]);
  return { link, ...pageOf(payments), merchant, pay_url: linkUrl(pay_url_base, link.code) };
}

// The pages about payouts.

import { waitFor } from '../support/wait';
import type { VisitedPage, Visitor } from './visitor';

export const PHONE = '+221 77 123 45 67';

/** 15 000 FCFA to a phone, unless the fields say otherwise. */
export async function checkPayout(
  visitor: Visitor,
  { type, ...fields }: Readonly<Record<string, string>> = {},
): Promise<VisitedPage> {
  const usual = type === 'bank' ? {} : { phone: PHONE, operator: 'orange_sn' };
  const path = type === 'bank' ? '/payouts/new?type=bank' : '/payouts/new';
  return visitor.fill(path, { ...usual, amount: '15 000', currency: 'XOF', ...fields });
}

export async function sendPayout(
  visitor: Visitor,
  fields: Readonly<Record<string, string>> = {},
): Promise<VisitedPage> {
  await checkPayout(visitor, fields);
  return visitor.submit('/payouts');
}

/** Its page, once it says so. */
export async function payoutPage(
  visitor: Visitor,
  path: string,
  says: string,
): Promise<VisitedPage> {
  await waitFor(async () => (await visitor.open(path)).text.includes(says));
  return visitor.page;
}

// The pages about payouts, with the simulated operator behind them.

import { startTestApi, type TestApi } from '../support/api';
import { waitFor } from '../support/wait';
import type { VisitedPage, Visitor } from './visitor';

/** The operator pays at once. */
export function startPayoutApi(): Promise<TestApi> {
  return startTestApi({ gateway: { durations: { settle_ms: 0 } } });
}

export const PHONE = '+221 77 123 45 67';

/** 15 000 FCFA to a phone, unless the fields say otherwise. */
export async function checkPayout(
  visitor: Visitor,
  { type, ...fields }: Readonly<Record<string, string>> = {},
): Promise<VisitedPage> {
  await visitor.open(type === 'bank' ? '/payouts/new?type=bank' : '/payouts/new');
  const usual = type === 'bank' ? {} : { phone: PHONE };
  return visitor.submit('/payouts/check', {
    ...usual,
    amount: '15 000',
    currency: 'XOF',
    ...fields,
  });
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

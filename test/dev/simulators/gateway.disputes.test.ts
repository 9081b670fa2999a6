// Disputes at the simulator: what the bank can do, and which notifications the service gets.

import type { Gateway } from '../../../gateway/port';
import { setUp } from '../../support/database';
import {
  actAt,
  adapterOf,
  checkoutRequest,
  startNotificationReceiver,
  startTestGateway,
} from '../../support/sandbox-gateway';
import { waitFor } from '../../support/wait';

const receiver = setUp(startNotificationReceiver);
const running = setUp(() => startTestGateway({ notification_url: receiver.url }));
let gateway: Gateway;

beforeAll(async () => {
  gateway = adapterOf(running, 'sandbox');
});

/** The checkout's address, paid. */
async function paid(): Promise<string> {
  const { checkout_url } = await gateway.openCheckout(checkoutRequest());
  await actAt(checkout_url, 'pay');
  return checkout_url;
}

async function bank(checkout_url: string, fields: Record<string, string>): Promise<number> {
  const body = new URLSearchParams(fields);
  const url = `${checkout_url}/dispute`;
  return (await fetch(url, { method: 'POST', body, redirect: 'manual' })).status;
}

const toldOf = (): string[] =>
  receiver.accepted
    .filter(({ json }) => json['type'] === 'dispute.updated')
    .map(({ json }) => String(json['dispute_id']));

it('opens, loses and wins on appeal, and tells each', async () => {
  const checkout = await paid();
  const before = toldOf().length;
  expect(await bank(checkout, { course: 'won' })).toBe(409);
  expect(await bank(checkout, { course: 'open', amount_minor: '100000' })).toBe(303);
  expect(await bank(checkout, { course: 'open' })).toBe(409);
  await waitFor(() => toldOf().length === before + 1);
  const dispute_id = toldOf().at(-1)!;
  const open = await gateway.findDispute(dispute_id);
  expect(open).toEqual({
    status: 'open',
    provider_payment_id: expect.stringMatching(/^pay_/),
    amount_minor: '100000',
    currency: 'XOF',
    fee_minor: '1000000',
    reason: 'product_not_received',
    evidence_due_by: expect.any(String),
  });
  expect(await bank(checkout, { course: 'lost' })).toBe(303);
  expect(await gateway.findDispute(dispute_id)).toEqual({ ...open, status: 'lost' });
  expect(await bank(checkout, { course: 'won' })).toBe(303);
  await waitFor(() => toldOf().length >= before + 3);
  expect(new Set(toldOf().slice(before))).toEqual(new Set([dispute_id]));
});

it('refuses what is not paid, and what is no word of the bank', async () => {
  const { checkout_url } = await gateway.openCheckout(checkoutRequest());
  expect(await bank(checkout_url, { course: 'open' })).toBe(409);
  const checkout = await paid();
  expect(await bank(checkout, { course: 'maybe' })).toBe(422);
  expect(await bank(checkout, { course: 'open', amount_minor: '-1' })).toBe(422);
  expect(await bank(`${running.url}/checkout/cs_unknown`, { course: 'open' })).toBe(409);
  await expect(gateway.findDispute('dp_unknown')).rejects.toMatchObject({
    fault: 'refused',
    is_about_access: true,
  });
});

it('shows the bank what it can do next', async () => {
  const checkout = await paid();
  const courses = async (): Promise<string[]> => {
    const page = await (await fetch(checkout)).text();
    return [...page.matchAll(/name="course" value="(\w+)"/g)].map(([, course]) => course!);
  };
  expect(await courses()).toEqual(['open']);
  await bank(checkout, { course: 'open' });
  expect(await courses()).toEqual(['won', 'lost']);
  await bank(checkout, { course: 'won' });
  expect(await courses()).toEqual(['open']);
});

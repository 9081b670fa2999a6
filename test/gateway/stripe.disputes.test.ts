// Stripe's words about a dispute, as the port gives them.

import { createStripeGateway } from '../../gateway/stripe/adapter';
import type { Gateway } from '../../gateway/port';
import type { DisputeState } from '../../domain/dispute';
import { setUp } from '../support/database';
import { stripeDispute } from '../support/stripe-events';
import { startStripeFake } from '../support/stripe-fake';

const KEY = 'sk_test_51secret';

const fake = setUp(() => startStripeFake(KEY));
let gateway: Gateway;

beforeAll(async () => {
  gateway = createStripeGateway({
    environment: 'sandbox',
    secret_key: KEY,
    webhook_secrets: ['whsec_1'],
    timeout_ms: 5000,
    api: fake.api,
  });
});

function find(fields: object): Promise<DisputeState> {
  fake.setDispute('dp_1', stripeDispute(fields));
  return gateway.findDispute('dp_1');
}

it('is asked with its id, and tells all that is booked', async () => {
  expect(await find({ currency: 'eur' })).toEqual({
    status: 'open',
    provider_payment_id: 'pi_1',
    amount_minor: '1999',
    currency: 'EUR',
    fee_minor: '1500',
    reason: 'fraudulent',
    evidence_due_by: '2026-11-25T09:46:40.000Z',
  });
  expect(fake.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/disputes/dp_1' });
});

it.each([
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['appeal_needs_response', 'open'],
  ['appeal_under_review', 'open'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['warning_needs_response', 'inquiry'],
  ['warning_under_review', 'inquiry'],
  ['warning_closed', 'none'],
  ['prevented', 'none'],
])('that is %s is %s', async (status, expected) => {
  expect(await find({ status })).toMatchObject({ status: expected });
});

it('gives francs at scale 2, and no date when the bank takes no evidence', async () => {
  const francs = { amount: 5000, currency: 'xof', evidence_details: { due_by: 0 } };
  const expected = { amount_minor: '500000', currency: 'XOF', evidence_due_by: null };
  expect(await find(francs)).toMatchObject(expected);
  expect(await find({ evidence_details: { due_by: null } })).toMatchObject({
    evidence_due_by: null,
  });
});

it('converts no fee: the one in another currency is not asked for, and what came back is subtracted', async () => {
  const fees = (...all: [string, number][]) =>
    find({ balance_transactions: all.map(([currency, fee]) => ({ currency, fee })) });
  expect(await fees(['usd', 1500])).toMatchObject({ fee_minor: '0' });
  expect(await fees(['eur', 1500], ['eur', -1500])).toMatchObject({ fee_minor: '0' });
  expect(await fees(['eur', 1500], ['eur', 1000])).toMatchObject({ fee_minor: '2500' });
  expect(await fees()).toMatchObject({ fee_minor: '0' });
});

it.each([
  ['of an unknown status', { status: 'half_won' }],
  ['of no payment', { payment_intent: null }],
  ['in another currency than ours', { currency: 'jpy' }],
  ['of the other mode', { livemode: true }],
])('is refused when it is %s', async (_what, fields) => {
  await expect(find(fields)).rejects.toMatchObject({ name: 'GatewayError', fault: 'refused' });
});

it('is refused when Stripe does not know it', async () => {
  await expect(gateway.findDispute('dp_unknown')).rejects.toMatchObject({
    fault: 'refused',
    is_about_access: true,
  });
});

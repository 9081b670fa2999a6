// A customer who waits for the operator chooses another way to pay: what the gateway says just then decides.

import {
  beginAskingAttempt,
  getAttempt,
  recordAttemptAnswer,
} from '../../db/payment-attempts/payment-attempts';
import type { ChargeState } from '../../domain/payment-attempt';
import { giveUp } from '../../use-cases/payment-attempts/begin';
import { createTestDatabase, setUp } from '../support/database';
import { begin, openLink } from '../support/payment-attempts';
import { buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

const next_step = { kind: 'prompt', code: null, url: null } as never;
const waiting = { status: 'waiting', provider_payment_id: 'ch', next_step } as const;
const failed = { status: 'failed', failure: { code: 'rejected' } as never } as const;
const paid = { status: 'paid', payment: {} as never } as const;

type Found = () => Promise<ChargeState | 'never_seen'>;
const saying = (found: ChargeState | 'never_seen'): Found => jest.fn(() => Promise.resolve(found));
const silent: Found = () => Promise.reject(new Error('It hangs up.'));

let phones = 0;

/** Begun, and the customer has something to do. */
async function attempt(is_otp_due: boolean): Promise<string> {
  const link = await openLink(database.db, merchant);
  const phone = `+22505${String((phones += 1)).padStart(8, '0')}`;
  const { id } = await begin(database.db, link, { phone, is_otp_due, next_step });
  if (is_otp_due) return id;
  await beginAskingAttempt(database.db, id);
  await recordAttemptAnswer(database.db, id, 1, waiting);
  return id;
}

async function give(id: string, findCharge: Found, name = 'sandbox') {
  const pursue = jest.fn(() => Promise.resolve());
  const log = jest.fn();
  const gateways = { sandbox: [{ name, phones: { findCharge } }] } as never;
  const dependencies = { db: database.db, gateways, breakers: {} as never, pursue, log };
  const outcome = await giveUp(dependencies, id).catch((error: { code: string }) => error.code);
  return { outcome, pursue, log, status: (await getAttempt(database.db, id)).status };
}

it('ends the attempt where the operator still waits for the customer', async () => {
  const { outcome, pursue, status } = await give(await attempt(false), saying(waiting));
  expect([outcome, status]).toEqual([undefined, 'failed']);
  expect(pursue).not.toHaveBeenCalled();
});

it('asks no gateway while a one-time code is waited for: none knows of it', async () => {
  const find = saying('never_seen');
  const { outcome, status } = await give(await attempt(true), find);
  expect([outcome, status]).toEqual([undefined, 'failed']);
  expect(find).not.toHaveBeenCalled();
});

it.each([
  ['paid', paid],
  ['failed', failed],
  ['on its way', { ...waiting, next_step: null }],
] as const)('leaves one that is %s to its workflow, which is woken', async (_, found) => {
  const id = await attempt(false);
  const { outcome, pursue, status } = await give(id, saying(found));
  expect([outcome, status]).toEqual([undefined, 'waiting']);
  expect(pursue).toHaveBeenCalledWith('payment-attempt', [id]);
});

it.each([
  ['does not answer', silent, 'sandbox', 1],
  ['has never seen it', saying('never_seen'), 'sandbox', 0],
  ['is configured no more', saying(waiting), 'other', 0],
] as const)('is refused when the gateway %s', async (_, find, name, logged) => {
  const { outcome, log, status } = await give(await attempt(false), find, name);
  expect([outcome, status]).toEqual(['provider_unavailable', 'waiting']);
  expect(log).toHaveBeenCalledTimes(logged);
});

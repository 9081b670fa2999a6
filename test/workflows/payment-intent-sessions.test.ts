// A session at the gateway that lapses before its intent is followed by another one. At Stripe:
// test/gateway/stripe.checkout.test.ts.

import { GatewayError } from '../../domain/gateway-error';
import { renewUpdate } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { fakeGateway, PAID } from './fake-gateway';
import { letExpire, letLapse, startIntentWorker, untilStatus } from './intents';
import { keepHistory } from './saved-histories';

const fake = fakeGateway(3_600);
const intents = setUp(() => startIntentWorker({ gateway: fake.gateway }));

beforeEach(() => {
  fake.sessions.length = 0;
  fake.closed.length = 0;
  fake.state = { state: 'none' };
  fake.fault = undefined;
});

afterEach(() => expectBooksHold(intents.database.db));

async function open(expires_at?: string) {
  const intent = await intents.create();
  const handle = await intents.start(expires_at === undefined ? intent : { ...intent, expires_at });
  await untilStatus(intents.database, intent, 'open');
  return { intent, handle, renew: () => handle.executeUpdate(renewUpdate) };
}

const numbers = (): number[] => fake.sessions.map(({ number }) => number);

it('is followed by number 2 when somebody asks for it: one is live, the first is closed', async () => {
  const { intent, handle, renew } = await open();
  // A session that lives stays.
  await renew();
  expect(numbers()).toEqual([1]);
  await letLapse(intents.database, intent);
  await renew();
  expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
  const { rows } = await intents.database.owner.raw(
    `select number, session_id from checkout_sessions where intent_id = ? order by number`,
    [intent.id],
  );
  expect(rows).toEqual(fake.sessions);
  expect(numbers()).toEqual([1, 2]);
  // Several customers ask at once.
  await letLapse(intents.database, intent);
  await Promise.all([renew(), renew(), renew()]);
  expect(numbers()).toEqual([1, 2, 3]);
  expect(fake.closed).toEqual([`cs_${intent.id}_1`, `cs_${intent.id}_2`]);
  keepHistory('payment-intent-renewed', await handle.fetchHistory());
  await handle.terminate('end of the test');
});

it('was paid in: the intent succeeds, and no other is opened', async () => {
  const { intent, handle, renew } = await open();
  fake.state = PAID;
  await letLapse(intents.database, intent);
  expect(await renew()).toEqual({ status: 'succeeded' });
  expect(numbers()).toEqual([1]);
  expect(await handle.result()).toEqual({ status: 'succeeded' });
});

it('is not renewed past the end of its intent', async () => {
  // Its workflow looks at the row soon.
  const { intent, handle } = await open(new Date().toISOString());
  // It cannot be closed, so it stays open past its end.
  fake.fault = new GatewayError('unreachable', 'as the test wants it');
  await letLapse(intents.database, intent);
  await letExpire(intents.database, intent);
  expect(await intents.real.renewCheckout(intent.id)).toEqual({ status: 'open' });
  fake.fault = undefined;
  expect(await handle.result()).toEqual({ status: 'expired' });
  expect(numbers()).toEqual([1]);
});

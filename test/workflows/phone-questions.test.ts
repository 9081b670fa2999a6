// A question about a payment by phone, without its workflow: a gateway in this process answers as each test says.

import { getAttempt, type NewAttempt } from '../../db/payment-attempts/payment-attempts';
import { cancelIntent, type NewIntent } from '../../db/payment-intents/intents';
import { GatewayError } from '../../domain/gateway-error';
import type { Progress } from '../../domain/pursuit';
import type { Gateway, PhonePayments } from '../../gateway/port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { begin, openLink } from '../support/payment-attempts';
import { buildUser, type TestUser } from '../support/users';
import { fakeGateway } from './fake-gateway';
import { createTestActivities, type PaymentActivities } from './intents';

type ChargeState = Awaited<ReturnType<PhonePayments['charge']>>;

let database: TestDatabase;
let merchant: TestUser;
let real: PaymentActivities;
/** The links whose workflows were told of their end. */
let ended: string[];
let charges: number;
let charge: () => ChargeState;
let find: () => ChargeState | 'never_seen';

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
  const gateway: Gateway = {
    ...fakeGateway().gateway,
    phones: {
      // It rings the phone each time that it is asked.
      promises: { idempotent_by_id: false, not_found_is_final_after_s: null, callbacks: 'none' },
      methods: async () => [],
      async charge() {
        charges += 1;
        return charge();
      },
      findCharge: async () => find(),
    },
  };
  real = await createTestActivities(database, {
    gateway,
    tellIntentEnded: async ({ id }) => void ended.push(id),
  });
});

beforeEach(() => {
  ended = [];
  charges = 0;
  charge = () => waiting;
  find = () => waiting;
});

const waiting: ChargeState = { status: 'waiting', provider_payment_id: 'ch_1', next_step: null };

let phones = 0;

async function attempt(fields: Partial<NewAttempt> = {}, of?: NewIntent): Promise<string> {
  phones += 1;
  const phone = `+225050${String(phones).padStart(7, '0')}`;
  const link = of ?? (await openLink(database.db, merchant));
  return (await begin(database.db, link, { gateway: 'fake', phone, ...fields })).id;
}

const ask = (id: string): Promise<Progress> => real.askOnce('payment-attempt', id);

const expire = (id: string): Promise<unknown> =>
  database.owner.raw('update payment_attempts set expires_at = clock_timestamp() where id = ?', [
    id,
  ]);

it('waits for the customer’s code without asking the gateway', async () => {
  const id = await attempt({ is_otp_due: true });
  expect(await ask(id)).toMatchObject({ status: 'waiting', waits_for: 'the code' });
  expect(charges).toBe(0);
});

it('does not ask the gateway about an attempt whose time was over before', async () => {
  const id = await attempt();
  find = () => {
    throw new Error('the gateway was asked');
  };
  await expire(id);
  await ask(id);
  expect(charges).toBe(0);
  expect(await getAttempt(database.db, id)).toMatchObject({
    status: 'failed',
    failure: { code: 'expired' },
  });
});

it('does not ring twice through a gateway that has never seen a charge whose answer was lost', async () => {
  const id = await attempt();
  charge = () => {
    throw new GatewayError('timeout', 'no response');
  };
  await ask(id);
  find = () => 'never_seen';
  expect(await ask(id)).toMatchObject({ status: 'waiting' });
  expect(charges).toBe(1);
});

it('fails an attempt once when its time is over, and looks for late money without telling it again', async () => {
  const id = await attempt();
  await ask(id);
  expect(await getAttempt(database.db, id)).toMatchObject({ status: 'waiting' });
  await expire(id);
  for (const _ of [1, 2]) {
    expect(await ask(id)).toMatchObject({ status: 'failed', waits_for: 'late money' });
  }
  const { rows } = await database.owner.raw(
    `select count(*)::int as told from gateway_notifications where notification ->> 'attempt_id' = ?`,
    [id],
  );
  expect(rows).toEqual([{ told: 1 }]);
});

it('fails an attempt at once after which no phone has rung', async () => {
  const id = await attempt();
  charge = () => {
    throw new GatewayError('unreachable', 'busy', { outcome: 'not_done' });
  };
  expect(await ask(id)).toMatchObject({ status: 'failed' });
  const { failure } = await getAttempt(database.db, id);
  expect(failure).toMatchObject({ code: 'provider_unavailable' });
});

it('keeps an attempt waiting whose gateway does not answer, until its time is over', async () => {
  const id = await attempt();
  await ask(id);
  find = () => {
    throw new GatewayError('timeout', 'no response');
  };
  expect(await ask(id)).toMatchObject({ status: 'waiting' });
  await expire(id);
  expect(await ask(id)).toMatchObject({ status: 'failed' });
  expect((await getAttempt(database.db, id)).failure).toMatchObject({ code: 'expired' });
});

describe('money', () => {
  const paid = (): ChargeState => {
    const occurred_at = new Date().toISOString();
    const money = { amount_minor: '500000', currency: 'XOF' } as const;
    return { status: 'paid', payment: { provider_payment_id: 'ch_1', ...money, occurred_at } };
  };

  it('that pays its link ends it', async () => {
    const link = await openLink(database.db, merchant);
    const id = await attempt({}, link);
    charge = paid;
    expect(await ask(id)).toMatchObject({ status: 'succeeded' });
    expect(ended).toEqual([link.id]);
  });

  it('that comes after its link was canceled does not end it again', async () => {
    const link = await openLink(database.db, merchant);
    const id = await attempt({}, link);
    await ask(id);
    await expire(id);
    await ask(id);
    expect(await cancelIntent(database.db, link.id)).toBe('canceled');
    find = paid;
    expect(await ask(id)).toMatchObject({ status: 'succeeded' });
    expect(ended).toEqual([]);
  });
});

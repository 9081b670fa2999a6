// A payout is paid once, or its money is back, whatever is lost or comes late between the order and the operator's last
// word: the real workflow, Postgres, adapter and simulated operator. Processes that die are in pursuits.test.ts.

import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import {
  beginAskingPayout,
  confirmPayout,
  getPayout,
  type NewPayout,
  type StoredPayout,
  cancelPayout,
} from '../../db/payouts/payouts';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import { GatewayError } from '../../domain/gateway-error';
import { pursuitWorkflowId } from '../../domain/ids';
import type { PayoutState } from '../../domain/payout';
import type { PayoutProvider } from '../../gateway/payout-port';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { BY, letPayoutExpire, orderedPayout } from '../support/payouts';
import { setFaults, startTestGateway, type RunningGateway } from '../support/sandbox-gateway';
import { actOnPayout, listPaid, listPayouts, payoutsOf } from '../support/sandbox-payouts';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { buildUser, fund, type TestUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { createTestActivities, testPursuer, type PaymentActivities } from './intents';
import { keepHistory } from './saved-histories';

/** In minor units: what a merchant of these tests begins with, and what one payout takes. */
const START = 10_000_000n;
const TOTAL = 500_000n;

let gateway: RunningGateway;
let database: TestDatabase;
let activities: PaymentActivities;
/** Its workflow, which asks now. */
let wake: (id: string) => Promise<WorkflowHandle>;
const log: Readonly<Record<string, unknown>>[] = [];
/** How often each payout was sent. */
const sends = new Map<string, number>();

beforeAll(async () => {
  gateway = await startTestGateway({
    // No process listens there: callbacks have their own test.
    notification_url: 'http://127.0.0.1:9/nowhere',
    durations: { settle_ms: 50 },
  });
  const operator = payoutsOf(gateway, 'sandbox', 5_000);
  const provider: PayoutProvider = {
    ...operator,
    async send(order) {
      sends.set(order.id, (sends.get(order.id) ?? 0) + 1);
      return operator.send(order);
    },
  };
  database = await createTestDatabase();
  const temporal = await connectTestTemporal();
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  activities = await createTestActivities(database, {
    gateway: undefined,
    task_queue,
    payout_providers: { live: [], sandbox: [provider, unsure, forgetful, failing] },
    log: (entry) => log.push(entry),
  });
  await startTestWorker({ task_queue, activities });
  const pursue = testPursuer(database.db, temporal, task_queue);
  wake = async (id) => {
    await pursue('payout', [id]);
    return temporal.workflow.getHandle(pursuitWorkflowId('payout', 'sandbox', id));
  };
});

afterEach(() => expectBooksHold(database.db));

const newMerchant = (): Promise<TestUser> =>
  buildUser(database.db, { funds: { sandbox: { XOF: START } } });

const order = (merchant: TestUser, fields: Partial<NewPayout> = {}): Promise<string> =>
  orderedPayout(database.db, merchant, fields);

/** By a merchant of its own. */
async function ordered(fields: Partial<NewPayout> = {}) {
  const merchant = await newMerchant();
  return { merchant, id: await order(merchant, fields) };
}

/** One question, without its workflow. */
async function ask(id: string): Promise<StoredPayout> {
  await activities.askOnce('payout', id);
  return getPayout(database.db, id);
}

/** Wakes it again and again, as its provider's callbacks would, until it is over. */
async function untilOver(id: string): Promise<StoredPayout> {
  let asked: unknown = -1;
  return waitFor(async () => {
    const payout = await getPayout(database.db, id);
    noteSeen('payout', payout.json);
    if (payout.status !== 'pending') return payout;
    // One question at a time: a workflow that is woken all the time has a long history.
    const { asks } = await rowOf(id);
    if (asks !== asked) await wake(id);
    asked = asks;
    return undefined;
  });
}

const PHONES = {
  paid: '+221770000100',
  fails: '+221770000006',
  closed: '+221770000007',
  lost_paid: '+221770000008',
  lost_not_paid: '+221770000009',
} as const;

const REQUIRED = { name_check: 'require', name: 'Awa Diop' } as const;

const left = (merchant: TestUser): Promise<bigint> =>
  balanceOf(database.db, merchant, 'XOF', 'sandbox');

/** How many payments the operator has made for it. */
async function paidFor(id: string): Promise<number> {
  const paid = await listPaid(gateway, 'sandbox');
  return paid.filter(({ payout_id }) => payout_id === id).length;
}

async function rowOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await database.owner.raw('select * from payouts where id = ?', [id]);
  return (rows as [Readonly<Record<string, unknown>>])[0];
}

const untilRow = (id: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> =>
  waitFor(async () => {
    const row = await rowOf(id);
    return Object.entries(fields).every(([name, value]) => row[name] === value);
  });

/** The money of a payout is in one place, and the operator has paid what its status says. */
async function expectOutcome(
  merchant: TestUser,
  id: string,
  status: 'succeeded' | 'failed' | 'canceled',
): Promise<void> {
  const paid = status === 'succeeded';
  expect({
    status: (await getPayout(database.db, id)).status,
    paid: await paidFor(id),
    left: await left(merchant),
  }).toEqual({ status, paid: paid ? 1 : 0, left: paid ? START - TOTAL : START });
}

describe('an answer that is lost', () => {
  it('stays unknown while nobody says more, and ends with the operator’s word: not paid', async () => {
    const { merchant, id } = await ordered({ phone: PHONES.lost_not_paid });
    await setFaults(gateway, 'sandbox', { fail: '5xx', only: 'find_payout' });
    const handle = await wake(id);
    await untilRow(id, { status: 'pending', stage: 'unknown', asks: 1 });
    await letPayoutExpire(database, id);
    await wake(id);
    await untilRow(id, { status: 'pending', stage: 'unknown', asks: 2 });
    await setFaults(gateway, 'sandbox', {});
    const { failure } = await untilOver(id);
    expect(failure).toMatchObject({ provider_code: expect.any(String) });
    await expectOutcome(merchant, id, 'failed');
    expect(await handle.result()).toBe('failed');
  });
});

describe('a payout', () => {
  it('is confirmed, sent and paid', async () => {
    const { merchant, id } = await ordered({ confirm: false });
    const handle = await wake(id);
    await waitFor(async () => (await handle.describe()).historyLength > 8);
    expect(sends.get(id)).toBeUndefined();
    expect(await confirmPayout(database.db, id, BY)).toBe('done');
    await untilOver(id);
    expect(await handle.result()).toBe('succeeded');
    await expectOutcome(merchant, id, 'succeeded');
    keepHistory('pursue-after-people', await handle.fetchHistory());
  });

  it('that waits for a closed operator is taken back there when its time is over', async () => {
    const { merchant, id } = await ordered({ phone: PHONES.closed });
    const handle = await wake(id);
    await waitFor(async () => (await rowOf(id))['provider_payment_id'] !== null);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', stage: 'queued' });
    await letPayoutExpire(database, id);
    await wake(id);
    expect(await handle.result()).toBe('canceled');
    await expectOutcome(merchant, id, 'canceled');
    const [seen] = (await listPayouts(gateway, 'sandbox')).filter((one) => one.payout_id === id);
    expect(seen).toMatchObject({ status: 'canceled', paid: null });
  });

  it('that the operator opened at the moment of its expiry is paid, and not given back', async () => {
    const { merchant, id } = await ordered({ phone: PHONES.closed });
    const handle = await wake(id);
    await waitFor(async () => (await rowOf(id))['provider_payment_id'] !== null);
    await actOnPayout(gateway, 'sandbox', id, { action: 'open' });
    await letPayoutExpire(database, id);
    await untilOver(id);
    expect(await handle.result()).toBe('succeeded');
    await expectOutcome(merchant, id, 'succeeded');
  });
});

describe('a name that has to match, and is told late', () => {
  it('matches: the payout is sent then, and not before', async () => {
    const { merchant, id } = await ordered(REQUIRED);
    await setFaults(gateway, 'sandbox', { fail: '5xx', only: 'check_payout' });
    const handle = await wake(id);
    await waitFor(async () => (await handle.describe()).historyLength > 8);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', stage: 'queued', asks: 0 });
    await setFaults(gateway, 'sandbox', {});
    await wake(id);
    await untilOver(id);
    await expectOutcome(merchant, id, 'succeeded');
    expect(await rowOf(id)).toMatchObject({ name_match: 'match' });
  });

  it('waits while the adapter breaks that is asked for it', async () => {
    fault = new TypeError('a mistake of the adapter');
    await expectWaits((await ordered({ ...REQUIRED, provider: 'failing' })).id, fault);
  });

  it('does not match: nothing is sent, and the money is back', async () => {
    const { merchant, id } = await ordered({ ...REQUIRED, phone: '+221770000004' });
    expect(await (await wake(id)).result()).toBe('failed');
    expect(await rowOf(id)).toMatchObject({
      name_match: 'no_match',
      name_found: 'M*** S***',
    });
    expect((await getPayout(database.db, id)).failure).toMatchObject({
      code: 'name_mismatch',
      provider_code: null,
    });
    expect(sends.get(id)).toBeUndefined();
    await expectOutcome(merchant, id, 'failed');
  });

  it.each([
    ['a name that matches', '+221770000100', 'succeeded', 'match'],
    ['nothing of one that does not', '+221770000004', 'failed', 'unavailable'],
  ] as const)('tells an account that has named too many who do not exist %s', async (...row) => {
    const [, phone, status, name_match] = row;
    const { db, owner } = database;
    const { merchant, id } = await ordered({ ...REQUIRED, phone });
    await owner.raw('update users set unknown_recipients_per_hour = 1 where id = ?', [merchant.id]);
    await waitBeforeNaming(db, { user_id: merchant.id, environment: 'sandbox' }, ['no-such-name']);
    await untilOver(id);
    await expectOutcome(merchant, id, status);
    const shown = name_match === 'match' ? { name_match } : { name_match, name_found: null };
    expect(await rowOf(id)).toMatchObject(shown);
  });

  it('does not match, and the wallet is too full to take the money back: it is not sent all the same', async () => {
    const { db, owner } = database;
    const { merchant, id } = await ordered({ ...REQUIRED, phone: '+221770000004' });
    await fund(db, merchant.id, 'sandbox', 'XOF', 999_999_999_999_900n - START + TOTAL);
    const handle = await wake(id);
    await waitFor(async () => /too full/.test(String((await rowOf(id))['detail'])));
    await wake(id);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', stage: 'queued', asks: 0 });
    expect(sends.get(id)).toBeUndefined();
    // Another payout makes room.
    const other = await order(merchant);
    await wake(other);
    await untilOver(other);
    await wake(id);
    expect(await handle.result()).toBe('failed');
    expect(await paidFor(id)).toBe(0);
    const { rows } = await owner.raw('select count(*)::int as n from events where payout_id = ?', [
      id,
    ]);
    expect(rows).toEqual([{ n: 1 }]);
  });
});

/** The simulated operator as one that pays each order anew, and forgets for a while what it was asked for. */
const FINAL_AFTER_S = 60;
let unsure_faults: Error[] = [];
let unsure_orders: string[] = [];
/** In place of paying an order. */
let answers: PayoutState | undefined;
let onFind: () => void = () => undefined;
const found = new Map<string, PayoutState>();
const unsure: PayoutProvider = {
  name: 'unsure',
  environment: 'sandbox',
  promises: {
    idempotent_by_id: false,
    not_found_is_final_after_s: FINAL_AFTER_S,
    callbacks: 'none',
  },
  rails: async () => [],
  check: async () => undefined,
  async send({ id, amount }) {
    const fault = unsure_faults.shift();
    if (fault) throw fault;
    if (answers) return answers;
    unsure_orders.push(id);
    const state = { status: 'succeeded', provider_payment_id: `p ${id}`, paid: amount } as const;
    found.set(id, state);
    return state;
  },
  async find(id) {
    onFind();
    return found.get(id) ?? 'never_seen';
  },
  list: async () => ({ items: [], next: null }),
  float: async () => [],
  mayBeSigned: () => false,
  readNotification: () => ({ ok: false, fault: 'not_ours' }),
};
/** It may have what it says it has never seen, however late it is asked. */
const forgetful: PayoutProvider = {
  ...unsure,
  name: 'forgetful',
  promises: { ...unsure.promises, not_found_is_final_after_s: null },
};
let fault: Error;
/** It fails whatever it is asked before it is sent a payout. */
const failing: PayoutProvider = {
  ...unsure,
  name: 'failing',
  check: async () => {
    throw fault;
  },
  followClock: async () => {
    throw fault;
  },
};

/** The mistake is the workflow's to show and to try again. */
async function expectWaits(id: string, mistake: Error): Promise<void> {
  await expect(ask(id)).rejects.toThrow(mistake);
  expect(await rowOf(id)).toMatchObject({ status: 'pending', stage: 'queued', asks: 0 });
}

describe('a provider that pays each order anew', () => {
  beforeEach(() => {
    unsure_faults = [new GatewayError('unreachable', 'no response')];
    unsure_orders = [];
    answers = undefined;
    onFind = () => undefined;
  });

  const sendAsked = (id: string, seconds_ago: number): Promise<unknown> =>
    database.owner.raw(
      `update payouts set send_asked_at = clock_timestamp() - ? * interval '1 second' where id = ?`,
      [seconds_ago, id],
    );

  it('is asked again only when what it has never seen is final, however late the order left', async () => {
    const { merchant, id } = await ordered({ provider: 'unsure' });
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'unknown' });
    // A process may send for ten seconds after it has said that it will.
    for (const seconds of [0, FINAL_AFTER_S - 5, FINAL_AFTER_S + 5]) {
      await sendAsked(id, seconds);
      expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'unknown' });
      expect(unsure_orders).toEqual([]);
    }
    await sendAsked(id, FINAL_AFTER_S + 11);
    expect(await ask(id)).toMatchObject({ status: 'succeeded' });
    expect(unsure_orders).toEqual([id]);
    expect(await left(merchant)).toBe(START - TOTAL);
  });

  it('is not asked again by a process that stood still while it looked', async () => {
    const { id } = await ordered({ provider: 'unsure' });
    await ask(id);
    await sendAsked(id, FINAL_AFTER_S + 11);
    const real_now = performance.now.bind(performance);
    let late_ms = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => real_now() + late_ms);
    onFind = () => (late_ms = 10_001);
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'unknown' });
    clock.mockRestore();
    expect(unsure_orders).toEqual([]);
  });

  it('is never asked again when what it has never seen is never final', async () => {
    const { merchant, id } = await ordered({ provider: 'forgetful' });
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'unknown' });
    await sendAsked(id, 30 * 86_400);
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'unknown' });
    expect(unsure_orders).toEqual([]);
    expect(await left(merchant)).toBe(START - TOTAL);
  });

  it('is not asked again for an order that left a second time', async () => {
    const { id } = await ordered({ provider: 'unsure' });
    unsure_faults.push(new GatewayError('unreachable', 'no response'));
    await ask(id);
    await sendAsked(id, FINAL_AFTER_S + 11);
    await ask(id);
    // Its time runs from the second order on.
    await ask(id);
    expect(unsure_faults).toEqual([]);
    expect(unsure_orders).toEqual([]);
    await sendAsked(id, FINAL_AFTER_S + 11);
    expect(await ask(id)).toMatchObject({ status: 'succeeded' });
  });

  it('that has done nothing leaves the payout as it was, to be canceled or sent', async () => {
    const merchant = await newMerchant();
    const busy = { outcome: 'not_done' } as const;
    unsure_faults = [new GatewayError('unreachable', 'too many requests', busy)];
    const id = await order(merchant, { provider: 'unsure' });
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'queued' });
    expect(await cancelPayout(database.db, id, BY)).toBe('done');
    expect(await ask(id)).toMatchObject({ status: 'canceled' });
    expect(unsure_orders).toEqual([]);
    expect(await left(merchant)).toBe(START);
  });

  it('and cannot take back what waits there is asked what became of it when its time is over', async () => {
    unsure_faults = [];
    const { id } = await ordered({ provider: 'unsure' });
    answers = { status: 'queued', provider_payment_id: `p ${id}` };
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'queued' });
    await letPayoutExpire(database, id);
    found.set(id, { status: 'succeeded', provider_payment_id: `p ${id}`, paid: 500_000n });
    expect(await ask(id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a payout of a sandbox whose clock was moved', () => {
  async function orderAt(provider: string): Promise<string> {
    const { id } = await ordered({ provider });
    await database.owner.raw('update payouts set clock_seconds = 60 where id = ?', [id]);
    return id;
  }

  beforeEach(() => {
    answers = undefined;
    unsure_faults = [];
  });

  it('is sent by a provider that has no clock', async () => {
    expect(await ask(await orderAt('unsure'))).toMatchObject({ status: 'succeeded' });
  });

  it('is sent by a provider that does not answer about its clock', async () => {
    fault = new GatewayError('unreachable', 'no response of the clock');
    expect(await ask(await orderAt('failing'))).toMatchObject({ status: 'succeeded' });
    expect(log).toContainEqual(expect.objectContaining({ error: fault.message }));
  });

  it('waits while its adapter breaks', async () => {
    fault = new TypeError('a mistake of the adapter');
    await expectWaits(await orderAt('failing'), fault);
  });
});

describe('a provider that is not configured any more', () => {
  it('leaves the payout in the queue: it is canceled when its time is over', async () => {
    const { merchant, id } = await ordered({ provider: 'gone' });
    const handle = await wake(id);
    await untilRow(id, { status: 'pending', stage: 'queued', asks: 1 });
    expect((await rowOf(id))['detail']).toBe('The provider gone is not configured.');
    await letPayoutExpire(database, id);
    await wake(id);
    expect(await handle.result()).toBe('canceled');
    expect(await left(merchant)).toBe(START);
  });

  it('keeps a payout waiting whose name has to match', async () => {
    const { merchant, id } = await ordered({ ...REQUIRED, provider: 'gone' });
    expect(await ask(id)).toMatchObject({ status: 'pending', stage: 'queued' });
    expect(await left(merchant)).toBe(START - TOTAL);
  });

  it('leaves what was asked of it unknown', async () => {
    const { merchant, id } = await ordered({ provider: 'gone' });
    await beginAskingPayout(database.db, id);
    await letPayoutExpire(database, id);
    expect(await ask(id)).toMatchObject({
      status: 'pending',
      stage: 'unknown',
    });
    expect(await left(merchant)).toBe(START - TOTAL);
  });
});

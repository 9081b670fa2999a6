// Payout batches in the database and the activity that does their steps: what is found, what people decide, and
// that an item becomes one payout, whatever dies in between.

import { randomUUID } from 'node:crypto';
import {
  advancePayoutBatch,
  approvePayoutBatch,
  beginPayoutBatch,
  cancelPayoutBatch,
  confirmPayoutBatch,
  countInFlight,
  failPayoutItem,
  getPayoutBatch,
  listStalledPayoutBatches,
  recordPayoutBatchCheck,
  rejectPayoutBatch,
  sendPayoutItem,
  type PayoutBatchRow,
} from '../../db/payout-batches/payout-batches';
import {
  beginAskingPayout,
  cancelPayout,
  getPayout,
  recordPayoutAnswer,
} from '../../db/payouts/payouts';
import { verifyLedger } from '../../db/verify/verify';
import type { MemberRole } from '../../domain/members';
import { payoutItemError } from '../../domain/payout-batch';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  untilSessionsWait,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import {
  buildItem,
  buildNewBatch,
  createSteps,
  itemsOfBatch,
  orderedBatch,
  storeBatch,
} from '../support/payout-batches';
import {
  BY,
  answerPayout,
  buildNewPayout,
  orderedPayout,
  payoutAskedLongAgo,
} from '../support/payouts';
import { addMember, buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let steps: ReturnType<typeof createSteps>;

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(() => {
  steps = createSteps(database.db);
});

afterEach(() => expectBooksHold(database.db));

const START = 10_000_000n;

const merchantWith = (minor = START): Promise<TestUser> =>
  buildUser(database.db, { funds: { sandbox: { XOF: minor, EUR: minor } } });

const left = (merchant: TestUser): Promise<bigint> =>
  balanceOf(database.db, merchant, 'XOF', 'sandbox');

async function errorsOf(id: string): Promise<(string | null)[]> {
  const items = await itemsOfBatch(database.db, id);
  return items.map((item) => payoutItemError(item)?.code ?? item.status);
}

/** The provider's last word on each payout of the batch that has none. */
async function answerAll(id: string, status: 'succeeded' | 'failed' = 'succeeded') {
  const items = await itemsOfBatch(database.db, id);
  await Promise.all(
    items
      .filter((item) => item.status === 'pending' && item.payout_id !== null)
      .map((item) => answerPayout(database.db, item.payout_id!, { status })),
  );
}

async function letExpire(id: string): Promise<void> {
  await database.owner.raw(
    'update payout_batches set expires_at = clock_timestamp() where id = ?',
    [id],
  );
}

const memberOf = (merchant: TestUser, role: MemberRole): Promise<string> =>
  addMember(database, merchant, role);

async function settings(merchant: TestUser, fields: Record<string, unknown>): Promise<void> {
  await database
    .owner('payout_settings')
    .insert({ user_id: merchant.id, currency: 'XOF', ...fields });
}

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => buildItem(String(100 + i), { amount_minor: '10000' }));

it('has each phone in its one spelling', async () => {
  const items = [buildItem('100', { phone: '+22997123456' })];
  const ordered = orderedBatch(database.db, await merchantWith(), items);
  await expect(ordered).rejects.toMatchObject({ code: '23514' });
});

describe('an order', () => {
  it('is stored once for its key, and reserves nothing', async () => {
    const merchant = await merchantWith();
    const batch = buildNewBatch(merchant);
    const first = await storeBatch(database.db, batch);
    const second = await storeBatch(database.db, { ...batch, id: randomUUID() });
    expect(first.outcome).toBe('created');
    expect(second).toEqual({ ...first, outcome: 'stored', is_replay: true });
    expect(JSON.parse('response' in first ? first.response.body : '')).toMatchObject({
      ok: true,
      id: batch.id,
      status: 'processing',
      total: 1,
      completed: 0,
      failed: 0,
      checks: { match: 0, close: 0, no_match: 0, unavailable: 0, unreachable: 0 },
      approval: null,
      finished_at: null,
      expires_at: null,
    });
    expect(await left(merchant)).toBe(START);
  });

  it.each(['account_frozen', 'kyc_required'] as const)('is refused when %s', async (hold) => {
    const merchant = await merchantWith();
    const held = (by: string | null) =>
      database.owner.raw('update ledger_accounts set held_by = ? where user_id = ?', [
        by,
        merchant.id,
      ]);
    await held(hold);
    expect(await storeBatch(database.db, buildNewBatch(merchant))).toMatchObject({ outcome: hold });
    await held(null);
  });

  it('is refused when it comes too late, and while too many are not over', async () => {
    const merchant = await merchantWith();
    const accept_before = '2026-01-01T00:00:00Z';
    const late = buildNewBatch(merchant, { accept_before });
    expect(await storeBatch(database.db, late)).toMatchObject({ outcome: 'lapsed' });
    const outcome = async (): Promise<string> =>
      (await storeBatch(database.db, buildNewBatch(merchant), [buildItem()], 1)).outcome;
    // Those of others, of live and those that are over do not count.
    await orderedBatch(database.db, await merchantWith(), [buildItem()]);
    await orderedBatch(database.db, merchant, [buildItem()], { environment: 'live' });
    const over = await orderedBatch(database.db, merchant, [buildItem()]);
    await cancelPayoutBatch(database.db, over, BY);
    expect([await outcome(), await outcome()]).toEqual(['created', 'too_many']);
  });
});

it('orders each payout by itself; what is refused holds up no other', async () => {
  const merchant = await merchantWith(1_600_000n);
  await settings(merchant, { single_minor: 2_000_000 });
  const id = await orderedBatch(database.db, merchant, [
    buildItem('100'),
    buildItem('101', { currency: 'EUR' }),
    buildItem('102', { amount_minor: '100' }),
    buildItem('103', { amount_minor: '3000000' }),
    buildItem('001'),
    buildItem('104'),
    // More than there is, whichever of them comes first.
    buildItem('105', { amount_minor: '1700000' }),
  ]);
  const sent = await steps.run(id);
  expect(sent).toMatchObject({ status: 'processing', step: null, completed: 0, failed: 4 });
  expect(sent.checks).toEqual({ match: 4, close: 0, no_match: 0, unavailable: 0, unreachable: 1 });
  expect(steps.woken).toHaveLength(3);
  expect(await left(merchant)).toBe(100_000n);
  const items = await itemsOfBatch(database.db, id);
  await answerPayout(database.db, items[0]!.payout_id!, { status: 'succeeded' });
  await answerPayout(database.db, items[4]!.payout_id!, { status: 'failed' });
  expect(await getPayoutBatch(database.db, id)).toMatchObject({ completed: 1, failed: 5 });
  await cancelPayout(database.db, items[5]!.payout_id!, BY);
  expect(await errorsOf(id)).toEqual([
    'completed',
    'unsupported_destination',
    'amount_out_of_bounds',
    'limit_exceeded',
    'rejected',
    'canceled',
    'insufficient_funds',
  ]);
  expect(await getPayoutBatch(database.db, id)).toMatchObject({
    status: 'completed',
    completed: 1,
    failed: 6,
    finished_at: expect.any(String),
  });
});

it('tells in a dry run what would become of each, and moves nothing', async () => {
  const merchant = await merchantWith(1_600_000n);
  await settings(merchant, { single_minor: 900_000, daily_minor: 2_000_000 });
  const id = await orderedBatch(
    database.db,
    merchant,
    [
      buildItem('100'),
      buildItem('001'),
      buildItem('101', { amount_minor: '1000000' }),
      buildItem('102', { amount_minor: '800000' }),
      buildItem('103'),
      buildItem('104', { amount_minor: '300000' }),
      buildItem('105', { amount_minor: '500000' }),
    ],
    { dry_run: true, confirm: false },
  );
  expect(await steps.run(id)).toMatchObject({ status: 'completed', completed: 3, failed: 4 });
  expect(await errorsOf(id)).toEqual([
    'completed',
    'recipient_not_found',
    'limit_exceeded',
    'completed',
    'insufficient_funds',
    'completed',
    'limit_exceeded',
  ]);
  expect(steps.woken).toEqual([]);
  expect(await left(merchant)).toBe(1_600_000n);
});

it.each([
  ['daily_minor', '1 day'],
  ['monthly_minor', '31 days'],
])('counts in a dry run by %s what an order counts, and nothing of %s ago', async (limit, ago) => {
  const funds = { XOF: START, EUR: START };
  const merchant = await buildUser(database.db, { funds: { live: funds, sandbox: funds } });
  const other = await merchantWith();
  await orderedPayout(database.db, other);
  await orderedPayout(database.db, merchant, { environment: 'live' });
  await orderedPayout(database.db, merchant, { currency: 'EUR' });
  const failed = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, failed, { status: 'failed' });
  const earlier = await orderedPayout(database.db, merchant);
  const shift = (by: string): Promise<unknown> =>
    database.owner.raw('update payouts set created_at = created_at + ?::interval where id = ?', [
      by,
      earlier,
    ]);
  await shift(`-${ago}`);
  await settings(other, { single_minor: 100 });
  await settings(merchant, { currency: 'EUR', single_minor: 100 });
  await settings(merchant, { [limit]: 900_000 });
  const dry = async (): Promise<unknown> => {
    const id = await orderedBatch(database.db, merchant, [buildItem()], { dry_run: true });
    await steps.run(id);
    return errorsOf(id);
  };
  expect(await dry()).toEqual(['completed']);
  // The books have it where its posting is.
  await shift(ago);
  expect(await dry()).toEqual(['limit_exceeded']);
});

it('has an item fail once, that is no payout', async () => {
  const [merchant, items] = [await merchantWith(), [buildItem(), buildItem('101')]];
  const [id, other] = [
    await orderedBatch(database.db, merchant, items),
    await orderedBatch(database.db, merchant, items),
  ];
  const fail = () => failPayoutItem(database.db, id, 0, 'not_ordered');
  await fail();
  await fail();
  expect(await getPayoutBatch(database.db, id)).toMatchObject({ failed: 1 });
  expect(await errorsOf(other)).toEqual(['pending', 'pending']);
  await failPayoutItem(database.db, other, 0, 'not_ordered');
  await cancelPayoutBatch(database.db, other, BY);
  expect(await getPayoutBatch(database.db, other)).toMatchObject({ failed: 2 });
  const by = await database.owner('payout_batches').where({ id }).first('canceled_by');
  expect(by).toEqual({ canceled_by: null });
  await steps.run(id);
  await failPayoutItem(database.db, id, 1, 'not_ordered');
  expect(await getPayoutBatch(database.db, id)).toMatchObject({ failed: 1 });
  expect((await itemsOfBatch(database.db, id)).map(({ status }) => status)).toEqual([
    'failed',
    'pending',
  ]);
});

it('tells in a dry run nothing of an item that has failed before', async () => {
  const items = [buildItem('100', { amount_minor: '20000000' }), buildItem('101')];
  const id = await orderedBatch(database.db, await merchantWith(), items, { dry_run: true });
  await failPayoutItem(database.db, id, 0, 'not_ordered');
  expect(await steps.run(id)).toMatchObject({ status: 'completed', completed: 1, failed: 1 });
});

it('keeps what was found first, and nothing of an item that has ended', async () => {
  const items = [buildItem(), buildItem('101')];
  const [id, other] = [
    await orderedBatch(database.db, await merchantWith(), items),
    await orderedBatch(database.db, await merchantWith(), items),
  ];
  const record = (index: number, found: 'match' | 'close') =>
    recordPayoutBatchCheck(database.db, id, index, {
      found,
      name_found: 'Awa Diop',
      name_match: found,
      operator: null,
    });
  await failPayoutItem(database.db, id, 1, 'not_ordered');
  for (const [index, found] of [
    [0, 'close'],
    [0, 'match'],
    [1, 'match'],
  ] as const)
    await record(index, found);
  const found = async (batch: string) =>
    (await itemsOfBatch(database.db, batch)).map((item) => item.found);
  expect([await found(id), await found(other)]).toEqual([
    ['close', null],
    [null, null],
  ]);
});

it('counts of each part what was found in it, and leaves other batches where they are', async () => {
  const merchant = await merchantWith();
  const other = await orderedBatch(database.db, merchant, many(1));
  const id = await orderedBatch(database.db, merchant, many(4));
  for (let index = 0; index < 4; index += 1) {
    const found = { found: 'match', name_found: null, name_match: null, operator: null } as const;
    await recordPayoutBatchCheck(database.db, id, index, found);
  }
  const matches = [];
  for (let part = 0; part < 2; part += 1) {
    await advancePayoutBatch(database.db, await beginPayoutBatch(database.db, id), 2);
    matches.push((await getPayoutBatch(database.db, id)).checks.match);
  }
  expect(matches).toEqual([2, 4]);
  expect(await steps.run(id)).toMatchObject({ step: null });
  expect(await getPayoutBatch(database.db, other)).toMatchObject({ step: 'check' });
});

it('has those wait for their first answer that were asked for at most once, and not long ago', async () => {
  const merchant = await merchantWith();
  await steps.run(await orderedBatch(database.db, merchant, many(2)));
  const id = await orderedBatch(database.db, merchant, many(5));
  await steps.run(id);
  const payouts = (await itemsOfBatch(database.db, id)).map((item) => item.payout_id!);
  const counts = [await countInFlight(database.db, id)];
  await cancelPayout(database.db, payouts.pop()!, BY);
  for (const payout of payouts) await beginAskingPayout(database.db, payout);
  counts.push(await countInFlight(database.db, id));
  await payoutAskedLongAgo(database, payouts[0]!);
  counts.push(await countInFlight(database.db, id));
  await beginAskingPayout(database.db, payouts[1]!);
  counts.push(await countInFlight(database.db, id));
  const sent = { status: 'sent', provider_payment_id: 'po_sent' } as const;
  await recordPayoutAnswer(database.db, payouts[2]!, 1, sent);
  counts.push(await countInFlight(database.db, id));
  await recordPayoutAnswer(database.db, payouts[3]!, 1, {
    status: 'failed',
    provider_payment_id: 'po_failed',
  });
  counts.push(await countInFlight(database.db, id));
  expect(counts).toEqual([5, 4, 3, 2, 1, 0]);
});

describe('after a crash', () => {
  it('each step is done again, and no item is a second payout', async () => {
    const merchant = await merchantWith();
    const id = await orderedBatch(database.db, merchant, many(6));
    const back = () =>
      database.owner.raw(`update payout_batches set step = 'send', next_index = 0 where id = ?`, [
        id,
      ]);
    await steps.run(id);
    const first = await itemsOfBatch(database.db, id);
    await back();
    expect(await steps.run(id)).toMatchObject({ step: null, failed: 0 });
    expect(await itemsOfBatch(database.db, id)).toEqual(first);
    expect(new Set(steps.woken).size).toBe(6);
    expect(await left(merchant)).toBe(START - 60_000n);
  });

  it('a part that two have done counts once', async () => {
    const merchant = await merchantWith();
    const id = await orderedBatch(database.db, merchant, many(6), { confirm: false });
    const batch = await beginPayoutBatch(database.db, id);
    await Promise.all([
      advancePayoutBatch(database.db, batch, 2),
      advancePayoutBatch(database.db, batch, 2),
    ]);
    expect((await getPayoutBatch(database.db, id)).next_index).toBe(2);
    await Promise.all([steps.run(id), createSteps(database.db).run(id)]);
    expect(await getPayoutBatch(database.db, id)).toMatchObject({
      status: 'requires_confirmation',
      // The first two were not looked at.
      checks: { match: 4 },
    });
  });

  it('what stands still is found, the first of its account, and what waited too long', async () => {
    const merchant = await merchantWith();
    const ids = [
      await orderedBatch(database.db, merchant, [buildItem()]),
      await orderedBatch(database.db, merchant, [buildItem()]),
    ] as const;
    const waits = await orderedBatch(database.db, await merchantWith(), [buildItem()], {
      confirm: false,
    });
    await steps.run(waits);
    const stalled = async () => {
      const found = await listStalledPayoutBatches(database.db, 0, 1_000);
      return found.map((one) => one.id).filter((id) => [...ids, waits].includes(id));
    };
    expect(await stalled()).toEqual([ids[0]]);
    await letExpire(waits);
    expect(new Set(await stalled())).toEqual(new Set([ids[0], waits]));
  });
});

it('becomes one payout of each item, even when two send it at the same time', async () => {
  const merchant = await merchantWith();
  const batch_id = await orderedBatch(database.db, merchant, [buildItem()]);
  await advancePayoutBatch(database.db, await beginPayoutBatch(database.db, batch_id), 1);
  const [first, second] = [
    buildNewPayout(merchant, { batch_id }),
    buildNewPayout(merchant, { batch_id }),
  ];
  const sent = await whileUncommitted(
    database,
    (session) =>
      session.query('select send_payout_batch_item($1, 0, $2)', [batch_id, JSON.stringify(first)]),
    () => sendPayoutItem(database.db, batch_id, 0, second),
  );
  expect([sent, await left(merchant)]).toEqual([first.id, START - 500_000n]);
});

it('has twenty payouts wait for their first answer, and no more', async () => {
  const merchant = await merchantWith();
  const id = await orderedBatch(database.db, merchant, many(30));
  expect(await steps.run(id)).toMatchObject({ step: 'send' });
  expect(steps.woken).toHaveLength(20);
  await steps.run(id);
  expect(steps.woken).toHaveLength(20);
  await answerAll(id);
  expect(await steps.run(id)).toMatchObject({ step: null, completed: 20 });
  await answerAll(id);
  expect(await getPayoutBatch(database.db, id)).toMatchObject({ status: 'completed' });
});

it('counts destinations that do not exist, and past the limit tells of none', async () => {
  const merchant = await merchantWith();
  await database.owner.raw('update users set unknown_recipients_per_hour = 1 where id = ?', [
    merchant.id,
  ]);
  const items = [buildItem('001'), buildItem('001', { phone: '+221780000001' }), buildItem()];
  const ids = [];
  for (const item of items) {
    const id = await orderedBatch(database.db, merchant, [item], { confirm: false });
    await steps.run(id);
    ids.push(id);
  }
  const found = await Promise.all(
    ids.map(async (id) => (await itemsOfBatch(database.db, id))[0]!.found),
  );
  expect(found).toEqual(['unreachable', 'unavailable', 'unavailable']);
  expect(steps.asked).toHaveLength(1);
});

it('tells no name after five wrong ones for a destination', async () => {
  const merchant = await merchantWith();
  const names = ['Moussa', 'Sarr', 'Awa', 'Fatou', 'Binta', 'Moussa Diop'];
  const items = names.map((name) => buildItem('004', { name }));
  const id = await orderedBatch(database.db, merchant, items, { confirm: false });
  await steps.run(id);
  const found = (await itemsOfBatch(database.db, id)).map((item) => item.found);
  // They are looked at together: one of them comes last.
  expect(found.filter((one) => one === 'unavailable')).toHaveLength(1);
});

describe('people', () => {
  const mixed = ['100', '005', '004', '001'].map((digits) => buildItem(digits));
  const waiting = async (merchant: TestUser, items = mixed): Promise<string> => {
    const id = await orderedBatch(database.db, merchant, items, { confirm: false });
    expect(await steps.run(id)).toMatchObject({ status: 'requires_confirmation', step: null });
    return id;
  };

  it('confirm once, even two at the same time, without what they exclude', async () => {
    const merchant = await merchantWith();
    const id = await waiting(merchant);
    expect((await getPayoutBatch(database.db, id)).checks).toEqual({
      match: 1,
      close: 1,
      no_match: 1,
      unavailable: 0,
      unreachable: 1,
    });
    expect(await left(merchant)).toBe(START);
    const confirm = () => confirmPayoutBatch(database.db, id, ['no_match', 'unreachable'], BY);
    expect(await Promise.all([confirm(), confirm()])).toEqual(['done', 'done']);
    await steps.run(id);
    expect(await errorsOf(id)).toEqual(['pending', 'pending', 'excluded', 'excluded']);
    expect(await database.owner('payout_batches').where({ id }).first('confirmed_by')).toEqual({
      confirmed_by: BY,
    });
    expect(await confirmPayoutBatch(database.db, id, ['unreachable', 'no_match'], BY)).toBe('done');
    for (const other of [[], ['no_match'], ['no_match', 'unreachable', 'close']] as const) {
      expect(await confirmPayoutBatch(database.db, id, other, BY)).toBe(
        'payout_batch_not_confirmable',
      );
    }
    expect(steps.woken).toHaveLength(2);
    await answerAll(id);
    expect(await getPayoutBatch(database.db, id)).toMatchObject({
      status: 'completed',
      completed: 2,
      failed: 2,
    });
  });

  it('end a batch by excluding all of it', async () => {
    const id = await waiting(await merchantWith(), [buildItem('004')]);
    await confirmPayoutBatch(database.db, id, ['no_match'], BY);
    expect(await steps.run(id)).toMatchObject({ status: 'completed', step: null, failed: 1 });
  });

  it('do not confirm what is looked at, nor after a day, nor for a frozen account', async () => {
    const merchant = await merchantWith();
    const early = await orderedBatch(database.db, merchant, mixed, { confirm: false });
    const refused = 'payout_batch_not_confirmable';
    expect(await confirmPayoutBatch(database.db, early, [], BY)).toBe(refused);
    const late = await waiting(merchant);
    const held = await waiting(merchant);
    await letExpire(late);
    expect(await confirmPayoutBatch(database.db, late, [], BY)).toBe(refused);
    expect(await beginPayoutBatch(database.db, late)).toMatchObject({
      status: 'canceled',
      failed: 4,
    });
    const hold = (by: string | null) =>
      database.owner.raw('update ledger_accounts set held_by = ? where user_id = ?', [
        by,
        merchant.id,
      ]);
    await hold('account_frozen');
    expect(await confirmPayoutBatch(database.db, held, [], BY)).toBe('account_frozen');
    await hold(null);
  });

  it('approve the sum of a batch as others than who ordered it, before it is confirmed', async () => {
    const merchant = await merchantWith();
    const [creator, one, two, viewer] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'viewer'),
    ] as const;
    // No item is above it; together they are.
    await settings(merchant, { approval_above_minor: 900_000, approvers: 2 });
    const order = { confirm: false, ordered_by: creator };
    const id = await orderedBatch(database.db, merchant, mixed, order);
    expect(await steps.run(id)).toMatchObject({ status: 'requires_approval', step: null });
    const approve = (login: string) => approvePayoutBatch(database.db, id, login);
    expect(await approve(creator)).toBe('approval_by_creator');
    expect(await approve(viewer)).toBe('forbidden');
    expect(await Promise.all([approve(one), approve(one)])).toEqual(['done', 'done']);
    expect(await getPayoutBatch(database.db, id)).toMatchObject({ status: 'requires_approval' });
    expect(await approve(two)).toBe('done');
    const { json, status } = await getPayoutBatch(database.db, id);
    expect(status).toBe('requires_confirmation');
    expect(JSON.parse(json)).toMatchObject({ approval: { needed: 2, given: [{}, {}] } });
    expect(await approve(two)).toBe('done');
    await confirmPayoutBatch(database.db, id, [], BY);
    await steps.run(id);
    // No payout waits for an approval of its own.
    expect(await errorsOf(id)).toEqual(mixed.map(() => 'pending'));
  });

  it('approve as long as they may: what a former member has approved does not count', async () => {
    const merchant = await merchantWith();
    const [former, one, two] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
    ] as const;
    await settings(merchant, { approval_above_minor: 0, approvers: 2 });
    const id = await orderedBatch(database.db, merchant, [buildItem()], { confirm: false });
    const { expires_at } = JSON.parse((await steps.run(id)).json) as { expires_at: string };
    // Nor does one of another batch.
    const other = await orderedBatch(database.db, merchant, [buildItem()]);
    await steps.run(other);
    await approvePayoutBatch(database.db, other, one);
    const leave = (login_id: string) => database.owner('memberships').where({ login_id }).delete();
    await approvePayoutBatch(database.db, id, former);
    await leave(former);
    await approvePayoutBatch(database.db, id, one);
    const waiting = await getPayoutBatch(database.db, id);
    expect(waiting.status).toBe('requires_approval');
    expect(JSON.parse(waiting.json)).toMatchObject({ expires_at });
    await approvePayoutBatch(database.db, id, two);
    expect((await getPayoutBatch(database.db, id)).status).toBe('requires_confirmation');
    // One who leaves before it is sent is missed.
    await leave(two);
    await confirmPayoutBatch(database.db, id, [], BY);
    expect((await getPayoutBatch(database.db, id)).status).toBe('requires_approval');
  });

  it.each([
    ['approval_above_minor', '101'],
    ['new_destination_above_minor', '100'],
  ])('approve a batch by its %s without what has failed', async (rule, digits) => {
    const merchant = await merchantWith();
    await settings(merchant, { [rule]: 900_000 });
    await settings(merchant, { currency: 'EUR', approval_above_minor: 0 });
    const status = async (failing: boolean): Promise<string> => {
      const items = [buildItem('100'), buildItem(digits)];
      const id = await orderedBatch(database.db, merchant, items, { confirm: false });
      if (failing) await failPayoutItem(database.db, id, 1, 'not_ordered');
      return (await steps.run(id)).status;
    };
    expect(await status(true)).toBe('requires_confirmation');
    expect(await status(false)).toBe('requires_approval');
  });

  it('approve a batch at the same time as one another, and it goes on once', async () => {
    const merchant = await merchantWith();
    const owners = [await memberOf(merchant, 'owner'), await memberOf(merchant, 'owner')];
    await settings(merchant, { approval_above_minor: 0, approvers: 2 });
    const id = await orderedBatch(database.db, merchant, [buildItem()]);
    await steps.run(id);
    // Both have begun before the first may go on.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select lock_payout_batch($1)', [id]);
    const both = Promise.all(owners.map((login) => approvePayoutBatch(database.db, id, login)));
    await untilSessionsWait(database, 2);
    await session.query('rollback');
    expect(await both).toEqual(['done', 'done']);
    expect(await getPayoutBatch(database.db, id)).toMatchObject({ step: 'send', next_index: 0 });
    await steps.run(id);
    expect(steps.woken).toHaveLength(1);
  });

  it('approve a batch with a new destination, and no known one', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 400_000 });
    const known = await orderedPayout(database.db, merchant, {
      phone: '+221770000100',
      amount_minor: '100000',
    });
    await answerPayout(database.db, known, { status: 'succeeded' });
    const run = async (...digits: string[]): Promise<PayoutBatchRow> => {
      const items = digits.map((one) => buildItem(one));
      return steps.run(await orderedBatch(database.db, merchant, items));
    };
    expect((await run('100')).status).toBe('processing');
    expect((await run('100', '101')).status).toBe('requires_approval');
  });

  it('of live money are the owners: a developer approves none', async () => {
    const merchant = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
    await settings(merchant, { approval_above_minor: 0 });
    const developer = await memberOf(merchant, 'developer');
    const fields = { environment: 'live' } as const;
    const id = await orderedBatch(database.db, merchant, [buildItem('100')], fields);
    expect((await steps.run(id)).status).toBe('requires_approval');
    expect(await approvePayoutBatch(database.db, id, developer)).toBe('forbidden');
    const owner = await memberOf(merchant, 'owner');
    expect(await approvePayoutBatch(database.db, id, owner)).toBe('done');
  });

  const bank = {
    destination_type: 'bank',
    phone: null,
    operator: null,
    account: 'SN0812345678',
    holder: 'Awa Diop',
  } as const;

  it('approve no new destination for what goes there in another currency', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 900_000 });
    const items = [buildItem('100', bank), buildItem('100', { ...bank, currency: 'EUR' })];
    await steps.run(await orderedBatch(database.db, merchant, items.slice(1), { confirm: false }));
    const id = await orderedBatch(database.db, merchant, items);
    expect((await steps.run(id)).status).toBe('processing');
    expect(await errorsOf(id)).toEqual(['pending', 'pending']);
  });

  it('approve none because of what a batch has sent there, counted twice', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 900_000 });
    await steps.run(await orderedBatch(database.db, merchant, [buildItem()]));
    const id = await orderedPayout(database.db, merchant, { amount_minor: '300000' });
    expect((await getPayout(database.db, id)).status).toBe('pending');
  });

  it.each([
    ['phone', {}],
    ['bank account', bank],
  ])('approve what goes to a new %s by several orders', async (_, place) => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 900_000 });
    const undo: (() => Promise<unknown>)[] = [];
    const batch = async (): Promise<string> => {
      const items = [buildItem('100', place)];
      const id = await orderedBatch(database.db, merchant, items, { confirm: false });
      undo.push(() => cancelPayoutBatch(database.db, id, BY));
      return (await steps.run(id)).status;
    };
    const single = async (): Promise<string> => {
      const id = await orderedPayout(database.db, merchant, place);
      undo.push(() => cancelPayout(database.db, id, BY));
      return (await getPayout(database.db, id)).status;
    };
    const cancelAll = async (): Promise<void> => {
      for (const cancel of undo.splice(0)) await cancel();
    };
    const [waits, passes, sent] = ['requires_approval', 'requires_confirmation', 'pending'];
    expect([await batch(), await batch(), await single()]).toEqual([passes, waits, waits]);
    await cancelAll();
    expect([await single(), await batch()]).toEqual([sent, waits]);
    await cancelAll();
    // A payout to another destination does not count, nor a batch that was not looked at, nor one of live.
    await orderedPayout(database.db, merchant, { phone: '+221770000101' });
    const items = [buildItem('100', place)];
    await orderedBatch(database.db, merchant, items);
    const elsewhere = [
      buildItem('101'),
      buildItem('100', { ...bank, account: 'SN0812345679' }),
      buildItem('100', { ...bank, bank_code: 'SN09' }),
    ];
    const confirm = false;
    await steps.run(await orderedBatch(database.db, merchant, elsewhere, { confirm }));
    const live = { environment: 'live', confirm } as const;
    await steps.run(await orderedBatch(database.db, merchant, items, live));
    expect(await batch()).toBe(passes);
  });

  it('need not wait for orders of another currency', async () => {
    const merchant = await merchantWith();
    await orderedBatch(database.db, merchant, [buildItem('100', { ...bank, currency: 'EUR' })]);
    const id = await orderedBatch(database.db, merchant, [buildItem()]);
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(`select lock_payout_limits($1, 'sandbox', 'EUR')`, [merchant.id]);
    const decided = steps.run(id).then(({ status }) => status);
    const waits = untilSessionsWait(database, 1).then(() => 'waits');
    expect(await Promise.race([decided, waits])).toBe('processing');
    await session.query('rollback');
  });

  it.each(['batch', 'payout'])(
    'approve one of a batch and a %s that go to a new destination at once',
    async (other) => {
      const merchant = await merchantWith();
      await settings(merchant, { new_destination_above_minor: 900_000 });
      const batch = async (): Promise<string> =>
        orderedBatch(database.db, merchant, [buildItem()], { confirm: false });
      const ids = [await batch(), await batch()] as const;
      const run = async (id: string): Promise<string> => (await steps.run(id)).status;
      const order = async (): Promise<string> =>
        (await getPayout(database.db, await orderedPayout(database.db, merchant))).status;
      // Both have begun before the first may be decided about.
      const session = await openSession(database.owner_url);
      await session.query('begin');
      await session.query(`select lock_payout_limits($1, 'sandbox', 'XOF')`, [merchant.id]);
      const both = Promise.all([run(ids[0]), other === 'batch' ? run(ids[1]) : order()]);
      await untilSessionsWait(database, 2);
      await session.query('rollback');
      expect((await both).filter((status) => status === 'requires_approval')).toHaveLength(1);
    },
  );

  it('reject, and do not approve what is over', async () => {
    const merchant = await merchantWith();
    const other = await memberOf(merchant, 'developer');
    await settings(merchant, { approval_above_minor: 0 });
    const [id, late] = [
      await orderedBatch(database.db, merchant, mixed),
      await orderedBatch(database.db, merchant, mixed),
    ] as const;
    await steps.run(id);
    await steps.run(late);
    for (let times = 0; times < 2; times += 1) {
      expect(await rejectPayoutBatch(database.db, id, other, 'twice')).toBe('done');
    }
    expect((await getPayoutBatch(database.db, late)).reject_reason).toBeNull();
    await letExpire(late);
    for (const one of [id, late]) {
      expect(await approvePayoutBatch(database.db, one, other)).toBe('payout_batch_not_approvable');
    }
    expect(await getPayoutBatch(database.db, id)).toMatchObject({
      status: 'canceled',
      reject_reason: 'twice',
      json: expect.stringContaining('"reject_reason":"twice"'),
      failed: 4,
      finished_at: expect.any(String),
    });
    expect(await confirmPayoutBatch(database.db, id, [], BY)).toBe('payout_batch_not_confirmable');
  });

  it('cancel while it is sent: what is a payout goes on, and nothing else becomes one', async () => {
    const merchant = await merchantWith();
    const id = await orderedBatch(database.db, merchant, many(40));
    const [, canceled] = await Promise.all([
      steps.run(id),
      (async () => {
        while ((await itemsOfBatch(database.db, id)).every((item) => item.payout_id === null));
        return cancelPayoutBatch(database.db, id, BY);
      })(),
    ]);
    expect(canceled).toBe('done');
    expect(await database.owner('payout_batches').where({ id }).first('canceled_by')).toEqual({
      canceled_by: BY,
    });
    const items = await itemsOfBatch(database.db, id);
    const ordered = items.filter((item) => item.payout_id !== null);
    await steps.run(id);
    expect(await itemsOfBatch(database.db, id)).toEqual(items);
    expect(await left(merchant)).toBe(START - BigInt(ordered.length) * 10_000n);
    expect(await cancelPayoutBatch(database.db, id, BY)).toBe('done');
    await answerAll(id);
    expect(await getPayoutBatch(database.db, id)).toMatchObject({
      status: 'canceled',
      completed: ordered.length,
      failed: 40 - ordered.length,
      finished_at: expect.any(String),
    });
  });

  it('do not cancel a batch of which each item is a payout', async () => {
    const id = await orderedBatch(database.db, await merchantWith(), mixed);
    await steps.run(id);
    expect(await cancelPayoutBatch(database.db, id, BY)).toBe('payout_batch_not_cancelable');
    expect(await errorsOf(id)).toEqual(mixed.map(() => 'pending'));
  });
});

describe('ledger verify', () => {
  const damages: Record<string, [string, string]> = {
    'counters are not its items': [
      'update payout_batches set failed = failed + 1 where id = ?',
      'update payout_batches set failed = failed - 1 where id = ?',
    ],
    'is not as its payout': [
      `update payout_batch_items set amount_minor = amount_minor + 100 where batch_id = ? and index = 0`,
      `update payout_batch_items set amount_minor = amount_minor - 100 where batch_id = ? and index = 0`,
    ],
    'went on without its approvals': [
      'update payout_batches set approvals_needed = 1 where id = ?',
      'update payout_batches set approvals_needed = 0 where id = ?',
    ],
    'without the response stored': [
      `update payout_batches set idempotency_key = idempotency_key || 'x' where id = ?`,
      `update payout_batches set idempotency_key = rtrim(idempotency_key, 'x') where id = ?`,
    ],
  };
  it.each(Object.entries(damages))('sees that a batch %s', async (what, [damage, repair]) => {
    const id = await orderedBatch(database.db, await merchantWith(), [
      buildItem(),
      buildItem('101'),
    ]);
    await steps.run(id);
    await database.owner.raw(damage, [id]);
    const found = (await verifyLedger(database.db)).map((one) => one.what);
    await database.owner.raw(repair, [id]);
    expect(found).toContainEqual(expect.stringContaining(what));
  });
});

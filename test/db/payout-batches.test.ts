// Payout batches in the database and the activity that does their steps: what is found, what people decide, and
// that an item becomes one payout, whatever dies in between.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
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
  type NewPayoutBatch,
  type PayoutBatchRow,
} from '../../db/payout-batches/payout-batches';
import {
  beginAskingPayout,
  cancelPayout,
  getPayout,
  recordPayoutAnswer,
} from '../../db/payouts/payouts';
import { verifyLedger } from '../../db/verify/verify';
import { payoutItemError, type PayoutBatchItem } from '../../domain/payout-batch';
import { expectBooksHold } from '../support/books';
import { allBehindLock, pastLock, whileUncommitted } from '../support/database';
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
  buildNewPayout,
  payoutAskedLongAgo,
  setUpPayouts,
  shiftOrder,
  START,
} from '../support/payouts';
import { fund } from '../support/users';

const { database, merchant, merchantWith, left, member, members, rule, ordered, say } =
  setUpPayouts();
let steps: ReturnType<typeof createSteps>;

beforeEach(() => {
  steps = createSteps(database.db);
});

afterEach(() => expectBooksHold(database.db));

const batchOf = (
  items: readonly PayoutBatchItem[] = [buildItem()],
  fields: Partial<NewPayoutBatch> = {},
  of = merchant,
): Promise<string> => orderedBatch(database.db, of, items, fields);

/** As far as it goes by itself. */
const ran = async (...order: Parameters<typeof batchOf>): Promise<PayoutBatchRow> =>
  steps.run(await batchOf(...order));

const get = (id: string) => getPayoutBatch(database.db, id);
const itemsOf = (id: string) => itemsOfBatch(database.db, id);
const begin = (id: string) => beginPayoutBatch(database.db, id);
const advance = (row: PayoutBatchRow, items: number) => advancePayoutBatch(database.db, row, items);
const payoutsOf = async (id: string): Promise<string[]> =>
  (await itemsOf(id)).map(({ payout_id }) => payout_id!);
const failItem = (id: string, index: number) =>
  failPayoutItem(database.db, id, index, 'not_ordered');
const confirm = (id: string, exclude: Parameters<typeof confirmPayoutBatch>[2] = []) =>
  confirmPayoutBatch(database.db, id, exclude, BY);
const approve = (id: string, login: string) => approvePayoutBatch(database.db, id, login);
const cancel = (id: string) => cancelPayoutBatch(database.db, id, BY);
const cancelOne = (payout: string) => cancelPayout(database.db, payout, BY);

const by = async (what: 'canceled_by' | 'confirmed_by', id: string): Promise<unknown> =>
  (await database.owner('payout_batches').where({ id }).first(what))[what];

const hold = (held_by: string | null) =>
  database.owner('ledger_accounts').where({ user_id: merchant.id }).update({ held_by });

async function errorsOf(id: string): Promise<(string | null)[]> {
  const items = await itemsOf(id);
  return items.map((item) => payoutItemError(item)?.code ?? item.status);
}

/** The provider's last word on each payout of the batch that has none. */
async function answerAll(id: string, status: 'succeeded' | 'failed' = 'succeeded') {
  const items = await itemsOf(id);
  await Promise.all(
    items
      .filter((item) => item.status === 'pending' && item.payout_id !== null)
      .map((item) => say(item.payout_id!, status)),
  );
}

const letExpire = (id: string): Promise<unknown> =>
  database.owner('payout_batches').where({ id }).update({ expires_at: new Date() });

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => buildItem(String(100 + i), { amount_minor: '10000' }));

it('has each phone in its one spelling', async () => {
  const items = [buildItem('100', { phone: '+22997123456' })];
  await expect(batchOf(items)).rejects.toMatchObject({ code: '23514' });
});

describe('an order', () => {
  it('is stored once for its key, and reserves nothing', async () => {
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
    expect(await left()).toBe(START);
  });

  it.each(['account_frozen', 'kyc_required'] as const)('is refused when %s', async (hold_by) => {
    await hold(hold_by);
    const refused = await storeBatch(database.db, buildNewBatch(merchant));
    expect(refused).toMatchObject({ outcome: hold_by });
    await hold(null);
  });

  it('is refused when it comes too late, and while too many are not over', async () => {
    const accept_before = '2026-01-01T00:00:00Z';
    const late = buildNewBatch(merchant, { accept_before });
    expect(await storeBatch(database.db, late)).toMatchObject({ outcome: 'lapsed' });
    const outcome = async (): Promise<string> =>
      (await storeBatch(database.db, buildNewBatch(merchant), [buildItem()], 1)).outcome;
    // Those of others, of live and those that are over do not count.
    await batchOf([buildItem()], {}, await merchantWith());
    await batchOf([buildItem()], { environment: 'live' });
    const over = await batchOf();
    await cancel(over);
    expect([await outcome(), await outcome()]).toEqual(['created', 'too_many']);
  });
});

it('orders each payout by itself; what is refused holds up no other', async () => {
  const poor = await merchantWith(1_600_000n);
  await rule({ single_minor: 2_000_000 }, poor);
  const items = [
    buildItem('100'),
    buildItem('101', { currency: 'EUR' }),
    buildItem('102', { amount_minor: '100' }),
    buildItem('103', { amount_minor: '3000000' }),
    buildItem('001'),
    buildItem('104'),
    // More than there is, whichever of them comes first.
    buildItem('105', { amount_minor: '1700000' }),
  ];
  const { id, ...sent } = await ran(items, {}, poor);
  expect(sent).toMatchObject({ status: 'processing', step: null, completed: 0, failed: 4 });
  expect(sent.checks).toEqual({ match: 4, close: 0, no_match: 0, unavailable: 0, unreachable: 1 });
  expect(steps.woken).toHaveLength(3);
  expect(await left(poor)).toBe(100_000n);
  const payouts = await payoutsOf(id);
  await say(payouts[0]!, 'succeeded');
  await say(payouts[4]!, 'failed');
  expect(await get(id)).toMatchObject({ completed: 1, failed: 5 });
  await cancelOne(payouts[5]!);
  expect(await errorsOf(id)).toEqual([
    'completed',
    'unsupported_destination',
    'amount_out_of_bounds',
    'limit_exceeded',
    'rejected',
    'canceled',
    'insufficient_funds',
  ]);
  expect(await get(id)).toMatchObject({
    status: 'completed',
    completed: 1,
    failed: 6,
    finished_at: expect.any(String),
  });
});

it('tells in a dry run what would become of each, and moves nothing', async () => {
  const poor = await merchantWith(1_600_000n);
  await rule({ single_minor: 900_000, daily_minor: 2_000_000 }, poor);
  const items = [
    buildItem('100'),
    buildItem('001'),
    buildItem('101', { amount_minor: '1000000' }),
    buildItem('102', { amount_minor: '800000' }),
    buildItem('103'),
    buildItem('104', { amount_minor: '300000' }),
    buildItem('105', { amount_minor: '500000' }),
  ];
  const { id, ...told } = await ran(items, { dry_run: true, confirm: false }, poor);
  expect(told).toMatchObject({ status: 'completed', completed: 3, failed: 4 });
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
  expect(await left(poor)).toBe(1_600_000n);
});

it.each([
  ['daily_minor', '1 day'],
  ['monthly_minor', '31 days'],
])('counts in a dry run by %s what an order counts, and nothing of %s ago', async (limit, ago) => {
  await fund(database.db, merchant.id, 'live', 'XOF', START);
  const other = await merchantWith();
  await ordered({}, other);
  for (const fields of [{ environment: 'live' }, { currency: 'EUR' }] as const) {
    await ordered(fields);
  }
  await say(await ordered(), 'failed');
  const earlier = await ordered();
  await shiftOrder(database, earlier, `-${ago}`);
  await rule({ single_minor: 100 }, other);
  await rule({ currency: 'EUR', single_minor: 100 });
  await rule({ [limit]: 900_000 });
  const dry = async () => errorsOf((await ran([buildItem()], { dry_run: true })).id);
  expect(await dry()).toEqual(['completed']);
  // The books have it where its posting is.
  await shiftOrder(database, earlier, ago);
  expect(await dry()).toEqual(['limit_exceeded']);
});

it('has an item fail once, that is no payout', async () => {
  const items = [buildItem(), buildItem('101')];
  const [id, other] = [await batchOf(items), await batchOf(items)];
  await failItem(id, 0);
  await failItem(id, 0);
  expect(await get(id)).toMatchObject({ failed: 1 });
  expect(await errorsOf(other)).toEqual(['pending', 'pending']);
  await failItem(other, 0);
  await cancel(other);
  expect(await get(other)).toMatchObject({ failed: 2 });
  expect(await by('canceled_by', id)).toBeNull();
  await steps.run(id);
  await failItem(id, 1);
  expect(await get(id)).toMatchObject({ failed: 1 });
  expect((await itemsOf(id)).map(({ status }) => status)).toEqual(['failed', 'pending']);
});

it('tells in a dry run nothing of an item that has failed before', async () => {
  const items = [buildItem('100', { amount_minor: '20000000' }), buildItem('101')];
  const id = await batchOf(items, { dry_run: true });
  await failItem(id, 0);
  expect(await steps.run(id)).toMatchObject({ status: 'completed', completed: 1, failed: 1 });
});

it('keeps what was found first, and nothing of an item that has ended', async () => {
  const items = [buildItem(), buildItem('101')];
  const [id, other] = [await batchOf(items), await batchOf(items)];
  const record = (index: number, found: 'match' | 'close') =>
    recordPayoutBatchCheck(database.db, id, index, {
      found,
      name_found: 'Awa Diop',
      name_match: found,
      operator: null,
    });
  await failItem(id, 1);
  await record(0, 'close');
  await record(0, 'match');
  await record(1, 'match');
  const found = async (batch: string) => (await itemsOf(batch)).map((item) => item.found);
  expect([await found(id), await found(other)]).toEqual([
    ['close', null],
    [null, null],
  ]);
});

it('counts of each part what was found in it, and leaves other batches where they are', async () => {
  const other = await batchOf(many(1));
  const id = await batchOf(many(4));
  for (let index = 0; index < 4; index += 1) {
    const found = { found: 'match', name_found: null, name_match: null, operator: null } as const;
    await recordPayoutBatchCheck(database.db, id, index, found);
  }
  const matches = [];
  for (let part = 0; part < 2; part += 1) {
    await advance(await begin(id), 2);
    matches.push((await get(id)).checks.match);
  }
  expect(matches).toEqual([2, 4]);
  expect(await steps.run(id)).toMatchObject({ step: null });
  expect(await get(other)).toMatchObject({ step: 'check' });
});

it('has those wait for their first answer that were asked for at most once, and not long ago', async () => {
  await ran(many(2));
  const { id } = await ran(many(5));
  const [first = '', second = '', third = '', fourth = '', last = ''] = await payoutsOf(id);
  const counts = [await countInFlight(database.db, id)];
  const then = async (work: Promise<unknown>): Promise<void> => {
    await work;
    counts.push(await countInFlight(database.db, id));
  };
  const answered = (payout: string, status: 'sent' | 'failed') =>
    recordPayoutAnswer(database.db, payout, 1, { status, provider_payment_id: `po_${status}` });
  await cancelOne(last);
  for (const payout of [first, second, third]) await beginAskingPayout(database.db, payout);
  await then(beginAskingPayout(database.db, fourth));
  await then(payoutAskedLongAgo(database, first));
  await then(beginAskingPayout(database.db, second));
  await then(answered(third, 'sent'));
  await then(answered(fourth, 'failed'));
  expect(counts).toEqual([5, 4, 3, 2, 1, 0]);
});

it('is over when its last payout ends before its last step does', async () => {
  const { id } = await ran();
  const [payout = ''] = await payoutsOf(id);
  const { asks } = (await beginAskingPayout(database.db, payout))!;
  await database.owner('payout_batches').where({ id }).update({ step: 'send', next_index: 0 });
  const batch = await begin(id);
  const paid = { status: 'succeeded', provider_payment_id: `po_${payout}` };
  const over = await whileUncommitted(
    database,
    (session) =>
      session.query('select record_payout_answer($1, $2, $3)', [
        payout,
        asks,
        JSON.stringify(paid),
      ]),
    () => advance(batch, 1),
  );
  expect(over).toMatchObject({ status: 'completed', step: null });
});

describe('after a crash', () => {
  it('each step is done again, and no item is a second payout', async () => {
    const { id } = await ran(many(6));
    const first = await itemsOf(id);
    await database.owner('payout_batches').where({ id }).update({ step: 'send', next_index: 0 });
    expect(await steps.run(id)).toMatchObject({ step: null, failed: 0 });
    expect(await itemsOf(id)).toEqual(first);
    expect(new Set(steps.woken).size).toBe(6);
    expect(await left()).toBe(START - 60_000n);
  });

  it('a part that two have done counts once', async () => {
    const id = await batchOf(many(6), { confirm: false });
    const batch = await begin(id);
    await Promise.all([advance(batch, 2), advance(batch, 2)]);
    expect((await get(id)).next_index).toBe(2);
    await Promise.all([steps.run(id), createSteps(database.db).run(id)]);
    expect(await get(id)).toMatchObject({
      status: 'requires_confirmation',
      // The first two were not looked at.
      checks: { match: 4 },
    });
  });

  it('what stands still is found, the first of its account, and what waited too long', async () => {
    const ids = [await batchOf(), await batchOf()] as const;
    const { id: waits } = await ran([buildItem()], { confirm: false }, await merchantWith());
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
  const batch_id = await batchOf();
  await advance(await begin(batch_id), 1);
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
  expect([sent, await left()]).toEqual([first.id, START - 500_000n]);
});

it('has twenty payouts wait for their first answer, and no more', async () => {
  const id = await batchOf(many(30));
  expect(await steps.run(id)).toMatchObject({ step: 'send' });
  expect(steps.woken).toHaveLength(20);
  await steps.run(id);
  expect(steps.woken).toHaveLength(20);
  await answerAll(id);
  expect(await steps.run(id)).toMatchObject({ step: null, completed: 20 });
  await answerAll(id);
  expect(await get(id)).toMatchObject({ status: 'completed' });
});

it('counts destinations that do not exist, and past the limit tells of none', async () => {
  await database.owner.raw('update users set unknown_recipients_per_hour = 1 where id = ?', [
    merchant.id,
  ]);
  const items = [buildItem('001'), buildItem('001', { phone: '+221780000001' }), buildItem()];
  const found = [];
  for (const item of items) {
    const { id } = await ran([item], { confirm: false });
    found.push((await itemsOf(id))[0]!.found);
  }
  expect(found).toEqual(['unreachable', 'unavailable', 'unavailable']);
  expect(steps.asked).toHaveLength(1);
});

it('tells no name after five wrong ones for a destination', async () => {
  const names = ['Moussa', 'Sarr', 'Awa', 'Fatou', 'Binta', 'Moussa Diop'];
  const items = names.map((name) => buildItem('004', { name }));
  const { id } = await ran(items, { confirm: false });
  const found = (await itemsOf(id)).map((item) => item.found);
  // They are looked at together: one of them comes last.
  expect(found.filter((one) => one === 'unavailable')).toHaveLength(1);
});

describe('people', () => {
  const mixed = ['100', '005', '004', '001'].map((digits) => buildItem(digits));
  const waiting = async (items = mixed): Promise<string> => {
    const { id, ...rest } = await ran(items, { confirm: false });
    expect(rest).toMatchObject({ status: 'requires_confirmation', step: null });
    return id;
  };

  it('confirm once, even two at the same time, without what they exclude', async () => {
    const id = await waiting();
    const checks = { match: 1, close: 1, no_match: 1, unavailable: 0, unreachable: 1 };
    expect((await get(id)).checks).toEqual(checks);
    expect(await left()).toBe(START);
    const once = () => confirm(id, ['no_match', 'unreachable']);
    expect(await Promise.all([once(), once()])).toEqual(['done', 'done']);
    await steps.run(id);
    expect(await errorsOf(id)).toEqual(['pending', 'pending', 'excluded', 'excluded']);
    expect(await by('confirmed_by', id)).toEqual(BY);
    expect(await confirm(id, ['unreachable', 'no_match'])).toBe('done');
    for (const other of [[], ['no_match'], ['no_match', 'unreachable', 'close']] as const) {
      expect(await confirm(id, other)).toBe('payout_batch_not_confirmable');
    }
    expect(steps.woken).toHaveLength(2);
    await answerAll(id);
    expect(await get(id)).toMatchObject({ status: 'completed', completed: 2, failed: 2 });
  });

  it('end a batch by excluding all of it', async () => {
    const id = await waiting([buildItem('004')]);
    await confirm(id, ['no_match']);
    expect(await steps.run(id)).toMatchObject({ status: 'completed', step: null, failed: 1 });
  });

  it('do not confirm what is looked at, nor after a day, nor for a frozen account', async () => {
    const early = await batchOf(mixed, { confirm: false });
    const refused = 'payout_batch_not_confirmable';
    expect(await confirm(early)).toBe(refused);
    const late = await waiting();
    const held = await waiting();
    await letExpire(late);
    expect(await confirm(late)).toBe(refused);
    expect(await begin(late)).toMatchObject({ status: 'canceled', failed: 4 });
    await hold('account_frozen');
    expect(await confirm(held)).toBe('account_frozen');
    await hold(null);
  });

  it('approve the sum of a batch as others than who ordered it, before it is confirmed', async () => {
    const [creator, one, two] = await members('developer', 'developer', 'developer');
    // No item is above it; together they are.
    await rule({ approval_above_minor: 900_000, approvers: 2 });
    const { id, ...rest } = await ran(mixed, { confirm: false, ordered_by: creator });
    expect(rest).toMatchObject({ status: 'requires_approval', step: null });
    expect(await approve(id, creator)).toBe('approval_by_creator');
    expect(await approve(id, await member('viewer'))).toBe('forbidden');
    expect(await Promise.all([approve(id, one), approve(id, one)])).toEqual(['done', 'done']);
    expect(await get(id)).toMatchObject({ status: 'requires_approval' });
    expect(await approve(id, two)).toBe('done');
    const { json, status } = await get(id);
    expect(status).toBe('requires_confirmation');
    expect(JSON.parse(json)).toMatchObject({ approval: { needed: 2, given: [{}, {}] } });
    expect(await approve(id, two)).toBe('done');
    await confirm(id);
    await steps.run(id);
    // No payout waits for an approval of its own.
    expect(await errorsOf(id)).toEqual(mixed.map(() => 'pending'));
  });

  it('approve as long as they may: what a former member has approved does not count', async () => {
    const [former, one, two] = await members('developer', 'developer', 'developer');
    await rule({ approval_above_minor: 0, approvers: 2 });
    const { id, json } = await ran([buildItem()], { confirm: false });
    const { expires_at } = JSON.parse(json) as { expires_at: string };
    // Nor does one of another batch.
    await approve((await ran()).id, one);
    const leave = (login_id: string) => database.owner('memberships').where({ login_id }).delete();
    await approve(id, former);
    await leave(former);
    await approve(id, one);
    const waiting = await get(id);
    expect(waiting.status).toBe('requires_approval');
    expect(JSON.parse(waiting.json)).toMatchObject({ expires_at });
    await approve(id, two);
    expect((await get(id)).status).toBe('requires_confirmation');
    // One who leaves before it is sent is missed.
    await leave(two);
    await confirm(id);
    expect((await get(id)).status).toBe('requires_approval');
  });

  it.each([
    ['approval_above_minor', '101'],
    ['new_destination_above_minor', '100'],
  ])('approve a batch by its %s without what has failed', async (name, digits) => {
    await rule({ [name]: 900_000 });
    await rule({ currency: 'EUR', approval_above_minor: 0 });
    const status = async (failing: boolean): Promise<string> => {
      const items = [buildItem('100'), buildItem(digits)];
      const id = await batchOf(items, { confirm: false });
      if (failing) await failItem(id, 1);
      return (await steps.run(id)).status;
    };
    expect(await status(true)).toBe('requires_confirmation');
    expect(await status(false)).toBe('requires_approval');
  });

  it('approve a batch at the same time as one another, and it goes on once', async () => {
    const owners = await members('owner', 'owner');
    await rule({ approval_above_minor: 0, approvers: 2 });
    const { id } = await ran();
    const both = await allBehindLock(
      database,
      (session) => session.query('select lock_payout_batch($1)', [id]),
      owners.map((login) => () => approve(id, login)),
    );
    expect(both).toEqual(['done', 'done']);
    expect(await get(id)).toMatchObject({ step: 'send', next_index: 0 });
    await steps.run(id);
    expect(steps.woken).toHaveLength(1);
  });

  it('approve a batch with a new destination, and no known one', async () => {
    await rule({ new_destination_above_minor: 400_000 });
    await say(await ordered({ phone: '+221770000100', amount_minor: '100000' }), 'succeeded');
    const run = (...digits: string[]): Promise<PayoutBatchRow> =>
      ran(digits.map((one) => buildItem(one)));
    expect((await run('100')).status).toBe('processing');
    expect((await run('100', '101')).status).toBe('requires_approval');
  });

  it('of live money are the owners: a developer approves none', async () => {
    await rule({ approval_above_minor: 0 });
    const [developer, owner] = await members('developer', 'owner');
    const { id, status } = await ran([buildItem()], { environment: 'live' });
    expect(status).toBe('requires_approval');
    expect(await approve(id, developer)).toBe('forbidden');
    expect(await approve(id, owner)).toBe('done');
  });

  const bank = {
    destination_type: 'bank',
    phone: null,
    operator: null,
    account: 'SN0812345678',
    holder: 'Awa Diop',
  } as const;

  it('approve no new destination for what goes there in another currency', async () => {
    await rule({ new_destination_above_minor: 900_000 });
    const items = [buildItem('100', bank), buildItem('100', { ...bank, currency: 'EUR' })];
    await ran(items.slice(1), { confirm: false });
    const { id, status } = await ran(items);
    expect(status).toBe('processing');
    expect(await errorsOf(id)).toEqual(['pending', 'pending']);
  });

  it('approve none because of what a batch has sent there, counted twice', async () => {
    await rule({ new_destination_above_minor: 900_000 });
    await ran();
    const { status } = await getPayout(database.db, await ordered({ amount_minor: '300000' }));
    expect(status).toBe('pending');
  });

  it.each([
    ['phone', {}],
    ['bank account', bank],
  ])('approve what goes to a new %s by several orders', async (_, place) => {
    await rule({ new_destination_above_minor: 900_000 });
    const undo: (() => Promise<unknown>)[] = [];
    const items = [buildItem('100', place)];
    const batch = async (): Promise<string> => {
      const { id, status } = await ran(items, { confirm: false });
      undo.push(() => cancel(id));
      return status;
    };
    const single = async (): Promise<string> => {
      const id = await ordered(place);
      undo.push(() => cancelOne(id));
      return (await getPayout(database.db, id)).status;
    };
    const cancelAll = async (): Promise<void> => {
      for (const one of undo.splice(0)) await one();
    };
    const [waits, passes, sent] = ['requires_approval', 'requires_confirmation', 'pending'];
    expect([await batch(), await batch(), await single()]).toEqual([passes, waits, waits]);
    await cancelAll();
    expect([await single(), await batch()]).toEqual([sent, waits]);
    await cancelAll();
    // A payout to another destination does not count, nor a batch that was not looked at, nor one of live.
    await ordered({ phone: '+221770000101' });
    await batchOf(items);
    const elsewhere = [
      buildItem('101'),
      buildItem('100', { ...bank, account: 'SN0812345679' }),
      buildItem('100', { ...bank, bank_code: 'SN09' }),
    ];
    await ran(elsewhere, { confirm: false });
    await ran(items, { environment: 'live', confirm: false });
    expect(await batch()).toBe(passes);
  });

  const locking = (currency: string) => (session: Client) =>
    session.query(`select lock_payout_limits($1, 'sandbox', $2)`, [merchant.id, currency]);

  it('need not wait for orders of another currency', async () => {
    await batchOf([buildItem('100', { ...bank, currency: 'EUR' })]);
    const id = await batchOf();
    const { status } = await pastLock(database, locking('EUR'), () => steps.run(id));
    expect(status).toBe('processing');
  });

  it.each<[string, number, Partial<NewPayoutBatch>, object]>([
    ['that is looked at in part', 2, {}, { step: 'check', next_index: 1 }],
    ['that is dry', 1, { dry_run: true }, { status: 'completed' }],
    ['of which each item is a payout', 1, {}, { step: null, status: 'processing' }],
  ])('need not wait for an order with a batch %s', async (what, count, fields, wanted) => {
    const id = await batchOf(many(count), fields);
    if (what.endsWith('payout')) {
      await steps.run(id);
      await database.owner('payout_batches').where({ id }).update({ step: 'send', next_index: 0 });
    }
    const batch = await begin(id);
    const advanced = await pastLock(database, locking('XOF'), () => advance(batch, 1));
    expect(advanced).toMatchObject(wanted);
  });

  it.each(['batch', 'payout'])(
    'approve one of a batch and a %s that go to a new destination at once',
    async (other) => {
      await rule({ new_destination_above_minor: 900_000 });
      const batch = async (): Promise<() => Promise<string>> => {
        const id = await batchOf([buildItem()], { confirm: false });
        return async () => (await steps.run(id)).status;
      };
      const order = async (): Promise<string> =>
        (await getPayout(database.db, await ordered())).status;
      const works = [await batch(), other === 'batch' ? await batch() : order];
      const both = await allBehindLock(database, locking('XOF'), works);
      expect(both.filter((status) => status === 'requires_approval')).toHaveLength(1);
    },
  );

  it('reject, and do not approve what is over', async () => {
    const other = await member('developer');
    await rule({ approval_above_minor: 0 });
    const [{ id }, { id: late }] = [await ran(mixed), await ran(mixed)];
    const reject = () => rejectPayoutBatch(database.db, id, other, 'twice');
    expect([await reject(), await reject()]).toEqual(['done', 'done']);
    expect((await get(late)).reject_reason).toBeNull();
    await letExpire(late);
    for (const one of [id, late]) {
      expect(await approve(one, other)).toBe('payout_batch_not_approvable');
    }
    expect(await get(id)).toMatchObject({
      status: 'canceled',
      reject_reason: 'twice',
      json: expect.stringContaining('"reject_reason":"twice"'),
      failed: 4,
      finished_at: expect.any(String),
    });
    expect(await confirm(id)).toBe('payout_batch_not_confirmable');
  });

  it('cancel while it is sent: what is a payout goes on, and nothing else becomes one', async () => {
    const id = await batchOf(many(40));
    const [, canceled] = await Promise.all([
      steps.run(id),
      (async () => {
        while ((await itemsOf(id)).every((item) => item.payout_id === null));
        return cancel(id);
      })(),
    ]);
    expect(canceled).toBe('done');
    expect(await by('canceled_by', id)).toEqual(BY);
    const items = await itemsOf(id);
    const ordered = items.filter((item) => item.payout_id !== null);
    await steps.run(id);
    expect(await itemsOf(id)).toEqual(items);
    expect(await left()).toBe(START - BigInt(ordered.length) * 10_000n);
    expect(await cancel(id)).toBe('done');
    await answerAll(id);
    expect(await get(id)).toMatchObject({
      status: 'canceled',
      completed: ordered.length,
      failed: 40 - ordered.length,
      finished_at: expect.any(String),
    });
  });

  it('do not cancel a batch of which each item is a payout', async () => {
    const { id } = await ran(mixed);
    expect(await cancel(id)).toBe('payout_batch_not_cancelable');
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
    const { id } = await ran([buildItem(), buildItem('101')]);
    await database.owner.raw(damage, [id]);
    const found = (await verifyLedger(database.db)).map((one) => one.what);
    await database.owner.raw(repair, [id]);
    expect(found).toContainEqual(expect.stringContaining(what));
  });
});

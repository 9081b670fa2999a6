// Deliveries that are sent again, one by one and by range.

import { randomUUID } from 'node:crypto';
import { recordAttempts, type AttemptRecord } from '../../db/webhooks/webhook-attempts';
import { resendDeliveries } from '../../db/webhooks/webhook-deliveries';
import {
  beginDeliveryRun,
  claimDeliveries,
  endDeliveryRun,
} from '../../db/webhooks/webhook-delivery-runs';
import { beginResend, continueResend } from '../../db/webhooks/webhook-resends';
import { createTestDatabase, setUp, whileUncommitted } from '../support/database';
import { buildUser } from '../support/users';
import {
  beginTestResend,
  buildResend,
  buildEndpointWithDeliveries,
  buildAttempt,
  buildHealth,
  REFUSED,
  type TestEndpoint,
} from '../support/webhooks';
import { attemptsOf, deliveriesTo } from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function addDeliveries(count: number): Promise<TestEndpoint> {
  return buildEndpointWithDeliveries(database, merchant.id, count);
}

describe('a delivery that is sent again while an attempt is under way', () => {
  it.each([
    ['succeeds, is not sent twice', {}, { status: 'delivered', is_resend: false }],
    ['fails, is sent after it at once', REFUSED, { status: 'pending', is_resend: true }],
  ] as const)('that %s, and the attempt counts', async (_, outcome, left) => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    const token = randomUUID();
    expect(await beginDeliveryRun(db, endpoint.id, token, 60_000)).toBe('begun');
    const claim = async (claimed: readonly string[]) =>
      (await claimDeliveries(db, endpoint.id, token, 10, claimed))!.deliveries.map((one) => one.id);
    expect(await claim([])).toEqual([id]);
    expect(await resendDeliveries(db, [id])).toBe(1);
    expect(await claim([id])).toEqual([]);
    await recordAttempts(db, endpoint.id, [buildAttempt(id, outcome)], buildHealth());
    expect(await claim([])).toEqual(left.status === 'pending' ? [id] : []);
    expect(await deliveriesTo({ database }, endpoint)).toMatchObject([{ ...left, attempts: 1 }]);
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
    await endDeliveryRun(db, endpoint.id, token);
  });
});

it('a delivery that is sent again after its schedule is no resend any more once it was tried', async () => {
  const endpoint = await addDeliveries(1);
  const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
  const record = (fields: Partial<AttemptRecord>) =>
    recordAttempts(database.db, endpoint.id, [buildAttempt(id, fields)], buildHealth());
  await record({ ...REFUSED, retry_ms: null });
  expect(await deliveriesTo({ database }, endpoint)).toMatchObject([
    { status: 'exhausted', attempts: 1, tries: 1, is_resend: false },
  ]);
  await resendDeliveries(database.db, [id]);
  await record({ ...REFUSED, number: 2, trigger: 'resend' });
  expect(await deliveriesTo({ database }, endpoint)).toMatchObject([
    { status: 'pending', attempts: 2, tries: 1, is_resend: false },
  ]);
  const triggers = (await attemptsOf({ database }, id)).map(({ trigger }) => trigger);
  expect(triggers).toEqual(['automatic', 'resend']);
});

it('a range that is sent again is the only one of its endpoint until it is done', async () => {
  const [endpoint, other] = [await addDeliveries(1), await addDeliveries(1)];
  const at_once = await whileUncommitted(
    database,
    (session) => session.query('select begin_resend($1)', [buildResend(endpoint, ['pending'])]),
    () => beginResend(database.db, buildResend(endpoint, ['pending'])),
  );
  expect(at_once).toBeNull();
  expect(await beginResend(database.db, buildResend(other, ['pending']))).not.toBeNull();
  while (await continueResend(database.db, 100));
  expect(await beginResend(database.db, buildResend(endpoint, ['pending']))).not.toBeNull();
});

describe('a range that is sent again in pages', () => {
  const PAGE = 7;

  async function stateOf(id: string): Promise<unknown> {
    const { rows } = (await database.owner.raw(
      'select status, queued from webhook_resends where id = ?',
      [id],
    )) as { rows: unknown[] };
    return rows[0];
  }

  it('queues each delivery once, however many workers queue its pages', async () => {
    const endpoint = await addDeliveries(30);
    const rows = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    const attempts = rows.slice(0, 25).map(({ id }) => buildAttempt(id));
    await recordAttempts(db, endpoint.id, attempts, null);
    const id = await beginTestResend(db, endpoint, ['delivered']);
    let pages = 0;
    let are_left = true;
    while (are_left) {
      const turns = await Promise.all([continueResend(db, PAGE), continueResend(db, PAGE)]);
      pages += turns.filter(Boolean).length;
      are_left = turns.some(Boolean);
      expect(pages).toBeLessThan(20);
    }
    expect(await stateOf(id)).toEqual({ status: 'completed', queued: 25 });
    const after = await deliveriesTo({ database }, endpoint);
    expect(after.map(({ is_resend }) => is_resend)).toEqual(rows.map((_, at) => at < 25));
  });

  it('takes turns with other accounts, however many ranges one has', async () => {
    const other = await buildUser(database.db);
    const begin = async (user_id: string): Promise<string> => {
      const endpoint = await buildEndpointWithDeliveries(database, user_id, 2 * PAGE);
      return beginTestResend(database.db, endpoint, ['pending']);
    };
    const many = [await begin(merchant.id), await begin(merchant.id), await begin(merchant.id)];
    await continueResend(database.db, PAGE);
    const theirs = await begin(other.id);
    // Their first page comes at once, and one of each two from then on.
    await continueResend(database.db, PAGE);
    expect(await stateOf(theirs)).toEqual({ status: 'running', queued: PAGE });
    await continueResend(database.db, PAGE);
    await continueResend(database.db, PAGE);
    expect(await stateOf(theirs)).toEqual({ status: 'running', queued: 2 * PAGE });
    while (await continueResend(database.db, PAGE));
    for (const id of [...many, theirs]) {
      expect(await stateOf(id)).toEqual({ status: 'completed', queued: 2 * PAGE });
    }
  });

  it('is left to the worker that is at it', async () => {
    const endpoint = await addDeliveries(1);
    const id = await beginTestResend(database.db, endpoint, ['pending']);
    const holder = await database.owner.transaction();
    await holder.raw('select from webhook_resends where id = ? for update', [id]);
    expect(await continueResend(database.db, PAGE)).toBe(false);
    await holder.rollback();
    expect(await continueResend(database.db, PAGE)).toBe(true);
  });
});

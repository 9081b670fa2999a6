// The figures for metrics that the database has: what they count, and that one process reads them for all.

import { readGauges, type GaugeReading } from '../../db/health/gauges';
import { connectAgain, createTestDatabase, type TestDatabase } from '../support/database';
import { buildReconciliation } from '../dashboard/operators';
import { contradictedPayout, orderedPayout, payoutInDoubt } from '../support/payouts';
import { orderHeld, removeRules, setRule } from '../support/risk';
import { buildUser } from '../support/users';
import { addEvents, createTestEndpoint } from '../support/webhooks';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

async function read(max_age_ms = 0): Promise<readonly GaugeReading[]> {
  return (await readGauges(database.db, max_age_ms))!.readings;
}

async function valueOf(gauge: string, labels: Partial<GaugeReading> = {}): Promise<number> {
  const found = (await read()).filter(
    (reading) =>
      reading.gauge === gauge &&
      Object.entries(labels).every(([key, value]) => reading[key as 'status'] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

describe('the gauges', () => {
  it('are all there when nothing has happened yet, and 0', async () => {
    const readings = await read();
    expect(readings.length).toBeGreaterThan(15);
    expect(readings.filter(({ value }) => value !== 0)).toEqual([]);
  });

  it('tell deliveries that are pending from those that nobody is at', async () => {
    const user = await buildUser(database.db);
    const url = 'http://127.0.0.1:9/';
    const endpoint = await createTestEndpoint(database, { user_id: user.id, url });
    await addEvents(database, [endpoint], 5);
    expect(await valueOf('webhook_deliveries_pending')).toBe(5);
    expect(await valueOf('webhook_endpoints_overdue')).toBe(0);
    await database.owner.raw(
      `update webhook_deliveries set created_at = created_at - interval '1 hour',
              next_attempt_at = now() - interval '1 minute' where endpoint_id = ?`,
      [endpoint.id],
    );
    expect(await valueOf('webhook_oldest_pending_seconds')).toBeGreaterThanOrEqual(3_600);
    expect(await valueOf('webhook_endpoints_overdue')).toBe(1);
    // A worker is at it, however slow the receiver.
    await database.owner.raw(
      `insert into webhook_leases values (?, gen_random_uuid(), now() + interval '1 minute')`,
      [endpoint.id],
    );
    expect(await valueOf('webhook_endpoints_overdue')).toBe(0);
    await database.owner.raw('delete from webhook_leases');
    // Nothing is sent to it for a while, because it fails.
    await database.owner.raw(
      `update webhook_endpoints set paused_until = now() + interval '1 minute'`,
    );
    expect(await valueOf('webhook_endpoints_overdue')).toBe(0);
  });

  it('tell payouts by their stage, and those that an operator has to look at', async () => {
    const merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
    await orderedPayout(database.db, merchant);
    await payoutInDoubt(database, merchant, { since: '23 hours' });
    await payoutInDoubt(database, merchant, { since: '25 hours' });
    await contradictedPayout(database, merchant);
    const readings = (await read()).filter(({ value }) => value !== 0);
    const of = readings.filter(({ gauge }) => gauge.startsWith('payouts_'));
    expect(of).toEqual([
      { gauge: 'payouts_unfinished', environment: 'sandbox', status: 'queued', value: 1 },
      { gauge: 'payouts_unfinished', environment: 'sandbox', status: 'unknown', value: 2 },
      { gauge: 'payouts_in_doubt', environment: 'sandbox', value: 1 },
      { gauge: 'payouts_contradicted', environment: 'sandbox', value: 1 },
    ]);
  });

  it('tell what is held, and for how long', async () => {
    const merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
    await setRule(database.operator);
    await orderHeld(database, merchant);
    await removeRules(database.owner);
    expect(await valueOf('risk_cases_held', { environment: 'sandbox' })).toBe(1);
    await database.owner.raw(`update risk_cases set created_at = now() - interval '50 hours'`);
    const age = await valueOf('risk_oldest_hold_seconds', { environment: 'sandbox' });
    expect(age).toBeGreaterThanOrEqual(50 * 3_600);
    expect(await valueOf('risk_oldest_hold_seconds', { environment: 'live' })).toBe(0);
  });

  it('tell what the last reconciliation has found, and what it could not compare', async () => {
    await buildReconciliation(database);
    expect(await valueOf('reconciliation_findings', { check: 'gateway_sandbox' })).toBe(1);
    expect(await valueOf('reconciliation_findings')).toBe(1);
    expect(await valueOf('reconciliation_not_checked')).toBe(1);
    expect(await valueOf('reconciliation_not_checked', { check: 'gateway_live' })).toBe(1);
    await database.owner.raw(
      `update reconciliation_checks set checked_to = now() - interval '3 days' where name = 'books'`,
    );
    const age = await valueOf('reconciliation_age_seconds', { check: 'books' });
    expect(age).toBeGreaterThanOrEqual(3 * 86_400);
  });

  it('see each of many endpoints, and the oldest delivery of all of them', async () => {
    const user = await buildUser(database.db);
    const endpoints = [];
    for (let n = 0; n < 7; n += 1) {
      const url = `http://127.0.0.1:9/${n}`;
      endpoints.push(await createTestEndpoint(database, { user_id: user.id, url }));
    }
    await addEvents(database, endpoints, 2);
    await database.owner.raw(
      `update webhook_deliveries set next_attempt_at = now() - interval '1 minute'`,
    );
    expect(await valueOf('webhook_endpoints_overdue')).toBe(7);
    const last = [...endpoints].sort((one, other) => (one.id < other.id ? -1 : 1)).at(-1)!;
    await database.owner.raw(
      `update webhook_deliveries set created_at = created_at - interval '2 hours' where endpoint_id = ?`,
      [last.id],
    );
    expect(await valueOf('webhook_oldest_pending_seconds')).toBeGreaterThanOrEqual(7_200);
  });

  it('are taken by one process for all, and not again before their time', async () => {
    const other = connectAgain(database);
    const first = await read();
    const takenAt = async (): Promise<string> =>
      (await database.owner.raw('select taken_at from gauge_readings')).rows[0].taken_at;
    const taken_at = await takenAt();
    const kept = await readGauges(other, 60_000);
    expect(kept!.readings).toEqual(first);
    expect(kept!.age_seconds).toBeGreaterThan(0);
    expect(await takenAt()).toBe(taken_at);
    await other.destroy();
  });

  it('do not keep a second process waiting while the first takes them', async () => {
    await read();
    const transaction = await database.owner.transaction();
    await transaction.raw('select from gauge_readings for update');
    // Would wait for the other's lock, if it took any.
    expect((await readGauges(database.db, 0))!.readings.length).toBeGreaterThan(15);
    await transaction.rollback();
  });
});

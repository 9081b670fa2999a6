// The clock of a sandbox in the database: what waits comes nearer, by exactly what the clock was moved, and nothing of
// another account or of live changes by a byte.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { advanceSandboxClock, isSandboxSettled, listSandboxWaiting } from '../../db/sandbox/clock';
import { beginAskingPayout } from '../../db/payouts/payouts';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { begin } from '../support/payment-attempts';
import { orderedPayout } from '../support/payouts';
import { insist } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import {
  addEvents,
  buildAttempt,
  buildHealth,
  createTestEndpoint,
  REFUSED,
} from '../support/webhooks';
import { buildNewIntent, expireAtOnce } from '../workflows/intents';
import { createIntent } from '../../db/payment-intents/intents';

const DAY = 86_400;

const database = setUp(createTestDatabase);

const openAccount = (): Promise<TestUser> =>
  buildUser(database.db, {
    funds: { live: { XOF: 10_000_000_000n }, sandbox: { XOF: 10_000_000_000n } },
  });

const advance = (user: TestUser, seconds: number) =>
  advanceSandboxClock(database.db, user.id, { seconds, provider_due: undefined });

/** One that is open, as the workflow would have it. */
async function openIntent(
  user: TestUser,
  expires_in_seconds: number,
  environment: 'live' | 'sandbox' = 'sandbox',
): Promise<string> {
  const intent = buildNewIntent(user, 'sandbox', { expires_in_seconds, environment });
  // It waits half a second for a clock that is being moved.
  const { id } = await insist(() => createIntent(database.db, intent));
  await database.owner.raw(
    `update payment_intents set status = 'open', checkout_url = 'https://pay.example' where id = ?`,
    [id],
  );
  return id;
}

const rowsOf = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  ((await database.owner.raw(text, values as never[])) as { rows: Row[] }).rows;

const TABLES = [
  'payment_intents',
  'payment_attempts',
  'payouts',
  'payout_batches',
  'refunds',
  'webhook_endpoints',
  'webhook_deliveries',
] as const;

/** The bytes of all rows but those of one account's sandbox. */
const otherRows = async (user: TestUser): Promise<unknown[]> =>
  rowsOf(
    TABLES.map(
      (table) =>
        `select '${table}' as name, count(*)::integer as rows, md5(string_agg(t::text, '' order by t.id)) as bytes
           from ${table} t where (t.user_id, t.environment) <> ('${user.id}'::uuid, 'sandbox')`,
    ).join(' union all ') +
      ` union all select 'sandboxes', count(*)::integer, md5(string_agg(s::text, '' order by s.user_id))
          from sandboxes s where s.user_id <> '${user.id}'`,
  );

async function fill(user: TestUser, environment: 'live' | 'sandbox'): Promise<void> {
  const id = await openIntent(user, DAY, environment);
  const link = { ...buildNewIntent(user, 'sandbox', { environment }), id };
  expect(await begin(database.db, link)).toMatchObject({ outcome: 'begun' });
  await orderedPayout(database.db, user, { environment });
  const endpoint = await createTestEndpoint(database, {
    user_id: user.id,
    url: 'https://shop.example/hooks',
    environment,
  });
  await addEvents(database, [endpoint]);
}

it('leaves every byte of live rows and of other accounts, and moves all kinds of its own', async () => {
  const [own, other] = [await openAccount(), await openAccount()];
  for (const user of [own, other]) {
    await fill(user, 'live');
    await fill(user, 'sandbox');
  }
  await advance(other, 5 * DAY);
  const before = await otherRows(own);
  const moved = await advance(own, DAY - 60);
  expect(moved).toMatchObject({ outcome: 'done', payment_intents: 1, webhook_deliveries: 1 });
  expect(moved.payouts).toHaveLength(1);
  expect(moved.payment_attempts).toHaveLength(1);
  expect(await otherRows(own)).toEqual(before);
  expect(before.map((row) => (row as { rows: number }).rows)).toEqual([3, 3, 3, 0, 0, 3, 3, 1]);
});

interface Kept {
  readonly status: string;
  readonly clock: number;
  /** How long after its creation it is due in real time. */
  readonly real_s: number;
}

const keptOf = (user: TestUser): Promise<Kept[]> =>
  rowsOf<Kept>(
    `select status, coalesce(clock_seconds, 0) as clock,
            round(extract(epoch from expires_at - created_at))::integer as real_s
       from payment_intents where user_id = ? and environment = 'sandbox'
     union all
     select status, coalesce(clock_seconds, 0),
            round(extract(epoch from expires_at - created_at))::integer
       from payouts where user_id = ? and environment = 'sandbox' order by 3, 2`,
    [user.id, user.id],
  );

it('moves what waits by what the clock was moved since it was made: never early, never lost', async () => {
  const command = fc.record({
    account: fc.constantFrom(0, 1),
    action: fc.oneof(
      fc.record({
        kind: fc.constant('intent' as const),
        ttl: fc.integer({ min: 60, max: 30 * DAY }),
      }),
      fc.record({
        kind: fc.constant('payout' as const),
        ttl: fc.integer({ min: 60, max: 7 * DAY }),
      }),
      fc.record({
        kind: fc.constant('advance' as const),
        ttl: fc.integer({ min: 1, max: 9 * DAY }),
      }),
      fc.record({ kind: fc.constant('next' as const), ttl: fc.constant(0) }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async (commands) => {
      const users = [await openAccount(), await openAccount()];
      const clocks = [0, 0];
      const made: { ttl: number; at: number; id: string }[][] = [[], []];
      for (const { account, action } of commands) {
        const user = users[account]!;
        const at = clocks[account]!;
        if (action.kind === 'intent') {
          made[account]!.push({ ttl: action.ttl, at, id: await openIntent(user, action.ttl) });
        } else if (action.kind === 'payout') {
          const id = await orderedPayout(database.db, user, { queue_seconds: action.ttl });
          made[account]!.push({ ttl: action.ttl, at, id });
        } else if (action.kind === 'advance') {
          if (at + action.ttl > 400 * DAY) continue;
          await advance(user, action.ttl);
          clocks[account] = at + action.ttl;
        } else {
          const [first] = await listSandboxWaiting(database.db, user.id, 1);
          const { clock_seconds } = await advanceSandboxClock(database.db, user.id, {
            provider_due: undefined,
          });
          clocks[account] = clock_seconds;
          const [now] = await rowsOf<{ ms: string }>(
            'select extract(epoch from clock_timestamp()) * 1000 as ms',
          );
          // The first is due now, and was not a second before.
          const [after] = await listSandboxWaiting(database.db, user.id, 1);
          if (first) {
            expect(after!.id).toBe(first.id);
            expect(Date.parse(after!.due_at)).toBeLessThanOrEqual(Number(now!.ms));
          } else expect(clock_seconds).toBe(at);
        }
      }
      for (const [index, user] of users.entries()) {
        const clock = clocks[index]!;
        const expected = made[index]!.map(({ ttl, at }) => ({
          clock,
          real_s: ttl - (clock - at),
        })).sort((one, two) => one.real_s - two.real_s || one.clock - two.clock);
        const kept = (await keptOf(user)).map(({ clock: of, real_s }) => ({ clock: of, real_s }));
        expect(kept).toEqual(expected);
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);

it('misses nothing that is made at the moment of a move, and loses no move', async () => {
  const user = await openAccount();
  const work: Promise<unknown>[] = [];
  for (let round = 0; round < 40; round += 1) {
    work.push(openIntent(user, 30 * DAY));
    if (round % 4 === 0) work.push(advance(user, 100));
    if (round % 5 !== 0) continue;
    work.push(insist(() => orderedPayout(database.db, user, { queue_seconds: 7 * DAY })));
  }
  await Promise.all(work);
  const kept = await keptOf(user);
  expect(kept).toHaveLength(48);
  // The result is the clock at the creation, whenever that was.
  for (const { clock, real_s } of kept) {
    expect(clock).toBe(1_000);
    const shown = real_s + clock - (real_s + clock > 8 * DAY ? 30 * DAY : 7 * DAY);
    expect(shown % 100).toBe(0);
    expect(shown).toBeGreaterThanOrEqual(0);
    expect(shown).toBeLessThanOrEqual(1_000);
  }
});

it('waits for an order under way, and an order waits for it', async () => {
  const user = await openAccount();
  const session = await openSession(database.owner_url);
  await session.query('begin');
  await session.query(`select hold_sandbox_clock($1, 'sandbox')`, [user.id]);
  const moving = advance(user, 100);
  await untilLocked(database, 'advance_sandbox_clock');
  await session.query('commit');
  await moving;

  await session.query('begin');
  await session.query('select advance_sandbox_clock($1, 100, null, null)', [user.id]);
  const making = openIntent(user, DAY);
  await untilLocked(database, 'create_intent');
  // Live orders hold for no clock.
  await openIntent(user, DAY, 'live');
  await session.query('commit');
  await making;
  expect(await keptOf(user)).toEqual([expect.objectContaining({ clock: 200, real_s: DAY })]);
});

// The application's statements end after three seconds.
it('moves thousands of links and deliveries in one statement', async () => {
  const user = await openAccount();
  const id = await openIntent(user, DAY);
  await database.owner.raw(
    `insert into payment_intents
     select (x.row).*
       from payment_intents p, generate_series(1, 1999) n, lateral (
         select jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'short_code', 'many' || n,
                  'reference', 'many' || n, 'created_at', p.created_at + n * interval '1 microsecond')) as row
         offset 0) x
      where p.id = ?`,
    [id],
  );
  const url = 'https://shop.example/hooks';
  const endpoint = await createTestEndpoint(database, { user_id: user.id, url });
  for (let added = 0; added < 2_000; added += 250) {
    await addEvents(database, [endpoint], 250);
  }
  expect(await advance(user, DAY)).toMatchObject({
    payment_intents: 2_000,
    webhook_deliveries: 2_000,
  });
});

it('keeps what has ended as it was', async () => {
  const user = await openAccount();
  const id = await orderedPayout(database.db, user, { queue_seconds: 60 });
  await advance(user, 60);
  expect(await beginAskingPayout(database.db, id)).toBeUndefined();
  const ended = await keptOf(user);
  expect(ended).toEqual([{ status: 'canceled', clock: 60, real_s: 0 }]);
  await advance(user, DAY);
  expect(await keptOf(user)).toEqual(ended);
});

it('has the event of a link sent as of the end of the link, and moves no other delivery', async () => {
  const user = await openAccount();
  const { id: endpoint } = await createTestEndpoint(database, {
    user_id: user.id,
    url: 'https://shop.example/hooks',
  });
  await advance(user, 60);
  const [early, late] = [await openIntent(user, 600), await openIntent(user, 1_200)];
  const due = () =>
    rowsOf<{ intent_id: string; is_at_its_end: boolean; is_moved: boolean }>(
      `select e.intent_id, d.next_attempt_at = p.expires_at as is_at_its_end,
              d.next_attempt_at < '2040-01-01Z' as is_moved
         from webhook_deliveries d join events e on e.id = d.event_id
         join payment_intents p on p.id = e.intent_id
        where d.endpoint_id = ? order by e.sequence`,
      [endpoint],
    );
  await advance(user, 600);
  expect(await expireAtOnce(database.db, early)).toBe(true);
  expect(await due()).toEqual([{ intent_id: early, is_at_its_end: true, is_moved: true }]);
  await advance(user, 600);
  await database.owner.raw(
    `update webhook_deliveries set next_attempt_at = '2040-01-01Z' where endpoint_id = ?`,
    [endpoint],
  );
  expect(await expireAtOnce(database.db, late)).toBe(true);
  expect((await due()).map(({ is_moved }) => is_moved)).toEqual([false, true]);
});

describe('attempts of webhooks', () => {
  const URL = 'https://shop.example/hooks';

  async function buildDelivery(): Promise<{ user: TestUser; endpoint: string; delivery: string }> {
    const user = await openAccount();
    const { id: endpoint } = await createTestEndpoint(database, { user_id: user.id, url: URL });
    await addEvents(database, [
      { id: endpoint, user_id: user.id, environment: 'sandbox', secret: '' },
    ]);
    const [row] = await rowsOf<{ id: string }>(
      'select id from webhook_deliveries where endpoint_id = ?',
      [endpoint],
    );
    return { user, endpoint, delivery: row!.id };
  }

  const fail = (
    { endpoint, delivery }: { endpoint: string; delivery: string },
    number: number,
    health = {},
    retry_ms: number | null = 3_600_000,
  ) =>
    recordAttempts(
      database.db,
      endpoint,
      [buildAttempt(delivery, { ...REFUSED, number, url: URL, retry_ms })],
      buildHealth({ pause_ms: 60_000, ...health }),
    );

  /** Counted from the first attempt. */
  const stateOf = async ({ endpoint, delivery }: { endpoint: string; delivery: string }) =>
    (
      await rowsOf<{ in_s: number; is_paused: boolean; status: string }>(
        `select round(extract(epoch from d.next_attempt_at - a.recorded_at))::integer as in_s,
                w.paused_until is not null as is_paused, w.status
           from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
           join webhook_attempts a on a.delivery_id = d.id and a.number = 1
          where d.id = ? and w.id = ?`,
        [delivery, endpoint],
      )
    )[0]!;

  it('count the wait from when they were due, without a pause, once the clock was moved', async () => {
    const row = await buildDelivery();
    await fail(row, 1);
    expect(await stateOf(row)).toEqual({ in_s: 3_600, is_paused: true, status: 'enabled' });
    await advance(row.user, 2 * 3_600);
    expect((await stateOf(row)).in_s).toBe(-3_600);
    await fail(row, 2);
    expect(await stateOf(row)).toEqual({ in_s: 0, is_paused: false, status: 'enabled' });
    await fail(row, 3);
    expect(await stateOf(row)).toEqual({ in_s: 3_600, is_paused: true, status: 'enabled' });
  });

  it('of what comes during a pause are due after it, and nothing is to do before', async () => {
    const row = await buildDelivery();
    await fail(row, 1, { pause_ms: 3_600_000 }, 2 * 3_600_000);
    await addEvents(database, [
      { id: row.endpoint, user_id: row.user.id, environment: 'sandbox', secret: '' },
    ]);
    expect(await isSandboxSettled(database.db, row.user.id)).toBe(true);
    const moved = await advanceSandboxClock(database.db, row.user.id, { provider_due: undefined });
    expect(moved.clock_seconds).toBeGreaterThan(3_500);
    expect(moved.clock_seconds).toBeLessThanOrEqual(3_600);
    expect(await isSandboxSettled(database.db, row.user.id)).toBe(false);
  });

  it('disable an endpoint after its days of failure, as of when they were due', async () => {
    const row = await buildDelivery();
    await fail(row, 1, {}, DAY * 1_000);
    await advance(row.user, 30 * DAY);
    const statuses = [];
    for (let number = 2; number <= 7; number += 1) {
      statuses.push(await fail(row, number, {}, DAY * 1_000));
    }
    // Five days are 432,000 seconds; the second attempt was due a day after the first.
    expect(statuses).toEqual(['enabled', 'enabled', 'enabled', 'enabled', 'disabled', 'disabled']);
  });

  it('do not count days without an attempt as days of failure', async () => {
    const row = await buildDelivery();
    await fail(row, 1, {}, null);
    await advance(row.user, 30 * DAY);
    const next = { ...row, delivery: randomUUID() };
    await addEvents(database, [
      { id: row.endpoint, user_id: row.user.id, environment: 'sandbox', secret: '' },
    ]);
    const [made] = await rowsOf<{ id: string }>(
      `select id from webhook_deliveries where endpoint_id = ? and status = 'pending'`,
      [row.endpoint],
    );
    expect(await fail({ ...next, delivery: made!.id }, 1)).toBe('enabled');
  });
});

// A customer who pays by phone pays once, whatever is lost or comes late between the order and the operator's last
// word: the real workflow, Postgres, adapter and simulated operators.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  getAttempt,
  type NewAttempt,
  type StoredAttempt,
} from '../../db/payment-attempts/payment-attempts';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import { request } from '../support/http';
import { begin, openLink } from '../support/payment-attempts';
import { adapterOf, startTestGateway } from '../support/sandbox-gateway';
import { pressPhone } from '../support/sandbox-phones';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { createTestActivities, letExpire, testPursuer, untilStatus } from './intents';

/** Links whose end is told by a process that dies of it once, and those whose end was told. */
const deaf = new Set<string>();
const told = new Set<string>();
let database: TestDatabase;
let merchant: TestUser;
let wake: (id: string) => Promise<void>;

let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
  const gateway = await startTestGateway({
    // No process listens there: the gateway is asked.
    notification_url: 'http://127.0.0.1:9/nowhere',
    durations: { settle_ms: 50 },
  });
  const temporal = await connectTestTemporal();
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  const activities = await createTestActivities(database, {
    gateway: adapterOf(gateway, 'sandbox', 1_000),
    task_queue,
    async tellIntentEnded({ id }) {
      if (deaf.delete(id)) throw new Error('the process has died');
      told.add(id);
    },
  });
  await startTestWorker({ task_queue, activities });
  const pursue = testPursuer(database.db, temporal, task_queue);
  wake = (id) => pursue('payment-attempt', [id]);
  api = await startTestApi({ gateway: { durations: { settle_ms: 50 } } });
});

afterEach(() => expectBooksHold(database.db));

let phones = 0;
const newPhone = (digits: string): string => {
  phones += 1;
  return `+22176${String(phones).padStart(4, '0')}${digits}`;
};

/** How it ended; woken while it waits, as callbacks would. */
async function follow(id: string): Promise<StoredAttempt> {
  let asked = -1;
  return waitFor(async () => {
    const attempt = await getAttempt(database.db, id);
    noteSeen('attempt', attempt.json);
    if (attempt.status !== 'waiting') return attempt;
    const { rows } = await database.owner.raw('select asks from payment_attempts where id = ?', [
      id,
    ]);
    const { asks } = (rows as [{ asks: number }])[0];
    if (asks !== asked) await wake(id);
    asked = asks;
    return undefined;
  });
}

/** The attempt's end, its link's, and how often it was paid. */
async function play(digits: string, fields: Partial<NewAttempt> = {}): Promise<string> {
  const link = await openLink(database.db, merchant);
  const phone = newPhone(digits);
  const { id } = await begin(database.db, link, { operator: 'free_sn', phone, ...fields });
  const { status, failure } = await follow(id);
  const { rows } = await database.owner.raw(
    `select i.status, (select count(*)::int from gateway_payments p where p.intent_id = i.id) as paid
       from payment_intents i where i.id = ?`,
    [link.id],
  );
  const [intent] = rows as [{ status: string; paid: number }];
  return `${status} ${failure?.code ?? ''}, ${intent.status}, ${intent.paid}`;
}

const PAID = 'succeeded , succeeded, 1';

it('ends as the last digits of the phone say', async () => {
  const OUTCOMES = {
    '001': 'failed payer_not_found, open, 0',
    '002': 'failed payer_blocked, open, 0',
    '003': 'failed payer_limit_exceeded, open, 0',
    '006': 'failed not_approved, open, 0',
    '007': 'failed provider_unavailable, open, 0',
    '008': PAID,
    '009': 'failed provider_unavailable, open, 0',
    '011': PAID,
    '012': PAID,
    '100': PAID,
  };
  const played = Object.keys(OUTCOMES).map(async (digits) => [digits, await play(digits)] as const);
  expect(Object.fromEntries(await Promise.all(played))).toEqual(OUTCOMES);
});

it('rings the phone with the code that came while the question was begun', async () => {
  const link = await openLink(database.db, merchant);
  const fields = { operator: 'orange_sn', phone: newPhone('100'), is_otp_due: true };
  const { id } = await begin(database.db, link, fields);
  const customer = await openSession(database.owner_url);
  await customer.query('begin');
  await customer.query('select from payment_attempts where id = $1 for update', [id]);
  await wake(id);
  await untilLocked(database, 'from begin_asking_attempt(');
  await customer.query('select give_otp($1, $2, 600)', [id, '1234']);
  await customer.query('commit');
  expect(await follow(id)).toMatchObject({ status: 'succeeded', failure: null });
});

it('tells its link of the end, although a process died of it when the money was booked', async () => {
  const link = await openLink(database.db, merchant);
  deaf.add(link.id);
  const fields = { operator: 'free_sn', phone: newPhone('100') };
  const { id } = await begin(database.db, link, fields);
  expect(await follow(id)).toMatchObject({ status: 'succeeded' });
  await waitFor(() => told.has(link.id));
});

it('asks nobody for a gateway that takes no phones, and the link stays open', async () => {
  expect(await play('100', { gateway: 'gone' })).toBe('failed provider_unavailable, open, 0');
});

describe('with the operator’s callbacks', () => {
  interface Attempt {
    readonly id: string;
    readonly intent_id: string;
  }

  async function attempt(intent_id: string, digits: string): Promise<Attempt> {
    const path = `/payment-intents/${intent_id}/attempts`;
    const body = { operator: 'free_sn', phone: newPhone(digits) };
    const sent = { key: api.test_key, idempotency_key: randomUUID(), body };
    const { json, status } = await request(api.service, 'POST', path, sent);
    expect(status).toBe(201);
    return { id: json.id as string, intent_id };
  }

  const until = ({ id }: Attempt, status: string): Promise<unknown> =>
    waitFor(async () => (await getAttempt(api.database.db, id)).status === status);

  const link = async (): Promise<string> => (await api.create()).json.id as string;

  afterEach(() => expectBooksHold(api.database.db));

  it('keeps its link from being cancelled and from its end, and pays it', async () => {
    const slow = await attempt(await link(), '013');
    await letExpire(api.database, { id: slow.intent_id });
    const path = `/payment-intents/${slow.intent_id}/cancel`;
    const answer = await request(api.service, 'POST', path, { key: api.test_key });
    expect(answer.status).toBe(409);
    expect(answer.json.error).toMatchObject({
      code: 'intent_not_cancelable',
      message: expect.stringContaining('asked on a phone'),
    });
    await pressPhone(api.gateway, 'sandbox', slow.id, 'confirm');
    await until(slow, 'succeeded');
    await untilStatus(api.database, { id: slow.intent_id }, 'succeeded');
  });
});

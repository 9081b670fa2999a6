// Attempts to pay by phone in the database: who may begin one, how often a phone is rung, and how each ends.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { freezeAccount } from '../../db/accounts/users';
import {
  beginAskingAttempt,
  beginChargingAgain,
  findAttempt,
  getAttempt,
  giveAttemptOtp,
  noteAttemptNotice,
  recordAttemptAnswer,
} from '../../db/payment-attempts/payment-attempts';
import { listStalled } from '../../db/pursuits';
import { readGauges } from '../../db/health/gauges';
import { claimDueIntents, expireIntents } from '../../db/payment-intents/expiries';
import { cancelIntent, getIntent, type NewIntent } from '../../db/payment-intents/intents';
import { findStoredResponse } from '../../db/requests/orders';
import { advanceSandboxClock, isSandboxSettled, listSandboxWaiting } from '../../db/sandbox/clock';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { MAX_RINGS, MAX_UNPAID_RINGS } from '../../domain/payment-attempt';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  pastLock,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import { buildPaymentLink } from '../support/payment-links';
import { begin, buildNewAttempt, notifyOfAttempt, openLink } from '../support/payment-attempts';
import { buildUser, type TestUser } from '../support/users';
import { untilLocked } from '../support/webhooks';
import { letExpire, notificationOf, statusOf, suspenseOf } from '../workflows/intents';

let database: TestDatabase;
let merchant: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
});

afterEach(() => expectBooksHold(database.db));

const expired = { code: 'expired', message: 'Late.', provider_code: null };

let phones = 0;
/** A phone that has not been rung. */
const newPhone = (): string => `+22505${String((phones += 1)).padStart(8, '0')}`;

const edit = (id: string, change: string): Promise<unknown> =>
  database.owner.raw(`update payment_attempts set ${change} where id = ?`, [id]);

const rowOf = async (id: string): Promise<Record<string, unknown>> => {
  const { rows } = await database.owner.raw('select * from payment_attempts where id = ?', [id]);
  return (rows as [Record<string, unknown>])[0];
};

it('has one spelling of a phone', async () => {
  const link = await openLink(database.db, merchant);
  await expect(begin(database.db, link, { phone: '+22997123456' })).rejects.toMatchObject({
    code: '23514',
  });
});

it('an attempt that has ended waits no more', async () => {
  const { id } = await begin(database.db, await openLink(database.db, merchant), {
    phone: newPhone(),
  });
  const ended = `ended_at = now(), failure = '{}'`;
  await edit(id, `status = 'failed', ${ended}`);
  await expect(
    edit(id, `status = 'waiting', ended_at = null, failure = null`),
  ).rejects.toMatchObject({ code: '23514' });
});

describe('beginning', () => {
  it('lets one of 16 at once wait', async () => {
    const link = await openLink(database.db, merchant);
    const phone = newPhone();
    const all = await Promise.all(
      Array.from({ length: 16 }, () => begin(database.db, link, { phone })),
    );
    const outcomes = all.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array<string>(15).fill('attempt_in_progress'), 'begun']);
  });

  it('rings a phone five times in an hour and no sixth, whoever asks; then again', async () => {
    const other = await buildUser(database.db);
    const phone = newPhone();
    const links = await Promise.all(
      Array.from({ length: 12 }, (_, n) => openLink(database.db, n % 2 ? merchant : other)),
    );
    const all = await Promise.all(links.map((link) => begin(database.db, link, { phone })));
    const begun = all.filter(({ outcome }) => outcome === 'begun');
    expect(begun).toHaveLength(MAX_RINGS);
    const refused = all.find(({ outcome }) => outcome === 'rate_limited')!;
    expect(refused).toMatchObject({ wait_s: expect.any(Number) });
    const { wait_s } = refused as { wait_s: number };
    expect(wait_s > 3_500 && wait_s <= 3_600).toBe(true);
    const next = await openLink(database.db, merchant);
    // The same number in live is another phone.
    const live = await openLink(database.db, merchant, { environment: 'live' });
    expect(await begin(database.db, live, { phone })).not.toMatchObject({
      outcome: 'rate_limited',
    });
    // An attempt that rang no phone does not count.
    await notifyOfAttempt(
      database.db,
      links.find(({ id }) => id !== '')!,
      begun[0]!.id,
    );
    await edit(begun[1]!.id, `created_at = created_at - interval '61 minutes'`);
    expect(await begin(database.db, next, { phone })).toMatchObject({ outcome: 'begun' });
    expect(await begin(database.db, await openLink(database.db, other), { phone })).toMatchObject({
      outcome: 'rate_limited',
    });
  });

  it('rings a phone that does not pay eight times a day and no ninth', async () => {
    const phone = newPhone();
    const ring = async () => {
      const link = await openLink(database.db, merchant);
      const begun = await begin(database.db, link, { phone });
      if (begun.outcome === 'begun') {
        await edit(
          begun.id,
          `created_at = created_at - interval '2 hours', charge_asked_at = created_at`,
        );
      }
      return { ...begun, link };
    };
    const rung = [];
    for (let n = 0; n <= MAX_UNPAID_RINGS; n += 1) rung.push(await ring());
    expect(rung.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(MAX_UNPAID_RINGS).fill('begun'),
      'rate_limited',
    ]);
    const { wait_s } = rung.at(-1) as { wait_s?: number };
    expect(wait_s! > 21 * 3_600 && wait_s! <= 22 * 3_600).toBe(true);
    // One that paid was no nuisance.
    const [{ link, id }] = rung as [(typeof rung)[0] & { id: string }];
    await notifyOfAttempt(database.db, link, id);
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded' });
    expect(await ring()).toMatchObject({ outcome: 'begun' });
    expect(await ring()).toMatchObject({ outcome: 'rate_limited' });
  });

  it('rings nobody by a reusable link of whose last 200 prompts not ten were paid', async () => {
    // Rows that are written here without their money would be found in the books of the others.
    const { db, owner } = await createTestDatabase();
    const shop = await buildUser(db);
    const payment_link_id = await buildPaymentLink(db, shop);
    const of = () => openLink(db, shop, { payment_link_id, quantity: 1, collected: {} });
    const model = await begin(db, await of(), { phone: newPhone() });
    // A stranger's program makes as many, nine of them paid.
    await owner.raw(
      `with i as (
         insert into payment_intents
         select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'short_code', 'R' || n,
                   'reference', 'R' || n, 'idempotency_key', 'R' || n,
                   'created_at', p.created_at - n * interval '1 second'))).*
           from payment_intents p, generate_series(1, 200) n
          where p.id = (select intent_id from payment_attempts where id = :id)
         returning id, created_at)
       insert into payment_attempts
       select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'intent_id', i.id,
                 'idempotency_key', i.id, 'phone', :phone::text, 'charge_asked_at', i.created_at, 'ended_at', i.created_at,
                 'created_at', i.created_at - interval '2 days', 'status', 'failed', 'failure', '{}'::jsonb))).*
         from payment_attempts a, i where a.id = :id`,
      { id: model.id, phone: newPhone() },
    );
    const paid = (count: number) =>
      owner.raw(
        `update payment_attempts set status = 'succeeded', failure = null
          where id in (select x.id from payment_attempts x join payment_intents p on p.id = x.intent_id
                        where p.payment_link_id = ? and x.status = 'failed' limit ?)`,
        [payment_link_id, count],
      );
    await paid(9);
    const refused = { outcome: 'link_rings_strangers' };
    expect(await begin(db, await of(), { phone: newPhone() })).toMatchObject(refused);
    const quiet = { payment_link_id: await buildPaymentLink(db, shop), quantity: 1, collected: {} };
    for (const alone of [await openLink(db, shop), await openLink(db, shop, quiet)]) {
      expect(await begin(db, alone, { phone: newPhone() })).toMatchObject({ outcome: 'begun' });
    }
    const age = (by: string) =>
      owner.raw(
        `update payment_intents set created_at = created_at - ?::interval where payment_link_id = ?`,
        [by, payment_link_id],
      );
    await age('1 hour');
    expect(await begin(db, await of(), { phone: newPhone() })).toMatchObject({ outcome: 'begun' });
    await age('-1 hour');
    await paid(1);
    expect(await begin(db, await of(), { phone: newPhone() })).toMatchObject({
      outcome: 'begun',
    });
  });

  it('counts no attempt that rang nobody', async () => {
    const phone = newPhone();
    for (let n = 0; n <= MAX_RINGS; n += 1) {
      const link = await openLink(database.db, merchant);
      const { id, outcome } = await begin(database.db, link, { phone });
      expect(outcome).toBe('begun');
      await notifyOfAttempt(database.db, link, id, { type: 'payment.failed', nothing_done: true });
      expect(await rowOf(id)).toMatchObject({ status: 'failed', charge_asked_at: null });
    }
  });

  it('is one attempt for its key, with the fingerprint of the first', async () => {
    const link = await openLink(database.db, merchant);
    const fields = {
      id: randomUUID(),
      phone: newPhone(),
      idempotency_key: randomUUID(),
      fingerprint: { operator: 'a' },
    };
    const [first, second] = await Promise.all(
      [{}, { fingerprint: { operator: 'b' } }].map((more) =>
        begin(database.db, link, { ...fields, ...more }),
      ),
    );
    const [once, again] = [first, second].sort((a) => ('is_new' in a! && a.is_new ? -1 : 1));
    expect([once, again]).toMatchObject([{ is_new: true }, { is_new: false }]);
    expect(again).toMatchObject({ fingerprint: (once as { fingerprint: unknown }).fingerprint });
  });

  it.each([
    ['canceled', 'payment_intent_not_payable'],
    ['over', 'payment_intent_not_payable'],
    ['of a frozen account', 'account_frozen'],
    ['asked for too late', 'lapsed'],
  ])('is refused when the link is %s', async (what, outcome) => {
    const owner = await buildUser(database.db);
    const link = await openLink(database.db, owner);
    const late = { accept_before: new Date(Date.now() - 60_000).toISOString() };
    if (what === 'canceled') await cancelIntent(database.db, link.id);
    if (what === 'over') await letExpire(database, link);
    if (what === 'of a frozen account') {
      await freezeAccount(database.owner, owner.id, 'A test.', 'tests');
    }
    const more = what === 'asked for too late' ? late : {};
    expect(await begin(database.db, link, { phone: newPhone(), ...more })).toMatchObject({
      outcome,
    });
  });
});

describe('its questions', () => {
  it('are numbered, and an answer to an earlier one changes nothing', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    expect(await beginAskingAttempt(database.db, id)).toMatchObject({ action: 'charge', asks: 1 });
    expect(await beginAskingAttempt(database.db, id)).toMatchObject({ action: 'find', asks: 2 });
    const step = {
      kind: 'prompt',
      code: null,
      url: null,
      instructions: { fr: [], en: [] },
    } as const;
    const expires_at = new Date(Date.now() + 120_000).toISOString();
    const answer = (provider_payment_id: string) => {
      return {
        status: 'waiting',
        provider_payment_id,
        next_step: { ...step, expires_at },
      } as const;
    };
    await recordAttemptAnswer(database.db, id, 1, answer('early'));
    expect(await rowOf(id)).toMatchObject({ provider_payment_id: null, answered_at: null });
    expect(await beginChargingAgain(database.db, id, 1, { idempotent_by_id: true })).toBe(false);
    expect(await beginChargingAgain(database.db, id, 2, { idempotent_by_id: true })).toBe(true);
    await recordAttemptAnswer(database.db, id, 2, answer('ch_1'));
    const shown = await getAttempt(database.db, id);
    expect(shown.next_step).toMatchObject({ kind: 'prompt', expires_at: shown.expires_at });
    expect(Math.abs(Date.parse(shown.expires_at) - Date.parse(expires_at))).toBeLessThan(2);
    // A failure that answers the first question is out of date as well.
    const late = { type: 'payment.failed', asks: 1 } as const;
    expect(await notifyOfAttempt(database.db, link, id, late)).toBe('stale');
    expect(await rowOf(id)).toMatchObject({ status: 'waiting' });
  });

  it('wait for a one-time code, which is taken once and not kept', async () => {
    const link = await openLink(database.db, merchant);
    const otp = { is_otp_due: true, next_step: { kind: 'otp', code: '#1#', url: null } as never };
    const attempt = buildNewAttempt(link, { phone: newPhone(), ...otp });
    await begin(database.db, link, attempt);
    const key = attempt.idempotency_key;
    const scope = { user_id: merchant.id, environment: 'sandbox', key } as const;
    const stored = await findStoredResponse(database.db, {
      ...scope,
      operation: 'payment_attempt',
    });
    expect(JSON.parse(stored!.body)).toMatchObject({
      status: 'waiting',
      next_step: { kind: 'otp' },
    });
    expect(await beginAskingAttempt(database.db, attempt.id)).toBeUndefined();
    await edit(
      attempt.id,
      `created_at = now() - interval '595 seconds', expires_at = now() + interval '5 seconds'`,
    );
    expect(await giveAttemptOtp(database.db, attempt.id, '1234')).toBe('done');
    // The operator has its time, however late the code came.
    expect((await getAttempt(database.db, attempt.id)).remaining_ms).toBeGreaterThan(590_000);
    expect(await giveAttemptOtp(database.db, attempt.id, '1234')).toBe('done');
    expect(await giveAttemptOtp(database.db, attempt.id, '4321')).toBe('otp_not_expected');
    expect(await beginAskingAttempt(database.db, attempt.id)).toMatchObject({ action: 'charge' });
    const answer = { status: 'waiting', provider_payment_id: 'ch', next_step: null } as const;
    await recordAttemptAnswer(database.db, attempt.id, 1, answer);
    expect(await rowOf(attempt.id)).toMatchObject({ otp: null });
    expect(await giveAttemptOtp(database.db, attempt.id, '1234')).toBe('otp_not_expected');
  });

  it.each(['its time is over', 'its link is canceled'])(
    'ring nobody any more when %s',
    async (what) => {
      const link = await openLink(database.db, merchant);
      const { id } = await begin(database.db, link, { phone: newPhone() });
      if (what === 'its link is canceled') await cancelIntent(database.db, link.id);
      else await edit(id, 'expires_at = now()');
      expect(await beginAskingAttempt(database.db, id)).toMatchObject({ action: 'expire' });
    },
  );
});

/** The gateway waits for the customer. */
const waiting = (provider_payment_id: string) =>
  ({ status: 'waiting', provider_payment_id, next_step: null }) as const;

describe('beside others', () => {
  const again = (id: string, is_promised = true) =>
    beginChargingAgain(database.db, id, 1, { idempotent_by_id: is_promised });

  /** What it does changes no other attempt. */
  async function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const others = () => database.owner('payment_attempts').whereNot({ id }).orderBy('id');
    const before = await others();
    const result = await work();
    expect(await others()).toEqual(before);
    return result;
  }

  it('is begun for the account and in the environment of its link alone', async () => {
    const { db } = database;
    const link = await openLink(db, merchant);
    const { id: user_id } = await buildUser(db);
    for (const fields of [{ user_id }, { environment: 'live' as const }]) {
      const attempt = { phone: newPhone(), ...fields };
      await expect(begin(db, link, attempt)).rejects.toThrow('no rows');
    }
  });

  it('is given its code, charged, answered and ended alone', async () => {
    const { db } = database;
    const [link, other] = [await openLink(db, merchant), await openLink(db, merchant)];
    const [{ id }, { id: beside }] = [
      await begin(db, link, { phone: newPhone(), is_otp_due: true }),
      await begin(db, other, { phone: newPhone(), is_otp_due: true }),
    ];
    await alone(id, () => giveAttemptOtp(db, id, '1234'));
    await giveAttemptOtp(db, beside, '1234');
    const lock = (session: Client) =>
      session.query('select from payment_intents where id = $1 for update', [other.id]);
    const asked = () => pastLock(database, lock, () => beginAskingAttempt(db, id));
    expect(await alone(id, asked)).toMatchObject({ action: 'charge', asks: 1 });
    await beginAskingAttempt(db, beside);
    expect(await alone(id, () => again(id))).toBe(true);
    await alone(id, () => recordAttemptAnswer(db, id, 1, waiting('ch_1')));
    // The gateway knows the first, and promises nothing of the second.
    expect([await again(id), await again(beside, false)]).toEqual([false, false]);
    const failed = { type: 'payment.failed', failure: expired } as const;
    await alone(id, () => notifyOfAttempt(db, link, id, failed));
    await notifyOfAttempt(db, other, beside, failed);
    for (const one of [id, beside]) await edit(one, 'look_until = now()');
    expect(await alone(id, () => beginAskingAttempt(db, id))).toBeUndefined();
    expect(await rowOf(id)).toMatchObject({ look_until: null });
  });
});

describe('what another session does meanwhile', () => {
  const meanwhile = <T>(
    first: readonly [sql: string, ...values: string[]],
    second: () => Promise<T>,
  ) => whileUncommitted(database, (session) => session.query(first[0], first.slice(1)), second);
  const beginOne = async (fields = {}): Promise<string> => {
    const link = await openLink(database.db, merchant);
    return (await begin(database.db, link, { phone: newPhone(), ...fields })).id;
  };
  const giving = (id: string) => ['select give_otp($1, $2, 600)', id, '1234'] as const;

  it('is seen before an attempt of a canceled link begins', async () => {
    const link = await openLink(database.db, merchant);
    const canceling = ['select cancel_intent($1)', link.id] as const;
    const begun = await meanwhile(canceling, () => begin(database.db, link, { phone: newPhone() }));
    expect(begun).toMatchObject({ outcome: 'payment_intent_not_payable' });
  });

  it('is seen before a second code is taken', async () => {
    const id = await beginOne({ is_otp_due: true });
    const given = meanwhile(giving(id), () => giveAttemptOtp(database.db, id, '4321'));
    expect(await given).toBe('otp_not_expected');
  });

  it('is seen before the gateway is asked', async () => {
    const id = await beginOne({ is_otp_due: true });
    const asked = await meanwhile(giving(id), () => beginAskingAttempt(database.db, id));
    expect(asked).toMatchObject({ action: 'charge' });
  });

  it('is seen by an answer that names another payment', async () => {
    const id = await beginOne();
    await beginAskingAttempt(database.db, id);
    const recording = 'select record_attempt_answer($1, 1, $2::jsonb, null)';
    await meanwhile([recording, id, JSON.stringify(waiting('ch_1'))], () =>
      recordAttemptAnswer(database.db, id, 1, waiting('ch_2')),
    );
    expect(await rowOf(id)).toMatchObject({ provider_payment_id: 'ch_1' });
  });
});

describe('its link, while a phone is asked,', () => {
  const claim = async ({ id }: NewIntent): Promise<boolean> => {
    const at = { environment: 'sandbox', name: 'sandbox' } as const;
    return (await claimDueIntents(database.db, at, 1_000)).some((intent) => intent.id === id);
  };

  const end = async (link: NewIntent): Promise<boolean> => {
    const is_claimed = await claim(link);
    const ended = await expireIntents(database.db, [link], 'https://pay.example');
    expect(is_claimed).toBe(ended.length > 0);
    return is_claimed;
  };

  it('does not end, and can be paid; it ends when the attempt has', async () => {
    const owner = await buildUser(database.db);
    const link = await openLink(database.db, owner);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    const ask = await beginAskingAttempt(database.db, id);
    await letExpire(database, link);
    expect(await end(link)).toBe(false);
    expect(await cancelIntent(database.db, link.id)).toBe('open');
    const failed = { type: 'payment.failed', final: true, failure: expired } as const;
    const checkout = notificationOf(link, failed);
    const { id: last } = await storeNotification(
      database.db,
      'sandbox',
      checkout,
      Buffer.from('{}'),
    );
    expect(await applyNotification(database.db, last, 'https://pay.example')).toMatchObject({
      outcome: 'attempt_failed',
      status: 'open',
    });
    expect(await listSandboxWaiting(database.db, owner.id, 9)).toMatchObject([{ id }]);
    expect(await isSandboxSettled(database.db, owner.id)).toBe(true);
    await letExpire(database, link, '2 minutes');
    const overdue = { gauge: 'payment_intents_overdue', value: 0 };
    expect(await readGauges(database.db, 0)).toMatchObject({
      readings: expect.arrayContaining([overdue]),
    });
    // No phone is rung anew for a link that is over.
    const promises = { idempotent_by_id: true };
    expect(await beginChargingAgain(database.db, id, ask!.asks, promises)).toBe(false);
    await notifyOfAttempt(database.db, link, id, { type: 'payment.failed', failure: expired });
    expect(await isSandboxSettled(database.db, owner.id)).toBe(false);
    expect(await end(link)).toBe(true);
    expect(await statusOf(database, link)).toBe('expired');
  });

  it('is paid by it after its end', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    await beginAskingAttempt(database.db, id);
    await letExpire(database, link);
    expect(await end(link)).toBe(false);
    expect(await notifyOfAttempt(database.db, link, id)).toBe('succeeded');
  });

  it('is ended while the question is begun: no phone is rung', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    const merchants = await openSession(database.owner_url);
    await merchants.query('begin');
    await merchants.query('select cancel_intent($1)', [link.id]);
    const asking = beginAskingAttempt(database.db, id);
    await untilLocked(database, 'from begin_asking_attempt(');
    await merchants.query('commit');
    expect(await asking).toMatchObject({ action: 'expire' });
  });

  it('waits for no one-time code, whose time ends with the link', async () => {
    const owner = await buildUser(database.db);
    const link = await openLink(database.db, owner, { expires_in_seconds: 60 });
    const { id } = await begin(database.db, link, { phone: newPhone(), is_otp_due: true });
    const rows = await Promise.all([getAttempt(database.db, id), getIntent(database.db, link.id)]);
    expect(rows[0].expires_at).toBe(rows[1].expires_at);
    await letExpire(database, link);
    expect(await giveAttemptOtp(database.db, id, '1234')).toBe('otp_not_expected');
    expect(await end(link)).toBe(true);
  });
});

describe('its end', () => {
  it('as failed leaves the link open, with the error; the next attempt pays it', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone(), gateway: 'other' });
    const failed = { type: 'payment.failed', attempt_id: id } as const;
    expect(await notifyOfAttempt(database.db, link, id, failed)).toBe('attempt_failed');
    const { rows } = await database.owner.raw(
      'select status, last_payment_error from payment_intents where id = ?',
      [link.id],
    );
    const last_payment_error = { code: 'not_approved', message: 'No.' };
    expect(rows).toEqual([{ status: 'open', last_payment_error }]);
    expect(await getAttempt(database.db, id)).toMatchObject({
      status: 'failed',
      failure: { ...last_payment_error, provider_code: 'E1' },
      look_ms: null,
    });
    const second = await begin(database.db, link, { phone: newPhone(), gateway: 'other' });
    const paid = { attempt_id: second.id };
    expect(await notifyOfAttempt(database.db, link, second.id, paid)).toBe('succeeded');
    expect(await statusOf(database, link)).toBe('succeeded');
    expect(await rowOf(second.id)).toMatchObject({ status: 'succeeded', failure: null });
  });

  it('as expired is followed by late money, which is in suspense once the link has ended', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    const failed = { type: 'payment.failed', failure: expired } as const;
    await notifyOfAttempt(database.db, link, id, failed);
    expect((await getAttempt(database.db, id)).look_ms).toBeGreaterThan(86_000_000);
    expect(await beginAskingAttempt(database.db, id)).toMatchObject({ action: 'find' });
    await cancelIntent(database.db, link.id);
    expect(await notifyOfAttempt(database.db, link, id)).toBe('suspense');
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', look_until: null });
    expect(await suspenseOf(database, link)).toMatchObject([{ reason: 'late' }]);
  });

  it('is no other gateway’s to tell', async () => {
    const link = await openLink(database.db, merchant);
    const { id } = await begin(database.db, link, { phone: newPhone() });
    const other = { environment: 'sandbox', name: 'other' } as const;
    expect(await noteAttemptNotice(database.db, other, id)).toBe(false);
    // It has no attempt there, so the link is unknown to it.
    const paid = { attempt_id: id, intent_id: null, reference: null } as const;
    expect(await notifyOfAttempt(database.db, link, id, { ...paid })).toBe('suspense');
    expect(await rowOf(id)).toMatchObject({ status: 'waiting' });
  });
});

it('is no gateway’s to tell of while its one-time code is waited for: none was asked', async () => {
  const link = await openLink(database.db, merchant);
  const { id } = await begin(database.db, link, { phone: newPhone(), is_otp_due: true });
  const own = { environment: 'sandbox', name: 'sandbox' } as const;
  expect(await noteAttemptNotice(database.db, own, id)).toBe(false);
  expect(await beginAskingAttempt(database.db, id)).toBeUndefined();
});

it('is looked at again by the sweep when its workflow is lost', async () => {
  const link = await openLink(database.db, merchant);
  const { id } = await begin(database.db, link, { phone: newPhone() });
  const stalled = async (): Promise<boolean> =>
    (await listStalled(database.db, 'payment-attempt', 1_000)).includes(id);
  expect(await stalled()).toBe(false);
  await edit(id, `updated_at = updated_at - interval '11 seconds'`);
  expect(await stalled()).toBe(true);
  await beginAskingAttempt(database.db, id);
  expect(await stalled()).toBe(false);
  await edit(id, `asked_at = asked_at - interval '3 minutes'`);
  expect(await stalled()).toBe(true);
  await beginAskingAttempt(database.db, id);
  await noteAttemptNotice(database.db, { environment: 'sandbox', name: 'sandbox' }, id);
  await edit(
    id,
    `notified_at = notified_at - interval '6 seconds', asked_at = asked_at - interval '7 seconds'`,
  );
  expect(await stalled()).toBe(true);
  // The gateway was asked since and did not say: it is not asked in each sweep for ever.
  await beginAskingAttempt(database.db, id);
  await recordAttemptAnswer(database.db, id, 3, { fault: 'It hangs.' });
  expect(await rowOf(id)).not.toMatchObject({ notified_at: null });
  expect(await stalled()).toBe(false);
  await edit(id, `asked_at = asked_at - interval '3 minutes'`);
  expect(await stalled()).toBe(true);
});

it('comes nearer with the clock of its sandbox, and is shown at the same time', async () => {
  const owner = await buildUser(database.db);
  const link = await openLink(database.db, owner);
  const { id } = await begin(database.db, link, { phone: newPhone() });
  const before = (await findAttempt(
    database.db,
    { ...owner, user_id: owner.id, environment: 'sandbox' },
    id,
  ))!;
  expect(await listSandboxWaiting(database.db, owner.id, 1)).toMatchObject([
    { type: 'payment_attempt', id },
  ]);
  const move = { seconds: 601, provider_due: undefined };
  expect(await advanceSandboxClock(database.db, owner.id, move)).toMatchObject({
    payment_attempts: [id],
  });
  const after = await getAttempt(database.db, id);
  expect(after.expires_at).toBe(before.expires_at);
  expect(after.remaining_ms).toBeLessThan(0);
  expect(await isSandboxSettled(database.db, owner.id)).toBe(false);
});

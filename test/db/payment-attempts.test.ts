// Attempts to pay by phone in the database: who may begin one, how often a phone is rung, and how each ends.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { freezeAccount } from '../../db/accounts/users';
import {
  beginAskingAttempt,
  beginChargingAgain,
  getAttempt,
  giveAttemptOtp,
  giveUpAttempt,
  noteAttemptNotice,
  recordAttemptAnswer,
  type NewAttempt,
} from '../../db/payment-attempts/payment-attempts';
import { listStalled } from '../../db/pursuits';
import { readGauges } from '../../db/health/gauges';
import { claimDueIntents, expireIntents } from '../../db/payment-intents/expiries';
import { cancelIntent, getIntent, type NewIntent } from '../../db/payment-intents/intents';
import { findStoredResponse } from '../../db/requests/orders';
import { advanceSandboxClock, isSandboxSettled, listSandboxWaiting } from '../../db/sandbox/clock';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import type { PaymentNotification } from '../../domain/payment';
import { MAX_RINGS, MAX_UNPAID_RINGS } from '../../domain/payment-attempt';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, pastLock, setUp, whileUncommitted } from '../support/database';
import { buildPaymentLink } from '../support/payment-links';
import { begin, buildNewAttempt, notifyOfAttempt, openLink } from '../support/payment-attempts';
import { buildUser, type TestUser } from '../support/users';
import { letExpire, notificationOf, statusOf, suspenseOf } from '../workflows/intents';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

afterEach(() => expectBooksHold(database.db));

const expired = { code: 'expired', message: 'Late.', provider_code: null };
const failed = { type: 'payment.failed', failure: expired } as const;
const SANDBOX = { environment: 'sandbox', name: 'sandbox' } as const;

let phones = 0;
/** A phone that has not been rung. */
const newPhone = (): string => `+22505${String((phones += 1)).padStart(8, '0')}`;

const linkOf = (of: TestUser = merchant, fields: Partial<NewIntent> = {}): Promise<NewIntent> =>
  openLink(database.db, of, fields);
const start = (link: NewIntent, fields: Partial<NewAttempt> = {}) =>
  begin(database.db, link, { phone: newPhone(), ...fields });

/** Begun for a link of its own. */
async function attempt(fields: Partial<NewAttempt> = {}, of: TestUser = merchant) {
  const link = await linkOf(of);
  const { id } = await start(link, fields);
  return { link, id };
}

const get = (id: string) => getAttempt(database.db, id);
const ask = (id: string) => beginAskingAttempt(database.db, id);
const giveOtp = (id: string, otp: string) => giveAttemptOtp(database.db, id, otp);
const record = (id: string, asks: number, answer: Parameters<typeof recordAttemptAnswer>[3]) =>
  recordAttemptAnswer(database.db, id, asks, answer);
const chargeAgain = (id: string, asks: number, idempotent_by_id = true) =>
  beginChargingAgain(database.db, id, asks, { idempotent_by_id });
const told = (link: NewIntent, id: string, fields: Partial<PaymentNotification> = {}) =>
  notifyOfAttempt(database.db, link, id, fields);

const edit = (id: string, change: string): Promise<unknown> =>
  database.owner.raw(`update payment_attempts set ${change} where id = ?`, [id]);

const rowOf = (id: string): Promise<Record<string, unknown>> =>
  database.owner('payment_attempts').where({ id }).first();

it('has one spelling of a phone', async () => {
  const started = start(await linkOf(), { phone: '+22997123456' });
  await expect(started).rejects.toMatchObject({ code: '23514' });
});

it('an attempt that has ended waits no more', async () => {
  const { id } = await attempt();
  await edit(id, `status = 'failed', ended_at = now(), failure = '{}'`);
  const back = edit(id, `status = 'waiting', ended_at = null, failure = null`);
  await expect(back).rejects.toMatchObject({ code: '23514' });
});

describe('beginning', () => {
  it('lets one of 16 at once wait', async () => {
    const link = await linkOf();
    const phone = newPhone();
    const all = await Promise.all(Array.from({ length: 16 }, () => start(link, { phone })));
    const outcomes = all.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array<string>(15).fill('attempt_in_progress'), 'begun']);
  });

  it('rings a phone five times in an hour and no sixth, whoever asks; then again', async () => {
    const other = await buildUser(database.db);
    const phone = newPhone();
    const links = await Promise.all(
      Array.from({ length: 12 }, (_, n) => linkOf(n % 2 ? merchant : other)),
    );
    const all = await Promise.all(links.map((link) => start(link, { phone })));
    const begun = all.filter(({ outcome }) => outcome === 'begun');
    expect(begun).toHaveLength(MAX_RINGS);
    const { wait_s } = all.find(({ outcome }) => outcome === 'rate_limited') as { wait_s?: number };
    expect(wait_s! > 3_500 && wait_s! <= 3_600).toBe(true);
    const next = await linkOf();
    // The same number in live is another phone.
    const live = await linkOf(merchant, { environment: 'live' });
    const limited = { outcome: 'rate_limited' };
    expect(await start(live, { phone })).not.toMatchObject(limited);
    // An attempt that rang no phone does not count.
    await told(links[0]!, begun[0]!.id);
    await edit(begun[1]!.id, `created_at = created_at - interval '61 minutes'`);
    expect(await start(next, { phone })).toMatchObject({ outcome: 'begun' });
    expect(await start(await linkOf(other), { phone })).toMatchObject(limited);
  });

  it('rings a phone that does not pay eight times a day and no ninth', async () => {
    const phone = newPhone();
    const ring = async () => {
      const link = await linkOf();
      const begun = await start(link, { phone });
      const earlier = `created_at = created_at - interval '2 hours', charge_asked_at = created_at`;
      if (begun.outcome === 'begun') await edit(begun.id, earlier);
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
    await told(link, id);
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
    expect(await begin(db, await of(), { phone: newPhone() })).toMatchObject({ outcome: 'begun' });
  });

  it('counts no attempt that rang nobody', async () => {
    const phone = newPhone();
    for (let n = 0; n <= MAX_RINGS; n += 1) {
      const link = await linkOf();
      const { id } = await start(link, { phone });
      await told(link, id, { type: 'payment.failed', nothing_done: true });
      expect(await rowOf(id)).toMatchObject({ status: 'failed', charge_asked_at: null });
    }
  });

  it('is one attempt for its key, with the fingerprint of the first', async () => {
    const link = await linkOf();
    const fields = buildNewAttempt(link, { phone: newPhone() });
    const both = await Promise.all(
      ['a', 'b'].map((operator) => start(link, { ...fields, fingerprint: { operator } })),
    );
    const [once, again] = both.sort((one) => ('is_new' in one && one.is_new ? -1 : 1));
    expect([once, again]).toMatchObject([{ is_new: true }, { is_new: false }]);
    expect(again).toMatchObject({ fingerprint: (once as { fingerprint: unknown }).fingerprint });
  });

  it.each<[string, string, (link: NewIntent) => Promise<unknown>]>([
    ['canceled', 'payment_intent_not_payable', ({ id }) => cancelIntent(database.db, id)],
    ['over', 'payment_intent_not_payable', (link) => letExpire(database, link)],
    [
      'of a frozen account',
      'account_frozen',
      ({ user_id }) => freezeAccount(database.owner, user_id, 'A test.', 'tests'),
    ],
  ])('is refused when the link is %s', async (_, outcome, change) => {
    const link = await linkOf(await buildUser(database.db));
    await change(link);
    expect(await start(link)).toMatchObject({ outcome });
  });

  it('is refused when it is asked for too late', async () => {
    const accept_before = new Date(Date.now() - 60_000).toISOString();
    expect(await start(await linkOf(), { accept_before })).toMatchObject({ outcome: 'lapsed' });
  });
});

/** The gateway waits for the customer. */
const waiting = (provider_payment_id: string) =>
  ({ status: 'waiting', provider_payment_id, next_step: null }) as const;

describe('its questions', () => {
  it('are numbered, and an answer to an earlier one changes nothing', async () => {
    const { link, id } = await attempt();
    expect(await ask(id)).toMatchObject({ action: 'charge', asks: 1 });
    expect(await ask(id)).toMatchObject({ action: 'find', asks: 2 });
    const expires_at = new Date(Date.now() + 120_000).toISOString();
    const shape = { code: null, url: null, instructions: { fr: [], en: [] } };
    const next_step = { kind: 'prompt', expires_at, ...shape } as const;
    const answer = (payment: string) => ({ ...waiting(payment), next_step });
    await record(id, 1, answer('early'));
    expect(await rowOf(id)).toMatchObject({ provider_payment_id: null, answered_at: null });
    expect(await chargeAgain(id, 1)).toBe(false);
    expect(await chargeAgain(id, 2)).toBe(true);
    await record(id, 2, answer('ch_1'));
    const shown = await get(id);
    expect(shown.next_step).toMatchObject({ kind: 'prompt', expires_at: shown.expires_at });
    expect(Math.abs(Date.parse(shown.expires_at) - Date.parse(expires_at))).toBeLessThan(2);
    // A failure that answers the first question is out of date as well.
    expect(await told(link, id, { type: 'payment.failed', asks: 1 })).toBe('stale');
    await record(id, 2, { is_final: true });
    // What the gateway has under this id is not charged again.
    expect(await rowOf(id)).toMatchObject({ status: 'waiting', provider_payment_id: 'ch_1' });
  });

  it('wait for a one-time code, which is taken once and not kept', async () => {
    const link = await linkOf();
    const otp = { is_otp_due: true, next_step: { kind: 'otp', code: '#1#', url: null } as never };
    const key = randomUUID();
    const { id } = await start(link, { ...otp, idempotency_key: key });
    const scope = { user_id: merchant.id, environment: 'sandbox', key } as const;
    const ordered = { ...scope, operation: 'payment_attempt' } as const;
    const { body } = (await findStoredResponse(database.db, ordered))!;
    expect(JSON.parse(body)).toMatchObject({ status: 'waiting', next_step: { kind: 'otp' } });
    expect(await ask(id)).toBeUndefined();
    const late = `created_at = now() - interval '595 seconds'`;
    await edit(id, `${late}, expires_at = now() + interval '5 seconds'`);
    expect(await giveOtp(id, '1234')).toBe('done');
    // The operator has its time, however late the code came.
    expect((await get(id)).remaining_ms).toBeGreaterThan(590_000);
    expect(await giveOtp(id, '1234')).toBe('done');
    expect(await giveOtp(id, '4321')).toBe('otp_not_expected');
    expect(await ask(id)).toMatchObject({ action: 'charge' });
    await record(id, 1, { fault: 'It hangs.' });
    expect(await giveOtp(id, '1234')).toBe('otp_not_expected');
    await record(id, 1, waiting('ch'));
    expect(await rowOf(id)).toMatchObject({ otp: null });
    expect(await giveOtp(id, '1234')).toBe('otp_not_expected');
  });

  it.each(['its time is over', 'its link is canceled'])(
    'ring nobody any more when %s',
    async (what) => {
      const { link, id } = await attempt();
      if (what === 'its link is canceled') await cancelIntent(database.db, link.id);
      else await edit(id, 'expires_at = now()');
      expect(await ask(id)).toMatchObject({ action: 'expire' });
    },
  );
});

describe('beside others', () => {
  const again = (id: string, is_promised = true) => chargeAgain(id, 1, is_promised);

  /** What it does changes no other attempt. */
  async function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const others = () => database.owner('payment_attempts').whereNot({ id }).orderBy('id');
    const before = await others();
    const result = await work();
    expect(await others()).toEqual(before);
    return result;
  }

  it('is begun for the account and in the environment of its link alone', async () => {
    const link = await linkOf();
    const { id: user_id } = await buildUser(database.db);
    await expect(start(link, { user_id })).rejects.toThrow('no rows');
    await expect(start(link, { environment: 'live' })).rejects.toThrow('no rows');
  });

  it('is given its code, charged, answered and ended alone', async () => {
    const due = { is_otp_due: true };
    const [{ link, id }, { link: other, id: beside }] = [await attempt(due), await attempt(due)];
    await alone(id, () => giveOtp(id, '1234'));
    await giveOtp(beside, '1234');
    const lock = (session: Client) =>
      session.query('select from payment_intents where id = $1 for update', [other.id]);
    const asked = () => pastLock(database, lock, () => ask(id));
    expect(await alone(id, asked)).toMatchObject({ action: 'charge', asks: 1 });
    await ask(beside);
    expect(await alone(id, () => again(id))).toBe(true);
    await alone(id, () => record(id, 1, waiting('ch_1')));
    // The gateway knows the first, and promises nothing of the second.
    expect([await again(id), await again(beside, false)]).toEqual([false, false]);
    await alone(id, () => told(link, id, failed));
    await told(other, beside, failed);
    for (const one of [id, beside]) await edit(one, 'look_until = now()');
    expect(await alone(id, () => ask(id))).toBeUndefined();
    expect(await rowOf(id)).toMatchObject({ look_until: null });
  });
});

describe('what another session does meanwhile', () => {
  const meanwhile = <T>(
    first: readonly [sql: string, ...values: string[]],
    second: () => Promise<T>,
  ) => whileUncommitted(database, (session) => session.query(first[0], first.slice(1)), second);
  const giving = (id: string) => ['select give_otp($1, $2, 600)', id, '1234'] as const;

  it('is seen before an attempt of a canceled link begins', async () => {
    const link = await linkOf();
    const canceling = ['select cancel_intent($1)', link.id] as const;
    const begun = await meanwhile(canceling, () => start(link));
    expect(begun).toMatchObject({ outcome: 'payment_intent_not_payable' });
  });

  it('is seen before a second code is taken', async () => {
    const { id } = await attempt({ is_otp_due: true });
    const given = meanwhile(giving(id), () => giveOtp(id, '4321'));
    expect(await given).toBe('otp_not_expected');
  });

  it('is seen before the gateway is asked', async () => {
    const { id } = await attempt({ is_otp_due: true });
    const asked = await meanwhile(giving(id), () => ask(id));
    expect(asked).toMatchObject({ action: 'charge' });
  });

  it('is seen by an answer that names another payment', async () => {
    const { id } = await attempt();
    await ask(id);
    const recording = 'select record_attempt_answer($1, 1, $2::jsonb, null)';
    await meanwhile([recording, id, JSON.stringify(waiting('ch_1'))], () =>
      record(id, 1, waiting('ch_2')),
    );
    expect(await rowOf(id)).toMatchObject({ provider_payment_id: 'ch_1' });
  });
});

describe('its link, while a phone is asked,', () => {
  const end = async (link: NewIntent): Promise<boolean> => {
    const claimed = await claimDueIntents(database.db, SANDBOX, 1_000);
    const is_claimed = claimed.some(({ id }) => id === link.id);
    const ended = await expireIntents(database.db, [link], 'https://pay.example');
    expect(is_claimed).toBe(ended.length > 0);
    return is_claimed;
  };

  it('does not end, and can be paid; it ends when the attempt has', async () => {
    const owner = await buildUser(database.db);
    const { link, id } = await attempt({}, owner);
    const { asks } = (await ask(id))!;
    await letExpire(database, link);
    expect(await end(link)).toBe(false);
    expect(await cancelIntent(database.db, link.id)).toBe('open');
    const checkout = notificationOf(link, { ...failed, final: true });
    const last = await storeNotification(database.db, 'sandbox', checkout, Buffer.from('{}'));
    const applied = await applyNotification(database.db, last.id, 'https://pay.example');
    expect(applied).toMatchObject({ outcome: 'attempt_failed', status: 'open' });
    expect(await listSandboxWaiting(database.db, owner.id, 9)).toMatchObject([{ id }]);
    expect(await isSandboxSettled(database.db, owner.id)).toBe(true);
    await letExpire(database, link, '2 minutes');
    const { readings } = (await readGauges(database.db, 0))!;
    const overdue = { gauge: 'payment_intents_overdue', value: 0 };
    expect(readings).toContainEqual(expect.objectContaining(overdue));
    // No phone is rung anew for a link that is over.
    expect(await chargeAgain(id, asks)).toBe(false);
    await told(link, id, failed);
    expect(await isSandboxSettled(database.db, owner.id)).toBe(false);
    expect(await end(link)).toBe(true);
    expect(await statusOf(database, link)).toBe('expired');
  });

  it('is paid by it after its end', async () => {
    const { link, id } = await attempt();
    await ask(id);
    await letExpire(database, link);
    expect(await end(link)).toBe(false);
    expect(await told(link, id)).toBe('succeeded');
  });

  it('is ended while the question is begun: no phone is rung', async () => {
    const { link, id } = await attempt();
    const asked = await whileUncommitted(
      database,
      (session) => session.query('select cancel_intent($1)', [link.id]),
      () => ask(id),
    );
    expect(asked).toMatchObject({ action: 'expire' });
  });

  it('waits for no one-time code, whose time ends with the link', async () => {
    const owner = await buildUser(database.db);
    const link = await linkOf(owner, { expires_in_seconds: 60 });
    const { id } = await start(link, { is_otp_due: true });
    const rows = await Promise.all([get(id), getIntent(database.db, link.id)]);
    expect(rows[0].expires_at).toBe(rows[1].expires_at);
    await letExpire(database, link);
    expect(await giveOtp(id, '1234')).toBe('otp_not_expected');
    expect(await end(link)).toBe(true);
  });
});

describe('its end', () => {
  it('as failed leaves the link open, with the error; the next attempt pays it', async () => {
    const { link, id } = await attempt({ gateway: 'other' });
    const ended = await told(link, id, { type: 'payment.failed', attempt_id: id });
    expect(ended).toBe('attempt_failed');
    const last_payment_error = { code: 'not_approved', message: 'No.' };
    const found = await database.owner('payment_intents').where({ id: link.id }).first();
    expect(found).toMatchObject({ status: 'open', last_payment_error });
    expect(await get(id)).toMatchObject({
      status: 'failed',
      failure: { ...last_payment_error, provider_code: 'E1' },
      look_ms: null,
    });
    const second = await start(link, { gateway: 'other' });
    expect(await told(link, second.id, { attempt_id: second.id })).toBe('succeeded');
    expect(await statusOf(database, link)).toBe('succeeded');
    expect(await rowOf(second.id)).toMatchObject({ status: 'succeeded', failure: null });
  });

  it('as expired is followed by late money, which is in suspense once the link has ended', async () => {
    const { link, id } = await attempt();
    await told(link, id, failed);
    expect((await get(id)).look_ms).toBeGreaterThan(86_000_000);
    expect(await ask(id)).toMatchObject({ action: 'find' });
    await cancelIntent(database.db, link.id);
    expect(await told(link, id)).toBe('suspense');
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', look_until: null });
    expect(await suspenseOf(database, link)).toMatchObject([{ reason: 'late' }]);
  });

  it('is no other gateway’s to tell', async () => {
    const { link, id } = await attempt();
    const other = { ...SANDBOX, name: 'other' };
    expect(await noteAttemptNotice(database.db, other, id)).toBe(false);
    // It has no attempt there, so the link is unknown to it.
    const paid = { attempt_id: id, intent_id: null, reference: null } as const;
    expect(await told(link, id, paid)).toBe('suspense');
    expect(await rowOf(id)).toMatchObject({ status: 'waiting' });
  });
});

describe('a customer who chooses another way to pay', () => {
  const giveUp = (id: string) => giveUpAttempt(database.db, id);
  const otp = { is_otp_due: true, next_step: { kind: 'otp', code: null, url: null } as never };

  /** Its phone was rung, and the customer has to confirm. */
  async function rung() {
    const begun = await attempt();
    await ask(begun.id);
    const next_step = { kind: 'prompt', code: null, url: null, instructions: {} } as never;
    await record(begun.id, 1, { ...waiting('ch'), next_step });
    return begun;
  }

  it('begins anew at once where nobody was asked, and nothing is looked for', async () => {
    const { link, id } = await attempt(otp);
    const beside = await attempt(otp);
    await giveUp(id);
    const failure = { code: 'not_approved', message: 'The customer chose another way to pay.' };
    const row = { status: 'failed', charge_asked_at: null, look_until: null, is_otp_due: false };
    expect(await rowOf(id)).toMatchObject({ ...row, failure: { ...failure, provider_code: null } });
    expect(await rowOf(beside.id)).toMatchObject({ status: 'waiting' });
    expect(await ask(id)).toBeUndefined();
    expect(await start(link)).toMatchObject({ outcome: 'begun' });
    const { rows } = await database.owner.raw(
      `select source from intent_timeline where intent_id = ? and kind = 'attempt_failed'`,
      [link.id],
    );
    expect(rows).toEqual([{ source: 'api' }]);
  });

  it('and confirms the first one all the same has paid twice: the second is in suspense', async () => {
    const { link, id } = await rung();
    await giveUp(id);
    expect(await rowOf(id)).toMatchObject({ status: 'failed', failure: { code: 'not_approved' } });
    expect((await get(id)).look_ms).toBeGreaterThan(86_000_000);
    const second = await start(link);
    expect(await told(link, second.id)).toBe('succeeded');
    expect(await told(link, id, { provider_payment_id: 'ch' })).toBe('suspense');
    expect(await suspenseOf(database, link)).toMatchObject([{ reason: 'second_payment' }]);
    // An ended one stays as it is.
    await giveUp(id);
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', look_until: null });
  });

  it('is looked after until the gateway says that the first one was not paid', async () => {
    const { link, id } = await rung();
    await giveUp(id);
    expect(await ask(id)).toMatchObject({ action: 'find', asks: 2 });
    expect(await told(link, id, { type: 'payment.failed', asks: 2 })).toBe('stale');
    await record(id, 3, { is_final: true });
    expect(await rowOf(id)).toMatchObject({ look_until: null });
  });

  it('waits while the operator has the payment, or the gateway has news', async () => {
    const unanswered = await attempt();
    await ask(unanswered.id);
    const told_of = await rung();
    await noteAttemptNotice(database.db, SANDBOX, told_of.id);
    for (const { id } of [unanswered, told_of]) {
      await giveUp(id);
      expect(await rowOf(id)).toMatchObject({ status: 'waiting' });
    }
  });
});

it('is no gateway’s to tell of while its one-time code is waited for: none was asked', async () => {
  const { id } = await attempt({ is_otp_due: true });
  expect(await noteAttemptNotice(database.db, SANDBOX, id)).toBe(false);
  expect(await ask(id)).toBeUndefined();
});

it('is looked at again by the sweep when its workflow is lost', async () => {
  const { id } = await attempt();
  const stalled = async (): Promise<boolean> =>
    (await listStalled(database.db, 'payment-attempt', 1_000)).includes(id);
  expect(await stalled()).toBe(false);
  await edit(id, `updated_at = updated_at - interval '11 seconds'`);
  expect(await stalled()).toBe(true);
  await ask(id);
  expect(await stalled()).toBe(false);
  await edit(id, `asked_at = asked_at - interval '3 minutes'`);
  expect(await stalled()).toBe(true);
  await ask(id);
  await noteAttemptNotice(database.db, SANDBOX, id);
  await edit(id, `notified_at = notified_at - interval '6 seconds'`);
  await edit(id, `asked_at = asked_at - interval '7 seconds'`);
  expect(await stalled()).toBe(true);
  // The gateway was asked since and did not say: it is not asked in each sweep for ever.
  await ask(id);
  await record(id, 3, { fault: 'It hangs.' });
  expect(await rowOf(id)).not.toMatchObject({ notified_at: null });
  expect(await stalled()).toBe(false);
  await edit(id, `asked_at = asked_at - interval '3 minutes'`);
  expect(await stalled()).toBe(true);
});

it('comes nearer with the clock of its sandbox, and is shown at the same time', async () => {
  const owner = await buildUser(database.db);
  const { id } = await attempt({}, owner);
  const before = await get(id);
  const waits = await listSandboxWaiting(database.db, owner.id, 1);
  expect(waits).toMatchObject([{ type: 'payment_attempt', id }]);
  const move = { seconds: 601, provider_due: undefined };
  const moved = await advanceSandboxClock(database.db, owner.id, move);
  expect(moved).toMatchObject({ payment_attempts: [id] });
  const after = await get(id);
  expect(after.expires_at).toBe(before.expires_at);
  expect(after.remaining_ms).toBeLessThan(0);
  expect(await isSandboxSettled(database.db, owner.id)).toBe(false);
});

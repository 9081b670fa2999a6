// Payouts in the database, without a provider: its answers are the test's.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import {
  beginAskingPayout,
  createPayout,
  recordPayoutAnswer,
  recordPayoutFault,
  type CreatedPayout,
  type DecidedBy,
  type PayoutAsk,
  type RecordedAnswer,
  type NewPayout,
} from '../../db/payouts/payouts';
import type { MemberRole } from '../../domain/members';
import type { PayoutState } from '../../domain/payout';
import { payoutReference } from '../../secrets/hash';
import { balanceOf } from './balances';
import { createTestDatabase, setUp, type TestDatabase } from './database';
import { ERROR_DOCS } from './postings';
import { addMember, buildUser, type TestUser } from './users';

/** Some key, by which a caller decides. */
export const BY: DecidedBy = { key_id: randomUUID() };

/** 5000 XOF of the sandbox to a phone, unless the fields say otherwise. */
export function buildNewPayout(merchant: TestUser, fields: Partial<NewPayout> = {}): NewPayout {
  const { id = randomUUID() } = fields;
  return {
    id,
    reference: payoutReference(id),
    environment: 'sandbox',
    user_id: merchant.id,
    currency: 'XOF',
    amount_minor: '500000',
    destination_type: 'mobile_money',
    phone: '+221770000100',
    operator: 'orange_sn',
    account: null,
    bank_code: null,
    holder: null,
    name: null,
    name_check: 'off',
    name_found: null,
    name_match: null,
    confirm: true,
    provider: 'sandbox',
    batch_id: null,
    description: null,
    metadata: {},
    queue_seconds: 86_400,
    idempotency_key: randomUUID(),
    request_id: randomUUID(),
    fingerprint: {},
    ...fields,
  };
}

export function orderPayout(
  db: Db,
  merchant: TestUser,
  fields: Partial<NewPayout> = {},
): Promise<CreatedPayout> {
  return createPayout(db, buildNewPayout(merchant, fields), ERROR_DOCS);
}

/** Its id. */
export async function orderedPayout(
  db: Db,
  merchant: TestUser,
  fields: Partial<NewPayout> = {},
): Promise<string> {
  const payout = buildNewPayout(merchant, fields);
  const { outcome } = await createPayout(db, payout, ERROR_DOCS);
  if (outcome !== 'created') throw new Error(`the payout is ${outcome}`);
  return payout.id;
}

/** The provider's answer to a question that is asked now; undefined when there is nothing to ask. */
export async function answerPayout(
  db: Db,
  id: string,
  state: Partial<PayoutState> & Pick<PayoutState, 'status'>,
): Promise<(RecordedAnswer & Pick<PayoutAsk, 'action'>) | undefined> {
  const ask = await beginAskingPayout(db, id);
  if (!ask) return undefined;
  const failure = { code: 'rejected', message: 'No.', provider_code: 'E1' } as const;
  const answer: PayoutState = {
    provider_payment_id: `po_${id}`,
    ...(state.status === 'failed' ? { failure } : {}),
    ...state,
  };
  return { ...(await recordPayoutAnswer(db, id, ask.asks, answer)), action: ask.action };
}

/** Stands for a notification of the provider's: the payout is asked about although it has ended. */
export async function noticeOfPayout(
  { owner }: Pick<TestDatabase, 'owner'>,
  id: string,
): Promise<void> {
  await owner.raw('update payouts set notified_at = clock_timestamp() where id = ?', [id]);
}

/** Its wait for people, or for the provider, is over, and was for so long. */
export async function letPayoutExpire(
  { owner }: Pick<TestDatabase, 'owner'>,
  id: string,
  since = '0 seconds',
): Promise<void> {
  await owner.raw('update payouts set expires_at = clock_timestamp() - ?::interval where id = ?', [
    since,
    id,
  ]);
}

/** Moves the time of its order. */
export async function shiftOrder(
  { owner }: Pick<TestDatabase, 'owner'>,
  id: string,
  by: string,
): Promise<void> {
  await owner.raw('update payouts set created_at = created_at + ?::interval where id = ?', [
    by,
    id,
  ]);
}

/** Asked of the provider, and on its way, for longer than a question lasts, or than this. */
export async function payoutAskedLongAgo(
  { owner }: Pick<TestDatabase, 'owner'>,
  id: string,
  interval = '1 minute',
): Promise<void> {
  await owner.transaction(async (tx) => {
    // Its events are of that time from then on, too.
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(
      `with aged as (
         update payouts p
            set asked_at = p.asked_at - i.age, send_asked_at = p.send_asked_at - i.age,
                send_begun_at = p.send_begun_at - i.age, sent_at = p.sent_at - i.age
           from (select ?::interval as age) i where p.id = ?
         returning p.id, p.sent_at, i.age)
       update events e set body = replace(e.body,
                '"sent_at":"' || instant(a.sent_at + a.age), '"sent_at":"' || instant(a.sent_at))
         from aged a where e.payout_id = a.id and a.sent_at is not null`,
      [interval, id],
    );
  });
}

/** Asked of the provider, and not answered. */
export async function payoutInDoubt(
  database: Pick<TestDatabase, 'db' | 'owner'>,
  merchant: TestUser,
  { since = '1 minute', ...fields }: Partial<NewPayout> & { readonly since?: string } = {},
): Promise<string> {
  const id = await orderedPayout(database.db, merchant, fields);
  const { asks } = (await beginAskingPayout(database.db, id))!;
  await recordPayoutFault(database.db, id, asks, 'The provider did not answer.', false);
  await payoutAskedLongAgo(database, id, since);
  return id;
}

/** The provider has paid it after its money was given back. */
export async function contradictedPayout(
  database: Pick<TestDatabase, 'db' | 'owner'>,
  merchant: TestUser,
): Promise<string> {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'failed' });
  await noticeOfPayout(database, id);
  await answerPayout(database.db, id, { status: 'succeeded' });
  return id;
}

/** So much is in each wallet of the sandbox of a merchant that `setUpPayouts` makes. */
export const START = 10_000_000n;

/** A database for the file, a merchant for each test, and what is done with the payouts of this one or another. */
export function setUpPayouts() {
  const database = setUp(createTestDatabase);
  const merchantWith = (minor = START): Promise<TestUser> =>
    buildUser(database.db, { funds: { sandbox: { XOF: minor, EUR: minor } } });
  const merchant = setUp(() => merchantWith(), beforeEach);
  return {
    database,
    merchant,
    merchantWith,
    /** In the wallet of XOF. */
    left: (of = merchant): Promise<bigint> => balanceOf(database.db, of, 'XOF', 'sandbox'),
    member: (role: MemberRole, of = merchant): Promise<string> => addMember(database, of, role),
    members: <R extends MemberRole[]>(...roles: R) =>
      Promise.all(roles.map((role) => addMember(database, merchant, role))) as Promise<{
        [K in keyof R]: string;
      }>,
    /** The owners set this for a wallet. */
    rule: async (fields: Readonly<Record<string, unknown>>, of = merchant): Promise<void> => {
      await database
        .owner('payout_settings')
        .insert({ user_id: of.id, currency: 'XOF', ...fields });
    },
    order: (fields: Partial<NewPayout> = {}, of = merchant): Promise<CreatedPayout> =>
      orderPayout(database.db, of, fields),
    ordered: (fields: Partial<NewPayout> = {}, of = merchant): Promise<string> =>
      orderedPayout(database.db, of, fields),
    /** The provider says this to a question of now. */
    say: (id: string, status: PayoutState['status'], more: Partial<PayoutState> = {}) =>
      answerPayout(database.db, id, { status, ...more }),
  };
}

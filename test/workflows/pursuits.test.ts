// The promises of every kind of pursuit, proved of each: it asks until the third party says how it ended, is woken, sends
// no late question, and does each thing once, whatever dies or is lost. The third party's every answer is the test's;
// what an answer means to its noun is in the tests of that noun.

import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { listSuspense, noteRefundNotice } from '../../db/suspense/suspense';
import { noteAttemptNotice } from '../../db/payment-attempts/payment-attempts';
import { notePayoutNotice } from '../../db/payouts/payouts';
import { notePaymentRefundNotice } from '../../db/refunds/refunds';
import { GatewayError } from '../../domain/gateway-error';
import { pursuitWorkflowId } from '../../domain/ids';
import type { RefundState } from '../../domain/payment';
import type { ChargeState } from '../../domain/payment-attempt';
import type { PayoutState } from '../../domain/payout';
import { withResolvers } from '../../domain/promises';
import type { PursuitKind } from '../../domain/pursuit';
import type { Gateway } from '../../gateway/port';
import type { PayoutProvider } from '../../gateway/payout-port';
import type { Pursue } from '../../temporal/pursuits';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { begin } from '../support/payment-attempts';
import { orderedPayout } from '../support/payouts';
import { openIntent, ordered, payIntent, receive } from '../support/refunds';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { createTestActivities, orderRefund, testPursuer, type PaymentActivities } from './intents';
import { keepHistory } from './saved-histories';

/** The last act of a process before it dies: it has begun, was answered, has booked the answer. */
const MOMENTS = ['begun', 'asked', 'recorded'] as const;

/** The third party, as one row knows it. */
interface Party {
  says: 'pending' | 'done' | 'failed';
  /** Lost with these, one after the other: it has done what it was asked for. */
  lost: Error[];
  dies: (typeof MOMENTS)[number] | undefined;
  /** The process that asks stands still with the answer until then. */
  holds: Promise<void> | undefined;
  questions: number;
  is_ordered: boolean;
}

const parties = new Map<string, Party>();

function partyOf(id: string): Party {
  if (!parties.has(id)) {
    parties.set(id, {
      says: 'done',
      lost: [],
      dies: undefined,
      holds: undefined,
      questions: 0,
      is_ordered: false,
    });
  }
  return parties.get(id)!;
}

function dieAt(party: Party, moment: Party['dies']): void {
  if (party.dies !== moment) return;
  party.dies = undefined;
  throw new Error(`the process has died: ${moment}`);
}

/** One question: an order, or a look. */
async function asked<State>(
  id: string,
  is_order: boolean,
  stateOf: (says: Party['says']) => State,
): Promise<State> {
  const party = partyOf(id);
  dieAt(party, 'begun');
  party.questions += 1;
  party.is_ordered ||= is_order;
  dieAt(party, 'asked');
  const error = party.lost.shift();
  if (error !== undefined) throw error;
  const state = stateOf(party.says);
  await party.holds;
  return state;
}

const refundState =
  (id: string) =>
  (says: Party['says']): RefundState => {
    const refund_id = `re_${id}`;
    if (says === 'done') return { status: 'succeeded', refund_id };
    return says === 'pending'
      ? { status: 'pending', refund_id, detail: 'the bank is slow' }
      : { status: 'failed', refund_id, reason: 'the card is gone' };
  };

const payoutState =
  (id: string) =>
  (says: Party['says']): PayoutState => {
    const provider_payment_id = `po_${id}`;
    if (says === 'done') return { status: 'succeeded', provider_payment_id, paid: 500_000n };
    if (says === 'pending') return { status: 'sent', provider_payment_id };
    const failure = { code: 'rejected', message: 'No.', provider_code: null } as const;
    return { status: 'failed', provider_payment_id, failure };
  };

const chargeState =
  (id: string) =>
  (says: Party['says']): ChargeState => {
    const provider_payment_id = `ch_${id}`;
    if (says === 'pending') return { status: 'waiting', provider_payment_id, next_step: null };
    if (says === 'failed') {
      const failure = { code: 'not_approved', message: 'No.', provider_code: null } as const;
      return { status: 'failed', failure };
    }
    const occurred_at = new Date().toISOString();
    const money = { amount_minor: '500000', currency: 'XOF' } as const;
    return { status: 'paid', payment: { provider_payment_id, ...money, occurred_at } };
  };

const fake = fakeGateway();
fake.onRefund = async (key) => {
  const id = key.split('/')[1]!;
  return asked(id, true, refundState(id));
};
fake.onFindRefund = async (refund_id) => {
  const id = refund_id.slice('re_'.length);
  return asked(id, false, refundState(id));
};
const promises = {
  idempotent_by_id: true,
  not_found_is_final_after_s: null,
  callbacks: 'none',
} as const;
const gateway: Gateway = {
  ...fake.gateway,
  phones: {
    promises,
    methods: async () => [],
    charge: async ({ id }) => asked(id, true, chargeState(id)),
    findCharge: async (id) =>
      partyOf(id).is_ordered ? asked(id, false, chargeState(id)) : 'never_seen',
  },
};
const provider: PayoutProvider = {
  name: 'fake',
  environment: 'sandbox',
  promises,
  rails: async () => [],
  check: async () => undefined,
  send: async ({ id }) => asked(id, true, payoutState(id)),
  find: async (id) => (partyOf(id).is_ordered ? asked(id, false, payoutState(id)) : 'never_seen'),
  list: async () => ({ items: [], next: null }),
  float: async () => [],
  mayBeSigned: () => false,
  readNotification: () => ({ ok: false, fault: 'not_ours' }),
};

interface Kind {
  readonly kind: PursuitKind;
  readonly ends: { readonly done: string; readonly failed: string };
  readonly order: () => Promise<string>;
  /** The rows that have its questions, and the id in them. */
  readonly rows: string;
  readonly key: 'id' | 'item_id';
  /** The column since when it waits for a first question, and since when it was asked about. */
  readonly ordered_at: string;
  readonly asked_since: string;
  /** The longest pause, in seconds. */
  readonly longest_s: number;
  readonly note: (id: string) => Promise<unknown>;
}

let database: TestDatabase;
let merchant: TestUser;
let temporal: Client;
let task_queue: string;
let real: PaymentActivities;
let pursue: Pursue;

const { name } = provider;
const sender = { environment: 'sandbox', name } as const;

/** The payment of a refund, as the gateway names it. */
const noticeOf = (provider_payment_id: string, id: string) => ({
  environment: 'sandbox' as const,
  provider_payment_id,
  refund_id: `re_${id}`,
  reference: null,
});

let phones = 0;

const KINDS: readonly Kind[] = [
  {
    kind: 'suspense-refund',
    ends: { done: 'refunded', failed: 'held' },
    async order() {
      const intent = await openIntent(database.db, merchant, {}, name);
      await receive(database.db, intent);
      const second = await receive(database.db, intent);
      const items = await listSuspense(database.db, false);
      const { id } = items.find((one) => one.provider_payment_id === second)!;
      await orderRefund(database, id);
      return id;
    },
    rows: 'suspense_refunds',
    key: 'item_id',
    ordered_at: 'ordered_at',
    asked_since: 'ordered_at',
    longest_s: 3_600,
    async note(id) {
      const items = await listSuspense(database.db, true);
      const { provider_payment_id } = items.find((one) => one.id === id)!;
      return noteRefundNotice(database.db, name, noticeOf(provider_payment_id, id));
    },
  },
  {
    kind: 'refund',
    ends: { done: 'succeeded', failed: 'failed' },
    order: async () => ordered(database.db, await payIntent(database.db, merchant, {}, name)),
    rows: 'refunds',
    key: 'id',
    ordered_at: 'created_at',
    asked_since: 'send_begun_at',
    longest_s: 3_600,
    async note(id) {
      const { provider_payment_id } = await rowOf({ rows: 'refunds', key: 'id' }, id);
      const about = noticeOf(provider_payment_id as string, id);
      return notePaymentRefundNotice(database.db, name, about);
    },
  },
  {
    kind: 'payout',
    ends: { done: 'succeeded', failed: 'failed' },
    order: () => orderedPayout(database.db, merchant, { provider: name }),
    rows: 'payouts',
    key: 'id',
    ordered_at: 'updated_at',
    asked_since: 'send_asked_at',
    longest_s: 3_600,
    note: (id) => notePayoutNotice(database.db, sender, id),
  },
  {
    kind: 'payment-attempt',
    ends: { done: 'succeeded', failed: 'failed' },
    async order() {
      phones += 1;
      const phone = `+225050${String(phones).padStart(7, '0')}`;
      const intent = await openIntent(database.db, merchant, {}, name);
      return (await begin(database.db, intent, { gateway: name, phone })).id;
    },
    rows: 'payment_attempts',
    key: 'id',
    ordered_at: 'updated_at',
    asked_since: 'created_at',
    longest_s: 30,
    note: (id) => noteAttemptNotice(database.db, sender, id),
  },
];

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 100_000_000n } } });
  temporal = await connectTestTemporal();
  task_queue = `test-${randomBytes(8).toString('hex')}`;
  pursue = testPursuer(database.db, temporal, task_queue);
  const payout_providers = { live: [], sandbox: [provider] };
  real = await createTestActivities(database, { gateway, task_queue, payout_providers });
  const activities: PaymentActivities = {
    ...real,
    async askOnce(kind, id) {
      const progress = await real.askOnce(kind, id);
      dieAt(partyOf(id), 'recorded');
      return progress;
    },
  };
  await startTestWorker({ task_queue, activities });
});

afterEach(() => expectBooksHold(database.db));

async function rowOf(
  { rows, key }: Pick<Kind, 'rows' | 'key'>,
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const found = await database.owner.raw(`select * from ${rows} where ${key} = ?`, [id]);
  return (found.rows as [Readonly<Record<string, unknown>>])[0];
}

/** Makes some of its times older, without the rules for such changes. */
async function age({ rows, key }: Kind, id: string, ages: Record<string, string>): Promise<void> {
  const sets = Object.entries(ages).map(([at, by]) => `${at} = ${at} - interval '${by}'`);
  await database.owner.raw(`update ${rows} set ${sets.join(', ')} where ${key} = ?`, [id]);
}

async function pursued({ kind }: Kind, id: string): Promise<WorkflowHandle> {
  await pursue(kind, [id]);
  return temporal.workflow.getHandle(pursuitWorkflowId(kind, 'sandbox', id));
}

/** The third party has taken it, and lets it wait for so long that only news can end it in time. */
async function waiting(kind: Kind): Promise<{ readonly id: string; readonly party: Party }> {
  const id = await kind.order();
  const party = partyOf(id);
  party.says = 'pending';
  await real.askOnce(kind.kind, id);
  await age(kind, id, { [kind.asked_since]: '4 hours' });
  return { id, party };
}

describe.each(KINDS)('$kind', (kind) => {
  it('is asked for once and ends with the third party’s word, which operators see', async () => {
    const id = await kind.order();
    const handle = await pursued(kind, id);
    expect(await handle.result()).toBe(kind.ends.done);
    expect(partyOf(id).questions).toBe(1);
    const described = await handle.describe();
    const values = described.typedSearchAttributes.getAll().map(({ value }) => value);
    for (const value of ['sandbox', 'XOF', 5000, kind.ends.done]) expect(values).toContain(value);
    const summary = await described.staticSummary();
    expect(summary).toMatch(/^(SUS|RFD|PYT|TRX)-\S+ · 5 000 XOF · /);
    expect(summary).toContain(merchant.username);
  });

  it('says what it waits for, on its timer too', async () => {
    const { id } = await waiting(kind);
    const handle = await pursued(kind, id);
    const summaries = async () =>
      ((await handle.fetchHistory()).events ?? []).flatMap(({ userMetadata }) =>
        userMetadata?.summary ? [defaultPayloadConverter.fromPayload(userMetadata.summary)] : [],
      );
    await waitFor(async () =>
      (await summaries()).some((one) => String(one).startsWith('waits for the ')),
    );
    expect(await summaries()).toContain('asks how it stands');
    await handle.terminate('seen');
  });

  it('is asked about again after an answer that was lost', async () => {
    const id = await kind.order();
    partyOf(id).lost = [new GatewayError('timeout', 'no response')];
    expect(await (await pursued(kind, id)).result()).toBe(kind.ends.done);
    expect(partyOf(id).questions).toBe(2);
  });

  it('takes no mistake of an adapter for a word of the third party', async () => {
    const id = await kind.order();
    const mistake = new TypeError('a mistake of the adapter');
    partyOf(id).lost = [mistake];
    await expect(real.askOnce(kind.kind, id)).rejects.toThrow(mistake);
    expect((await real.askOnce(kind.kind, id)).status).toBe(kind.ends.done);
  });

  it('is not ended by a third party that knows it and refuses to say more', async () => {
    const { id, party } = await waiting(kind);
    const { status } = await rowOf(kind, id);
    party.lost = [new GatewayError('refused', 'not now', { outcome: 'not_done' })];
    await real.askOnce(kind.kind, id);
    expect((await rowOf(kind, id))['status']).toBe(status);
    party.says = 'done';
    expect((await real.askOnce(kind.kind, id)).status).toBe(kind.ends.done);
  });

  it('waits for longer and longer, and is woken by news', async () => {
    const { id, party } = await waiting(kind);
    const handle = await pursued(kind, id);
    await waitFor(async () => (await rowOf(kind, id))['asks'] === 2);
    const started = await waitFor(async () => {
      const { events } = await handle.fetchHistory();
      return events!.find((event) => event.timerStartedEventAttributes)
        ?.timerStartedEventAttributes;
    });
    expect(Number(started!.startToFireTimeout!.seconds)).toBe(kind.longest_s);
    party.says = 'done';
    await kind.note(id);
    await pursue(kind.kind, [id]);
    expect(await handle.result()).toBe(kind.ends.done);
    const history = await handle.fetchHistory();
    expect(history.events!.some((event) => event.timerCanceledEventAttributes)).toBe(true);
    if (kind.kind === 'refund') keepHistory('pursue-refund', history);
  });

  it('is done once when the process dies, at each moment', async () => {
    const cases = MOMENTS.flatMap((dies) =>
      (['done', 'failed'] as const).map((says) => ({ dies, says })),
    );
    const ends = await Promise.all(
      cases.map(async ({ dies, says }) => {
        const id = await kind.order();
        Object.assign(partyOf(id), { dies, says });
        const end = await (await pursued(kind, id)).result();
        expect(partyOf(id).dies).toBeUndefined();
        return end;
      }),
    );
    expect(ends).toEqual(cases.map(({ says }) => kind.ends[says]));
  });

  it('is not asked for by a process that stood still after it had written the question down', async () => {
    const id = await kind.order();
    const { owner } = database;
    await owner.raw(`create function stand_still() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(77); return new; end $$`);
    await owner.raw(`create trigger stand_still after update on ${kind.rows} for each row
      when (new.${kind.key} = '${id}') execute function stand_still()`);
    const held = await owner.transaction();
    await held.raw('select pg_advisory_xact_lock(77)');
    const now = performance.now.bind(performance);
    let late_ms = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + late_ms);
    const asking = real.askOnce(kind.kind, id);
    await waitFor(async () => {
      const { rows } = await owner.raw(
        `select from pg_locks where locktype = 'advisory' and objid = 77 and not granted`,
      );
      return (rows as unknown[]).length > 0;
    });
    late_ms = 10_001;
    await held.rollback();
    await asking;
    clock.mockRestore();
    await owner.raw('drop function stand_still cascade');
    expect(partyOf(id).questions).toBe(0);
    // Nothing was done: an attempt ends with that, the others are asked for later.
    const { status, detail, failure } = await rowOf(kind, id);
    expect(JSON.stringify([status, detail, failure])).toMatch(/stood still|could not be reached/);
    if (kind.kind === 'payment-attempt') return;
    expect(await (await pursued(kind, id)).result()).toBe(kind.ends.done);
  });

  it('takes no answer that is out of date', async () => {
    const id = await kind.order();
    const party = partyOf(id);
    const { promise: frozen, resolve: thaw } = withResolvers();
    // The first process stands still with the answer, so Temporal gives the task to another.
    party.holds = frozen;
    party.says = 'failed';
    const first = real.askOnce(kind.kind, id);
    await waitFor(() => party.questions === 1);
    party.holds = undefined;
    party.says = 'done';
    expect(await (await pursued(kind, id)).result()).toBe(kind.ends.done);
    thaw();
    expect((await first).status).toBe(kind.ends.done);
    expect(party.questions).toBe(2);
  });

  it('is done once when it is started by hand beside its workflow, and not again when it has ended', async () => {
    const id = await kind.order();
    const byHand = () =>
      temporal.workflow.start(WORKFLOW_TYPES.pursue, {
        workflowId: `by-hand/${randomBytes(8).toString('hex')}`,
        taskQueue: task_queue,
        args: [kind.kind, id],
      });
    const handles = await Promise.all([byHand(), byHand(), pursued(kind, id)]);
    for (const handle of handles) expect(await handle.result()).toBe(kind.ends.done);
    const [before, { questions }] = [await rowOf(kind, id), partyOf(id)];
    expect(await (await byHand()).result()).toBe(kind.ends.done);
    expect(await rowOf(kind, id)).toEqual(before);
    expect(partyOf(id).questions).toBe(questions);
  });

  it('is started by the sweeper when its start was lost', async () => {
    const id = await kind.order();
    const { promise: held, resolve: answer } = withResolvers();
    partyOf(id).holds = held;
    await age(kind, id, { [kind.ordered_at]: '3 minutes' });
    // Others have waited long enough too on a slow machine.
    expect(await real.sweepNotifications()).toBeGreaterThan(0);
    // The books have it where its posting is, and its event shows it.
    await age(kind, id, { [kind.ordered_at]: '-3 minutes' });
    answer();
    const handle = temporal.workflow.getHandle(pursuitWorkflowId(kind.kind, 'sandbox', id));
    expect(await handle.result()).toBe(kind.ends.done);
  });

  it('is started by the sweeper after a notice whose signal was lost', async () => {
    const { id, party } = await waiting(kind);
    party.says = 'done';
    await kind.note(id);
    await age(kind, id, { asked_at: '90 seconds', notified_at: '1 minute' });
    await real.sweepNotifications();
    const handle = temporal.workflow.getHandle(pursuitWorkflowId(kind.kind, 'sandbox', id));
    expect(await handle.result()).toBe(kind.ends.done);
  });
});

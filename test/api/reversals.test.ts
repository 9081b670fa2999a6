// Reversals of transfers over HTTP: who may, how much, exactly once, and what both sides see of them.

import { randomUUID } from 'node:crypto';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import type { HttpResponse, RequestOptions } from '../support/http';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { fund } from '../support/users';
import { keepHistory } from '../workflows/saved-histories';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { isReplay } from './support/intents';
import { setFees } from '../support/fees';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const stranger = setUp(() => buildAccount(database));
let sender: Account;
let recipient: Account;

beforeAll(() => setFees(database.owner, { kinds: ['transfer'], currency: 'XOF', percent: 1 }));

beforeEach(async () => {
  const funds = { XOF: 1_000_000n, EUR: 100_000n };
  sender = await buildAccount(database, { live: funds, sandbox: funds });
  recipient = await buildAccount(database);
});

afterEach(() => expectBooksHold(database.db));

type Json = HttpResponse['json'];

const bodyOf = (amount: number) => ({
  to_username: recipient.username,
  currency: 'XOF',
  amount,
});

async function send(amount = 5000, key = sender.live): Promise<Json> {
  const body = bodyOf(amount);
  const { status, json } = await callApi(service, 'POST', '/transfers', { key, body });
  expect(status).toBe(200);
  return json;
}

function reverse(
  { reference }: Json,
  body?: unknown,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  return callApi(service, 'POST', `/transfers/${reference}/reversals`, {
    key: recipient.live,
    idempotency_key: randomUUID(),
    ...(body === undefined ? {} : { body }),
    ...options,
  });
}

async function show({ reference }: Json, key = sender.live): Promise<Json> {
  return (await callApi(service, 'GET', `/transfers/${reference}`, { key })).json;
}

const wallet = (user: Account, environment: 'live' | 'sandbox' = 'live'): Promise<bigint> =>
  balanceOf(database.db, user, 'XOF', environment);

async function historyOf(reference: string, key: string): Promise<Json[]> {
  const { json } = await callApi(service, 'GET', '/transactions?type=reversal&limit=100', { key });
  return (json.transactions as Json[]).filter((row) => row.reference === reference);
}

/** The recipient pays the fee of the transfer from what they have. */
const addToRecipient = (amount_minor: bigint): Promise<bigint> =>
  fund(database.db, recipient.id, 'live', 'XOF', amount_minor);

describe('POST /transfers/{reference}/reversals', () => {
  it('gives all of it back, as one reference that both sides see', async () => {
    const transfer = await send();
    await addToRecipient(10_000n);
    const before = [await wallet(sender), await wallet(recipient)] as const;
    const created = await reverse(transfer, { reason: 'Sent by mistake' });
    expect(created.json).toEqual({
      ok: true,
      reference: expect.stringMatching(/^RVL-[0-9A-HJKMNP-TV-Z]{20}$/),
      transfer_reference: transfer.reference,
      amount: 5000,
      currency: 'XOF',
      reason: 'Sent by mistake',
      environment: 'live',
      simulated: false,
      created_at: expect.any(String),
    });
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('5000.00')]);
    expect([await wallet(sender), await wallet(recipient)]).toEqual([
      before[0] + 500_000n,
      before[1] - 500_000n,
    ]);
    expect(await show(transfer)).toMatchObject({ status: 'reversed', reversed_amount: 5000 });
    const { reference } = created.json;
    for (const [key, direction, counterparty] of [
      [recipient.live, 'out', sender.username],
      [sender.live, 'in', recipient.username],
    ] as const) {
      expect(await historyOf(reference, key)).toEqual([
        expect.objectContaining({
          direction,
          counterparty,
          amount: 5000,
          fee: 0,
          status: 'completed',
          description: 'Sent by mistake',
          related: transfer.reference,
        }),
      ]);
    }
  });

  it('is for the recipient alone', async () => {
    const transfer = await send();
    expect(await reverse(transfer, {}, { key: sender.live })).toMatchObject(refusal('forbidden'));
    for (const key of [stranger.live, recipient.sandbox]) {
      expect(await reverse(transfer, {}, { key })).toMatchObject(refusal('transfer_not_found'));
    }
    expect(await reverse({ reference: 'nonsense' })).toMatchObject(refusal('transfer_not_found'));
    expect((await show(transfer)).reversed_amount).toBe(0);
  });

  it('answers 402 when the wallet lacks it, and keeps that for the key', async () => {
    // The recipient got 4950: the fee is the platform's.
    const transfer = await send();
    const idempotency_key = randomUUID();
    const refused = await reverse(transfer, undefined, { idempotency_key });
    expect(refused).toMatchObject(refusal('insufficient_funds', 'amount'));
    await addToRecipient(5_000n);
    const again = await reverse(transfer, undefined, { idempotency_key });
    expect([again.status, again.text, isReplay(again)]).toEqual([402, refused.text, true]);
    expect((await reverse(transfer)).status).toBe(201);
  });

  it('refuses cents of XOF', async () => {
    const transfer = await send();
    expect(await reverse(transfer, { amount: 1.5 })).toMatchObject(refusal('invalid_request'));
    expect((await show(transfer)).reversed_amount).toBe(0);
  });
});

describe('in the sandbox', () => {
  it('it is simulated: both see it, nothing moves, and the transfer ends as reversed', async () => {
    await fund(database.db, recipient.id, 'sandbox', 'XOF', 500_000n);
    const transfer = await send(5000, sender.sandbox);
    const before = [await wallet(sender, 'sandbox'), await wallet(recipient, 'sandbox')];
    const key = recipient.sandbox;
    const part = await reverse(transfer, { amount: 1000 }, { key });
    expect(part.json).toMatchObject({ simulated: true, environment: 'sandbox', amount: 1000 });
    expect(await show(transfer, sender.sandbox)).toMatchObject({
      status: 'simulated',
      simulated: true,
      reversed_amount: 1000,
    });
    expect((await reverse(transfer, {}, { key })).status).toBe(201);
    expect(await show(transfer, sender.sandbox)).toMatchObject({
      status: 'reversed',
      simulated: true,
      reversed_amount: 5000,
    });
    expect([await wallet(sender, 'sandbox'), await wallet(recipient, 'sandbox')]).toEqual(before);
    for (const side of [sender.sandbox, recipient.sandbox]) {
      expect(await historyOf(part.json.reference, side)).toEqual([
        expect.objectContaining({ status: 'simulated', amount: 1000 }),
      ]);
    }
    expect(await reverse(transfer, { amount: 1 }, { key })).toMatchObject(
      refusal('reversal_exceeds_transfer'),
    );
  });
});

describe('its workflow', () => {
  it('shows what it does, and neither the key nor the reason', async () => {
    const transfer = await send();
    const idempotency_key = `order-${randomUUID()}`;
    const reason = 'a reason that nobody else reads';
    const { json } = await reverse(transfer, { amount: 700, reason }, { idempotency_key });
    const temporal = await connectTestTemporal();
    const id = `reversal/live/${recipient.id}/${idempotency_key}`;
    const handle = temporal.workflow.getHandle(id);
    const { typedSearchAttributes } = await handle.describe();
    const shown = JSON.stringify(typedSearchAttributes);
    for (const text of [json.reference, transfer.reference, recipient.username, 'reversed']) {
      expect(shown).toContain(text);
    }
    const history = await handle.fetchHistory();
    expect(Buffer.from(JSON.stringify(history)).toString()).not.toContain(reason);
    keepHistory('reversal-completed', history);
  });

  it('moves nothing when it is started by hand', async () => {
    const transfer = await send();
    const temporal = await connectTestTemporal();
    const handle = await temporal.workflow.start('reversal', {
      workflowId: randomUUID(),
      taskQueue: service.config.task_queue,
      args: [
        {
          reference: 'RVL-BYHAND',
          environment: 'live',
          user_id: recipient.id,
          transfer_reference: transfer.reference,
          amount_minor: '100',
          signature: 'none',
        },
      ],
    });
    expect(await handle.result()).toEqual({ outcome: 'not_posted', left_minor: null });
    expect((await show(transfer)).reversed_amount).toBe(0);
  });
});

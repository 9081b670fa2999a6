// What rules hold and refuse, and where the money is meanwhile and afterwards.

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import { findTransfer } from '../../db/transfers/transfers';
import {
  createBatch,
  getBatch,
  listItems,
  postBatchStep,
  checkBatch,
} from '../../db/transfer-batches/transfer-batches';
import {
  approveRequest,
  requestApproval,
  type ApprovalRequest,
} from '../../db/operators/approvals';
import { changeSetting } from '../../db/operators/settings';
import { expireCase, listCases, listExpiredCases } from '../../db/risk/cases';
import { cancelPayout, getPayout } from '../../db/payouts/payouts';
import { cancelIntent, createIntent } from '../../db/payment-intents/intents';
import { claimDueIntents } from '../../db/payment-intents/expiries';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { listBreaks } from '../../db/treasury/treasury';
import { transferRefusals } from '../../domain/transfer';
import { makeTransferReferences } from '../../secrets/random';
import { importSettlement } from '../../use-cases/treasury/files';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { answerPayout, buildNewPayout, BY, orderPayout, orderedPayout } from '../support/payouts';
import {
  buildTransferRequest,
  ERROR_DOCS,
  insist,
  post,
  postingValues,
  postOne,
} from '../support/postings';
import { setFees } from '../support/fees';
import { receive } from '../support/refunds';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import {
  paymentLine,
  shippedFormat,
  withBalances,
  writeFile,
  type WrittenLine,
} from '../support/treasury';
import { buildUser, fund, type TestUser } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';
import { buildNewIntent, letExpire, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';
const database = setUp(createTestDatabase);
const awa = setUp(() => buildUser(database.db, { username: 'awa' }));
const ben = setUp(() => buildUser(database.db, { username: 'ben' }));

beforeAll(async () => {
  await fund(database.db, awa.id, 'live', 'XOF', 1_000_000_00n);
  await fund(database.db, awa.id, 'sandbox', 'XOF', 100_000_000n);
});
afterEach(async () => {
  await removeRules(database.owner);
  await expectBooksHold(database.db);
});

const balance = (user: TestUser) => balanceOf(database.db, user);
const holds = async (): Promise<bigint> =>
  (
    await database.owner.raw(
      `select balance_minor from ledger_accounts where kind = 'holds' and environment = 'live' and currency = 'XOF'`,
    )
  ).rows[0].balance_minor;
const rowsOf = async (user: TestUser, reference: string): Promise<string[]> =>
  (
    await database.owner.raw(
      `select type || ' ' || status as shown from transactions where user_id = ? and reference = ? order by created_at`,
      [user.id, reference],
    )
  ).rows.map(({ shown }: { shown: string }) => shown);

describe('a transfer that a rule holds', () => {
  it('leaves the wallet, is shown to its sender alone, and answers 202 for ever', async () => {
    await setRule(database.operator);
    const before = [await balance(awa), await balance(ben)] as const;
    const request = buildTransferRequest({ from: awa, to: ben, amount: 200_000n });
    const [held] = await post(database.db, [request]);
    const { reference } = request;
    expect(held).toMatchObject({ outcome: 'held', is_replay: false, response: { status: 202 } });
    const body = JSON.parse(held!.response!.body);
    const waiting = await latestCase(database.db);
    expect(body).toMatchObject({
      ok: true,
      reference,
      status: 'held',
      hold: { reference: waiting.reference },
    });
    expect(Date.parse(body.hold.expires_at) - Date.now()).toBeGreaterThan(71 * 3_600_000);
    expect([await balance(awa), await balance(ben)]).toEqual([before[0] - 200_000n, before[1]]);
    expect(await holds()).toBe(200_000n);
    expect(await rowsOf(awa, reference)).toEqual(['transfer_out pending']);
    expect(await rowsOf(ben, reference)).toEqual([]);
    expect(await findTransfer(database.db, ben.id, 'live', reference)).toBeUndefined();
    expect(await findTransfer(database.db, awa.id, 'live', reference)).toMatchObject({
      status: 'held',
    });

    expect(await decide(database.operator, waiting.reference, 'release')).toBeNull();
    expect([await balance(awa), await balance(ben)]).toEqual([
      before[0] - 200_000n,
      before[1] + 200_000n,
    ]);
    expect(await holds()).toBe(0n);
    expect(await rowsOf(awa, reference)).toEqual(['transfer_out completed']);
    expect(await rowsOf(ben, reference)).toEqual(['transfer_in completed']);
    expect(await findTransfer(database.db, ben.id, 'live', reference)).toMatchObject({
      status: 'completed',
    });
    const [replay] = await post(database.db, [{ ...request, reference: 'TRF-OTHER' }]);
    expect(replay).toMatchObject({ outcome: 'held', is_replay: true, response: held!.response });
    expect(await decide(database.operator, waiting.reference, 'refuse')).toBe('case_decided');
  });

  it('comes back when it is refused, and its recipient never sees it', async () => {
    await setRule(database.operator);
    const before = await balance(awa);
    const request = buildTransferRequest({ from: awa, to: ben, amount: 200_000n });
    await post(database.db, [request]);
    const { reference } = await latestCase(database.db);
    expect(await decide(database.operator, reference, 'refuse')).toBeNull();
    expect([await balance(awa), await holds()]).toEqual([before, 0n]);
    expect(await rowsOf(awa, request.reference)).toEqual([
      'transfer_out failed',
      'reversal completed',
    ]);
    expect(await findTransfer(database.db, ben.id, 'live', request.reference)).toBeUndefined();
    expect(await findTransfer(database.db, awa.id, 'live', request.reference)).toMatchObject({
      status: 'refused',
      hold: null,
    });
  });

  it('has its fee and its tax with it, borne by the one or the other', async () => {
    await setRule(database.operator);
    const { owner } = database;
    for (const bearer of ['payer', 'recipient']) {
      await setFees(owner, { kinds: ['transfer'], currency: 'XOF', percent: 2, more: { bearer } });
      const more = { tax: true, base: 'fee' };
      await setFees(owner, { kinds: ['transfer'], currency: 'XOF', percent: 50, more });
      for (const decision of ['release', 'refuse'] as const) {
        await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
        expect(await holds()).toBe(bearer === 'payer' ? 206_000n : 200_000n);
        await decide(database.operator, (await latestCase(database.db)).reference, decision);
        expect(await holds()).toBe(0n);
        await expectBooksHold(database.db);
      }
    }
    await setFees(owner, {
      kinds: ['transfer'],
      currency: 'XOF',
      more: { tax: true, base: 'fee' },
    });
    await setFees(owner, { kinds: ['transfer'], currency: 'XOF', more: { bearer: 'recipient' } });
  });

  it('moves nothing in the sandbox', async () => {
    await setRule(database.operator, { environment: 'sandbox' });
    for (const decision of ['release', 'refuse'] as const) {
      const request = buildTransferRequest({
        from: awa,
        to: ben,
        amount: 200_000n,
        environment: 'sandbox',
      });
      const [held] = await post(database.db, [request]);
      expect(JSON.parse(held!.response!.body)).toMatchObject({ status: 'held', simulated: true });
      await decide(database.operator, (await latestCase(database.db)).reference, decision);
      expect(await findTransfer(database.db, awa.id, 'sandbox', request.reference)).toMatchObject({
        status: decision === 'release' ? 'simulated' : 'refused',
        simulated: true,
      });
    }
  });

  it('is not released to or from a frozen account, and comes back all the same', async () => {
    await setRule(database.operator);
    await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
    const { reference } = await latestCase(database.db);
    for (const user of [awa, ben]) {
      await freezeAccount(database.operator, user.id, 'looks odd', 'olivia');
      expect(await decide(database.operator, reference, 'release')).toBe('account_frozen');
      await unfreezeAccount(database.operator, user.id, 'is fine', 'olivia');
    }
    await freezeAccount(database.operator, awa.id, 'looks odd', 'olivia');
    expect(await decide(database.operator, reference, 'refuse')).toBeNull();
    await unfreezeAccount(database.operator, awa.id, 'is fine', 'olivia');
  });

  it('is decided once, whoever decides at the same time', async () => {
    await setRule(database.operator);
    for (let round = 0; round < 30; round += 1) {
      const before = (await balance(awa)) + (await balance(ben));
      await postOne(database.db, { from: awa, to: ben, amount: 100_100n });
      const { reference } = await latestCase(database.db);
      const outcomes = await Promise.all([
        insist(() => decide(database.operator, reference, 'release')),
        insist(() => decide(database.operator, reference, 'refuse', 'oscar')),
        insist(async () => {
          const ended = await expireCase(database.db, reference, PAY_URL);
          return ended === 'done' ? null : ended;
        }),
      ]);
      expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
      expect((await balance(awa)) + (await balance(ben))).toBe(before);
    }
  });

  it('ends by itself when its time is over, and no operator decides it then', async () => {
    await setRule(database.operator);
    const before = await balance(awa);
    await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
    const { reference } = await latestCase(database.db);
    expect(await listExpiredCases(database.db, 10)).toEqual([]);
    await database.owner.raw(
      `update risk_cases set expires_at = clock_timestamp() where status = 'held'`,
    );
    expect(await decide(database.operator, reference, 'release')).toBe('case_decided');
    expect(await listExpiredCases(database.db, 10)).toMatchObject([{ reference }]);
    expect(await expireCase(database.db, reference, PAY_URL)).toBe('done');
    expect(await balance(awa)).toBe(before);
    expect(await latestCase(database.db)).toMatchObject({ status: 'expired', decided_by: null });
  });
});

it('a transfer that a rule refuses leaves a case, and the key is free', async () => {
  await setRule(database.operator, { decision: 'refuse', watches: ['transfer'] });
  const request = buildTransferRequest({ from: awa, to: ben, amount: 200_000n });
  const [refused] = await post(database.db, [request]);
  expect(refused).toEqual({ outcome: 'risk_refused', reference: null, is_replay: false });
  expect(await latestCase(database.db)).toMatchObject({
    decision: 'refuse',
    status: 'refused',
    subject: request.reference,
    reasons: [{ source: 'rule', name: 'large' }],
  });
  await removeRules(database.owner);
  expect((await post(database.db, [request]))[0]).toMatchObject({ outcome: 'completed' });
});

describe('an operator', () => {
  const limit = (above: string | null) =>
    database.owner.raw(`update approval_limits set above_minor = ? where currency = 'XOF'`, [
      above,
    ]);
  const approve = (id: string, actor: string) =>
    approveRequest(database.operator, id, actor, PAY_URL);
  afterEach(() => limit(null));

  it('needs another one for a rule, and above the limit for a decision', async () => {
    await setRule(database.operator);
    await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
    const { reference } = await latestCase(database.db);
    await limit('150000');
    await expect(setRule(database.operator, { name: 'other' })).rejects.toMatchObject({
      code: 'AP001',
    });
    await expect(decide(database.operator, reference, 'release')).rejects.toMatchObject({
      code: 'AP001',
    });
    expect(await latestCase(database.db)).toMatchObject({ status: 'held' });
    const request = {
      action: 'risk.release',
      arguments: { reference, pay_url_base: PAY_URL },
      reason: '',
    } as const;
    const { approval } = await requestApproval(database.operator, request, 'olivia');
    expect(await approve(approval!, 'olivia')).toBe('same_person');
    expect(await approve(approval!, 'oscar')).toBe('approved');
    expect(await latestCase(database.db)).toMatchObject({
      status: 'released',
      decided_by: 'oscar',
    });
    await limit('200000');
    await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
    expect(
      await decide(database.operator, (await latestCase(database.db)).reference, 'refuse'),
    ).toBeNull();
  });

  const provider = { watches: ['transfer'], deadline_ms: 300, on_silence: 'allow' };
  const rule = { name: 'eyes', kind: 'amount', watches: ['transfer'], decision: 'hold' };
  type Setting = readonly [ApprovalRequest['action'], ApprovalRequest['arguments']];
  it.each<[string, string, Setting, Setting]>([
    [
      'the provider',
      'select url from risk_provider',
      ['risk.provider', { ...provider, url: 'https://risk.example.com/' }],
      ['risk.provider', {}],
    ],
    [
      'a rule',
      'select name from risk_rules',
      ['risk.set', { ...rule, currency: 'XOF', above_minor: 900_000 }],
      ['risk.remove', { name: 'eyes' }],
    ],
    [
      'what names are compared with',
      'select mode from risk_screening',
      ['risk.screening', { mode: 'off' }],
      ['risk.screening', { mode: 'local' }],
    ],
  ])('needs another one to set %s, and to end it', async (_, shown, ...settings) => {
    const state = async () => (await database.owner.raw(shown)).rows as unknown[];
    // Whatever the figure: a setting has none.
    await limit('999999999999999');
    for (const [action, given] of settings) {
      const before = await state();
      const alone = changeSetting(database.operator, action, given, 'olivia');
      await expect(alone).rejects.toMatchObject({ code: 'AP001' });
      const request = { action, arguments: given, reason: '' };
      const { approval } = await requestApproval(database.operator, request, 'olivia');
      expect(await approve(approval!, 'olivia')).toBe('same_person');
      expect(await state()).toEqual(before);
      expect(await approve(approval!, 'oscar')).toBe('approved');
      expect(await state()).not.toEqual(before);
    }
  });

  it('does not decide about an account of their own, of either side', async () => {
    await setRule(database.operator);
    await postOne(database.db, { from: awa, to: ben, amount: 200_000n });
    const { reference } = await latestCase(database.db);
    for (const { email } of [awa, ben]) {
      await expect(decide(database.operator, reference, 'release', email)).rejects.toMatchObject({
        code: 'AP002',
      });
    }
    expect(await decide(database.operator, reference, 'refuse')).toBeNull();
  });
});

it('what funds and freezes refuse makes no case', async () => {
  await setRule(database.operator);
  const poor = await buildUser(database.db);
  const before = (await listCases(database.db, { limit: 1000 })).length;
  expect(await postOne(database.db, { from: poor, to: ben, amount: 200_000n })).toMatchObject({
    outcome: 'insufficient_funds',
  });
  expect(await listCases(database.db, { limit: 1000 })).toHaveLength(before);
});

describe('a process that dies', () => {
  it('between the hold and its answer leaves one case, and the answer to a repetition', async () => {
    await setRule(database.operator);
    const request = buildTransferRequest({ from: awa, to: ben, amount: 200_000n });
    const before = await balance(awa);
    const died = await openSession(database.app_url);
    await died.query('begin');
    await died.query('select from post_transfer_batch($1, $2)', postingValues([request]));
    await died.end();
    // The posting is one transaction: there is no half of it.
    expect([await balance(awa), await holds()]).toEqual([before, 0n]);
    const lost = await openSession(database.app_url);
    await lost.query('select from post_transfer_batch($1, $2)', postingValues([request]));
    await lost.end();
    const [replay] = await post(database.db, [{ ...request, reference: 'TRF-OTHER' }]);
    expect(replay).toMatchObject({ outcome: 'held', is_replay: true });
    const [newest, older] = await listCases(database.db, { limit: 2 });
    expect(newest!.subject).toBe(request.reference);
    expect(older?.subject).not.toBe(request.reference);
    expect(await holds()).toBe(200_000n);
    expect(await decide(database.operator, newest!.reference, 'refuse')).toBeNull();
  });

  it('between the release and its event leaves both or none', async () => {
    await setRule(database.operator);
    const { reference } = (await postOne(database.db, { from: awa, to: ben, amount: 200_000n }))!;
    const url = 'https://shop.example.com/hooks';
    await createTestEndpoint(database, { user_id: ben.id, url, environment: 'live' });
    await database.owner.raw(`update webhook_endpoints set types = '{transfer.received}'`);
    const waiting = await latestCase(database.db);
    const given = { reference: waiting.reference, pay_url_base: PAY_URL };
    const died = await openSession(database.operator_url);
    await died.query('begin');
    await died.query('select change_setting($1, $2, $3)', ['risk.release', given, 'olivia']);
    await died.end();
    expect(await latestCase(database.db)).toMatchObject({ status: 'held' });
    expect(await holds()).toBe(200_000n);
    expect(await decide(database.operator, waiting.reference, 'release')).toBeNull();
    expect(await rowsOf(ben, reference!)).toEqual(['transfer_in completed']);
    const { rows } = await database.owner.raw(
      'select type from events where transfer_reference = ?',
      [reference],
    );
    expect(rows).toEqual([{ type: 'transfer.received' }]);
  });
});

it('without a rule nothing more is asked', async () => {
  const called = (): Promise<string[]> =>
    database.owner.transaction(async (tx: Knex.Transaction) => {
      await tx.raw(`set local track_functions = 'all'`);
      const transfer = buildTransferRequest({ from: awa, to: ben, amount: 100n });
      await tx.raw('select * from post_transfer_batch(?, ?)', postingValues([transfer]));
      const payout = JSON.stringify({ ...buildNewPayout(awa), refusals: {} });
      await tx.raw('select * from create_payout(?)', [payout]);
      const { rows } = (await tx.raw(
        `select funcname as name from pg_stat_xact_user_functions
          where funcname ~ '(risk|watched|counted|origin|hold_json|lock_holds)'`,
      )) as { rows: { name: string }[] };
      return rows.map(({ name }) => name);
    });
  expect(await called()).toEqual([]);
  await setRule(database.operator);
  expect(await called()).toContain('risk_reasons');
});

describe('rules that count', () => {
  const outcomes = async (requests: ReturnType<typeof buildTransferRequest>[]) =>
    (await Promise.all(requests.map((one) => insist(() => post(database.db, [one])))))
      .flat()
      .map(({ outcome }) => outcome);
  const some = (times: number, fields: Partial<Parameters<typeof buildTransferRequest>[0]>) =>
    Array.from({ length: times }, () =>
      buildTransferRequest({ from: awa, to: ben, amount: 100n, ...fields }),
    );
  const velocity = { kind: 'velocity', watches: ['transfer'], window_seconds: 3_600 };

  it('let exactly so many of one account pass, of 64 at once', async () => {
    const sender = await buildUser(database.db);
    await fund(database.db, sender.id, 'live', 'XOF', 100_000n);
    await setRule(database.operator, { ...velocity, counted_by: 'account', most_count: 10 });
    const all = await outcomes(some(64, { from: sender }));
    expect(all.filter((outcome) => outcome === 'completed')).toHaveLength(10);
    expect(all.filter((outcome) => outcome === 'held')).toHaveLength(54);
  });

  it('count to one recipient from many senders, and the sum with them', async () => {
    const recipient = await buildUser(database.db);
    const senders = await Promise.all(Array.from({ length: 16 }, () => buildUser(database.db)));
    for (const sender of senders) await fund(database.db, sender.id, 'live', 'XOF', 1_000n);
    await setRule(database.operator, { ...velocity, counted_by: 'recipient', most_minor: 500 });
    const all = await outcomes(senders.flatMap((from) => some(1, { from, to: recipient })));
    expect(all.filter((outcome) => outcome === 'completed')).toHaveLength(5);
    expect(all.filter((outcome) => outcome === 'held')).toHaveLength(11);
  });

  it('count by the address, also what came before the rule', async () => {
    const ip = '192.0.2.7';
    const before = some(2, { ip });
    await outcomes(before);
    const entries = before.map(({ reference, request_id }) => ({
      id: randomUUID(),
      at: new Date().toISOString(),
      ip,
      key_id: randomUUID(),
      method: 'POST',
      route: '/v1/transfers',
      status: 200,
      request_id,
      duration_ms: 1,
      names: [reference],
    }));
    await database.db.raw('select add_access_entries(?)', [JSON.stringify(entries)]);
    await setRule(database.operator, { ...velocity, counted_by: 'ip', most_count: 3 });
    expect(await outcomes(some(1, { ip }))).toEqual(['completed']);
    expect(await outcomes(some(1, { ip }))).toEqual(['held']);
    expect(await outcomes(some(1, { ip: '192.0.2.8' }))).toEqual(['completed']);
    expect(await outcomes(some(1, {}))).toEqual(['completed']);
  });

  it('count by the address between wallets that share no lock', async () => {
    const ip = '192.0.2.9';
    const pairs = await Promise.all(
      Array.from({ length: 16 }, async () => ({
        from: await buildUser(database.db),
        to: await buildUser(database.db),
      })),
    );
    for (const { from } of pairs) await fund(database.db, from.id, 'live', 'XOF', 1_000n);
    await setRule(database.operator, { ...velocity, counted_by: 'ip', most_count: 2 });
    const all = await outcomes(pairs.flatMap((pair) => some(1, { ...pair, ip })));
    expect(all.filter((outcome) => outcome === 'completed')).toHaveLength(2);
  });

  it('count the ones of a group among themselves', async () => {
    const sender = await buildUser(database.db);
    await fund(database.db, sender.id, 'live', 'XOF', 100_000n);
    await setRule(database.operator, { ...velocity, counted_by: 'account', most_count: 2 });
    const results = await post(database.db, some(5, { from: sender }));
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'held',
      'held',
      'held',
    ]);
  });

  it('see amounts that stay below a threshold', async () => {
    const sender = await buildUser(database.db);
    await fund(database.db, sender.id, 'live', 'XOF', 10_000_000n);
    await setRule(database.operator, {
      kind: 'structuring',
      watches: ['transfer'],
      counted_by: 'account',
      window_seconds: 3_600,
      threshold_minor: 100_000,
      margin_percent: 10,
      most_count: 3,
    });
    const one = async (amount: bigint) =>
      (await postOne(database.db, { from: sender, to: ben, amount })).outcome;
    expect(await one(89_900n)).toBe('completed');
    expect(await one(90_000n)).toBe('completed');
    expect(await one(100_000n)).toBe('completed');
    expect(await one(99_900n)).toBe('completed');
    expect(await one(99_900n)).toBe('held');
    expect(await one(89_900n)).toBe('completed');
  });

  it('hold the first to a recipient above an amount, until something was completed', async () => {
    const fresh = await buildUser(database.db);
    await setRule(database.operator, {
      kind: 'first_recipient',
      watches: ['transfer', 'payout'],
      above_minor: 1_000,
    });
    const one = async (amount: bigint) =>
      (await postOne(database.db, { from: awa, to: fresh, amount })).outcome;
    expect(await one(1_100n)).toBe('held');
    expect(await one(1_000n)).toBe('completed');
    expect(await one(1_100n)).toBe('completed');
  });
});

describe('a batch', () => {
  const order = async (mode: 'independent' | 'atomic', dry_run: boolean, amounts: number[]) => {
    const id = randomUUID();
    const items = amounts.map((amount) => ({
      to_username: ben.username,
      currency: 'XOF',
      amount_minor: String(amount),
      idempotency_key: null,
    }));
    const batch = {
      id,
      environment: 'live' as const,
      user_id: awa.id,
      mode,
      dry_run,
      idempotency_key: randomUUID(),
      fingerprint: {},
      request_id: randomUUID(),
    };
    await createBatch(database.db, batch, JSON.stringify(items), 10);
    const refusals = JSON.stringify(transferRefusals(ERROR_DOCS));
    return dry_run
      ? checkBatch(database.db, id)
      : postBatchStep(database.db, id, makeTransferReferences(amounts.length), refusals);
  };
  const items = async (batch_id: string) =>
    (await listItems(database.db, { batch_id, status: undefined, after: -1, limit: 10 })).map(
      ({ status, refusal }) => refusal ?? status,
    );

  it('is completed with items that are held, which follow their transfers', async () => {
    await setRule(database.operator, { watches: ['transfer'] });
    const batch = await order('independent', false, [100, 200_000, 300_000]);
    expect(batch).toMatchObject({ status: 'completed', completed: 1, failed: 0, held: 2 });
    expect(await items(batch.id)).toEqual(['completed', 'held', 'held']);
    const cases = await listCases(database.db, { limit: 2 });
    const [large, small] = cases.sort((a, b) => Number(b.amount_minor! - a.amount_minor!));
    await decide(database.operator, large!.reference, 'refuse');
    await decide(database.operator, small!.reference, 'release');
    expect(await getBatch(database.db, batch.id)).toMatchObject({
      completed: 2,
      failed: 1,
      held: 0,
    });
    expect(await items(batch.id)).toEqual(['completed', 'completed', 'risk_refused']);
  });

  it('says the same in a dry run, and makes no case; an atomic one is refused as a whole', async () => {
    await setRule(database.operator, { watches: ['transfer'] });
    await setRule(database.operator, { name: 'huge', decision: 'refuse', above_minor: 300_000 });
    const before = await listCases(database.db, { limit: 1000 });
    const dry = await order('independent', true, [100, 200_000, 400_000]);
    expect(dry).toMatchObject({ status: 'completed', completed: 1, failed: 1, held: 1 });
    expect(await items(dry.id)).toEqual(['completed', 'held', 'risk_refused']);
    for (const dry_run of [true, false]) {
      const atomic = await order('atomic', dry_run, [100, 200_000, 400_000]);
      expect(atomic).toMatchObject({ status: 'failed', failed: 3, held: 0 });
      expect(await items(atomic.id)).toEqual(['batch_refused', 'risk_held', 'risk_refused']);
    }
    expect(await listCases(database.db, { limit: 1000 })).toHaveLength(before.length);
  });
});

describe('a payout that a rule holds', () => {
  it('waits before all else, and goes on as it would have begun', async () => {
    await setRule(database.operator);
    const id = await orderedPayout(database.db, awa, { confirm: false });
    const { reference } = await latestCase(database.db);
    const held = await getPayout(database.db, id);
    expect(held).toMatchObject({ status: 'held', stage: null });
    expect(await answerPayout(database.db, id, { status: 'sent' })).toBeUndefined();
    expect(await decide(database.operator, reference, 'release')).toBeNull();
    expect(await getPayout(database.db, id)).toMatchObject({ status: 'requires_confirmation' });
    expect(await cancelPayout(database.db, id, BY)).toBe('done');
  });

  it('fails when it is refused, and can be canceled by its account', async () => {
    await setRule(database.operator);
    const before = await balanceOf(database.db, awa, 'XOF', 'sandbox');
    const refused = await orderedPayout(database.db, awa);
    await decide(database.operator, (await latestCase(database.db)).reference, 'refuse');
    expect(await getPayout(database.db, refused)).toMatchObject({ status: 'failed' });
    const canceled = await orderedPayout(database.db, awa);
    expect(await cancelPayout(database.db, canceled, BY)).toBe('done');
    const ended = await latestCase(database.db);
    expect(ended).toMatchObject({ status: 'withdrawn' });
    expect(await decide(database.operator, ended.reference, 'release')).toBe('case_decided');
    expect(await balanceOf(database.db, awa, 'XOF', 'sandbox')).toBe(before);
  });

  it('is refused with a case, and nothing is stored for the key', async () => {
    await setRule(database.operator, { decision: 'refuse', counted_by: null });
    expect(await orderPayout(database.db, awa)).toMatchObject({ outcome: 'risk_refused' });
    expect(await latestCase(database.db)).toMatchObject({
      subject_type: 'payout',
      status: 'refused',
    });
  });

  it('is counted by its phone', async () => {
    const velocity = { kind: 'velocity', window_seconds: 60, counted_by: 'phone', most_count: 1 };
    await setRule(database.operator, { ...velocity, watches: ['payout'] });
    const phone = '+221770000199';
    const first = await orderedPayout(database.db, awa, { phone });
    const second = await orderedPayout(database.db, awa, { phone });
    expect((await getPayout(database.db, first)).status).toBe('pending');
    expect((await getPayout(database.db, second)).status).toBe('held');
  });
});

describe('a payment that a rule holds', () => {
  const pay = async () => {
    const intent = buildNewIntent(awa, 'sandbox', { amount_minor: '200000', currency: 'XOF' });
    await createIntent(database.db, intent);
    await openAtOnce(database.db, intent.id, {
      session_id: `cs_${intent.id}`,
      checkout_url: `https://gateway.example.com/${intent.id}`,
      lapses_at: null,
    });
    return { intent, outcome: await notify(intent) };
  };
  const notify = async (intent: ReturnType<typeof buildNewIntent>) => {
    const notification = notificationOf(intent);
    const { id } = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
    return (await applyNotification(database.db, id, PAY_URL)).outcome;
  };
  const read = async (id: string) =>
    (await database.owner.raw('select * from payment_intents where id = ?', [id])).rows[0];

  it('is processing, neither expires nor is canceled, and takes no second payment', async () => {
    await setRule(database.operator);
    const { intent, outcome } = await pay();
    expect(outcome).toBe('held');
    expect(await read(intent.id)).toMatchObject({ status: 'processing', received_minor: 200_000n });
    await letExpire(database, intent);
    expect(
      await claimDueIntents(database.db, { environment: 'sandbox', name: 'sandbox' }, 10),
    ).toEqual([]);
    expect(await cancelIntent(database.db, intent.id)).toBe('processing');
    expect(await notify(intent)).toBe('suspense');
    const before = await balanceOf(database.db, awa, 'XOF', 'sandbox');
    await decide(database.operator, (await latestCase(database.db)).reference, 'release');
    expect(await read(intent.id)).toMatchObject({ status: 'succeeded', hold: null });
    expect(await balanceOf(database.db, awa, 'XOF', 'sandbox')).toBe(before + 200_000n);
  });

  it('goes to suspense when it is refused', async () => {
    await setRule(database.operator, { decision: 'refuse' });
    const { intent, outcome } = await pay();
    expect(outcome).toBe('held');
    await decide(database.operator, (await latestCase(database.db)).reference, 'refuse');
    expect(await read(intent.id)).toMatchObject({
      status: 'failed',
      last_payment_error: { code: 'risk_refused' },
    });
    const { rows } = await database.owner.raw(
      'select reason, status from suspense_items where intent_id = ?',
      [intent.id],
    );
    expect(rows).toEqual([{ reason: 'risk_refused', status: 'held' }]);
  });
});

it('a payment that was held is the same row to a settlement file before and after its release', async () => {
  const { db, operator } = database;
  await setRule(operator);
  const lines: WrittenLine[] = [];
  const pay = async (amount_minor: string): Promise<void> => {
    const intent = buildNewIntent(awa, 'acme', { environment: 'live', amount_minor });
    await createIntent(db, intent);
    const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
    await openAtOnce(db, intent.id, checkout);
    const id = await receive(db, intent);
    lines.push(paymentLine(0, { id, amount: BigInt(amount_minor), fee: 0n }));
  };
  const compare = async (): Promise<void> => {
    const bytes = writeFile(shippedFormat('generic'), withBalances(lines));
    const order = {
      provider: 'acme',
      bank: null,
      environment: 'live',
      from: null,
      to: null,
    } as const;
    const acting = { db: operator, actor: 'tests' };
    const done = await importSettlement(acting, { ...order, bytes, format: 'generic' });
    expect(done).toMatchObject({ ok: true });
    expect(await listBreaks(operator, { status: 'open', after: undefined, limit: 9 })).toEqual([]);
  };
  await pay('500000');
  await compare();
  expect(await decide(operator, (await latestCase(db)).reference, 'release')).toBeNull();
  // A file with a new line looks for what it lacks.
  await pay('50000');
  await compare();
});

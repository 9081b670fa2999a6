// Live money needs an approved identity check, wherever it is asked for or leaves. Postgres decides it.

import { randomUUID } from 'node:crypto';
import { createIntentBefore } from '../../db/payment-intents/intents';
import { createBatch } from '../../db/transfer-batches/transfer-batches';
import { previewTransfer } from '../../db/transfers/transfers';
import type { Environment } from '../../domain/environment';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { buildTransferRequest, post, postOne } from '../support/postings';
import { order, payIntent } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildUser, setKyc, type TestUser } from '../support/users';
import { buildNewIntent } from '../workflows/intents';

const database = setUp(createTestDatabase);
let awa: TestUser;
let bob: TestUser;

beforeEach(async () => {
  const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  awa = await buildUser(database.db, { funds });
  bob = await buildUser(database.db, { funds });
});

afterEach(() => expectBooksHold(database.db));

const setStatus = (status: string) =>
  database.owner.raw('update users set kyc_status = ? where id = ?', [status, awa.id]);

function batchOf(environment: Environment, dry_run: boolean) {
  const item = { to_username: bob.username, currency: 'XOF' as const, amount_minor: '100' };
  const { batch, items } = prepareBatch({
    id: randomUUID(),
    user_id: awa.id,
    environment,
    mode: 'independent',
    dry_run,
    items: [{ ...item, idempotency_key: null }],
    idempotency_key: randomUUID(),
    request_id: 'test',
  });
  return createBatch(database.db, batch, items, 10);
}

/** Each way in which money is asked for or leaves: prepared while all is well, then done. */
type Way = (environment: Environment) => Promise<() => Promise<string>>;

const WAYS: readonly (readonly [string, Way])[] = [
  [
    'a payment link',
    (environment) =>
      Promise.resolve(async () => {
        const intent = buildNewIntent(awa, 'sandbox', { environment });
        const created = await createIntentBefore(database.db, intent, undefined);
        if (typeof created !== 'object') return String(created);
        return 'status' in created ? created.status : JSON.stringify(created);
      }),
  ],
  [
    'a transfer',
    (environment) =>
      Promise.resolve(async () => {
        const one = { from: awa, to: bob, amount: 100n, environment };
        return (await postOne(database.db, one)).outcome;
      }),
  ],
  [
    'the preview of a transfer',
    (environment) =>
      Promise.resolve(async () => {
        const { outcome } = await previewTransfer(database.db, {
          sender_id: awa.id,
          environment,
          to_username: bob.username,
          currency: 'XOF',
          amount_minor: 100n,
        });
        return outcome;
      }),
  ],
  ...[true, false].map((dry_run): readonly [string, Way] => [
    dry_run ? 'the dry run of a bulk transfer' : 'a bulk transfer',
    (environment) => Promise.resolve(async () => (await batchOf(environment, dry_run)).outcome),
  ]),
  [
    'a refund',
    async (environment) => {
      const intent = await payIntent(database.db, awa, { environment });
      return async () => (await order(database.db, intent)).outcome;
    },
  ],
  [
    'a reversal',
    async (environment) => {
      const given = { from: bob, to: awa, amount: 500n, environment };
      const { reference } = await postOne(database.db, given);
      return async () => {
        const request = { by: awa, transfer_reference: reference!, environment };
        return (await reverse(database.db, buildReversalRequest(request))).outcome;
      };
    },
  ],
];

const DONE = ['creating', 'completed', 'simulated', 'possible', 'created', 'reversed'];

describe.each(WAYS)('%s', (_name, prepare) => {
  it.each(['not_started', 'pending', 'rejected', 'expired'])(
    'is refused in live while the check is %s, and done once it is approved',
    async (status) => {
      const attempt = await prepare('live');
      await setStatus(status);
      expect(await attempt()).toBe('kyc_required');
      await setStatus('approved');
      expect(DONE).toContain(await attempt());
    },
  );

  it('needs no check in the sandbox', async () => {
    const attempt = await prepare('sandbox');
    await setStatus('rejected');
    expect(DONE).toContain(await attempt());
  });
});

describe('an account without an approved check', () => {
  it('begins so, receives money, and keeps it', async () => {
    const fresh = await buildUser(database.db, { kyc: 'not_started' });
    const { outcome } = await postOne(database.db, { from: bob, to: fresh, amount: 500n });
    expect(outcome).toBe('completed');
    const back = { from: fresh, to: bob, amount: 500n };
    expect((await postOne(database.db, back)).outcome).toBe('kyc_required');
    expect(await balanceOf(database.db, fresh)).toBe(500n);
  });

  it('holds up no other in a group, and its key stays free', async () => {
    await setKyc(database.db, awa.username, 'rejected');
    const mine = buildTransferRequest({ from: awa, to: bob, amount: 100n });
    const group = [
      buildTransferRequest({ from: bob, to: awa, amount: 100n }),
      mine,
      buildTransferRequest({ from: bob, to: awa, amount: 100n }),
    ];
    const outcomes = (await post(database.db, group)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['completed', 'kyc_required', 'completed']);
    await setKyc(database.db, awa.username, 'approved');
    expect((await post(database.db, [mine]))[0]).toMatchObject({
      outcome: 'completed',
      is_replay: false,
    });
  });

  it('is refused although the posting waited for the decision', async () => {
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(`update users set kyc_status = 'rejected' where id = $1`, [awa.id]);
    const posting = postOne(database.db, { from: awa, to: bob, amount: 100n });
    await untilLocked(database, '');
    await session.query('commit');
    expect((await posting).outcome).toBe('kyc_required');
  });
});

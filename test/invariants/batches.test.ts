// Random batches, step by step and whole, beside single transfers with the same keys: what a dry run says is
// what happens, sums agree, a repetition changes nothing, and the books hold.

import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import {
  checkBatch,
  createBatch,
  getBatch,
  listItems,
  postBatchStep,
  type ItemView,
} from '../../db/transfer-batches/transfer-batches';
import type { BatchItem, BatchMode } from '../../domain/transfer-batch';
import { transferRefusals } from '../../domain/transfer';
import { makeTransferReferences } from '../../secrets/random';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp } from '../support/database';
import { buildTransferRequest, ERROR_DOCS, insist, post } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';

const RUNS = 25;
const FUNDS = 100_000n;
const REFUSALS = JSON.stringify(transferRefusals(ERROR_DOCS));

const database = setUp(createTestDatabase);
let recipients: readonly TestUser[];

beforeAll(async () => {
  recipients = await Promise.all(Array.from({ length: 4 }, () => buildUser(database.db)));
});

interface GivenItem {
  readonly recipient: number;
  readonly units: number;
  readonly has_key: boolean;
  /** The key was used before: with the same values, or with others. */
  readonly before: 'not' | 'same' | 'other';
}

const item: fc.Arbitrary<GivenItem> = fc.record({
  recipient: fc.integer({ min: 0, max: 4 }),
  units: fc.integer({ min: 1, max: 400 }),
  has_key: fc.boolean(),
  before: fc.constantFrom('not', 'not', 'same', 'other'),
});

const plan = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 12 }),
  mode: fc.constantFrom<BatchMode>('independent', 'atomic'),
  environment: fc.constantFrom('live' as const, 'sandbox' as const),
  step: fc.integer({ min: 1, max: 5 }),
});

async function create(
  sender: TestUser,
  items: readonly BatchItem[],
  { mode, environment }: { mode: BatchMode; environment: 'live' | 'sandbox' },
  dry_run: boolean,
): Promise<string> {
  const prepared = prepareBatch({
    id: randomUUID(),
    user_id: sender.id,
    environment,
    items,
    mode,
    dry_run,
    idempotency_key: randomUUID(),
    request_id: 'test',
  });
  await createBatch(database.db, prepared.batch, prepared.items, 10);
  return prepared.batch.id;
}

/** Acts as the activity does, and everything a second time. */
async function carryOut(id: string, step: number): Promise<void> {
  let batch = await checkOrStart(id);
  while (batch.status === 'processing') {
    const refs = makeTransferReferences(batch.mode === 'atomic' ? batch.total : step);
    batch = await postBatchStep(database.db, id, refs, REFUSALS);
  }
  const refs = makeTransferReferences(batch.total);
  expect(await postBatchStep(database.db, id, refs, REFUSALS)).toEqual(batch);
}

async function checkOrStart(id: string) {
  const batch = await getBatch(database.db, id);
  return batch.dry_run ? checkBatch(database.db, id) : batch;
}

const itemsOf = (batch_id: string): Promise<ItemView[]> =>
  listItems(database.db, { batch_id, status: undefined, after: -1, limit: 100 });

it('do what their dry run says, once, and the books hold', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ items: given, step, ...options }) => {
      const { environment, mode } = options;
      const sender = await buildUser(database.db, {
        funds: { live: { XOF: FUNDS }, sandbox: { XOF: FUNDS } },
      });
      const items: BatchItem[] = given.map(({ recipient, units, has_key }) => ({
        to_username: recipients[recipient]?.username ?? 'nobody-at-all',
        currency: 'XOF',
        amount_minor: String(units * 100),
        idempotency_key: has_key ? randomUUID() : null,
      }));
      for (const [i, { before }] of given.entries()) {
        const { idempotency_key: key, to_username, amount_minor } = items[i]!;
        if (key === null || before === 'not') continue;
        const amount = before === 'same' ? BigInt(amount_minor) : 100n;
        const request = buildTransferRequest({
          from: sender,
          to_username,
          amount,
          key,
          environment,
        });
        await post(database.db, [request]);
      }
      const start = await balanceOf(database.db, sender, 'XOF', environment);
      const dry = await create(sender, items, options, true);
      await checkOrStart(dry);
      const said = await itemsOf(dry);
      expect(await balanceOf(database.db, sender, 'XOF', environment)).toBe(start);

      const id = await create(sender, items, options, false);
      await carryOut(id, step);
      const did = await itemsOf(id);
      const outcome = ({ status, refusal, is_replay }: ItemView) => ({
        status,
        refusal,
        is_replay,
      });
      expect(did.map(outcome)).toEqual(said.map(outcome));

      const moved = did.filter(({ status, is_replay }) => status === 'completed' && !is_replay);
      const sum = moved.reduce((total, { amount_minor }) => total + amount_minor, 0n);
      const left = await balanceOf(database.db, sender, 'XOF', environment);
      expect(start - left).toBe(environment === 'live' ? sum : 0n);
      const batch = await getBatch(database.db, id);
      if (mode === 'atomic') expect([0, batch.total]).toContain(batch.completed);
      expect(new Set(moved.map(({ reference }) => reference)).size).toBe(moved.length);
      await expectBooksHold(database.db);
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
}, 240_000);

it('an item whose key a single transfer uses at the same moment is posted once', async () => {
  const [recipient] = recipients as [TestUser];
  for (let run = 0; run < 10; run += 1) {
    const sender = await buildUser(database.db, { funds: { live: { XOF: FUNDS } } });
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const items = keys.map((idempotency_key) => ({
      to_username: recipient.username,
      currency: 'XOF',
      amount_minor: '100',
      idempotency_key,
    })) as BatchItem[];
    const mode = run % 2 === 0 ? 'independent' : 'atomic';
    const id = await create(sender, items, { mode, environment: 'live' }, false);
    const singles = keys.map((key) =>
      insist(() =>
        post(database.db, [
          buildTransferRequest({ from: sender, to: recipient, amount: 100n, key }),
        ]),
      ),
    );
    await Promise.all([insist(() => carryOut(id, 7)), ...singles]);
    expect(FUNDS - (await balanceOf(database.db, sender))).toBe(2_000n);
  }
  await expectBooksHold(database.db);
});

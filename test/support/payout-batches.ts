// Payout batches in the database, whose steps the test does with a provider of its own.

import { randomUUID } from 'node:crypto';
import { createPayoutBatchActivities } from '../../activities/payout-batches';
import type { Db } from '../../db/connect';
import {
  createPayoutBatch,
  getPayoutBatch,
  listPayoutItems,
  type NewPayoutBatch,
  type PayoutBatchRow,
  type PayoutItemView,
} from '../../db/payout-batches/payout-batches';
import type { OrderedBatch } from '../../db/batches/batches';
import type { CheckedDestination, DestinationToCheck } from '../../domain/payout';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { nameFound, numberOf, railOf } from '../../dev/simulators/gateway/operators';
import { testOutcomeOf } from '../../domain/test-phones';
import type { PayoutProvider } from '../../gateway/payout-port';
import { createVoices } from '../../use-cases/risk/voices';
import type { TestUser } from './users';

/** 5000 XOF to a phone that ends with these digits, unless the fields say otherwise. */
export function buildItem(digits = '100', fields: Partial<PayoutBatchItem> = {}): PayoutBatchItem {
  return {
    destination_type: 'mobile_money',
    phone: `+221770000${digits}`,
    operator: null,
    account: null,
    bank_code: null,
    holder: null,
    name: 'Awa Diop',
    description: null,
    currency: 'XOF',
    amount_minor: '500000',
    ...fields,
  };
}

export function buildNewBatch(
  merchant: TestUser,
  fields: Partial<NewPayoutBatch> = {},
): NewPayoutBatch {
  return {
    id: randomUUID(),
    user_id: merchant.id,
    environment: 'sandbox',
    confirm: true,
    dry_run: false,
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    accept_before: '2100-01-01T00:00:00Z',
    ...fields,
  };
}

export const storeBatch = (
  db: Db,
  batch: NewPayoutBatch,
  items: readonly PayoutBatchItem[] = [buildItem()],
  max_waiting = 200,
): Promise<OrderedBatch> => createPayoutBatch(db, batch, JSON.stringify(items), max_waiting);

/** Its id. */
export async function orderedBatch(
  db: Db,
  merchant: TestUser,
  items: readonly PayoutBatchItem[],
  fields: Partial<NewPayoutBatch> = {},
): Promise<string> {
  const batch = buildNewBatch(merchant, fields);
  const { outcome } = await storeBatch(db, batch, items);
  if (outcome !== 'created') throw new Error(`the batch is ${outcome}`);
  return batch.id;
}

/** Answers as the simulated operator does, without its process. */
async function check(destination: DestinationToCheck): Promise<CheckedDestination | undefined> {
  const rail = railOf(destination.destination, destination.currency);
  if (!rail) return undefined;
  const outcome = testOutcomeOf(numberOf(destination.destination));
  const payable = outcome !== 'not_found' && outcome !== 'blocked';
  return Promise.resolve({ payable, rail, name_found: nameFound(destination, rail) });
}

/** Only looks at destinations; `woken` are the payouts whose workflows would run. */
export function createSteps(db: Db) {
  const woken: string[] = [];
  const asked: string[] = [];
  const provider = {
    name: 'sandbox',
    check: (destination: DestinationToCheck) => {
      asked.push(numberOf(destination.destination));
      return check(destination);
    },
  } as unknown as PayoutProvider;
  const activities = createPayoutBatchActivities({
    db,
    payout_providers: { live: [provider], sandbox: [provider] },
    voices: createVoices([]),
    pursue: (_kind, ids) => {
      woken.push(...ids);
      return Promise.resolve();
    },
    wakePayoutBatches: () => Promise.resolve(),
    log: () => undefined,
  });
  /** Until it has nothing to do, or as many payouts under way as it may. */
  const run = async (id: string): Promise<PayoutBatchRow> => {
    for (;;) {
      const { step, is_full } = await activities.runPayoutBatch(id);
      if (step === null || is_full) return getPayoutBatch(db, id);
    }
  };
  return { run, woken, asked };
}

export const itemsOfBatch = (db: Db, batch_id: string): Promise<PayoutItemView[]> =>
  listPayoutItems(db, { batch_id, status: undefined, after: -1, limit: 10_000 });

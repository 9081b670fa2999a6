// Looks at the destinations of a payout batch, and orders its items, a few at a time. What is to be done is in rows, so
// it does not matter who has started the workflow, or how often: an item becomes a payout once.

import type { Db } from '../db/connect';
import { isRefused } from '../db/errors';
import {
  advancePayoutBatch,
  beginPayoutBatch,
  countInFlight,
  failPayoutItem,
  listNextPayoutItems,
  recordPayoutBatchCheck,
  sendPayoutItem,
  type PayoutBatchRow,
  type StoredPayoutItem,
} from '../db/payout-batches/payout-batches';
import { destinationOf, QUEUE_SECONDS } from '../domain/payout';
import { forEach } from '../domain/limit';
import type { PayoutProvider, PayoutProviders } from '../gateway/payout-port';
import { payoutReference, uuidOf } from '../secrets/hash';
import type { Pursue } from '../temporal/pursuits';
import type { WakeBatches } from '../temporal/transfer-batches';
import { checkItem } from '../use-cases/payout-batches/check';
import { choosePayer } from '../use-cases/payouts/destination';
import { askedPayout, type Voices } from '../use-cases/risk/voices';
import { withHeartbeats } from './heartbeats';
import { forRows } from './rows';

export interface PayoutBatchActivityDependencies {
  readonly db: Db;
  readonly payout_providers: PayoutProviders;
  readonly voices: Voices;
  readonly pursue: Pursue;
  /** Starts the workflow of the account's next batch. */
  readonly wakePayoutBatches: WakeBatches;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** How far a batch has come; Temporal keeps it. */
export interface PayoutBatchProgress extends Pick<
  PayoutBatchRow,
  'status' | 'step' | 'next_index' | 'total'
> {
  /** The batch has as many payouts under way as it may have. */
  readonly is_full: boolean;
}

/** After this time the batches of other accounts have their turn. */
const RUN_MS = 500;
/** Questions of one batch to its provider, and orders in the database. */
const AT_ONCE = 4;
/** Payouts of one batch that wait for their provider's first answer: others' payouts are asked for beside them. */
const MOST_IN_FLIGHT = 20;

export function createPayoutBatchActivities(dependencies: PayoutBatchActivityDependencies) {
  const { db } = dependencies;
  return withHeartbeats(
    forRows(dependencies, 'payout_batch', {
      /** Does some of the batch's step. Throws only when Postgres cannot be reached, or Temporal. */
      async runPayoutBatch(id: string): Promise<PayoutBatchProgress> {
        const began = performance.now();
        let batch = await beginPayoutBatch(db, id);
        let is_full = false;
        while (batch.step !== null && performance.now() - began < RUN_MS) {
          const providers = dependencies.payout_providers[batch.environment];
          const room =
            batch.step === 'check' ? AT_ONCE : MOST_IN_FLIGHT - (await countInFlight(db, id));
          // Without a provider nothing is known, and nothing is sent: it may be configured again.
          is_full = room <= 0 || providers.length === 0;
          if (is_full) break;
          const items = await listNextPayoutItems(db, batch, Math.min(room, AT_ONCE));
          const treat = batch.step === 'check' ? check : send;
          await forEach(items, AT_ONCE, (item) => treat(dependencies, providers, batch, item));
          batch = await advancePayoutBatch(db, batch, items.length);
        }
        // The next may wait for this one, also when this one had nothing to do any more.
        if (batch.step === null) await dependencies.wakePayoutBatches(batch);
        const { status, step, next_index, total } = batch;
        return { status, step, next_index, total, is_full };
      },
    }),
  );
}

export type PayoutBatchActivities = ReturnType<typeof createPayoutBatchActivities>;

async function check(
  { db, log }: PayoutBatchActivityDependencies,
  providers: readonly PayoutProvider[],
  batch: PayoutBatchRow,
  item: StoredPayoutItem,
): Promise<void> {
  if (item.is_over) return;
  const known = await checkItem({ db, log }, providers, batch, item);
  if ('refusal' in known) await failPayoutItem(db, batch.id, item.index, known.refusal);
  else await recordPayoutBatchCheck(db, batch.id, item.index, known);
}

async function send(
  { db, voices, pursue, log }: PayoutBatchActivityDependencies,
  providers: readonly PayoutProvider[],
  batch: PayoutBatchRow,
  { index, is_over, amount_minor, ...item }: StoredPayoutItem,
): Promise<void> {
  if (is_over) return;
  const provider = await payerOf(providers, item);
  if (provider === undefined) {
    await failPayoutItem(db, batch.id, index, 'unsupported_destination');
    return;
  }
  // The same at each repetition: at the provider, too, an item is one payment.
  const id = uuidOf(`payout-batch/${batch.id}/${index}`);
  const payout = {
    ...item,
    id,
    reference: payoutReference(id),
    environment: batch.environment,
    user_id: batch.user_id,
    amount_minor: amount_minor.toString(),
    name_check: 'warn',
    confirm: true,
    provider: provider.name,
    batch_id: batch.id,
    metadata: {},
    queue_seconds: QUEUE_SECONDS,
    idempotency_key: `${batch.id}/${index}`,
    request_id: batch.request_id,
    ...(batch.ordered_by === null ? {} : { ordered_by: batch.ordered_by }),
    ...(batch.ip === null ? {} : { ip: batch.ip }),
  } as const;
  try {
    const payout_id = await voices.hear(askedPayout(payout), (heard) =>
      sendPayoutItem(db, batch.id, index, { ...payout, heard }),
    );
    if (payout_id !== undefined) await pursue('payout', [payout_id]);
  } catch (error) {
    if (!isRefused(error)) throw error;
    log({ part: 'payout-batches', batch_id: batch.id, item: index, error: String(error) });
    await failPayoutItem(db, batch.id, index, 'not_ordered');
  }
}

/** A single one was asked about the item by the check. Of several, one is asked for again: it may be another day. */
async function payerOf(
  providers: readonly PayoutProvider[],
  item: Omit<StoredPayoutItem, 'index' | 'is_over' | 'amount_minor'>,
): Promise<PayoutProvider | undefined> {
  if (providers.length === 1) return providers[0];
  const of = { currency: item.currency, name: null };
  return (await choosePayer(providers, destinationOf(item), of))?.provider;
}

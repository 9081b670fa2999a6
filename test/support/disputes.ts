// Disputes in the database, without a gateway: its notices and answers are the test's.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import {
  claimDisputeNotices,
  noteDisputeNotice,
  recordDisputeAnswer,
  type DisputeQuestion,
  type OfGateway,
  type RecordedDispute,
  type DisputeView,
} from '../../db/disputes/disputes';
import type { DisputeState } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import type { NewIntent } from '../../db/payment-intents/intents';
import type { TestDatabase } from './database';

export const GATEWAY = { name: 'sandbox', environment: 'sandbox' } as const;

export interface DisputedPayment {
  readonly gateway: string;
  readonly dispute_id: string;
  readonly environment: Environment;
  readonly state: DisputeState;
}

/** All that the gateway says of an open dispute of the payment, with the fields that differ. */
export async function disputeOf(
  { owner }: Pick<TestDatabase, 'owner'>,
  intent: Pick<NewIntent, 'id' | 'environment' | 'gateway' | 'currency' | 'amount_minor'>,
  fields: Partial<DisputeState> = {},
): Promise<DisputedPayment> {
  const { id, environment, gateway, currency, amount_minor } = intent;
  const { rows } = (await owner.raw(
    'select provider_payment_id as id from gateway_payments where intent_id = ? order by booked_at',
    [id],
  )) as { rows: { id: string }[] };
  const state: DisputeState = {
    status: 'open',
    provider_payment_id: rows[0]!.id,
    amount_minor,
    currency,
    fee_minor: '100000',
    reason: 'fraudulent',
    evidence_due_by: '2026-12-24T00:00:00.000Z',
    ...fields,
  };
  return { gateway, dispute_id: `dp_${randomUUID()}`, environment, state };
}

/** The gateway that knows it. */
export const placeOf = ({
  gateway,
  environment,
}: Pick<DisputedPayment, 'gateway' | 'environment'>): OfGateway => ({ name: gateway, environment });

/** The gateway notifies, and is asked. */
export async function question(
  db: Db,
  dispute: Omit<DisputedPayment, 'state'>,
): Promise<DisputeQuestion> {
  await noteDisputeNotice(db, dispute.gateway, dispute);
  const questions = await claimDisputeNotices(db, placeOf(dispute), 100);
  return questions.find(({ dispute_id }) => dispute_id === dispute.dispute_id)!;
}

/** Notifies, and answers the question. */
export async function say(
  db: Db,
  dispute: DisputedPayment,
  fields: Partial<DisputeState> = {},
): Promise<RecordedDispute> {
  const asked = await question(db, dispute);
  return recordDisputeAnswer(db, placeOf(dispute), asked, { ...dispute.state, ...fields });
}

export interface DisputeRow extends Pick<
  DisputeView,
  'id' | 'reference' | 'status' | 'fee_minor' | 'owed_minor'
> {
  readonly taken_minor: bigint;
  readonly fee_taken_minor: bigint;
}

export async function rowOf(
  { owner }: Pick<TestDatabase, 'owner'>,
  { dispute_id }: Pick<DisputedPayment, 'dispute_id'>,
): Promise<DisputeRow | undefined> {
  const { rows } = (await owner.raw(
    `select id, reference, status, fee_minor, owed_minor, taken_minor, fee_taken_minor from disputes
      where provider_dispute_id = ?`,
    [dispute_id],
  )) as { rows: DisputeRow[] };
  return rows[0];
}

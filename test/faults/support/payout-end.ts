// The end of an experiment with payouts: each is conclusive, and the service's books, the responses that merchants
// got and the operator's own list say the same.

import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import type { PayoutStage, PayoutStatus } from '../../../domain/payout';
import { balanceOf } from '../../support/balances';
import { listPayouts, type SeenPayout } from '../../support/sandbox-payouts';
import type { System } from './cluster';
import type { ExperimentContext } from './experiment';
import { callApi, outcomeAt, type PayoutRecord } from './payout-load';

const OVER_WITHIN_MS = 120_000;
/**
 * The pauses between questions grow with the number of questions: what was asked often while the operator was away
 * is asked for again in minutes. From then on each is asked as after a notice of the operator's.
 */
const NUDGED_AFTER_MS = 20_000;
const POLL_MS = 500;

interface Row {
  readonly id: string;
  readonly user_id: string;
  readonly environment: Environment;
  readonly idempotency_key: string;
  readonly reference: string;
  readonly status: PayoutStatus;
  readonly stage: PayoutStage | null;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly provider_payment_id: string | null;
  readonly returned_minor: bigint;
  readonly asks: number;
}

const CONCLUSIVE: readonly string[] = ['succeeded', 'failed', 'canceled', 'returned'];

/** Faults in words. Notes what became of the payouts. */
export async function judgePayouts(context: ExperimentContext<System>): Promise<string[]> {
  const { cluster, payouts } = context;
  const left = await awaitOver(context);
  const rows = await readRows(context);
  const seen = new Map<string, SeenPayout>();
  const faults = [...left];
  for (const environment of new Set(payouts.map((one) => one.environment))) {
    for (const payout of await listPayouts(cluster.gateway, environment)) {
      const id = `${environment} ${payout.payout_id}`;
      if (seen.has(id)) faults.push(`the operator has ${id} twice`);
      seen.set(id, payout);
    }
  }
  faults.push(...payouts.flatMap((record) => findResponseFaults(record, rows)));
  faults.push(...rows.flatMap((row) => findPaymentFaults(row, seen)));
  faults.push(...(await findWalletFaults(context, rows)));
  context.note('payouts', rows.length);
  context.note('payouts_asked_again', rows.filter(({ asks }) => asks > 2).length);
  for (const status of CONCLUSIVE) {
    const count = rows.filter((row) => row.status === status).length;
    if (count > 0) context.note(`payouts_${status}`, count);
  }
  return faults;
}

async function readRows({ cluster, payouts }: ExperimentContext<System>): Promise<Row[]> {
  const merchants = [...new Set(payouts.map(({ merchant }) => merchant.id))];
  const { rows } = await cluster.database.owner.raw(
    'select * from payouts where user_id = any (?)',
    [merchants],
  );
  return rows as Row[];
}

/** Cancels the payouts that merchants left waiting; one that is still not over after that is a fault. */
async function awaitOver(context: ExperimentContext<System>): Promise<string[]> {
  const { cluster, client, payouts } = context;
  const started = Date.now();
  const limit = started + OVER_WITHIN_MS * cluster.slowness;
  let nudged = 0;
  for (let turn = 0; ; turn += 1) {
    const open = (await readRows(context)).filter(({ status }) => !CONCLUSIVE.includes(status));
    if (open.length === 0) break;
    if (Date.now() > limit) {
      return open.map(({ reference, status, stage }) => `${reference} is still ${status} ${stage}`);
    }
    const api = cluster.apis[turn % cluster.apis.length]!;
    for (const row of open) {
      const record = payouts.find((one) => isOf(one, row))!;
      const waits_at_operator = row.stage === 'queued' && outcomeAt(record) === 'waits';
      if (row.status === 'requires_confirmation' || waits_at_operator) {
        await callApi({ client, api }, record, `/payouts/${row.id}/cancel`);
      }
    }
    if (Date.now() > started + NUDGED_AFTER_MS && turn % 10 === 0) {
      nudged += open.length;
      await cluster.database.owner.raw(
        'update payouts set notified_at = clock_timestamp() where id = any (?)',
        [open.map(({ id }) => id)],
      );
    }
    await delay(POLL_MS);
  }
  if (nudged > 0) context.note('payouts_nudged', nudged);
  context.note('payouts_over_ms', Date.now() - context.healed_at);
  return [];
}

function isOf(record: PayoutRecord, row: Row): boolean {
  return (
    record.merchant.id === row.user_id &&
    record.environment === row.environment &&
    record.key === row.idempotency_key
  );
}

function findResponseFaults(record: PayoutRecord, rows: readonly Row[]): string[] {
  const { key, final, again, strange } = record;
  const faults = strange.map((status) => `${key}: answered ${status}`);
  const own = rows.filter((row) => isOf(record, row));
  if (own.length > 1) faults.push(`${key}: ${own.length} payouts of one key`);
  if (!final) return [...faults, `${key}: no final response`];
  if (again && again.text !== final.text) faults.push(`${key}: two responses`);
  const [row] = own;
  if (final.status === 402 && row) faults.push(`${key}: answered 402, and ${row.reference} exists`);
  if (final.status === 201 && !(row && final.text.includes(row.reference))) {
    faults.push(`${key}: answered 201, and ${row ? row.reference : 'nothing'} exists`);
  }
  if (!row) return faults;
  // A merchant who neither confirms in time nor cancels leaves the end to the operator.
  const ends = { paid: 'succeeded', not_paid: 'failed', waits: 'canceled' }[outcomeAt(record)];
  if (row.status !== ends && !(record.is_canceled && row.status === 'canceled')) {
    faults.push(`${key}: ${row.status} to ${record.phone}`);
  }
  return faults;
}

/** Paid once what succeeded, and nothing of what did not. */
function findPaymentFaults(row: Row, seen: ReadonlyMap<string, SeenPayout>): string[] {
  const { id, environment, reference, status } = row;
  const at_operator = seen.get(`${environment} ${id}`);
  const paid = at_operator?.paid ?? null;
  const faults: string[] = [];
  if (status === 'succeeded' && Number(paid) * 100 !== Number(row.amount_minor)) {
    faults.push(`${reference} succeeded, and the operator has paid ${paid}`);
  }
  if (status !== 'succeeded' && paid !== null) {
    faults.push(`${reference} is ${status}, and the operator has paid ${paid}`);
  }
  if (status === 'failed' && at_operator?.status !== 'failed') {
    faults.push(`${reference} failed without the operator's word: ${at_operator?.status}`);
  }
  return faults;
}

/** Each wallet has what it had, but for what was paid; and nothing was paid without an order. */
async function findWalletFaults(
  { cluster, payouts }: ExperimentContext<System>,
  rows: readonly Row[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const merchant of new Set(payouts.map((record) => record.merchant))) {
    for (const environment of ENVIRONMENTS) {
      const out = rows
        .filter((row) => row.user_id === merchant.id && row.environment === environment)
        .filter(({ status }) => status === 'succeeded')
        .reduce((sum, row) => sum + row.amount_minor + row.fee_minor, 0n);
      const expected = merchant.funds.XOF - out;
      const balance = await balanceOf(cluster.db, merchant, 'XOF', environment);
      if (balance !== expected) {
        faults.push(`a ${environment} wallet has ${balance}, not ${expected}`);
      }
    }
  }
  return faults;
}

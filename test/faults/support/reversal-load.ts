// Reversals of transfers under faults: callers who give parts back, and the check that each key is one
// reversal, that none is more than was sent, and that every wallet has what it must have.

import { setTimeout as delay } from 'node:timers/promises';
import { ACCEPT_WITHIN_MS } from '../../../domain/transfer';
import { balanceOf } from '../../support/balances';
import { promisesNoEffect, type Attempt } from './caller';
import type { Api } from './cluster';
import type { ExperimentContext } from './experiment';
import { postAs, type Reply } from './http-client';
import { awaitDatabaseClock } from './recovery';
import { buildUsers, type FundedUser } from './users';

const SENT = 5_000;
const SENT_MINOR = 500_000n;
const CLOCK_MARGIN_MS = 1_000;

export interface SentTransfer {
  readonly reference: string;
  readonly from: FundedUser;
  readonly to: FundedUser;
}

export interface ReversalCall {
  readonly transfer: SentTransfer;
  readonly key: string;
  readonly amount: number;
  /** An impatient caller takes a first 503 that says that nothing was changed as final, and must be right. */
  readonly is_patient: boolean;
  readonly attempts: Attempt[];
  final: Reply | undefined;
}

/** There and back between two of their own, whose wallets nothing else touches. */
export async function sendTransfers(
  context: ExperimentContext,
  count: number,
): Promise<SentTransfer[]> {
  const { cluster, client } = context;
  const [one, other] = (await buildUsers(cluster.db, 2, {
    XOF: 100_000_000n,
    EUR: 0n,
    USD: 0n,
  })) as [FundedUser, FundedUser];
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const [from, to] = n % 2 === 0 ? [one, other] : [other, one];
      const reply = await postAs(client, cluster.apis[0]!, {
        user_key: from.keys.live,
        key: `sent-${n}`,
        path: '/transfers',
        body: JSON.stringify({ to_username: to.username, currency: 'XOF', amount: SENT }),
      });
      expect(reply).toMatchObject({ status: 200 });
      const { reference } = JSON.parse((reply as Reply).text) as { reference: string };
      return { reference, from, to };
    }),
  );
}

export function reversalCall(
  transfer: SentTransfer,
  key: string,
  { amount = 1_500, is_patient = true }: { amount?: number; is_patient?: boolean } = {},
): ReversalCall {
  return { transfer, key, amount, is_patient, attempts: [], final: undefined };
}

/** The same request with the same key until there is a final response. */
export async function performReversal(
  { client, cluster }: Pick<ExperimentContext, 'client' | 'cluster'>,
  reversal: ReversalCall,
  apis: readonly Api[] = cluster.apis,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const attempt = await askReversal({ client }, reversal, apis[turn % apis.length]!);
    const { status } = attempt;
    if (status !== undefined && ![409, 503].includes(status)) {
      reversal.final = attempt;
      return;
    }
    if (!reversal.is_patient && promisesNoEffect(attempt)) return;
    await delay(200);
  }
}

/** One request, noted. */
export async function askReversal(
  { client }: Pick<ExperimentContext, 'client'>,
  { transfer, key, amount, attempts }: ReversalCall,
  api: Api,
): Promise<Attempt> {
  const at = Date.now();
  const reply = await postAs(client, api, {
    user_key: transfer.to.keys.live,
    key,
    path: `/transfers/${transfer.reference}/reversals`,
    body: JSON.stringify({ amount, reason: `part ${key}` }),
  });
  const attempt = { ...reply, api: api.name, at };
  attempts.push(attempt);
  return attempt;
}

interface ReversalRow {
  readonly reference: string;
  readonly transfer_reference: string;
  readonly idempotency_key: string;
  readonly amount_minor: bigint;
}

/** Compares the books with what the callers were told, once no late posting can come any more. */
export async function judgeReversals(
  context: ExperimentContext,
  transfers: readonly SentTransfer[],
  calls: readonly ReversalCall[],
): Promise<void> {
  const { cluster, faults } = context;
  await awaitDatabaseClock(cluster, Date.now() + ACCEPT_WITHIN_MS + CLOCK_MARGIN_MS);
  const { rows } = (await cluster.database.owner.raw(
    'select * from reversals where transfer_reference = any (?)',
    [transfers.map(({ reference }) => reference)],
  )) as { rows: ReversalRow[] };
  for (const call of calls) judgeCall(call, rows, faults);
  const known = new Set(calls.map(({ key }) => key));
  for (const { reference, idempotency_key } of rows) {
    if (!known.has(idempotency_key)) faults.push(`${reference} is of nobody's key`);
  }
  for (const { reference } of transfers) {
    const sum = sumOf(rows.filter((row) => row.transfer_reference === reference));
    if (sum > SENT_MINOR) faults.push(`${reference}: ${sum} of ${SENT_MINOR} were reversed`);
  }
  for (const user of new Set(transfers.flatMap(({ from, to }) => [from, to]))) {
    await judgeWallet(context, user, transfers, rows);
  }
  context.note('reversals', rows.length);
  context.note('refused', calls.filter(({ final }) => final?.status === 422).length);
  context.note('believed_503', calls.filter(({ final }) => final === undefined).length);
  const attempts = calls.flatMap((call) => call.attempts);
  context.note('asked_again', attempts.length - calls.length);
}

function judgeCall(call: ReversalCall, rows: readonly ReversalRow[], faults: string[]): void {
  const { key, amount, final } = call;
  const of_key = rows.filter((row) => row.idempotency_key === key);
  const said = `${key}: ${final?.status ?? 'nothing was changed'}, and ${of_key.length} reversals`;
  const [row] = of_key;
  if (final?.status !== 201) {
    if (of_key.length > 0 || (final && final.status !== 422)) faults.push(said);
  } else if (
    of_key.length !== 1 ||
    !final.text.includes(row!.reference) ||
    row!.amount_minor !== BigInt(amount) * 100n ||
    row!.transfer_reference !== call.transfer.reference
  ) {
    faults.push(said);
  }
  const made = call.attempts.filter(({ status }) => status === 201) as Reply[];
  if (new Set(made.map(({ text }) => text)).size > 1) faults.push(`${key}: two responses`);
}

async function judgeWallet(
  { cluster, faults }: ExperimentContext,
  user: FundedUser,
  transfers: readonly SentTransfer[],
  rows: readonly ReversalRow[],
): Promise<void> {
  const sent = transfers
    .filter(({ from }) => from.id === user.id)
    .map(({ reference }) => reference);
  const back = sumOf(rows.filter((row) => sent.includes(row.transfer_reference)));
  const moved = BigInt(transfers.length - 2 * sent.length) * SENT_MINOR;
  const expected = user.funds.XOF + moved + back - (sumOf(rows) - back);
  const balance = await balanceOf(cluster.db, user);
  if (balance !== expected) faults.push(`${user.username} has ${balance}, not ${expected}`);
}

function sumOf(rows: readonly ReversalRow[]): bigint {
  return rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}

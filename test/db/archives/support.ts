// Archives of months that lie in the past: what a test has posted is moved there, as only a superuser can.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive, type WrittenArchive } from '../../../db/archives/write';
import { issueFeeInvoices } from '../../../db/ledger/fee-invoices';
import { sealLedger } from '../../../db/ledger/ledger-seals';
import { listSuspense, orderSuspenseRefund } from '../../../db/suspense/suspense';
import type { TestDatabase } from '../../support/database';
import { buildTransferRequest, post } from '../../support/postings';
import { disputeOf, say } from '../../support/disputes';
import { orderedPayout } from '../../support/payouts';
import { openIntent, ordered, payIntent, receive } from '../../support/refunds';
import { removeRules, setRule } from '../../support/risk';
import { buildReversalRequest, reverse } from '../../support/reversals';
import { readStack } from '../../support/stack';
import { fundCredit, openBank } from '../../support/treasury';
import { ACTOR, buildUser } from '../../support/users';

/** `2026-09`: over for at least 28 days. */
export const MONTH = ((): string => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1));
  return month.toISOString().slice(0, 7);
})();

/** These columns decide to which month a row belongs. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  ledger_transactions: ['created_at'],
  ledger_seals: ['sealed_at'],
  transactions: ['created_at'],
  transfers: ['created_at'],
  reversals: ['created_at'],
  payment_intents: ['created_at', 'succeeded_at'],
  gateway_payments: ['booked_at'],
  risk_cases: ['created_at'],
  suspense_items: ['created_at'],
  suspense_refunds: ['ordered_at'],
  refunds: ['created_at'],
  disputes: ['created_at'],
  payouts: ['created_at'],
  fee_invoices: ['period_from', 'period_to', 'created_at'],
  fee_rules: ['valid_from'],
  treasury_postings: ['created_at'],
  events: ['created_at'],
  audit_log: ['at'],
};

/** Everything that has happened so far, as long after one another as it was. */
export async function moveToPast(
  { owner }: TestDatabase,
  tables: readonly string[] = Object.keys(TIMES),
): Promise<void> {
  const statements = tables.flatMap((table) =>
    TIMES[table]!.map(
      (column) => `update ${table} t set ${column} = ${column} - (
          (select min(u.created_at) from users u) - '${MONTH}-10T00:00:00Z'::timestamptz)
        where ${column} > '${MONTH}-28T00:00:00Z'::timestamptz`,
    ),
  );
  await owner.raw(
    `set session_replication_role = replica; ${statements.join(';\n')};
     set session_replication_role = origin`,
  );
}

export function newFolder(): string {
  return mkdtempSync(join(readStack().folder, 'archives-'));
}

/** Something of every table. */
export async function buildBooks(database: TestDatabase): Promise<void> {
  const { db, operator } = database;
  const funds = { live: { XOF: 1_000_000n, EUR: 50_000n }, sandbox: { XOF: 1_000_000n } };
  const merchant = await buildUser(db, { funds });
  const customer = await buildUser(db, { funds });
  const request = buildTransferRequest({ from: customer, to: merchant, amount: 70_000n });
  const [posted] = await post(db, [request]);
  await reverse(db, buildReversalRequest({ by: merchant, transfer_reference: posted!.reference! }));
  await ordered(db, await payIntent(db, merchant));
  await say(db, await disputeOf(database, await payIntent(db, merchant)));
  await orderedPayout(db, merchant);
  await receive(db, await openIntent(db, merchant), 100n);
  const [held] = await listSuspense(db, false);
  await orderSuspenseRefund(operator, held!.id, ACTOR);
  await setRule(operator);
  for (const to of [merchant, merchant]) {
    await post(db, [buildTransferRequest({ from: customer, to, amount: 110_000n })]);
  }
  await removeRules(database.owner);
  await openBank(operator, 'Bank');
  await fundCredit(operator, 'Bank');
  await issueFeeInvoices(
    operator,
    { user_id: merchant.id, environment: 'live' },
    'Payments SA',
    ACTOR,
  );
}

/** Moves the books to the month and seals them first. */
export async function archiveBooks(database: TestDatabase): Promise<WrittenArchive> {
  await moveToPast(database);
  await sealLedger(database.db);
  await moveToPast(database, ['ledger_seals']);
  const terms = { kind: 'books', month: MONTH, directory: newFolder() } as const;
  return writeArchive(database.operator, terms);
}

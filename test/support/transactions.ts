// The rows of a history, read back from the JSON texts that callers are shown.

import * as transactions from '../../db/ledger/transactions';
import type { Db } from '../../db/connect';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { TransactionType } from '../../domain/transaction';

export interface TransactionRow {
  readonly id: string;
  readonly type: TransactionType;
  readonly status: string;
  readonly direction: 'in' | 'out';
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly balance_after_minor: bigint;
  readonly reference: string;
  readonly counterparty: string | null;
  readonly description: string | null;
  readonly related: string | null;
  readonly created_at: string;
}

export async function listTransactions(
  db: Db,
  query: transactions.TransactionQuery,
): Promise<TransactionRow[]> {
  const page = await transactions.listTransactions(db, query);
  return (JSON.parse(`[${page.transactions}]`) as Shown[]).map(toRow);
}

export async function findTransaction(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<TransactionRow | undefined> {
  const json = await transactions.findTransaction(db, user_id, environment, id);
  return json === undefined ? undefined : toRow(JSON.parse(json) as Shown);
}

interface Shown extends Omit<TransactionRow, 'amount_minor' | 'fee_minor' | 'balance_after_minor'> {
  readonly amount: number;
  readonly fee: number;
  readonly tax: number;
  readonly net_amount: number;
  readonly balance_after: number;
}

function toRow(shown: Shown): TransactionRow {
  const { amount, fee, tax: _tax, net_amount: _, balance_after, ...row } = shown;
  return {
    ...row,
    amount_minor: toMinor(amount),
    fee_minor: toMinor(fee),
    balance_after_minor: toMinor(balance_after),
  };
}

// Exact within the 15 digits that amounts have.
function toMinor(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''));
}

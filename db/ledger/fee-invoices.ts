// Invoices of fees (db/ledger/fee-invoices.sql): issued, and read back as they were issued.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { columns, type RowOf } from '../columns';
import { call, execute, type Db } from '../connect';
import { inOrder, type AccountPage } from '../list-filters';
import type { FeeKind } from './fees';

const SHOWN = columns(`fee_invoices i:
  number environment currency period_from period_to fee_minor tax_minor created_at`);

export interface FeeInvoice extends RowOf<typeof SHOWN> {
  /** The JSON text that it was issued with. */
  readonly json: string;
}

/** The text, read; amounts are numbers. */
export interface FeeInvoiceBody {
  readonly number: string;
  readonly issued_at: string;
  readonly issuer: string;
  readonly account: {
    readonly username: string;
    readonly display_name: string | null;
    readonly country: string;
  };
  readonly lines: readonly {
    readonly kind: FeeKind;
    readonly method: string | null;
    readonly count: number;
    readonly volume: number;
    readonly fee: number;
    readonly tax: number;
  }[];
}

const VIEW = `${SHOWN}, i.body as json`;

const LIST = {
  name: 'list_fee_invoices',
  text: `select ${VIEW} from fee_invoices i
          where i.user_id = $1 and i.environment = $2 and i.created_at < $3
          order by i.created_at desc limit $4`,
};

/** An account's, newest first. */
export function listFeeInvoices(
  db: Db,
  { user_id, environment, before = 'infinity', limit }: AccountPage,
): Promise<FeeInvoice[]> {
  return execute(db, LIST, [user_id, environment, before, limit]);
}

const NUMBER = /^(TEST-)?FEE-\d{4}-\d{6,}$/;

const FIND = {
  name: 'find_fee_invoice',
  text: `select ${VIEW} from fee_invoices i where i.number = $3 and i.user_id = $1 and i.environment = $2`,
};

export async function findFeeInvoice(
  db: Db,
  { user_id, environment }: Pick<AccountPage, 'user_id' | 'environment'>,
  number: string,
): Promise<FeeInvoice | undefined> {
  // A path may name anything, also what is no text to Postgres.
  if (!NUMBER.test(number)) return undefined;
  return (await execute<FeeInvoice>(db, FIND, [user_id, environment, number]))[0];
}

const LIST_ALL = {
  name: 'list_all_fee_invoices',
  text: `select ${VIEW}, u.username from fee_invoices i join users u on u.id = i.user_id
          where ($1::text is null or u.username = $1) and ($2::text is null or i.environment = $2)
            and ($3::timestamptz is null or i.created_at < $3)
          order by i.created_at desc, ${inOrder('i.currency')} limit $4`,
};

/** Those of all accounts, newest first. */
export function listAllFeeInvoices(
  db: Db,
  username: string | undefined,
  environment: Environment | undefined,
  { before, limit }: Pick<AccountPage, 'before' | 'limit'>,
): Promise<(FeeInvoice & { readonly username: string })[]> {
  return execute(db, LIST_ALL, [username ?? null, environment ?? null, before ?? null, limit]);
}

/** Issues what an account bore until now, in one currency or in each. Needs the operators' role. */
export async function issueFeeInvoices(
  db: Db,
  of: {
    readonly user_id: string;
    readonly environment: Environment;
    readonly currency?: Currency | undefined;
  },
  issuer: string,
  actor: string,
): Promise<FeeInvoice[]> {
  const rows = await call<FeeInvoice & { readonly body: string }>(db, 'issue_fee_invoices', [
    of.user_id,
    of.environment,
    of.currency ?? null,
    issuer,
    actor,
  ]);
  return rows.map(({ body, ...row }) => ({ ...row, json: body }));
}

/** The amounts are numbers here. */
export type MonthInvoice = FeeInvoiceBody & {
  readonly environment: Environment;
  readonly currency: Currency;
  readonly period_from: string;
  readonly period_to: string;
  readonly total: number;
};

/** Accounts that a statement looks at: some milliseconds where nothing was charged. */
const ACCOUNTS = 200;

/**
 * Issues the invoices of a month that ended at `until`, account by account; several processes may try, and one is at it.
 * Throws a check violation when the month is not over.
 */
export async function issueMonth(
  db: Db,
  until: string,
  issuer: string,
  signal?: AbortSignal,
): Promise<MonthInvoice[]> {
  const issued: MonthInvoice[] = [];
  for (;;) {
    const [row] = await call<{
      readonly invoices: readonly MonthInvoice[];
      readonly is_over: boolean;
    }>(db, 'advance_fee_invoices', [until, issuer, ACCOUNTS]);
    issued.push(...row!.invoices);
    if (row!.is_over || signal?.aborted) return issued;
  }
}

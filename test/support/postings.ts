// Transfer requests as the API makes them, with every field open to the test, and their posting.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { postTransfers } from '../../db/transfers/transfers';
import type { Currency } from '../../domain/currency';
import { renderError } from '../../domain/error-body';
import { type ErrorCode } from '../../domain/errors';
import { JsonText, renderJson } from '../../domain/json';
import { amountJson } from '../../domain/money';
import {
  transferRefusals,
  type FinalOutcome,
  type TransferRefusals,
  type TransferRequest,
  type TransferResult,
} from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import type { TestDatabase } from './database';
import type { TestUser } from './users';

export const ERROR_DOCS = 'https://pay.example.com/docs/errors';

export interface TransferRequestOptions extends Partial<
  Omit<TransferRequest, 'sender_id' | 'sender_username'>
> {
  readonly from: TestUser;
  /** Or `to_username`. */
  readonly to?: TestUser;
  readonly amount: bigint;
  readonly currency?: Currency;
}

/** Live XOF, a fresh key and a minute to accept it, unless the options say otherwise. */
export function buildTransferRequest({
  from,
  to,
  amount,
  ...fields
}: TransferRequestOptions): TransferRequest {
  const { currency = 'XOF', to_username = to?.username ?? '' } = fields;
  const amount_minor = amount.toString();
  return {
    reference: makeTransferReference(),
    environment: 'live',
    sender_id: from.id,
    sender_username: from.username,
    key: randomUUID(),
    fingerprint: fingerprintFields({ to_username, currency, amount: amount_minor }),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 60_000).toISOString(),
    to_username,
    currency,
    amount_minor,
    ...fields,
  };
}

/** What is held names its case, which no test knows before. */
type Responses = Readonly<Record<Exclude<FinalOutcome, 'held'>, { status: number; body: string }>>;

/** The response that the database has to make of the request, in each case. */
export function responsesOf(request: TransferRequest, error_docs_url = ERROR_DOCS): Responses {
  const { reference, environment, to_username, currency, amount_minor, request_id } = request;
  const { description = null, metadata = '{}' } = request;
  const success = (status: 'completed' | 'simulated') => ({
    status: 200,
    body: renderJson({
      ok: true,
      reference,
      status,
      environment,
      to_username,
      currency,
      amount: amountJson(BigInt(amount_minor)),
      simulated: status === 'simulated',
      description,
      metadata: new JsonText(metadata),
    }),
  });
  const refusal = (status: number, code: ErrorCode, param: string) => ({
    status,
    body: renderError(code, { request_id, error_docs_url }, { param }),
  });
  return {
    completed: success('completed'),
    simulated: success('simulated'),
    insufficient_funds: refusal(402, 'insufficient_funds', 'amount'),
    recipient_not_found: refusal(404, 'recipient_not_found', 'to_username'),
  };
}

/** All in one call of the database. */
export function post(db: Db, requests: readonly TransferRequest[]): Promise<TransferResult[]> {
  return postTransfers(db, requests, ERROR_DOCS);
}

export async function postOne(db: Db, options: TransferRequestOptions): Promise<TransferResult> {
  const [result] = await post(db, [buildTransferRequest(options)]);
  return result!;
}

/**
 * Does the same again until Postgres has answered, as a workflow does: on a busy machine a connection or a
 * lock may come too late. A deadlock is no such thing, and is thrown.
 */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = (error as { code?: unknown }).code === '40P01';
      if (isDeadlock || !isDatabaseUnavailable(error)) throw error;
    }
  }
}

/** The arguments of SQL's `post_transfer_batch`, for tests that call it themselves. */
export function postingValues(
  requests: readonly object[],
  refusals: Partial<TransferRefusals> = transferRefusals(ERROR_DOCS),
): [requests: string, refusals: string] {
  return [JSON.stringify(requests), JSON.stringify(refusals)];
}

/** The amounts that the postings of a reference, and those that name it, have moved, by kind of account. */
export async function movedBy(
  { owner }: Pick<TestDatabase, 'owner'>,
  reference: string,
): Promise<Record<string, bigint>> {
  const { rows } = (await owner.raw(
    `select a.kind, sum(e.amount_minor)::bigint as moved from ledger_transactions t
       join ledger_entries e on e.transaction_id = t.id
       join ledger_accounts a on a.id = e.account_id
      where :reference in (t.reference, t.description)
      group by a.kind having sum(e.amount_minor) <> 0`,
    { reference },
  )) as { rows: { kind: string; moved: bigint }[] };
  return Object.fromEntries(rows.map(({ kind, moved }) => [kind, moved]));
}

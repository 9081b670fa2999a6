// Posting transfers and reading them back.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { ExceededLimit } from '../../domain/limits';
import { transferRefusals, type TransferRequest, type TransferResult } from '../../domain/transfer';
import type { Metadata } from '../../domain/intent';
import type { StoredResponse } from '../../domain/idempotency';
import type { WalletHold } from '../../domain/wallet-hold';
import { columns, type RowOf } from '../columns';
import { call, execute, lookUp, type Db } from '../connect';

type PostedRow = Omit<TransferResult, 'response' | 'over'> & {
  readonly [field in keyof StoredResponse]: StoredResponse[field] | null;
} & { readonly [field in keyof ExceededLimit]: ExceededLimit[field] | null };

/**
 * Posts each transfer exactly once per (sender, environment, key), all in one transaction and one
 * round trip; the results are in the order of the requests. Throws only when Postgres is
 * unreachable: whether anything was posted is then unknown, and a retry is safe.
 */
export async function postTransfers(
  db: Db,
  requests: readonly TransferRequest[],
  error_docs_url: string,
): Promise<TransferResult[]> {
  const values = [JSON.stringify(requests), JSON.stringify(transferRefusals(error_docs_url))];
  const rows = await call<PostedRow>(db, 'post_transfer_batch', values);
  return rows.map(({ outcome, reference, is_replay, status, body, fingerprint, ...row }) =>
    status === null || body === null || fingerprint === null
      ? { outcome, reference: null, is_replay: false, ...overOf(row) }
      : { outcome, reference, is_replay, response: { status, body, fingerprint } },
  );
}

/** Without bigints, because Temporal keeps it. */
function overOf({
  limit_name,
  maximum_minor,
  used_minor,
  resets_at,
}: Pick<PostedRow, keyof ExceededLimit>): Pick<TransferResult, 'over'> {
  if (limit_name === null) return {};
  if (maximum_minor === null) return { over: { limit_name: 'recipient' } };
  const [maximum, used] = [String(maximum_minor), String(used_minor)];
  return { over: { limit_name, maximum_minor: maximum, used_minor: used, resets_at } };
}

export interface TransferPreview {
  readonly outcome:
    'possible' | WalletHold | 'self_transfer' | 'recipient_not_found' | 'insufficient_funds';
  readonly fee_minor: bigint;
  /** The part of the fee that is tax. */
  readonly tax_minor: bigint;
  /** A fee that `payer` bears comes on top of the amount. */
  readonly bearer: 'recipient' | 'payer';
  /** The sender's, now. */
  readonly balance_minor: bigint;
  /** The same amount to the same recipient, a short time ago. */
  readonly same_reference: string | null;
  readonly same_at: string | null;
}

export interface TransferPreviewQuery {
  readonly sender_id: string;
  readonly environment: Environment;
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

const PREVIEW = {
  name: 'preview_transfer',
  text: `select outcome, fee_minor, tax_minor, bearer, balance_minor, same.reference as same_reference, same.created_at as same_at
           from preview_transfer($1, $2, $3, $4, $5)
           left join lateral (
             select x.reference, x.created_at from transactions x
              where x.user_id = $1 and x.environment = $2 and x.type = 'transfer_out'
                and x.counterparty = $3 and x.currency = $4
                and x.amount_minor in ($5, $5 + case bearer when 'payer' then fee_minor else 0 end)
                and x.created_at > clock_timestamp() - interval '10 minutes'
              order by x.created_at desc limit 1) same on true`,
};

/** Says what a transfer would come to. It tells whether anyone has the username: waitBeforeNaming comes first. */
export async function previewTransfer(
  db: Db,
  { sender_id, environment, to_username, currency, amount_minor }: TransferPreviewQuery,
): Promise<TransferPreview> {
  const values = [sender_id, environment, to_username, currency, amount_minor];
  return (await execute<TransferPreview>(db, PREVIEW, values))[0]!;
}

/** Columns of transfers as `t`. */
export const TRANSFER = columns(`transfers t:
  reference environment currency amount_minor fee_minor tax_minor fee_bearer reversed_minor description
  hold created_at`);

/** A transfer as one of its sides sees it. */
export interface TransferView extends RowOf<typeof TRANSFER> {
  readonly status: string;
  readonly simulated: boolean;
  readonly direction: 'in' | 'out';
  readonly from_username: string;
  readonly to_username: string;
  /** The sender's metadata; null for the recipient. */
  readonly metadata: Metadata | null;
  /** The batch for which it was posted; null for a single transfer, and for the recipient. */
  readonly batch_id: string | null;
  /** The JSON text of what GET /transfers/{reference} returns (transfer_json in SQL). */
  readonly json: string;
}

const FIND = {
  name: 'find_transfer',
  text: `select ${TRANSFER}, transfer_status(t) as status, t.simulated, side.direction, shown.body::text as json,
                s.username as from_username, r.username as to_username,
                case when t.sender_id = $1 then coalesce(t.metadata, '{}') end as metadata,
                case when t.sender_id = $1 then t.batch_id end as batch_id
           from transfers t
           join users s on s.id = t.sender_id
           join users r on r.id = t.recipient_id
          cross join lateral (
            select case when t.sender_id = $1 then 'out' else 'in' end as direction) side
          cross join lateral transfer_json(t, side.direction, s.username, r.username) shown
          where t.reference = $3 and t.environment = $2
            and ($1 = t.sender_id or ($1 = t.recipient_id and t.status not in ('held', 'refused')))`,
};

/** Visible to both sides; anyone else's reference is as unknown as one that never was. */
export async function findTransfer(
  db: Db,
  user_id: string,
  environment: Environment,
  reference: string,
): Promise<TransferView | undefined> {
  const rows = await lookUp<TransferView>(db, FIND, [user_id, environment, reference]);
  return rows[0];
}

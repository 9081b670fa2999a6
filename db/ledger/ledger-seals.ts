// Seals: hashes over the ledger's entries and the rows of the audit log, in one chain
// (docs/decisions/ledger.md). seal_ledger in db/ledger/ledger-seals.sql makes them, and
// db/verify/verify-seals.ts computes them again.

import { call, execute, type Db, type Tx } from '../connect';

/**
 * Seals every entry and row that no seal covers yet, in calls of at most 5,000 each. Returns how many it sealed. Ends early when another process is at it or the signal is aborted: the rest is for a later call.
 */
export async function sealLedger(db: Db, signal?: AbortSignal): Promise<bigint> {
  let total = 0n;
  let after: bigint | null = -1n;
  while (after !== null && !signal?.aborted) {
    const [done]: SealCall[] = await call(db, 'seal_ledger', [after]);
    total += done?.sealed ?? 0n;
    after = done?.next_account ?? null;
  }
  return total;
}

interface SealCall {
  readonly sealed: bigint;
  readonly next_account: bigint | null;
}

export interface LedgerSeal {
  readonly id: bigint;
  /** ISO 8601. */
  readonly sealed_at: string;
  /** The login role of the connection that made it. */
  readonly database_role: string;
  /** How many entries and rows of the audit log it covers. */
  readonly entries: bigint;
  /** 64 hex digits. It stands for this seal and all before it. */
  readonly hash: string;
}

const SEAL = `id, sealed_at, database_role, entries, encode(hash, 'hex') as hash`;

/** Newest first; with `before` only those with a smaller id. */
export async function listSeals(
  db: Db | Tx,
  { before, limit }: { readonly before?: bigint | undefined; readonly limit: number },
): Promise<LedgerSeal[]> {
  const text = `select ${SEAL} from ledger_seals where $1::bigint is null or id < $1
                 order by id desc limit $2`;
  return execute<LedgerSeal>(db, { name: 'list_seals', text }, [before ?? null, limit]);
}

/** How many entries and rows of the audit log no seal covers. Reads every account, and no entry. */
export async function countUnsealedEntries(db: Db | Tx): Promise<bigint> {
  const text = `select coalesce(sum(a.version - coalesce(r.to_version, 0)), 0)::bigint as entries
                  from (select id, version from ledger_accounts
                        union all select 0, max(id) from audit_log) a
                  left join lateral (select x.to_version from ledger_seal_ranges x
                                      where x.account_id = a.id
                                      order by x.from_version desc limit 1) r on true
                 where a.version > 0`;
  const [row] = await execute<{ entries: bigint }>(db, { name: 'count_unsealed', text }, []);
  return row!.entries;
}

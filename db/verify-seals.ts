// Checks that what was sealed is still what it was: I15. Each hash is computed again outside of Postgres,
// from the columns, as seal_ledger in db/functions/ledger-seals.sql computes it.

import { createHash, type Hash } from 'node:crypto';
import { execute, type Tx } from './connect';
import type { LedgerSeal } from './ledger-seals';
import type { Check, Violation } from './verify';

export const SEAL_CHECKS: readonly Check[] = [
  {
    invariant: 'I15',
    what: 'seals leave entries of an account out',
    sql: `select 'seal ' || r.seal_id || ', account ' || coalesce(a.public_id::text, r.account_id::text)
                   as reference
            from (select seal_id, account_id, from_version,
                         lag(to_version, 1, 0::bigint)
                           over (partition by account_id order by from_version) as before
                    from ledger_seal_ranges) r
            left join ledger_accounts a on a.id = r.account_id
           where r.from_version <> r.before + 1
           order by r.seal_id`,
  },
  {
    invariant: 'I15',
    what: 'sealed entries are gone',
    // A look-up for each range: a join on the account would compare each of its ranges with each of its entries.
    sql: `select 'seal ' || r.seal_id || ', account ' || coalesce(a.public_id::text, r.account_id::text)
                   || ', versions ' || r.from_version || ' to ' || r.to_version as reference
            from ledger_seal_ranges r
            left join ledger_accounts a on a.id = r.account_id
           where (select e.account_id from ledger_entries e where e.account_id = r.account_id
                     and e.account_version between r.from_version and r.to_version limit 1) is null
           order by r.seal_id`,
  },
  {
    invariant: 'I15',
    what: 'seal is gone, and what it covered is still listed',
    sql: `select distinct 'seal ' || r.seal_id as reference from ledger_seal_ranges r
           where not exists (select from ledger_seals s where s.id = r.seal_id)`,
  },
];

interface Fault {
  readonly seal_id: bigint;
  readonly what: string;
  readonly reference: string;
}

/**
 * The seals that do not hold, the first one first. `known_head` is a hash that was the newest once, noted
 * elsewhere: without one, newest seals that were removed are not missed.
 */
export async function verifySeals(tx: Tx, known_head?: string): Promise<Violation[]> {
  const faults = [...(await verifyChain(tx, known_head)), ...(await verifyEntries(tx))];
  return faults
    .toSorted((one, other) => Number(one.seal_id - other.seal_id))
    .map(({ what, reference }) => ({ invariant: 'I15', what, reference }));
}

export const NO_SEAL_HASH = '0'.repeat(64);

interface ChainedSeal extends LedgerSeal {
  readonly previous_hash: string;
}

interface SealRange {
  readonly seal_id: bigint;
  readonly account_id: bigint;
  readonly from_version: bigint;
  readonly to_version: bigint;
  readonly digest: string;
}

/** A seal has at most 5,000 ranges. */
const SEALS = 20;

const SEALS_PAGE = {
  name: 'verify_seals',
  text: `select id, sealed_at, database_role, entries, encode(previous_hash, 'hex') as previous_hash,
                encode(hash, 'hex') as hash
           from ledger_seals where id > $1 order by id limit ${SEALS}`,
};

const RANGES_OF_SEALS = {
  name: 'verify_seal_ranges',
  text: `select seal_id, account_id, from_version, to_version, encode(digest, 'hex') as digest
           from ledger_seal_ranges where seal_id between $1 and $2
          order by seal_id, account_id, from_version`,
};

async function verifyChain(tx: Tx, known_head: string | undefined): Promise<Fault[]> {
  const found: Fault[] = [];
  let before = { id: 0n, hash: NO_SEAL_HASH };
  let is_head_found = known_head === undefined || known_head === NO_SEAL_HASH;
  for (;;) {
    const seals = await execute<ChainedSeal>(tx, SEALS_PAGE, [before.id]);
    if (seals.length === 0) break;
    const bounds = [seals[0]!.id, seals.at(-1)!.id];
    const ranges = new Map<bigint, SealRange[]>(seals.map(({ id }) => [id, []]));
    for (const range of await execute<SealRange>(tx, RANGES_OF_SEALS, bounds)) {
      ranges.get(range.seal_id)?.push(range);
    }
    for (const seal of seals) {
      for (const what of faultsOf(seal, ranges.get(seal.id)!, before)) {
        found.push({ seal_id: seal.id, what, reference: `seal ${seal.id}` });
      }
      is_head_found ||= seal.hash === known_head;
      before = seal;
    }
  }
  if (!is_head_found) {
    const what = 'the given head is not the hash of a seal';
    found.push({ seal_id: before.id + 1n, what, reference: known_head ?? '' });
  }
  return found;
}

function faultsOf(
  seal: ChainedSeal,
  ranges: readonly SealRange[],
  before: { readonly id: bigint; readonly hash: string },
): string[] {
  return [
    ...(seal.id === before.id + 1n
      ? []
      : [`seals between ${before.id} and ${seal.id} are missing`]),
    ...(seal.previous_hash === before.hash ? [] : ['the seal before it is another one']),
    ...(seal.hash === sealHash(seal, ranges) ? [] : ['its content is not what was hashed']),
  ];
}

function sealHash(seal: ChainedSeal, ranges: readonly SealRange[]): string {
  const { id, sealed_at, database_role, entries, previous_hash } = seal;
  const lines = ranges.map(({ account_id, from_version, to_version, digest }) =>
    [account_id, from_version, to_version, digest].join(' '),
  );
  const text = [id, sealed_at, database_role, entries, previous_hash, ...lines].join('\n');
  return createHash('sha256').update(text).digest('hex');
}

interface EntryRow {
  // Null when no seal covers it yet, the next three too.
  readonly seal_id: bigint | null;
  readonly from_version: bigint | null;
  readonly to_version: bigint | null;
  readonly digest: string | null;
  readonly account_id: bigint;
  readonly account_version: bigint;
  readonly amount_minor: bigint;
  readonly balance_after_minor: bigint;
  readonly environment: string;
  readonly currency: string;
  readonly transaction_id: string;
  // Null when the transaction is gone.
  readonly kind: string | null;
  readonly created_at: string | null;
  readonly reference: string | null;
  readonly description: string | null;
  /** Null when the account is gone, the next four too. */
  readonly public_id: string | null;
  /** Also null for the platform's own accounts. */
  readonly user_id: string | null;
  readonly account_environment: string | null;
  readonly account_currency: string | null;
  readonly account_kind: string | null;
}

// A look-up for each entry of a page, whatever the planner may use beside: a join would read the whole journal for
// each page.
export const SEALED_ENTRIES = {
  name: 'verify_sealed_entries',
  text: `select r.seal_id, r.from_version, r.to_version, encode(r.digest, 'hex') as digest,
                e.account_id, e.account_version, e.amount_minor, e.balance_after_minor,
                e.environment, e.currency, e.transaction_id, t.kind, t.created_at, t.reference,
                t.description, a.public_id, a.user_id, a.environment as account_environment,
                a.currency as account_currency, a.kind as account_kind
           from (select * from ledger_entries where (account_id, account_version) > ($1, $2)
                  order by account_id, account_version limit 5000) e
           left join lateral (
             select * from ledger_seal_ranges x
              where x.account_id = e.account_id and x.from_version <= e.account_version
              order by x.from_version desc limit 1) r
             on r.to_version >= e.account_version
           left join lateral (
             select x.* from ledger_transactions x
              where x.id = e.transaction_id and x.environment = e.environment limit 1) t on true
           left join lateral (
             select x.* from ledger_accounts x where x.id = e.account_id limit 1) a on true
          order by e.account_id, e.account_version`,
};

async function verifyEntries(tx: Tx): Promise<Fault[]> {
  const found: Fault[] = [];
  let last: EntryRow | undefined;
  let hash: Hash | undefined;
  const finishRange = (): void => {
    if (!last || last.seal_id === null || hash?.digest('hex') === last.digest) return;
    const { seal_id, account_id, public_id, from_version, to_version } = last;
    const reference = `seal ${seal_id}, account ${public_id ?? account_id}, versions ${from_version} to ${to_version}`;
    found.push({ seal_id, what: 'entries are not what was sealed', reference });
  };
  for (;;) {
    const after = [last?.account_id ?? 0n, last?.account_version ?? 0n];
    const page = await execute<EntryRow>(tx, SEALED_ENTRIES, after);
    for (const entry of page) {
      if (entry.account_id !== last?.account_id || entry.from_version !== last.from_version) {
        finishRange();
        hash = createHash('sha256').update(accountLine(entry));
      }
      hash!.update(`\n${entryLine(entry)}`);
      last = entry;
    }
    if (page.length === 0) break;
  }
  finishRange();
  return found;
}

function accountLine(entry: EntryRow): string {
  const { account_id, public_id, user_id } = entry;
  const { account_environment, account_currency, account_kind } = entry;
  return words([
    account_id,
    public_id,
    user_id,
    account_environment,
    account_currency,
    account_kind,
  ]);
}

function entryLine(entry: EntryRow): string {
  const { account_version, amount_minor, balance_after_minor, environment, currency } = entry;
  return words([
    ...[account_version, amount_minor, balance_after_minor, environment, currency],
    ...[entry.transaction_id, entry.kind, entry.created_at],
    ...[entry.reference, entry.description].map((text) =>
      text === null ? null : JSON.stringify(text),
    ),
  ]);
}

/** As `concat_ws`, which leaves nulls out. */
function words(fields: readonly (string | bigint | null)[]): string {
  return fields.filter((field) => field !== null).join(' ');
}

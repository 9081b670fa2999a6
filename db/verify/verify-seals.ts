// Checks that what was sealed is still what it was: I15. Each hash is computed again outside of Postgres, from
// lines that this file's statements render as seal_ledger in db/ledger/ledger-seals.sql does.

import { createHash } from 'node:crypto';
import { execute, type Tx } from '../connect';
import type { LedgerSeal } from '../ledger/ledger-seals';
import { type Check, checks, type Violation } from './checks';

export const SEAL_CHECKS: readonly Check[] = checks('I15', 'whole', {
  'seals leave entries of an account out': `
    select 'seal ' || r.seal_id || ', account ' || coalesce(a.public_id::text, r.account_id::text)
             as reference
      from (select seal_id, account_id, from_version,
                   lag(to_version, 1, 0::bigint)
                     over (partition by account_id order by from_version) as before
              from ledger_seal_ranges) r
      left join ledger_accounts a on a.id = r.account_id
     where r.from_version <> r.before + 1
     order by r.seal_id`,
  'seal is gone, and what it covered is still listed': `
    select distinct 'seal ' || r.seal_id as reference from ledger_seal_ranges r
     where not exists (select from ledger_seals s where s.id = r.seal_id)`,
});

export const NO_SEAL_HASH = '0'.repeat(64);

interface ChainedSeal extends LedgerSeal {
  readonly previous_hash: string;
}

/** ISO 8601; null: without a bound. */
export interface SealedTime {
  readonly from: string | null;
  readonly to: string | null;
}

const LAST_BEFORE = {
  name: 'last_seal_before',
  text: `select id, encode(hash, 'hex') as hash from ledger_seals where sealed_at < $1 order by id desc limit 1`,
};

/** Seals of some 5,000 rows together, so that memory is bounded. */
const SEALS_PAGE = {
  name: 'verify_seals',
  text: `select id, sealed_at, database_role, entries, encode(previous_hash, 'hex') as previous_hash,
                encode(hash, 'hex') as hash
           from (select *, sum(entries) over (order by id) - entries as before
                   from (select * from ledger_seals where id > $1 order by id limit 100) x) s
          where before < 5000 order by id`,
};

interface SealedRange {
  readonly seal_id: bigint;
  readonly account_id: bigint;
  readonly public_id: string | null;
  readonly from_version: bigint;
  readonly to_version: bigint;
  readonly digest: string;
  /** The text that was hashed, as far as it is still there. */
  readonly content: string;
  readonly rows: bigint;
}

// A look-up for each range and each entry, whatever the planner may use beside: a join would read the whole
// journal for each page. Functions of the system are named as such: a superuser could add others before them.
export const SEALED_RANGES = {
  name: 'verify_sealed_ranges',
  text: `select r.seal_id, r.account_id, a.public_id, r.from_version, r.to_version,
                encode(r.digest, 'hex') as digest, l.rows,
                pg_catalog.concat_ws(e'\n', pg_catalog.concat_ws(' ', r.account_id, a.public_id, a.user_id,
                  a.environment, a.currency, a.kind, a.name), l.lines) as content
           from (select * from ledger_seal_ranges where seal_id between $1 and $2) r
           left join lateral (
             select x.* from ledger_accounts x where x.id = r.account_id limit 1) a on true
          cross join lateral (
             select count(*) as rows, pg_catalog.string_agg(x.line, e'\n' order by x.version) as lines from (
               (select e.account_version as version,
                       pg_catalog.concat_ws(' ', e.account_version, e.amount_minor, e.balance_after_minor,
                         e.environment, e.currency, e.transaction_id, t.kind,
                         to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                         pg_catalog.to_json(t.reference), pg_catalog.to_json(t.description)) as line
                  from ledger_entries e
                  left join lateral (
                    select x.* from ledger_transactions x
                     where x.id = e.transaction_id and x.environment = e.environment limit 1) t on true
                 where e.account_id = r.account_id
                   and e.account_version between r.from_version and r.to_version limit 5000)
                union all
               (select w.id, pg_catalog.concat_ws(' ', w.id,
                         to_char(w.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), w.actor,
                         pg_catalog.to_json(w.database_role), w.action, pg_catalog.to_json(w.subject),
                         w.details)
                  from audit_log w
                 where r.account_id = 0 and w.id between r.from_version and r.to_version limit 5000)) x) l
          order by r.seal_id, r.account_id, r.from_version`,
};

/**
 * The seals that do not hold, the first one first. `known_head` is a hash that was the newest once, noted
 * elsewhere: without one, newest seals that were removed are not missed. With a time only those that were made in it, and
 * that the first of them follows the one before.
 */
export async function verifySeals(
  tx: Tx,
  known_head: string = NO_SEAL_HASH,
  { from, to }: SealedTime = { from: null, to: null },
): Promise<Violation[]> {
  const found: Violation[] = [];
  const say = (what: string, reference: string): void =>
    void found.push({ invariant: 'I15', what, reference });
  let before = { id: 0n, hash: NO_SEAL_HASH };
  if (from !== null) [before = before] = await execute<LedgerSeal>(tx, LAST_BEFORE, [from]);
  let is_head_found = known_head === NO_SEAL_HASH;
  for (;;) {
    const seals = await execute<ChainedSeal>(tx, SEALS_PAGE, [before.id]);
    if (seals.length === 0) break;
    const bounds = [seals[0]!.id, seals.at(-1)!.id];
    const ranges = new Map<bigint, SealedRange[]>(seals.map(({ id }) => [id, []]));
    for (const range of await execute<SealedRange>(tx, SEALED_RANGES, bounds)) {
      ranges.get(range.seal_id)?.push(range);
    }
    for (const seal of seals) {
      if (to !== null && seal.sealed_at >= to) return found;
      const covered = ranges.get(seal.id)!;
      for (const what of faultsOf(seal, covered, before)) say(what, `seal ${seal.id}`);
      for (const range of covered) {
        const what = faultOf(range);
        if (what !== undefined) say(what, `seal ${seal.id}, ${describe(range)}`);
      }
      is_head_found ||= seal.hash === known_head;
      before = seal;
    }
  }
  if (!is_head_found) say('the given head is not the hash of a seal', known_head);
  return found;
}

function faultsOf(
  seal: ChainedSeal,
  ranges: readonly SealedRange[],
  before: { readonly id: bigint; readonly hash: string },
): string[] {
  const { id, sealed_at, database_role, entries, previous_hash } = seal;
  const lines = ranges.map(({ account_id, from_version, to_version, digest }) =>
    [account_id, from_version, to_version, digest].join(' '),
  );
  const text = [id, sealed_at, database_role, entries, previous_hash, ...lines].join('\n');
  return [
    ...(id === before.id + 1n ? [] : [`seals between ${before.id} and ${id} are missing`]),
    ...(previous_hash === before.hash ? [] : ['the seal before it is another one']),
    ...(seal.hash === sha256(text) ? [] : ['its content is not what was hashed']),
  ];
}

function faultOf({ from_version, to_version, rows, content, digest }: SealedRange) {
  if (rows <= to_version - from_version) return 'sealed entries are gone';
  return sha256(content) === digest ? undefined : 'entries are not what was sealed';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function describe({ account_id, public_id, from_version, to_version }: SealedRange): string {
  const versions = `${from_version} to ${to_version}`;
  if (account_id === 0n) return `audit log, rows ${versions}`;
  return `account ${public_id ?? account_id}, versions ${versions}`;
}

// Lists of names, and the accounts that are compared with them (docs/decisions/risk.md). Lists and the setting are put
// into force by db/operators/settings.ts.

import { askedWords } from '../../domain/names';
import type { NameMatch, RiskReason } from '../../domain/risk';
import { columns, type Row, type RowOf } from '../columns';
import { call, calls, callValue, execute, lookUp, type Db } from '../connect';

/** Null: this file was read in before. */
export const beginList =
  calls<(list: string, version: string, entries: number) => bigint | null>('begin_risk_list');
export const endList = calls<(file: bigint) => void>('end_risk_list');

/** [number, entry, name, called, facts] */
export type ListedName = readonly [number, string, string, string, string];

export const addNames = (db: Db, file: bigint, rows: readonly ListedName[]): Promise<void> =>
  callValue(db, 'add_risk_names', [file, JSON.stringify(rows)]);

export interface ListedKey {
  readonly key: string;
  /** Numbers of the names that have it. */
  readonly names: readonly number[];
  /** Words of which it is what is left without a letter. */
  readonly of_keys: readonly string[];
}

export const addKeys = (db: Db, file: bigint, rows: readonly ListedKey[]): Promise<void> =>
  callValue(db, 'add_risk_keys', [
    file,
    rows.map(({ key }) => key),
    // Words have letters and digits only.
    rows.map(({ names }) => (names.length === 0 ? null : `{${names.join()}}`)),
    rows.map(({ of_keys }) =>
      of_keys.length === 0 ? null : `{${of_keys.map((key) => `"${key}"`).join()}}`,
    ),
  ]);

/** False: there is nothing left to drop. */
export const dropLists = calls<(most: number) => boolean>('drop_risk_lists');

const LISTED = columns('risk_lists l: list version entries loaded_at loaded_by');
export type RiskList = RowOf<typeof LISTED>;

export function listLists(db: Db): Promise<RiskList[]> {
  const text = `select ${LISTED} from risk_lists l where l.state = 'current' order by l.list`;
  return execute(db, { name: 'list_risk_lists', text }, []);
}

const SETTING = columns('risk_screening s: mode url minimum deadline_ms on_silence set_at');
export interface Screening extends Omit<RowOf<typeof SETTING>, 'minimum'> {
  readonly minimum: number | null;
  /** There is something to compare with. */
  readonly is_on: boolean;
}

export async function getScreening(db: Db): Promise<Screening> {
  const text = `select s.mode, s.url, s.minimum::float8 as minimum, s.deadline_ms, s.on_silence, s.set_at,
                       is_screening() as is_on
                  from risk_screening s`;
  return (await lookUp<Screening>(db, { name: 'get_risk_screening', text }, []))[0]!;
}

export async function countAccounts(db: Db): Promise<number> {
  const text = 'select count(*)::integer as count from users';
  return (await execute<{ readonly count: number }>(db, { name: 'count_users', text }, []))[0]!
    .count;
}

/** More have the same words in common with the given one, and are less like it. */
const MOST_CANDIDATES = 20;
const MOST_COUNTED = 100;

// A word stands for itself and, where it or it without a letter leads there, for other words. Two of them, of other
// places, are the key of names; all of a short name is one by itself.
const FIND = {
  name: 'find_listed_names',
  text: `
    with asked as materialized (
      select l.id, a.word collate "C" as word, a."from", a."to", a.is_slip
        from risk_lists l
       cross join unnest($1::text[], $2::integer[], $3::integer[], $4::boolean[]) a (word, "from", "to", is_slip)
       where l.state = 'current'
    ), meant as materialized (
      select a.id, a.word, a."from", a."to" from asked a where not a.is_slip
      union
      select a.id, o.word, a."from", a."to"
        from asked a
        join risk_list_keys k on k.list_id = a.id and k.key = a.word
       cross join lateral unnest(k.of_keys) o (word)
    ), named as (
      select k.list_id, k.names
        from meant one
        join meant other on other.id = one.id and other."from" > one."to"
        join risk_list_keys k on k.list_id = one.id
             and k.key = least(one.word, other.word) || ' ' || greatest(one.word, other.word)
       where one."from" >= 0
      union all
      select k.list_id, k.names
        from meant m join risk_list_keys k on k.list_id = m.id and k.key = m.word
       where m."from" < 0
    ), candidate as materialized (
      select n.list_id, c.number, count(*) as pairs
        from named n cross join lateral unnest(n.names) c (number)
       group by 1, 2 order by 3 desc, 2 limit ${MOST_COUNTED}
    )
    select l.list, m.entry as id, m.name, m.called, m.facts
      from candidate c
      join risk_lists l on l.id = c.list_id
      join risk_list_names m on m.list_id = c.list_id and m.number = c.number
     order by c.pairs desc, c.number, c.list_id
     limit ${MOST_CANDIDATES}`,
};

/** Names that may be like the given one, the likeliest first; each is called as its entry is. */
export function findCandidates(
  db: Db,
  name: string,
): Promise<(Omit<NameMatch, 'score'> & { readonly called: string })[]> {
  const words = askedWords(name);
  const values = [
    words.map(({ word }) => word),
    words.map(({ from }) => from),
    words.map(({ to }) => to),
    words.map(({ is_slip }) => is_slip),
  ];
  return lookUp(db, FIND, values);
}

export type DueAccount = Row<'risk_due_accounts'>;

/** Takes accounts whose names are to be compared, for a minute. */
export const takeDueAccounts = (db: Db, most: number): Promise<DueAccount[]> =>
  call(db, 'take_due_accounts', [most]);

export const endScreening = calls<(user_id: string, since: string) => void>('end_screening');

const NAMES = columns('users u: first_name last_name display_name');

export async function findAccountNames(
  db: Db,
  user_id: string,
): Promise<RowOf<typeof NAMES> | undefined> {
  const text = `select ${NAMES} from users u where u.id = $1`;
  return (
    await lookUp<RowOf<typeof NAMES>>(db, { name: 'find_account_names', text }, [user_id])
  )[0];
}

/** Its submitted data about its owner, sealed; undefined when there are none, or nothing is compared. */
export async function findIdentity(
  db: Db,
  user_id: string,
): Promise<{ readonly check_id: string; readonly sealed: Buffer } | undefined> {
  const [row] = await call<{ readonly check_id: string | null; readonly sealed: Buffer }>(
    db,
    'identity_to_screen',
    [user_id],
  );
  return row === undefined || row.check_id === null
    ? undefined
    : { check_id: row.check_id, sealed: row.sealed };
}

/** Returns the case; null: there is nothing new. */
export const openAccountCase = (
  db: Db,
  user_id: string,
  reasons: readonly RiskReason[],
): Promise<string | null> => callValue(db, 'open_account_case', [user_id, JSON.stringify(reasons)]);

// A noun as it is read: by its account, and by operators. A noun declares its columns and filters; the statements are
// the same for all of them, and each combination of filters is a statement of its own.

import { isUuid } from '../domain/ids';
import { execute, lookUp, type BoundStatement, type Db, type Statement } from './connect';
import { filterSql, ofKinds, type Given, type ListQuery, type Owner } from './list-filters';

interface Declared<Filters> {
  /** The table. */
  readonly rows: string;
  /** Its name in `view` and `filters`. */
  readonly row: string;
  readonly view: string;
  /** A condition for each, with `?` for the value. */
  readonly filters: Readonly<Record<keyof Filters & string, string>>;
}

interface DeclaredOfAccount<Filters> extends Declared<Filters> {
  /** The statuses that there are, where an index has the rows by status and currency (ofKinds). */
  readonly statuses?: readonly string[];
  /** A filter that names few of an account's rows: beside it, the others are looked at row by row. */
  readonly few?: readonly (keyof Filters)[];
}

/** A row is found by its id, or by its reference. */
type Name = { readonly id: string } | { readonly reference: string };

/** The rows of an account. */
export function readable<View extends object, Filters extends object>({
  rows,
  row,
  view,
  filters: declared,
  statuses,
  few = [],
}: DeclaredOfAccount<Filters>) {
  const conditions_of = {
    ...declared,
    created_from: `${row}.created_at >= ?::timestamptz`,
    created_to: `${row}.created_at < ?::timestamptz`,
  };
  const selectKinds = statuses && ofKinds({ rows, row, view, all: statuses });

  function statement(query: ListQuery<Filters>): BoundStatement {
    const { user_id, environment, before = 'infinity', filters, limit } = query;
    const given_of: Readonly<Record<string, unknown>> = filters;
    const { status, currency, reference } = given_of;
    const isNamed = reference !== undefined || few.some((name) => filters[name] !== undefined);
    if (selectKinds && !isNamed && (status !== undefined || currency !== undefined)) {
      return selectKinds(query as Parameters<typeof selectKinds>[0]);
    }
    const values: unknown[] = [user_id, environment, before];
    if (reference !== undefined) values.push(reference);
    const { given, conditions } = filterSql(conditions_of, given_of, values);
    values.push(limit);
    // The limit is a border: without it a plan that is made for any account may read all rows of this one.
    const from =
      reference === undefined ? rows : `(select * from ${rows} x where x.reference = $4 limit 1)`;
    const text = `select ${view} from ${from} ${row}
                   where ${row}.user_id = $1 and ${row}.environment = $2
                     and ${row}.created_at < $3::timestamptz${conditions}
                   order by ${row}.created_at desc limit $${values.length}`;
    return { statement: { name: `list_${rows}_${given}`, text }, values };
  }

  return {
    statement,

    /** Newest first. On the pool: an account may have millions of rows, and few of a period. */
    list: (db: Db, query: ListQuery<Filters>): Promise<View[]> => {
      const bound = statement(query);
      return execute<View>(db, bound.statement, bound.values);
    },

    /** The account's own. */
    find: async (db: Db, { user_id, environment }: Owner, by: Name): Promise<View | undefined> => {
      const [column, value] = 'id' in by ? ['id', by.id] : ['reference', by.reference];
      const text = `select ${view} from ${rows} ${row}
                     where ${row}.${column} = $3 and ${row}.user_id = $1 and ${row}.environment = $2`;
      const found = { name: `find_in_${rows}_by_${column}`, text };
      return (await lookUp<View>(db, found, [user_id, environment, value]))[0];
    },
  };
}

interface DeclaredOfAll<Filters> extends Declared<Filters> {
  /** The tables that `view` needs beside the row. */
  readonly joins: string;
}

/** The rows of every account, for operators. */
export function readableOfAll<View extends object, Filters extends object>({
  rows,
  row,
  view,
  joins,
  filters: conditions_of,
}: DeclaredOfAll<Filters>) {
  // The page is chosen before anything is joined: else the accounts of all rows are looked up.
  function statement(filters: Given<Filters>, limit: number): BoundStatement {
    const values: unknown[] = [limit];
    const { given, conditions } = filterSql<string>(conditions_of, filters, values);
    const order = `order by ${row}.created_at desc, ${row}.id`;
    const text = `select ${view}
                    from (select * from ${rows} ${row} where true${conditions} ${order} limit $1) ${row}
                    ${joins} ${order}`;
    return { statement: { name: `list_all_${rows}_${given}`, text }, values };
  }

  /** A name is an id or a reference: their forms do not overlap. */
  function findStatement(name: string): Statement {
    const column = isUuid(name) ? 'id' : 'reference';
    const text = `select ${view} from ${rows} ${row} ${joins} where ${row}.${column} = $1`;
    return { name: `find_in_all_${rows}_by_${column}`, text };
  }

  return {
    statement,
    findStatement,

    /** Newest first. */
    list: (db: Db, filters: Given<Filters>, limit: number): Promise<View[]> => {
      const bound = statement(filters, limit);
      return execute<View>(db, bound.statement, bound.values);
    },

    find: async (db: Db, name: string): Promise<View | undefined> =>
      (await execute<View>(db, findStatement(name), [name]))[0],
  };
}

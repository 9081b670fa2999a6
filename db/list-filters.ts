// Optional filters of a list. Each combination of filters is a statement of its own, and so has a plan
// of its own.

import { CURRENCIES, type Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { BoundStatement } from './connect';

export interface FilterSql {
  /** ` and …` for each filter that is given. */
  readonly conditions: string;
  /** A digit for each filter, 1 when it is given: short, as Postgres takes 63 characters of a name. */
  readonly given: string;
}

/**
 * The conditions of the filters that are given. `conditions` has one for each filter, with `?` for its
 * value; the values are appended to `values`.
 */
export function filterSql<Name extends string>(
  conditions: Readonly<Record<Name, string>>,
  filters: { readonly [name in Name]?: unknown },
  values: unknown[],
): FilterSql {
  let sql = '';
  let given = '';
  for (const name of Object.keys(conditions) as Name[]) {
    const value = filters[name];
    given += value === undefined ? '0' : '1';
    if (value !== undefined) {
      sql += ` and ${conditions[name].replace('?', `$${values.push(value)}`)}`;
    }
  }
  return { conditions: sql, given };
}

/**
 * The rows of an account with one value in a column, newest first, by the index on (user_id, environment, column,
 * created_at) and no other: only that one has this order. With equal signs and the order of time alone, a plan
 * that is made for any account, of which most have few rows, may take the index by time, and reads all rows
 * of an account that has millions, and none with this value. `$1` is the account, `$2` the environment, `$3` the
 * cursor, `$4` the value, `$5` and `$6` the period. `is_first`: the index begins with the column, because operators
 * look for a value in all accounts.
 */
export function byColumn(
  row: string,
  column: string,
  is_first = false,
): { condition: string; order: string } {
  const owner = ['user_id', 'environment'];
  const names = is_first ? [column, ...owner, 'created_at'] : [...owner, column, 'created_at'];
  const columns = names.map((name) => `${row}.${name}`);
  const values = is_first ? '$4::text, $1::uuid, $2::text' : '$1::uuid, $2::text, $4::text';
  const at = (moment: string): string => `(${values}, ${moment})`;
  return {
    condition: `(${columns.join(', ')}) < ${at('least($3::timestamptz, $6::timestamptz)')}
       and (${columns.join(', ')}) >= ${at('$5::timestamptz')}`,
    order: columns.map((name) => `${name} desc`).join(', '),
  };
}

export interface Owner {
  readonly user_id: string;
  readonly environment: Environment;
}

/** A page of an account's rows. */
export interface AccountPage extends Owner {
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
}

interface Period {
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

export type Given<Filters> = { readonly [name in keyof Filters]?: Filters[name] | undefined };

export interface ListQuery<Filters> extends AccountPage {
  readonly filters: Given<Filters> & Period;
}

/**
 * The rows of an account in a status, in a currency, or both, newest first: one scan of the index on (user_id,
 * environment, status, currency, created_at) per status and currency, each in order and no longer than the page. An
 * account may have millions of rows, and none in a status or currency: by time alone, all would be read. `view` has
 * columns of `row`; `all` are the statuses that there are.
 */
export function ofKinds({
  rows,
  row,
  view,
  all,
}: {
  readonly rows: string;
  readonly row: string;
  readonly view: string;
  readonly all: readonly string[];
}): (query: ListQuery<{ status: string; currency: Currency }>) => BoundStatement {
  const kind = '(x.user_id, x.environment, x.status, x.currency, x.created_at)';
  const kindAt = (moment: string): string =>
    `($1::uuid, $2::text, kind.status, kind.currency, ${moment})`;
  const text = `select shown.*
           from (select k.id, k.created_at
                   from (select s.status, c.currency from unnest($6::text[]) s (status),
                                unnest($7::text[]) c (currency)) kind
                  cross join lateral (
                    select x.id, x.created_at from ${rows} x
                     where ${kind} < ${kindAt('least($3::timestamptz, $5::timestamptz)')}
                       and ${kind} >= ${kindAt('$4::timestamptz')}
                     order by x.user_id desc, x.environment desc, x.status desc, x.currency desc,
                              x.created_at desc
                     limit $8) k
                  order by k.created_at desc limit $8) found
          cross join lateral (select ${view} from ${rows} ${row} where ${row}.id = found.id limit 1) shown
          order by shown.created_at desc`;
  const statement = { name: `list_${rows}_of_kinds`, text };
  return ({ user_id, environment, before = 'infinity', filters, limit }) => {
    const { status, currency, created_from = '-infinity', created_to = 'infinity' } = filters;
    const statuses = status === undefined ? all : [status];
    const currencies = currency === undefined ? CURRENCIES : [currency];
    const values = [
      user_id,
      environment,
      before,
      created_from,
      created_to,
      statuses,
      currencies,
      limit,
    ];
    return { statement, values };
  };
}

/** Sorts by this column in the specification's order of currencies. */
export function inOrder(currency: string): string {
  return `array_position(array['${CURRENCIES.join("', '")}'], ${currency})`;
}

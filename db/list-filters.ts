// Optional filters of a list. Each combination of filters is a statement of its own, and so has a plan
// of its own.

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

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

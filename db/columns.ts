// Columns of a table, named once: the text of a statement and the type of its rows are read from the same names.

import type { Rows } from './generated/rows';

/** A row of a table, as the driver returns it. */
export type Row<Table extends keyof Rows> = Rows[Table];

/** SQL that selects columns, with the type of what it selects. */
export type Columns<Selected> = string & { readonly selected?: Selected };

export type RowOf<Selected extends Columns<object>> = NonNullable<Selected['selected']>;

/** Columns of a table by their names, between blanks. */
export type Named<Table extends keyof Rows, Names extends string> =
  Words<Names> extends keyof Rows[Table] ? Pick<Rows[Table], Words<Names>> : never;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? Word<First> | Words<Rest>
  : Word<Text>;
/** A line of a text ends behind its last word. */
type Word<Text extends string> = Exclude<Text extends `${infer Name}\n` ? Name : Text, ''>;

/** The statement calls the table `row`. */
export function columns<Table extends keyof Rows>(_table: Table, row: string) {
  return <Names extends string>(
    names: Names & (Words<Names> extends keyof Rows[Table] ? unknown : never),
  ): Columns<Named<Table, Names>> =>
    names
      .split(/\s+/)
      .map((name) => `${row}.${name}`)
      .join(', ');
}

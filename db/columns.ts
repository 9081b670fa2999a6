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

type Selected<Text extends string> =
  Text extends `${infer Table extends keyof Rows} ${string}:${infer Names}`
    ? Named<Table, Names>
    : never;

/** `payouts p: id status`: columns of the table, which the statement calls `p`. Names that it has not do not compile. */
export function columns<Text extends string>(
  text: Text & ([Selected<Text>] extends [never] ? never : unknown),
): Columns<Selected<Text>> {
  const [[, row], names] = text.split(':').map((part) => part.trim().split(/\s+/)) as [
    string[],
    string[],
  ];
  return names.map((name) => `${row}.${name}`).join(', ');
}

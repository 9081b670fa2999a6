// A check: what does not hold, and the query that finds it.

export interface Violation {
  readonly invariant:
    | 'I1'
    | 'I2'
    | 'I3'
    | 'I5'
    | 'I6'
    | 'I7'
    | 'I14'
    | 'I15'
    | 'I16'
    | 'I17'
    | 'I18'
    | 'I19'
    | 'I20'
    | 'I21'
    | 'I22'
    | 'I23'
    | 'I24';
  readonly what: string;
  readonly reference: string;
  /** Business can cause it: an operator settles it, and nothing has to stop. */
  readonly is_loss?: true;
}

/** The query returns the references at fault; no row means that the invariant holds. */
export interface Check extends Omit<Violation, 'reference'> {
  readonly sql: string;
  readonly pieces?: Pieces | undefined;
}

/**
 * How a check is made in pieces (pieces.ts). `time`: one posting writes all rows that it compares, so it holds in each
 * piece of time by itself. `whole`: it holds of all rows together only, and is left out. A check that says neither is
 * made of everything but transfers.
 */
export type Pieces = 'time' | 'whole';

type SqlOf<What extends string> = Readonly<Record<What, string>>;
type PiecesOf<What extends string> = Pieces | Readonly<Partial<Record<NoInfer<What>, Pieces>>>;

/** The checks of one invariant, by what is wrong; before them how they are made in pieces, all or by what is wrong. */
export function checks<What extends string>(
  invariant: Violation['invariant'],
  ...of: readonly [SqlOf<What>] | readonly [PiecesOf<What>, SqlOf<What>]
): readonly Check[] {
  const [pieces, sql_of] = of.length === 1 ? [undefined, of[0]] : of;
  return Object.entries<string>(sql_of).map(([what, sql]) => ({
    invariant,
    what,
    sql,
    pieces: typeof pieces === 'object' ? pieces[what as What] : pieces,
  }));
}

/** Finds the environments and currencies in which the account of this kind does not hold the sum of what waits. */
export function holds(kind: string, sum: string, waiting: string): string {
  return `select environment || '/' || currency as reference from (
            select environment, currency, balance_minor from ledger_accounts where kind = '${kind}') a
            full join (
              select environment, currency, sum(${sum}) as waiting from ${waiting}
               group by environment, currency) w
              using (environment, currency)
           where coalesce(a.balance_minor, 0) <> coalesce(w.waiting, 0)`;
}

/** Whether the response stored as `k` tells `data`. */
export function answers(data: string): string {
  return `coalesce(json_or_null(k.body) @> jsonb_build_object(${data}), false)`;
}

/** Whether event `e` says what its row says, and `data` of what it tells. */
export function tells(data: string): string {
  return `coalesce(json_or_null(e.body) @> jsonb_build_object('id', e.id, 'type', e.type,
             'environment', e.environment, 'sequence', e.sequence,
             'created_at', instant(e.created_at), 'data', jsonb_build_object(${data})), false)`;
}

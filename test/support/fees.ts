// The fees of a test: general rules, or those of one kind, currency or account.

import type { Knex } from 'knex';
import type { FeeKind } from '../../db/ledger/fees';
import type { Currency } from '../../domain/currency';

export interface TestFees {
  readonly kinds?: readonly FeeKind[];
  /** Every one by default. */
  readonly currency?: Currency;
  readonly percent?: number;
  readonly fixed_minor?: number | bigint;
  /** Other columns of the rule, and `username`. */
  readonly more?: Readonly<Record<string, string | boolean | null>>;
}

/** Sets what is charged from the next posting on: nothing by default. `owner` has the owner's role. */
export async function setFees(
  owner: Pick<Knex, 'raw'>,
  {
    kinds = ['transfer', 'payment_intent', 'payout'],
    currency,
    percent = 0,
    fixed_minor = 0,
    more = {},
  }: TestFees = {},
): Promise<void> {
  const { rows } = (await owner.raw(
    `select s.refusal
       from unnest(?::text[]) k
       join currencies c on c.code = coalesce(?, c.code)
      cross join lateral apply_fees_set(?::jsonb
              || jsonb_build_object('kind', k, 'currency', c.code, 'percent', ?::text, 'fixed_minor', ?::text), 'test') s`,
    [[...kinds], currency ?? null, JSON.stringify(more), String(percent), String(fixed_minor)],
  )) as { rows: { refusal: string | null }[] };
  const refused = rows.find(({ refusal }) => refusal !== null);
  if (refused) throw new Error(`The fee was refused: ${refused.refusal}`);
}

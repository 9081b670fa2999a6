// The fees of transfers, payments and payouts (docs/decisions/ledger.md), as operators see and set them. The rules
// are in db/ledger/fees.sql.

import type { Currency } from '../../domain/currency';
import { call, callValue, execute, type Db } from '../connect';
import { inOrder } from '../list-filters';

export const FEE_KINDS = ['transfer', 'payment_intent', 'payout'] as const;
export type FeeKind = (typeof FEE_KINDS)[number];

export interface Fee {
  readonly basis_points: number;
  readonly fixed_minor: bigint;
}

export interface FeePolicy extends Fee {
  readonly kind: FeeKind;
  readonly currency: Currency;
  /** An operator has asked for it, and another one has not confirmed it. */
  readonly requested: (Fee & { readonly by: string; readonly at: string }) | null;
}

interface FeeRow extends Omit<FeePolicy, 'requested'> {
  readonly requested_by: string | null;
  readonly requested_at: string | null;
  readonly requested_basis_points: number | null;
  readonly requested_fixed_minor: bigint | null;
}

const LIST = {
  name: 'list_fees',
  text: `select f.kind, f.currency, f.basis_points, f.fixed_minor, w.requested_by, w.requested_at,
                w.basis_points as requested_basis_points, w.fixed_minor as requested_fixed_minor
           from fee_policies f left join lateral waiting_fee_request(f.kind, f.currency) w on true
          order by f.kind desc, ${inOrder('f.currency')}`,
};

/** Lists every kind and currency. Needs the operators' role. */
export async function listFees(db: Db): Promise<FeePolicy[]> {
  const rows = await execute<FeeRow>(db, LIST, []);
  return rows.map(({ requested_by: by, requested_at: at, ...row }) => {
    const { requested_basis_points, requested_fixed_minor, ...fee } = row;
    if (by === null) return { ...fee, requested: null };
    const asked = { basis_points: requested_basis_points!, fixed_minor: requested_fixed_minor! };
    return { ...fee, requested: { ...asked, by, at: at! } };
  });
}

/** The fee of a payout of this amount now, in minor units. */
export async function findPayoutFee(db: Db, currency: Currency, amount: bigint): Promise<bigint> {
  return callValue(db, 'payout_fee', [currency, amount.toString()]);
}

export interface SetFee {
  /**
   * `requested`: another operator has to ask for the same; nothing was changed. `same_person`: this one has
   * asked before.
   */
  readonly outcome: 'set' | 'unchanged' | 'requested' | 'same_person' | 'not_found';
  /** The other operator of a fee that was `set`, where it needed one. */
  readonly requested_by: string | null;
}

/** Sets a fee from the next posting on. Needs the operators' role. */
export async function setFee(
  db: Db,
  { kind, currency, basis_points, fixed_minor }: Omit<FeePolicy, 'requested'>,
  actor: string,
): Promise<SetFee> {
  const values = [kind, currency, basis_points, fixed_minor, actor];
  return (await call<SetFee>(db, 'set_fee', values))[0]!;
}

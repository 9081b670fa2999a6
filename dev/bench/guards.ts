// Limits, fees and rules of risk as an operator sets them, so wide that no transfer is refused or held.

import type { Client } from 'pg';
import type { Currency } from '../../domain/currency';

const RULES: readonly Readonly<Record<string, unknown>>[] = [
  ...[1, 2, 3, 4, 5].map((n) => ({ kind: 'amount', above_minor: n * 100_000_000 })),
  // Not by address: all of the load comes from one.
  ...['account', 'recipient'].flatMap((counted_by) =>
    [1, 2, 3].map((n) => ({
      kind: 'velocity',
      counted_by,
      window_seconds: 10,
      most_count: 3_000 * n,
    })),
  ),
  ...[1, 2, 3].map((n) => ({
    kind: 'velocity',
    counted_by: 'account',
    window_seconds: 10,
    most_minor: n * 1_000_000_000,
  })),
  ...[1, 2, 3].map((n) => ({
    kind: 'structuring',
    counted_by: 'account',
    threshold_minor: n * 100_000_000,
    margin_percent: 10,
    window_seconds: 86_400,
    most_count: 10,
  })),
  ...[1, 2, 3].map((n) => ({ kind: 'first_recipient', above_minor: n * 100_000_000 })),
];

export interface Guards {
  /** All seven limits on each wallet of theirs. */
  limit(users: readonly { readonly username: string }[]): Promise<void>;
  /** A general fee of transfers with its tax; or none again. */
  charge(percent: number): Promise<void>;
  /** Twenty rules that look at each transfer; or none. */
  watch(isOn: boolean): Promise<void>;
}

/** @param owner its connection; the limits, fees and rules are those of live transfers in this currency */
export function createGuards(owner: Client, currency: Currency): Guards {
  const apply = async (sql: string, values: readonly unknown[]): Promise<void> => {
    const { rows } = await owner.query<{ refusal: string | null }>(sql, [...values]);
    const refused = rows.find(({ refusal }) => refusal !== null);
    if (refused) throw new Error(`refused: ${refused.refusal}`);
  };
  return {
    limit: (users) =>
      apply(
        `select (apply_users_limits(jsonb_build_object('username', u, 'environment', 'live', 'currency', $2::text) || (
                  select jsonb_object_agg(n, '9000000000000.00') from unnest(limit_names()) n), 'bench')).refusal
           from unnest($1::text[]) u`,
        [users.map(({ username }) => username), currency],
      ),
    charge: (percent) =>
      apply(
        `select (apply_fees_set(jsonb_build_object('kind', 'transfer', 'currency', $2::text, 'percent', $1::text,
                  'fixed_minor', '0', 'tax', t), 'bench')).refusal
           from unnest(array[false, true]) t`,
        [String(percent), currency],
      ),
    async watch(isOn) {
      await apply(
        isOn
          ? `select (apply_risk_set(r || jsonb_build_object('name', 'rule-' || n, 'watches', array['transfer'],
                      'decision', 'hold', 'currency', $2::text), 'bench')).refusal
               from jsonb_array_elements($1) with ordinality x (r, n)`
          : `select (apply_risk_remove(jsonb_build_object('name', r.name), 'bench')).refusal
               from risk_rules r where $1::jsonb is not null and $2::text is not null`,
        [JSON.stringify(RULES), currency],
      );
      // Room is kept for a rule that has been there for a minute.
      await owner.query(`update risk_rules set set_at = set_at - interval '1 minute'`);
    },
  };
}

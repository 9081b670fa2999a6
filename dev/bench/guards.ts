// Limits, fees and rules of risk as an operator sets them, so wide that no transfer is refused or held.

import { Client } from 'pg';
import type { BenchUser } from './contestants';

const RULES: readonly Readonly<Record<string, unknown>>[] = [
  ...[1, 2, 3, 4, 5].map((n) => ({ kind: 'amount', above_minor: n * 100_000_000 })),
  ...['account', 'recipient', 'ip'].flatMap((counted_by) =>
    [1, 2, 3].map((n) => ({
      kind: 'velocity',
      counted_by,
      window_seconds: 10 * n,
      most_count: 1_000_000 * n,
    })),
  ),
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
  /** All seven limits on each wallet of theirs in XOF. */
  limit(users: readonly BenchUser[]): Promise<void>;
  /** A general fee of transfers with its tax; or none again. */
  charge(percent: number): Promise<void>;
  /** Twenty rules that look at each transfer; or none. */
  watch(isOn: boolean): Promise<void>;
}

export async function withGuards<Result>(
  owner_url: string,
  use: (guards: Guards) => Promise<Result>,
): Promise<Result> {
  const owner = new Client({ connectionString: owner_url });
  await owner.connect();
  const apply = async (sql: string, values: readonly unknown[]): Promise<void> => {
    const { rows } = await owner.query<{ refusal: string | null }>(sql, [...values]);
    const refused = rows.find(({ refusal }) => refusal !== null);
    if (refused) throw new Error(`refused: ${refused.refusal}`);
  };
  try {
    return await use({
      limit: (users) =>
        apply(
          `select (apply_users_limits(jsonb_build_object('username', u, 'environment', 'live', 'currency', 'XOF') || (
                    select jsonb_object_agg(n, '9000000000000.00') from unnest(limit_names()) n), 'bench')).refusal
             from unnest($1::text[]) u`,
          [users.map(({ username }) => username)],
        ),
      charge: (percent) =>
        apply(
          `select (apply_fees_set(jsonb_build_object('kind', 'transfer', 'currency', 'XOF', 'percent', $1::text,
                    'fixed_minor', '0', 'tax', t), 'bench')).refusal
             from unnest(array[false, true]) t`,
          [String(percent)],
        ),
      watch: (isOn) =>
        apply(
          isOn
            ? `select (apply_risk_set(r || jsonb_build_object('name', 'rule-' || n, 'watches', array['transfer'],
                        'decision', 'hold', 'currency', 'XOF'), 'bench')).refusal
                 from jsonb_array_elements($1) with ordinality x (r, n)`
            : `select (apply_risk_remove(jsonb_build_object('name', r.name), 'bench')).refusal
                 from risk_rules r where $1::jsonb is not null`,
          [JSON.stringify(RULES)],
        ),
    });
  } finally {
    await owner.end();
  }
}

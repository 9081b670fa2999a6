// The rules of risk, as operators see them. They are set by db/operators/settings.ts.

import type { Named, Row } from '../columns';
import { execute, type Db } from '../connect';

/** A rule that is set: without `username` of any account. */
export interface RiskRule extends Omit<Row<'risk_rules'>, 'user_id'> {
  readonly username: string | null;
}

/** The arguments of `risk.set`. Amounts are decimal text of minor units. */
export type GivenRule = Named<'risk_rules', 'name kind watches decision'> &
  Readonly<Partial<Record<keyof Row<'risk_rules'>, string | number | readonly string[]>>>;

const LIST = {
  name: 'list_risk_rules',
  text: `select r.name, r.kind, r.watches, r.decision, r.currency, r.environment, r.above_minor, r.counted_by,
                r.window_seconds, r.most_count, r.most_minor, r.threshold_minor, r.margin_percent, u.username
           from risk_rules r left join users u on u.id = r.user_id order by r.name`,
};

export const listRules = (db: Db): Promise<RiskRule[]> => execute<RiskRule>(db, LIST, []);

// Rules and cases of risk, as operators set and decide them.

import { changeSetting } from '../../db/operators/settings';
import type { TestDatabase } from './database';
import { orderedPayout } from './payouts';
import type { TestUser } from './users';
import { listCases, type RiskCase } from '../../db/risk/cases';
import type { Db } from '../../db/connect';
import type { ApprovalRequest } from '../../db/operators/approvals';

/** A rule that holds what is above 1,000 XOF, unless the fields say otherwise. */
export async function setRule(
  operator: Db,
  fields: Readonly<Record<string, unknown>> = {},
  actor = 'olivia',
): Promise<void> {
  const rule = {
    name: 'large',
    kind: 'amount',
    watches: ['transfer', 'payout', 'payment'],
    decision: 'hold',
    currency: 'XOF',
    above_minor: 'above_minor' in fields || fields['kind'] !== undefined ? null : 100_000,
    ...fields,
  } as ApprovalRequest['arguments'];
  await changeSetting(operator, 'risk.set', rule, actor);
}

export async function removeRule(operator: Db, name: string): Promise<void> {
  await changeSetting(operator, 'risk.remove', { name }, 'olivia');
}

export async function removeRules(owner: Db): Promise<void> {
  await owner.raw('delete from risk_rules');
  await owner.raw('select refresh_watched()');
}

/** Returns why nothing was decided, or null. */
export async function decide(
  operator: Db,
  reference: string,
  decision: 'release' | 'refuse',
  actor = 'olivia',
): Promise<string | null> {
  const given = { reference, pay_url_base: 'https://pay.example.com', reason: 'looked at' };
  return (await changeSetting<unknown, string>(operator, `risk.${decision}`, given, actor)).refusal;
}

/** The case of a payout that is held. */
export async function orderHeld(
  { db }: Pick<TestDatabase, 'db'>,
  user: TestUser,
): Promise<RiskCase> {
  await orderedPayout(db, user);
  return latestCase(db);
}

/** The newest case. */
export async function latestCase(db: Db): Promise<RiskCase> {
  return (await listCases(db, { limit: 1 }))[0]!;
}

// Settings that operators change (db/operators/settings.sql). Needs the operators' role.

import { call, type Db } from '../connect';
import type { ApprovalAction, ApprovalRequest } from './approvals';

export interface ChangedSetting<Value> {
  /** False when it was the same before. */
  readonly changed: boolean;
  /** Null when there was none. */
  readonly before: Value | null;
  readonly after: Value;
}

/** Throws AP001 where a second operator is needed, and AP002 for an account of the operator's own. */
export async function changeSetting<Value, Refusal extends string>(
  db: Db,
  action: ApprovalAction,
  given: ApprovalRequest['arguments'],
  actor: string,
): Promise<ChangedSetting<Value> & { readonly refusal: Refusal | null }> {
  const values = [action, JSON.stringify(given), actor];
  return (
    await call<ChangedSetting<Value> & { readonly refusal: Refusal | null }>(
      db,
      'change_setting',
      values,
    )
  )[0]!;
}

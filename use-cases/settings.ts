// A setting that an operator changes, or, where that takes two, requests (db/operators/settings.sql).

import type { ApprovalRequest } from '../db/operators/approvals';
import { changeSetting, type ChangedSetting } from '../db/operators/settings';
import { doOrRequest, type ApprovalNeeded, type Requesting } from './approvals';

export type SettingChange<Value, Refusal extends string> =
  | ({ readonly ok: true } & ChangedSetting<Value>)
  /** Nothing was changed. */
  | { readonly ok: false; readonly error: 'refused'; readonly refusal: Refusal }
  | ApprovalNeeded;

/** `Value` is what the function of this action returns as `before` and `after`. */
export async function changeOrRequest<Value, Refusal extends string>(
  { db, actor }: Requesting,
  { action, arguments: given, reason }: ApprovalRequest,
): Promise<SettingChange<Value, Refusal>> {
  const arguments_ = reason === '' ? given : { ...given, reason };
  return doOrRequest<SettingChange<Value, Refusal>>(
    { db, actor },
    { action, arguments: arguments_, reason },
    async () => {
      const { refusal, ...changed } = await changeSetting<Value, Refusal>(
        db,
        action,
        arguments_,
        actor,
      );
      return refusal === null ? { ok: true, ...changed } : { ok: false, error: 'refused', refusal };
    },
  );
}

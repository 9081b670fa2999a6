// A command that changes a setting: what it prints, and how it fails.

import type { ApprovalRequest } from '../db/operators/approvals';
import type { ChangedSetting } from '../db/operators/settings';
import { changeOrRequest, type SettingChange } from '../use-cases/settings';
import { awaitsApproval } from './commands/approvals';
import type { CommandContext } from './context';
import { CommandError } from './error';

/**
 * Changes a setting. Throws `approval_required` where another operator has to approve it, and a refusal of the
 * database with its sentence, or with a code of its own: else the word is the error's code.
 */
export async function change<Value, Refusal extends string = never>(
  { db, actor }: Pick<CommandContext, 'db' | 'actor'>,
  request: ApprovalRequest,
  refusals: Readonly<Record<Refusal, string | readonly [code: string, message: string]>>,
): Promise<ChangedSetting<Value>> {
  return settled(await changeOrRequest<Value, Refusal>({ db, actor }, request), refusals);
}

/** The same for a change that a use case has made. */
export function settled<Value, Refusal extends string = never>(
  done: SettingChange<Value, Refusal>,
  refusals = {} as Readonly<Record<Refusal, string | readonly [code: string, message: string]>>,
): ChangedSetting<Value> {
  if (done.ok) return done;
  if (done.error !== 'refused') throw awaitsApproval(done);
  const said = refusals[done.refusal];
  const [code, message] = typeof said === 'string' ? [done.refusal, said] : said;
  throw new CommandError(code, message);
}

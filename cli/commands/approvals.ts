// Decisions about money that wait for a second operator: listed, approved, rejected.

import { findApproval, listApprovals, type Approval } from '../../db/operators/approvals';
import { isUuid } from '../../domain/ids';
import type { JsonValue } from '../../domain/json';
import { amountJson } from '../../domain/money';
import { approveDecision, rejectDecision, type ApprovalNeeded } from '../../use-cases/approvals';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { pursueFrom, pursuerOf } from '../pursuit-wakeup';
import { table } from '../table';
import { printable } from '../terminal';
import { withTemporal } from '../temporal';

const LISTED = 1_000;

/**
 * A refund from suspense needs a workflow that follows it: Temporal is connected before anything is
 * approved.
 */
async function approve(context: CommandContext, id: string): ReturnType<typeof approveDecision> {
  const { db, actor, system } = context;
  const approving = {
    db,
    actor,
    pay_url_base: system.pay_url_base,
    pursue: pursueFrom(context),
  };
  const approval = isUuid(id) ? await findApproval(db, id) : undefined;
  if (approval?.action !== 'suspense.refund') return approveDecision(approving, id);
  return withTemporal(context, async (client) =>
    approveDecision({ ...approving, pursue: await pursuerOf(context, client) }, id),
  );
}

const REFUSALS = {
  not_found: ['approval_not_found', 'There is no such request'],
  same_person: [
    'same_operator',
    'You requested it: another operator has to approve it (--actor names who acts)',
  ],
  approved: ['approval_approved', 'It was approved before'],
  rejected: ['approval_rejected', 'It was rejected before'],
  expired: ['approval_expired', 'No operator approved it in time: request it again'],
  no_longer_possible: [
    'no_longer_possible',
    'What was requested is no longer possible, so nothing was done: look at it, and reject the request',
  ],
  gateway_is_asked: [
    'gateway_is_asked',
    'The gateway was asked about it less than half a minute ago, and may be making it. Nothing was done: at first it is asked often, so look there again in a few minutes, and repeat the command',
  ],
  invalid_reason: ['usage', '--reason must have at most 500 characters'],
} as const;

function refusal(error: keyof typeof REFUSALS): CommandError {
  const [code, message] = REFUSALS[error];
  return new CommandError(code, message);
}

/** The error of a command whose effect needs a second operator. */
export function awaitsApproval({ error, approval }: ApprovalNeeded): CommandError {
  return error === 'approval_required'
    ? new CommandError(
        error,
        `This needs a second operator, and nothing was done yet. Another operator approves it with: approvals approve ${approval}`,
      )
    : new CommandError(
        error,
        `Another decision about the same waits for a second operator: ${approval} (approvals list). Reject that one first`,
      );
}

function moneyOf({ amount_minor, currency }: Approval): string | undefined {
  return amount_minor === null || currency === null
    ? undefined
    : amountText(amount_minor, currency);
}

function present({ amount_minor, ...approval }: Approval): Record<string, JsonValue> {
  return { ...approval, amount: amount_minor === null ? null : amountJson(amount_minor) };
}

export const approvals = group([
  command('list', 'List decisions that wait for a second operator; with --all the decided ones too')
    .option('--all', 'the decided ones too')
    .action(
      run(async ({ db }, options) => {
        const found = await listApprovals(db, options.all === true, LISTED);
        const rows = found.map((one) => [
          one.id,
          one.status,
          one.action,
          moneyOf(one) ?? '',
          one.environment ?? '',
          one.username ?? '(none)',
          one.subject,
          one.requested_by,
          one.requested_at,
          one.decided_by ?? '',
          printable(one.reason),
        ]);
        const header = ['ID', 'STATUS', 'ACTION', 'AMOUNT', 'ENVIRONMENT', 'USER', 'SUBJECT'];
        return {
          json: { approvals: found.map(present) },
          text:
            found.length === 0
              ? 'Nothing waits for a second operator.'
              : table([[...header, 'REQUESTED BY', 'REQUESTED', 'DECIDED BY', 'REASON'], ...rows]),
        };
      }),
    ),
  command('approve', 'Approve what another operator has requested, and do it')
    .argument('<id>', 'of the request')
    .action(
      run(async (context, id) => {
        const approved = await approve(context, id);
        if (!approved.ok) throw refusal(approved.error);
        const { approval } = approved;
        const { action, requested_by, decided_by } = approval;
        const money = moneyOf(approval);
        return {
          json: present(approval),
          text: `Approved: ${action}${money === undefined ? '' : ` of ${money}`}, requested by ${requested_by}, approved by ${decided_by}. ${approval.subject}`,
        };
      }),
    ),
  command('reject', 'Reject or withdraw what was requested: nothing is done')
    .argument('<id>', 'of the request')
    .option('--reason <reason>', 'why: for the audit log')
    .action(
      run(async ({ db, actor }, id, options) => {
        const rejected = await rejectDecision({ db, actor }, id, options.reason ?? '');
        if (!rejected.ok) throw refusal(rejected.error);
        return {
          json: present((await findApproval(db, id))!),
          text: 'Rejected; nothing was done.',
        };
      }),
    ),
]);

// People's decisions about a payout batch, on its page.

import { LONGEST_REASON } from '../../domain/payout';
import { BATCH_CHECKS } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { decidePayoutBatch, type PayoutBatchDecision } from '../../use-cases/payout-batches/decide';
import { seeOther, type DashboardRoute, type MemberVisit } from '../context';
import { actionRoute } from '../form-page';
import { findOwn } from './batch';
import { WORDS } from './words';

/** One that has money sent takes the person's password or code; one that stops it does not. */
function decisionRoute(
  kind: PayoutBatchDecision['kind'],
  decisionOf: (visit: MemberVisit) => PayoutBatchDecision,
): DashboardRoute {
  const isEnding = kind === 'reject' || kind === 'cancel';
  return actionRoute({
    path: `/payout-batches/:id/${kind}`,
    access: isEnding ? 'cancel' : 'money',
    action: `payout_batches.${kind}`,
    ...(isEnding ? {} : { confirmed: 'in_live' }),
    find: findOwn,
    subject: ({ id }) => `payout_batch/${id}`,
    act: async (dependencies, visit, found) => {
      const words = WORDS[visit.language];
      const to = `/payout-batches/${found.id}`;
      const subject = `payout_batch/${found.id}`;
      const { request_id } = visit.ctx.state;
      const by = { login_id: visit.session.login_id };
      try {
        await decidePayoutBatch(dependencies, found, decisionOf(visit), { request_id, by });
        return seeOther(to, { flash: { notice: words.done }, subject });
      } catch (error) {
        const own: Readonly<Partial<Record<string, string>>> = words.refusals;
        const notice = error instanceof Refusal ? own[error.code] : undefined;
        if (notice === undefined) throw error;
        return seeOther(to, { flash: { notice, tone: 'bad' }, subject });
      }
    },
  });
}

export const DECISION_ROUTES = [
  decisionRoute('confirm', ({ form }) => {
    const left_out = form.getAll('exclude');
    return { kind: 'confirm', exclude: BATCH_CHECKS.filter((check) => left_out.includes(check)) };
  }),
  decisionRoute('approve', ({ session: { login_id } }) => ({ kind: 'approve', login_id })),
  decisionRoute('reject', ({ session: { login_id }, form }) => {
    const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON) || null;
    return { kind: 'reject', login_id, reason };
  }),
  decisionRoute('cancel', () => ({ kind: 'cancel' })),
];

// What people decide about a payout batch on its page.

import { LONGEST_REASON } from '../../domain/payout';
import { BATCH_CHECKS } from '../../domain/payout-batch';
import { Refusal } from '../../domain/refusal';
import { decidePayoutBatch, type PayoutBatchDecision } from '../../use-cases/payout-batches/decide';
import { seeOther, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { troublePage } from '../trouble';
import { findOwn } from './batch';
import { WORDS } from './words';

type Act = (dependencies: DashboardDependencies, visit: MemberVisit) => Promise<Answer>;

export const confirmBatch: Act = (dependencies, visit) => {
  const left_out = visit.form.getAll('exclude');
  const exclude = BATCH_CHECKS.filter((check) => left_out.includes(check));
  return decide(dependencies, visit, { kind: 'confirm', exclude });
};

export const approveBatch: Act = (dependencies, visit) =>
  decide(dependencies, visit, { kind: 'approve', login_id: visit.session.login_id });

export const rejectBatch: Act = (dependencies, visit) => {
  const reason = (visit.form.get('reason') ?? '').trim().slice(0, LONGEST_REASON) || null;
  return decide(dependencies, visit, { kind: 'reject', login_id: visit.session.login_id, reason });
};

export const cancelBatch: Act = (dependencies, visit) =>
  decide(dependencies, visit, { kind: 'cancel' });

async function decide(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  decision: PayoutBatchDecision,
): Promise<Answer> {
  const { language, ctx } = visit;
  const words = WORDS[language];
  const found = await findOwn(dependencies, visit);
  if (!found) return troublePage(language, { kind: 'unknown' });
  const to = `/payout-batches/${found.id}`;
  const subject = `payout_batch/${found.id}`;
  try {
    const { request_id } = ctx.state;
    const by = { login_id: visit.session.login_id };
    await decidePayoutBatch(dependencies, found, decision, { request_id, by });
    return seeOther(to, { flash: { notice: words.done }, subject });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refusals: Readonly<Partial<Record<string, string>>> = words.refusals;
    const notice = refusals[error.code];
    if (notice === undefined) throw error;
    return seeOther(to, { flash: { notice, tone: 'bad' }, subject });
  }
}

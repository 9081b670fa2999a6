// Sends what a dry run has shown, once, and stops a batch that is under way.

import { Refusal } from '../../domain/refusal';
import { cancelBatch as cancelOrder } from '../../use-cases/transfer-batches/cancel';
import { listItems } from '../../db/transfer-batches/transfer-batches';
import { MAX_BATCH_ITEMS } from '../../domain/batch-limits';
import { seeOther, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { troublePage } from '../trouble';
import { findOwn } from './batch';
import { orderAs } from './order';
import { WORDS } from './words';

export async function sendChecked(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, language } = visit;
  const words = WORDS[language];
  const checked = await findOwn(dependencies, visit);
  if (!checked?.dry_run) return troublePage(language, { kind: 'unknown' });
  const { id: batch_id, mode } = checked;
  const refuse = (notice: string): Answer =>
    seeOther(`/batches/${batch_id}`, { flash: { notice, tone: 'bad' } });
  if (account.is_frozen) return refuse(words.frozen);
  if (checked.status !== 'completed') return refuse(words.not_ready);
  const rows = await listItems(dependencies.db, {
    batch_id,
    // Those that were refused by the check are not on the button.
    status: 'completed',
    after: -1,
    limit: MAX_BATCH_ITEMS,
  });
  const items = rows.map(
    ({ to_username, currency, amount_minor, idempotency_key, description }) => ({
      to_username,
      currency,
      amount_minor: amount_minor.toString(),
      idempotency_key,
      ...(description === null ? {} : { description }),
    }),
  );
  const ordered = await orderAs(dependencies, visit, {
    items,
    mode,
    dry_run: false,
    // A second click, a reload and two tabs are the same order.
    idempotency_key: `dashboard/${batch_id}`,
  });
  if ('id' in ordered) {
    return seeOther(`/batches/${ordered.id}`, { subject: `transfer_batch/${ordered.id}` });
  }
  return refuse(
    ordered.fault === 'limit' ? words.limit : words.unknown_limit(ordered.minutes, ordered.names),
  );
}

export async function cancelBatch(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language } = visit;
  const words = WORDS[language];
  const found = await findOwn(dependencies, visit);
  if (!found) return troublePage(language, { kind: 'unknown' });
  const subject = `transfer_batch/${found.id}`;
  const to = `/batches/${found.id}`;
  try {
    const owner = { user_id: account.user_id, environment: session.environment };
    await cancelOrder(dependencies, owner, found.id);
    return seeOther(to, { flash: { notice: words.canceled }, subject });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'batch_not_cancelable') throw error;
    return seeOther(to, { flash: { notice: words.not_cancelable, tone: 'bad' }, subject });
  }
}

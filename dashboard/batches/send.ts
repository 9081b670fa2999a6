// Sends what a dry run has shown, once, and stops a batch that is under way.

import { cancelBatch } from '../../use-cases/transfer-batches/cancel';
import { listItems } from '../../db/transfer-batches/transfer-batches';
import { MAX_BATCH_ITEMS } from '../../domain/batch-limits';
import { Refusal } from '../../domain/refusal';
import { seeOther, ownerOf, type Answer } from '../context';
import { actionRoute } from '../form-page';
import { findOwn } from './batch';
import { orderAs } from './order';
import { WORDS } from './words';

export const SEND_ROUTES = [
  actionRoute({
    path: '/batches/:id/send',
    access: 'money',
    action: 'batches.send',
    confirmed: 'in_live',
    find: findOwn,
    subject: ({ id }) => `transfer_batch/${id}`,
    act: async (dependencies, visit, { id: batch_id, mode, dry_run, status }) => {
      const words = WORDS[visit.language];
      if (!dry_run) return undefined;
      const refuse = (notice: string): Answer =>
        seeOther(`/batches/${batch_id}`, { flash: { notice, tone: 'bad' } });
      if (visit.account.is_frozen) throw new Refusal('account_frozen');
      if (status !== 'completed') return refuse(words.not_ready);
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
        key: `dashboard/${batch_id}`,
      });
      if (typeof ordered !== 'string') return refuse(ordered.fault);
      return seeOther(`/batches/${ordered}`, { subject: `transfer_batch/${ordered}` });
    },
  }),
  actionRoute({
    path: '/batches/:id/cancel',
    access: 'cancel',
    action: 'batches.cancel',
    find: findOwn,
    subject: ({ id }) => `transfer_batch/${id}`,
    act: async (dependencies, visit, { id }) => {
      await cancelBatch(dependencies, ownerOf(visit), id);
      const flash = { notice: WORDS[visit.language].canceled };
      return seeOther(`/batches/${id}`, { flash, subject: `transfer_batch/${id}` });
    },
  }),
];

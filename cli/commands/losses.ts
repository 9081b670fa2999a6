// Losses: what a gateway gave back beyond the books. Listed, and settled at the platform's expense.

import { listLosses, type Loss } from '../../db/suspense/losses';
import { plainReference } from '../../domain/ids';
import type { JsonValue } from '../../domain/json';
import { amountJson } from '../../domain/money';
import { settleLossOf } from '../../use-cases/losses';
import { awaitsApproval } from './approvals';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { readNeededReason } from '../options';
import { table } from '../table';

function present({ amount_minor, ...loss }: Loss): Record<string, JsonValue> {
  return { ...loss, amount: amountJson(amount_minor) };
}

export const losses = group([
  command('list', 'List what gateways gave back beyond the books').action(
    run(async ({ db }) => {
      const found = await listLosses(db);
      const rows = found.map(({ reference, username, environment, currency, amount_minor }) => [
        reference,
        amountText(amount_minor, currency),
        environment,
        username ?? '(none)',
      ]);
      return {
        json: { losses: found.map(present) },
        text:
          found.length === 0
            ? 'No loss waits to be settled.'
            : table([['REFERENCE', 'AMOUNT', 'ENVIRONMENT', 'USER'], ...rows]),
      };
    }),
  ),
  command(
    'settle',
    'Book what the gateway gave back beyond the books as a loss of the platform; one that it took back since is undone',
  )
    .argument('<reference>', 'of the refund, or of the item of suspense', plainReference)
    .requiredOption('--reason <reason>', 'why: for the audit log', readNeededReason)
    .action(
      run(async ({ db, actor }, reference, { reason }) => {
        const settled = await settleLossOf({ db, actor }, reference, reason);
        if (!settled.ok) {
          if ('approval' in settled) throw awaitsApproval(settled);
          throw new CommandError(
            'loss_not_found',
            'No loss with this reference waits to be settled: see losses list',
          );
        }
        const { currency, amount_minor } = settled.loss;
        return {
          json: present(settled.loss),
          text: `Settled ${reference}: the platform bears ${amountText(amount_minor, currency)}`,
        };
      }),
    ),
]);

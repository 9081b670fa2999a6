// Identity checks: listed, decided, and what they submitted encrypted again.

import { listPendingIdentityChecks } from '../../db/accounts/identity-checks';
import { decideIdentityCheck, MAX_REASON, resealIdentities } from '../../use-cases/identity-checks';
import { command, group, run } from '../command';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { userNotFound } from '../lookups';
import { limitOption, userOption } from '../options';
import { table } from '../table';
import { withTemporal } from '../temporal';
import { screenAccount } from '../../use-cases/screening/screen';
import { screeningOf } from '../screening';
import { sealerOf } from '../webhook-dependencies';

async function decide(
  context: CommandContext,
  { user: name, reason }: { readonly user: string; readonly reason?: string },
  decision: 'approved' | 'rejected',
): Promise<CommandResult> {
  const { db, actor } = context;
  const screen = (id: string) => screenAccount(screeningOf(context), id);
  const decided = await decideIdentityCheck({ db, actor, screen }, name, { decision, reason });
  if (!decided.ok) {
    if (decided.error === 'not_found') throw userNotFound(name);
    throw new CommandError('usage', `--reason must have at most ${MAX_REASON} characters`);
  }
  const { id, username } = decided.user;
  await wake(context, id);
  return {
    json: { username, kyc_status: decision },
    text: `The identity check of ${username} is ${decision}.`,
  };
}

const WAKE_WITHIN_MS = 5_000;

/** Has the merchant notified at once; without Temporal the sweeper does it in a minute or two. */
async function wake(context: CommandContext, user_id: string): Promise<void> {
  if (context.system.temporal_address === undefined) return;
  const { createIdentityCheckWaker } = await import('../../temporal/identity-checks.js');
  try {
    await withTemporal(context, (client) =>
      client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, () =>
        createIdentityCheckWaker(client, context.config.task_queue)(user_id),
      ),
    );
  } catch (error) {
    context.note(`The user will be told in a minute or two: ${(error as Error).message}`);
  }
}

export const kyc = group([
  command('list', 'List the identity checks that wait for a decision, oldest first')
    .addOption(limitOption)
    .action(
      run(async ({ db }, { limit }) => {
        const checks = await listPendingIdentityChecks(db, limit);
        const rows = checks.map(({ username, created_at, expires_at }) => [
          username,
          created_at,
          expires_at ?? 'never',
        ]);
        const header = ['USER', 'SUBMITTED', 'EXPIRES'];
        return {
          json: { identity_checks: checks.map((check) => ({ ...check })) },
          text: rows.length === 0 ? 'No identity check waits.' : table([header, ...rows]),
        };
      }),
    ),
  command('approve', "Approve a user's identity check, so that live keys can be created")
    .addOption(userOption)
    .option('--reason <reason>', 'why: for the audit log')
    .action(run((context, options) => decide(context, options, 'approved'))),
  command('reject', "Reject a user's identity check; the user is told the reason")
    .addOption(userOption)
    .option('--reason <reason>', 'why: the user is told')
    .action(run((context, options) => decide(context, options, 'rejected'))),
  command('reseal', 'Encrypt what identity checks submitted with the first of SECRETS_KEYS').action(
    run(async (context) => {
      const { db, actor } = context;
      const counts = await resealIdentities({ db, actor, sealer: sealerOf(context) });
      const { resealed, already, unreadable } = counts;
      return {
        json: { ...counts },
        text:
          `Encrypted with the first key: ${resealed}. Already so: ${already}.` +
          (unreadable === 0 ? '' : ` No key decrypts: ${unreadable}. Add the missing key.`),
        exit_status: unreadable === 0 ? 0 : 1,
      };
    }),
  ),
]);

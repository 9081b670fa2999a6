// Freezes an account and lets it go on; with --close-links its payment links are cancelled too.

import type { Client } from '@temporalio/client';
import {
  listOperatorIntents,
  type OperatorIntent,
} from '../../db/payment-intents/operator-intents';
import type { UserRow } from '../../db/accounts/users';
import type { StoredIntentStatus } from '../../domain/intent';
import { cancelIntent, closeLinks, type ClosedLinks } from '../../use-cases/payment-intents/close';
import { freezeAccount, unfreezeAccount, type FreezeDecision } from '../../use-cases/users';
import { command, run } from '../command';
import { userOption } from '../options';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { requestCancel, stillOpen } from './intents';
import { requireIntent, userNotFound } from '../lookups';
import { table } from '../table';
import { withTemporal } from '../temporal';

export const usersFreeze = command(
  'freeze',
  'Freeze an account: its keys are refused and nothing leaves its wallets; with --close-links its payment links are cancelled',
)
  .addOption(userOption)
  .requiredOption('--reason <reason>', 'why: for the audit log')
  .option('--close-links', 'cancel its payment links too')
  .action(
    run(async (context, options) => {
      const { db, actor } = context;
      const name = options.user;
      const decision = await freezeAccount({ db, actor }, name, options.reason);
      const { user, changed } = accepted(decision, name);
      const state = { username: user.username, frozen_at: user.frozen_at, changed };
      const text = `The account of ${user.username} is frozen since ${user.frozen_at}: ${user.frozen_reason}`;
      if (!options.closeLinks) return { json: state, text };
      const closed = await closeLinksOf(context, user);
      return withLinks({ json: state, text }, closed);
    }),
  );

export const usersUnfreeze = command('unfreeze', 'Let a frozen account go on')
  .addOption(userOption)
  .requiredOption('--reason <reason>', 'why: for the audit log')
  .action(
    run(async ({ db, actor }, options) => {
      const name = options.user;
      const decision = await unfreezeAccount({ db, actor }, name, options.reason);
      const { user, changed } = accepted(decision, name);
      return {
        json: { username: user.username, frozen_at: user.frozen_at, changed },
        text: changed
          ? `The account of ${user.username} is no longer frozen.`
          : `The account of ${user.username} was not frozen.`,
      };
    }),
  );

function accepted(decision: FreezeDecision, name: string): FreezeDecision & { ok: true } {
  if (decision.ok) return decision;
  if (decision.error === 'not_found') throw userNotFound(name);
  throw new CommandError('usage', '--reason must have 1 to 500 characters');
}

type Closed = ClosedLinks<OperatorIntent, CommandError>;

/** Money may still reach intents in these states. */
const UNFINISHED: readonly StoredIntentStatus[] = ['creating', 'open', 'processing'];
const PAGE = 1_000;

async function closeLinksOf(context: CommandContext, user: UserRow): Promise<Closed> {
  const links: OperatorIntent[] = [];
  for (const status of UNFINISHED) links.push(...(await listLinks(context, user, status)));
  const open = links.filter(({ status }) => status === 'open');
  if (open.length === 0) return closeLinks(links, (link) => cancel(context, undefined, link));
  try {
    // All of them share one connection.
    return await withTemporal(context, (client) =>
      closeLinks(links, (link) => cancel(context, client, link)),
    );
  } catch (error) {
    // The account is frozen by now, and the command has to say so. The rows say what was cancelled.
    if (!(error instanceof CommandError)) throw error;
    return closeLinks(links, async ({ id }) => {
      const { status } = await requireIntent(context, id);
      return UNFINISHED.includes(status) ? error : undefined;
    });
  }
}

async function listLinks(
  { db, system }: CommandContext,
  { id: user_id }: UserRow,
  status: StoredIntentStatus,
): Promise<OperatorIntent[]> {
  const links: OperatorIntent[] = [];
  for (;;) {
    const page = await listOperatorIntents(db, {
      user_id,
      environment: undefined,
      status,
      before: links.at(-1),
      limit: PAGE,
      pay_url_base: system.pay_url_base,
    });
    links.push(...page);
    if (page.length < PAGE) return links;
  }
}

async function cancel(
  context: CommandContext,
  client: Client | undefined,
  link: OperatorIntent,
): Promise<CommandError | undefined> {
  const cancellation = await cancelIntent(
    {
      requestCancel: () => requestCancel(context, link, client),
      readStatus: async () => (await requireIntent(context, link.id)).status,
    },
    link.status,
  );
  if (cancellation.ok) return undefined;
  if (cancellation.error === 'still_open') return stillOpen(cancellation.response);
  const { status } = cancellation;
  // It was paid, or came to its end, just now.
  if (!UNFINISHED.includes(status)) return undefined;
  return new CommandError(
    'intent_not_cancelable',
    status === 'creating' ? 'Its checkout is still being opened' : 'A payment is in progress',
  );
}

function withLinks({ json, text }: CommandResult, { canceled, remaining }: Closed): CommandResult {
  const open = remaining.map(({ link, failure }) => ({
    id: link.id,
    reference: link.reference,
    status: link.status,
    code: failure.code,
    message: failure.message,
  }));
  const rows = open.map(({ reference, status, message }) => [reference, status, message]);
  const rest =
    open.length === 0
      ? ''
      : `\nStill open, so repeat the command:\n${table([['REFERENCE', 'STATUS', 'WHY'], ...rows])}`;
  return {
    json: { ...json, links_closed: canceled, links_open: open },
    text: `${text}\nPayment links closed: ${canceled}.${rest}`,
    exit_status: open.length === 0 ? 0 : 1,
  };
}

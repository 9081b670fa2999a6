// `wallets credit`: adds money to a wallet from the operator account, once for each reference.

import { isRefused } from '../db/errors';
import type { Credit } from '../db/wallets';
import { amountJson, formatAmount } from '../domain/money';
import { makeAdjustmentReference } from '../secrets/random';
import { postCredit } from '../use-cases/wallet-credits';
import { awaitsApproval } from './approvals';
import type { Command, CommandContext } from './command';
import { CommandError } from './error';
import { requireUser } from './lookups';

export const walletsCredit: Command = {
  usage:
    'wallets credit --user U --currency C --amount A --environment live|test [--reason R] [--reference REF]',
  summary:
    'Credit a wallet from the operator account; repeating it with the same --reference credits once',
  async run(context) {
    const { db, options } = context;
    const { id: user_id, username } = await requireUser(db, options.required('user'));
    const currency = options.currency();
    const environment = options.environment();
    const amount_minor = options.amount(currency);
    const reference = options.optional('reference') ?? makeAdjustmentReference();
    const posted = await credit(context, {
      ...{ reference, user_id, environment, currency, amount_minor },
      source: 'operator',
      reason: options.optional('reason') ?? 'operator credit',
    });
    if (!posted.ok) {
      if ('approval' in posted) throw awaitsApproval(posted);
      throw new CommandError(posted.error, REFUSALS[posted.error]);
    }
    const { balance_minor, is_repeat } = posted;
    const what = `${formatAmount(amount_minor)} ${currency} to ${username} (${environment})`;
    const balance = formatAmount(balance_minor);
    return {
      json: {
        ...{ reference, username, environment, currency },
        amount: amountJson(amount_minor),
        balance: amountJson(balance_minor),
        repeated: is_repeat,
      },
      text: is_repeat
        ? `Credited before: ${what}; the balance after it was ${balance}. ${reference}`
        : `Credited ${what}; the balance is ${balance}. ${reference}`,
    };
  },
};

/** The reference is known before it is used: without the result, the command is repeated with it. */
async function credit(
  { db, actor, note }: CommandContext,
  fields: Credit,
): Promise<Awaited<ReturnType<typeof postCredit>>> {
  const { reference } = fields;
  note(
    `Reference ${reference}: if the outcome is lost, repeat the command with --reference ${reference}`,
  );
  try {
    return await postCredit({ db, actor }, fields);
  } catch (error) {
    // Postgres refused, so nothing was credited.
    if (isRefused(error)) throw error;
    throw new CommandError(
      'outcome_unknown',
      `${(error as Error).message}. Whether it was credited is not known: repeat the command with --reference ${reference}`,
    );
  }
}

const REFUSALS = {
  balance_limit: 'The wallet cannot hold that much',
  reference_used:
    'This reference stands for another credit or posting: give each credit a reference of its own',
  invalid_reference:
    '--reference must be 8 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit',
} as const;

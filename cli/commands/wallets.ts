// Wallets: what they hold, and `wallets credit`, which adds money from the operator account, once
// for each reference.

import { isPermissionDenied, isRefused } from '../../db/errors';
import { listApprovalLimits } from '../../db/operators/approvals';
import { listWallets, type Credit, type WalletRow } from '../../db/ledger/wallets';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { amountJson, formatAmount } from '../../domain/money';
import { makeAdjustmentReference } from '../../secrets/random';
import { postCredit } from '../../use-cases/wallet-credits';
import { awaitsApproval } from './approvals';
import { command, group, run } from '../command';
import {
  currencyOption,
  environmentFilter,
  environmentOption,
  environmentsOf,
  readAmount,
  userOption,
} from '../options';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { requireUser } from '../lookups';
import { table } from '../table';

/** The rule that let one operator do it. */
function alone(above: bigint | null, currency: Currency): string {
  return above === null
    ? `One operator has done it: no limit of ${currency} is set (APPROVAL_ABOVE_${currency}).`
    : `One operator has done it: up to ${amountText(above, currency)} needs no second one.`;
}

/**
 * Prints the reference before the credit: if the result is lost, the command is repeated with it.
 */
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
    if (isRefused(error) || isPermissionDenied(error)) throw error;
    throw new CommandError(
      'outcome_unknown',
      `${(error as Error).message}. Whether it was credited is not known: repeat the command with --reference ${reference}`,
    );
  }
}

const REFUSALS = {
  limit_exceeded: 'It is above a limit of the account (users limits)',
  reference_used:
    'This reference stands for another credit or posting: give each credit a reference of its own',
  invalid_reference:
    '--reference must be 8 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit',
} as const;

export const wallets = group([
  command('show', 'Show what the wallets of a user hold')
    .addOption(userOption)
    .addOption(environmentFilter)
    .action(
      run(async ({ db }, options) => {
        const { id, username } = await requireUser(db, options.user);
        const held: (WalletRow & { readonly environment: Environment })[] = [];
        for (const environment of environmentsOf(options.environment)) {
          const found = await listWallets(db, id, environment);
          held.push(...found.map((wallet) => ({ ...wallet, environment })));
        }
        const rows = held.map(({ environment, currency, balance_minor, id: wallet_id }) => [
          environment,
          amountText(balance_minor, currency),
          wallet_id,
        ]);
        return {
          json: {
            username,
            wallets: held.map(({ id: wallet_id, environment, currency, balance_minor }) => ({
              id: wallet_id,
              environment,
              currency,
              balance: amountJson(balance_minor),
            })),
          },
          text: table([['ENVIRONMENT', 'BALANCE', 'WALLET'], ...rows]),
        };
      }),
    ),
  command(
    'credit',
    'Credit a wallet from the operator account; repeating it with the same --reference credits once',
  )
    .addOption(userOption)
    .addOption(currencyOption)
    .requiredOption('--amount <amount>', 'such as 25.00')
    .addOption(environmentOption)
    .option('--reason <reason>', 'why: for the audit log')
    .option('--reference <ref>', 'the same one again does nothing twice')
    .action(
      run(async (context, options) => {
        const { db } = context;
        const { id: user_id, username } = await requireUser(db, options.user);
        const { currency, environment } = options;
        const amount_minor = readAmount(options.amount, currency);
        const reference = options.reference ?? makeAdjustmentReference();
        const posted = await credit(context, {
          reference,
          user_id,
          environment,
          currency,
          amount_minor,
          source: 'operator',
          reason: options.reason ?? 'operator credit',
        });
        if (!posted.ok) {
          if ('approval' in posted) throw awaitsApproval(posted);
          throw new CommandError(posted.error, REFUSALS[posted.error]);
        }
        const { balance_minor, is_repeat } = posted;
        const limits = await listApprovalLimits(db);
        const above = limits.find((limit) => limit.currency === currency)?.above_minor ?? null;
        const what = `${formatAmount(amount_minor)} ${currency} to ${username} (${environment})`;
        const balance = formatAmount(balance_minor);
        return {
          json: {
            reference,
            username,
            environment,
            currency,
            amount: amountJson(amount_minor),
            balance: amountJson(balance_minor),
            repeated: is_repeat,
            approval_above: above === null ? null : amountJson(above),
          },
          text: is_repeat
            ? `Credited before: ${what}; the balance after it was ${balance}. ${reference}`
            : `Credited ${what}; the balance is ${balance}. ${reference}\n${alone(above, currency)}`,
        };
      }),
    ),
]);

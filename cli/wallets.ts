// `wallets credit`: adds money to a wallet from the operator account.

import { amountJson, formatAmount } from '../domain/money';
import { postCredit } from '../use-cases/wallet-credits';
import type { Command } from './command';
import { CommandError } from './error';
import { requireUser } from './lookups';

export const walletsCredit: Command = {
  usage: 'wallets credit --user U --currency C --amount A --environment live|test [--reason R]',
  summary: 'Credit a wallet from the operator account, as an adjustment in the ledger',
  async run({ db, options }) {
    const { id: user_id, username } = await requireUser(db, options.required('user'));
    const currency = options.currency();
    const environment = options.environment();
    const amount_minor = options.amount(currency);
    const posted = await postCredit(
      { db },
      {
        ...{ user_id, environment, currency, amount_minor },
        source: 'operator',
        reason: options.optional('reason') ?? 'operator credit',
      },
    );
    if (!posted.ok) throw new CommandError(posted.error, 'The wallet cannot hold that much');
    const { reference, balance_minor } = posted;
    return {
      json: {
        reference,
        username,
        environment,
        currency,
        amount: amountJson(amount_minor),
        balance: amountJson(balance_minor),
      },
      text: `Credited ${formatAmount(amount_minor)} ${currency} to ${username} (${environment}); the balance is ${formatAmount(balance_minor)}. ${reference}`,
    };
  },
};

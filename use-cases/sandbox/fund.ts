// Puts money of the sandbox into a wallet of the caller.

import { isCheckViolation } from '../../db/errors';
import { limitOf } from '../../db/limits/limits';
import { FUNDS_A_DAY, fundSandboxWallet, MAX_FUND, type NewFunds } from '../../db/sandbox/fund';
import type { Currency } from '../../domain/currency';
import { Refusal } from '../../domain/refusal';
import { makeAdjustmentReference } from '../../secrets/random';
import { limitExceeded } from '../requests/account-limit';
import { invalidAmount, readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Noun,
  type Order,
  type OrderResponse,
} from '../requests/orders';

export interface FundOrder extends Order {
  readonly currency: Currency;
  readonly amount_text: string;
}

/** The response that is stored for the key. @throws Refusal */
export async function fundWallet(
  dependencies: OrderDependencies,
  order: FundOrder,
): Promise<OrderResponse> {
  const { currency, amount_text } = order;
  const amount_minor = readAmount(amount_text, currency, MAX_FUND).toString();
  const funds = {
    ...keyedRow('sandbox_fund', order, { currency, amount: amount_minor }),
    currency,
    amount_minor,
    reference: makeAdjustmentReference(),
  };
  return answerOnce(order, funds, () =>
    placeOrder(dependencies, NOUN, funds, () =>
      fundSandboxWallet(dependencies.db, funds).catch((error: unknown) => {
        const over = limitOf(error);
        if (over) throw limitExceeded(over, currency);
        if (!isCheckViolation(error, 'wallet_balance')) throw error;
        throw invalidAmount('The wallet would hold more than a wallet may.');
      }),
    ),
  );
}

const NOUN: Noun<{ readonly outcome: 'too_many'; readonly wait_s: number }, NewFunds> = {
  unknown: 'The wallet may yet be credited. Repeat the request with the same Idempotency-Key.',
  refusals: {
    too_many: ({ wait_s: retry_after_seconds }) =>
      new Refusal('rate_limited', {
        message: `At most ${FUNDS_A_DAY} times in 24 hours.`,
        retry_after_seconds,
      }),
  },
};

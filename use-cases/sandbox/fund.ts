// Puts money of the sandbox into a wallet of the caller.

import type { Caller } from '../../db/keys/api-keys';
import { isCheckViolation } from '../../db/errors';
import { FUNDS_A_DAY, fundSandboxWallet, MAX_FUND } from '../../db/sandbox/fund';
import type { Currency } from '../../domain/currency';
import { Refusal } from '../../domain/refusal';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeAdjustmentReference } from '../../secrets/random';
import { invalidAmount, readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { nothingChanged, orUnknown } from '../requests/failures';
import { storedResponse, type OrderResponse } from '../requests/stored-response';

const MAY_BE_FUNDED =
  'The wallet may yet be credited. Repeat the request with the same Idempotency-Key.';

export interface FundOrder {
  readonly caller: Pick<Caller, 'user_id' | 'now' | 'stored'>;
  readonly currency: Currency;
  readonly amount_text: string;
  readonly key: string;
  readonly request_id: string;
}

/** The response that is stored for the key. @throws Refusal */
export async function fundWallet(
  { db }: Pick<OrderDependencies, 'db'>,
  { caller, currency, amount_text, key, request_id }: FundOrder,
): Promise<OrderResponse> {
  const amount_minor = readAmount(amount_text, currency, MAX_FUND).toString();
  const fingerprint = fingerprintFields({ currency, amount: amount_minor });
  if (caller.stored) return storedResponse(caller.stored, fingerprint, { is_replay: true });
  const funds = {
    user_id: caller.user_id,
    currency,
    amount_minor,
    reference: makeAdjustmentReference(),
    idempotency_key: key,
    fingerprint,
    request_id,
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(caller.now) + ACCEPT_WITHIN_MS).toISOString(),
  };
  const funded = await orUnknown(MAY_BE_FUNDED, () =>
    fundSandboxWallet(db, funds).catch((error: unknown) => {
      if (!isCheckViolation(error, 'wallet_balance')) throw error;
      throw invalidAmount('The wallet would hold more than a wallet may.');
    }),
  );
  switch (funded.outcome) {
    case 'lapsed':
      throw nothingChanged();
    case 'too_many':
      throw new Refusal('rate_limited', {
        message: `At most ${FUNDS_A_DAY} times in 24 hours.`,
        retry_after_seconds: funded.wait_s,
      });
    case 'funded':
      return storedResponse(funded, fingerprint, { is_replay: funded.is_replay });
  }
}

// The fee of a movement, for a person or a program that is about to order it.

import type { Db } from '../db/connect';
import { previewFee, type FeeFigures, type FeeKind } from '../db/ledger/fees';
import type { Caller } from '../db/keys/api-keys';
import { findUserByName } from '../db/accounts/users';
import { waitBeforeNaming } from '../db/transfers/recipients';
import type { Currency } from '../domain/currency';
import { MAX_MINOR, type Minor } from '../domain/money';
import { invalidRequest, Refusal } from '../domain/refusal';
import { normalUsername } from '../domain/username';
import { readAmount } from './requests/amounts';
import { unknownRecipientLimit } from './transfers/refusals';

export interface AskedFee {
  readonly kind: FeeKind;
  readonly currency: Currency;
  readonly amount: string;
  readonly method?: string | undefined;
  readonly to_username?: string | undefined;
}

/** The caller's fee; a recipient who does not exist is counted as in a transfer. @throws Refusal */
export async function previewFeeOf(
  db: Db,
  caller: Pick<Caller, 'user_id' | 'environment'>,
  { kind, currency, amount: text, method, to_username }: AskedFee,
): Promise<FeeFigures & { readonly amount: Minor }> {
  if (kind === 'transfer' && method !== undefined)
    throw invalidRequest('method', 'is for payments and payouts.');
  if (kind !== 'transfer' && to_username !== undefined)
    throw invalidRequest('to_username', 'is for transfers.');
  const amount = readAmount(text, currency, MAX_MINOR);
  const name = to_username && normalUsername(to_username);
  if (name !== undefined) {
    const seconds = await waitBeforeNaming(db, caller, [name]);
    if (seconds !== undefined) throw unknownRecipientLimit(seconds, { param: 'to_username' });
    if (!(await findUserByName(db, name)))
      throw new Refusal('recipient_not_found', { param: 'to_username' });
  }
  const of_account = { user_id: caller.user_id, to_username: name };
  const figures = await previewFee(db, {
    kind,
    currency,
    amount_minor: amount,
    ...of_account,
    method,
  });
  return { ...figures, amount };
}

export interface FeeSums {
  /** It leaves the payer. */
  readonly total_minor: bigint;
  /** It arrives. */
  readonly net_minor: bigint;
}

/** The fee of a payout, and what the payer of a transfer bears, come on top of the amount. */
export function sumsOf(
  kind: FeeKind,
  amount_minor: bigint,
  { fee_minor, bearer }: Pick<FeeFigures, 'fee_minor' | 'bearer'>,
): FeeSums {
  const is_on_top = kind === 'payout' || bearer === 'payer';
  const total_minor = is_on_top ? amount_minor + fee_minor : amount_minor;
  return { total_minor, net_minor: total_minor - fee_minor };
}

/** The name that an invoice is issued in: the host of the service's public address. */
export function issuerOf(pay_url_base: string): string {
  return new URL(pay_url_base).hostname;
}

/** The moment at which this month began (UTC); the database judges by its own clock whether it has. */
export function endOfLastMonth(): string {
  return `${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`;
}

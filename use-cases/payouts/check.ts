// Looks at a destination before anything is paid to it. Nothing moves.

import type { Caller } from '../../db/keys/api-keys';
import { previewFee, type FeeFigures } from '../../db/ledger/fees';
import type { Currency } from '../../domain/currency';
import type { NameMatch, RailState } from '../../domain/payout';
import { MAX_MINOR } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { unavailable } from '../requests/failures';
import {
  choosePayer,
  comparedName,
  readDestination,
  requireWithinRail,
  tellName,
  type DestinationFields,
} from './destination';
import { refuseHeld, unsupported, waitToTell } from './order';

export interface CheckFields {
  readonly destination: DestinationFields;
  readonly currency: Currency;
  readonly name?: string | undefined;
}

export interface DestinationCheck {
  readonly payable: boolean;
  readonly operator: string | null;
  readonly country: string | null;
  readonly name_found: string | null;
  readonly name_match: NameMatch | null;
  readonly bounds: { readonly minimum: bigint; readonly maximum: bigint };
  /** Null without an amount. */
  readonly fee: FeeFigures | null;
  readonly state: RailState;
}

/** @throws Refusal */
export async function checkDestination(
  { db, payout_providers }: Pick<OrderDependencies, 'db' | 'payout_providers'>,
  caller: Pick<Caller, 'user_id' | 'environment'>,
  { destination: fields, currency, name: given }: CheckFields,
  amount_text: string | undefined,
): Promise<DestinationCheck> {
  const providers = payout_providers[caller.environment];
  if (providers.length === 0) throw new Refusal('payouts_not_configured');
  const destination = readDestination(fields, given);
  const amount =
    amount_text === undefined ? undefined : readAmount(amount_text, currency, MAX_MINOR);
  const name = comparedName(destination, given);
  await refuseHeld(db, caller);
  const payer = await choosePayer(providers, destination, { currency, name });
  if (payer === undefined) throw unsupported(destination, currency);
  const { known } = payer;
  if (known === null) throw unavailable('The operator does not answer now. Try again.');
  const seconds = await waitToTell(db, caller, destination, known.payable);
  if (seconds !== undefined) throw tooManyUnknown(seconds);
  if (amount !== undefined) requireWithinRail(known, amount, currency);
  const { rail } = known;
  return {
    payable: known.payable,
    operator: rail.operator,
    country: rail.country,
    ...(await tellName(db, caller, destination, name, known.name_found)),
    bounds: { minimum: rail.minimum, maximum: rail.maximum },
    fee:
      amount === undefined
        ? null
        : await previewFee(db, {
            kind: 'payout',
            currency,
            amount_minor: amount,
            user_id: caller.user_id,
            method: destination.type === 'bank' ? 'bank' : (rail.operator ?? undefined),
          }),
    state: rail.state,
  };
}

function tooManyUnknown(retry_after_seconds: number): Refusal {
  return new Refusal('rate_limited', {
    param: 'destination',
    message: 'Too many destinations that do not exist. Wait as many seconds as Retry-After says.',
    retry_after_seconds,
  });
}

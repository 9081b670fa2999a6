// Where a payout goes: read from an order, and what its provider knows of it.

import type { Db } from '../../db/connect';
import { mayTellName } from '../../db/payouts/payouts';
import type { NamingAccount } from '../../db/transfers/recipients';
import { ACCOUNT_FAULTS, readAccount, type AccountFault } from '../../domain/bank-account';
import { amountJson, formatAmount } from '../../domain/money';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import {
  shownName,
  type CheckedDestination,
  type NameMatch,
  type PayoutDestination,
  type Rail,
} from '../../domain/payout';
import {
  AS_DECIMAL_MESSAGE,
  isDecimal,
  phoneMessage,
  readPhone,
  type PhoneFault,
} from '../../domain/phone';
import { invalidRequest, Refusal } from '../../domain/refusal';
import type { PayoutProvider } from '../../gateway/payout-port';
import { within } from '../../temporal/calls';
import type { OrderDependencies } from '../requests/dependencies';

/** Validated by the schema of `POST /payouts`. */
export type DestinationFields =
  | {
      readonly type: 'mobile_money';
      readonly phone: string;
      readonly operator?: string | undefined;
    }
  | {
      readonly type: 'bank';
      readonly account: string;
      readonly name: string;
      readonly bank_code?: string | undefined;
    };

/** `name` was given beside it. @throws Refusal invalid_request */
export function readDestination(fields: DestinationFields, name?: string): PayoutDestination {
  if (isOtherName(fields, name)) throw invalidRequest('name', `name ${NAME_FAULT}.`);
  const read = readNumber(fields);
  if (read.ok) return read.destination;
  const { field } = read;
  throw invalidRequest(`destination/${field}`, `${field} ${destinationMessage(read)}.`);
}

export type DestinationFault =
  | ({ readonly field: 'phone' } & PhoneFault)
  | { readonly field: 'account'; readonly fault: AccountFault }
  | { readonly field: 'bank_code'; readonly fault: 'as_decimal' };

/** Reads the phone or the account as people write it, who leave their `calling_code` out. */
export function readNumber(
  fields: DestinationFields,
  calling_code?: string,
):
  | { readonly ok: true; readonly destination: PayoutDestination }
  | ({ readonly ok: false } & DestinationFault) {
  if (fields.type === 'mobile_money') {
    const read = readPhone(fields.phone, calling_code);
    if (!read.ok) return { field: 'phone', ...read };
    const { phone } = read;
    const { operator = null } = fields;
    return { ok: true, destination: { type: 'mobile_money', phone, operator } };
  }
  const read = readAccount(fields.account);
  if (!read.ok) return { field: 'account', ...read };
  const { account } = read;
  const { name, bank_code = null } = fields;
  if (bank_code !== null && isDecimal(bank_code)) {
    return { ok: false, field: 'bank_code', fault: 'as_decimal' };
  }
  return { ok: true, destination: { type: 'bank', account, name, bank_code } };
}

/** For callers of the API, behind the field's name. */
export function destinationMessage(read: DestinationFault): string {
  if (read.field === 'bank_code') return AS_DECIMAL_MESSAGE;
  return read.field === 'phone' ? phoneMessage(read) : ACCOUNT_FAULTS[read.fault];
}

/** Whether the name to compare is not that of the holder, to whom a provider pays. */
export const isOtherName = (fields: DestinationFields, name: string | undefined): boolean =>
  fields.type === 'bank' && name !== undefined && name !== fields.name;

export const NAME_FAULT = 'must be the holder’s name of the bank account, or be left out';

/** Rows of a destination show and store it so. */
export function columnsOf(destination: PayoutDestination) {
  const none = { phone: null, operator: null, account: null, bank_code: null, holder: null };
  return destination.type === 'bank'
    ? {
        ...none,
        account: destination.account,
        bank_code: destination.bank_code,
        holder: destination.name,
      }
    : { ...none, phone: destination.phone, operator: destination.operator };
}

/** Tells two destinations apart, for the count of those that do not exist. No username has this form. */
export function nameOf(destination: PayoutDestination): string {
  return destination.type === 'bank'
    ? `bank:${destination.bank_code ?? ''}:${destination.account}`
    : `phone:${destination.phone}`;
}

/** How long an order waits for what its provider knows of the destination. */
const CHECK_WITHIN_MS = 2_500;

/** `undefined`: no such destination is paid. `null`: the provider has not answered in time. */
async function askDestination(
  provider: PayoutProvider,
  destination: PayoutDestination,
  { currency, name }: { readonly currency: Currency; readonly name: string | null },
): Promise<CheckedDestination | undefined | null> {
  const asked = provider.check({ destination, currency, name }).then(
    (found) => ({ found }),
    (error: unknown) => {
      if (error instanceof GatewayError) return undefined;
      throw error;
    },
  );
  const answer = await within(CHECK_WITHIN_MS, asked);
  return answer === undefined ? null : answer.found;
}

/** The provider that pays a destination, and what it knows of it; null when it has not answered in time. */
export interface Payer {
  readonly provider: PayoutProvider;
  readonly known: CheckedDestination | null;
}

/**
 * All are asked at once, and the first of them that pays the destination is taken; one that does not answer only where
 * no other one does. Undefined: none of them pays it.
 */
export async function choosePayer(
  providers: readonly PayoutProvider[],
  destination: PayoutDestination,
  of: { readonly currency: Currency; readonly name: string | null },
): Promise<Payer | undefined> {
  const asked = await Promise.all(
    providers.map(async (provider) => {
      const known = await askDestination(provider, destination, of);
      return known === undefined ? [] : [{ provider, known }];
    }),
  );
  const payers = asked.flat();
  return payers.find(({ known }) => known !== null) ?? payers[0];
}

/** The operators of phones by name, of which some have to be named; without those of a provider that does not tell now. */
export async function listOperators(
  { payout_providers }: Pick<OrderDependencies, 'payout_providers'>,
  environment: Environment,
): Promise<readonly string[] | 'not_configured'> {
  const providers = payout_providers[environment];
  if (providers.length === 0) return 'not_configured';
  const railsOf = async (provider: PayoutProvider): Promise<readonly Rail[]> => {
    const asked = provider.rails().catch((error: unknown) => {
      if (error instanceof GatewayError) return [];
      throw error;
    });
    return (await within(CHECK_WITHIN_MS, asked)) ?? [];
  };
  const rails = (await Promise.all(providers.map(railsOf))).flat();
  return [...new Set(rails.flatMap(({ operator }) => (operator === null ? [] : [operator])))];
}

/** @throws Refusal amount_out_of_bounds */
export function requireWithinRail(
  { rail }: CheckedDestination,
  amount: bigint,
  currency: Currency,
): void {
  if (amount >= rail.minimum && amount <= rail.maximum) return;
  const [minimum, maximum] = [formatAmount(rail.minimum), formatAmount(rail.maximum)];
  throw new Refusal('amount_out_of_bounds', {
    param: 'amount',
    message: `The operator pays between ${minimum} and ${maximum} ${currency} at once.`,
    details: { minimum: amountJson(rail.minimum), maximum: amountJson(rail.maximum) },
  });
}

/** The name to compare with: what was given beside the destination, or the holder of a bank account. */
export function comparedName(
  destination: PayoutDestination,
  name: string | undefined,
): string | null {
  return name ?? (destination.type === 'bank' ? destination.name : null);
}

/**
 * Both are null where there is no name to compare. An account that has tried too many names that were not the
 * recipient's is told as little as by an operator that tells none.
 */
export async function tellName(
  db: Db,
  account: NamingAccount,
  destination: PayoutDestination,
  name: string | null,
  found: string | null,
): Promise<{ readonly name_found: string | null; readonly name_match: NameMatch | null }> {
  const shown = shownName(name, found);
  if (name === null || shown.name_match === null || shown.name_match === 'unavailable')
    return shown;
  const tried = { destination: nameOf(destination), name, match: shown.name_match };
  return (await mayTellName(db, account, tried))
    ? shown
    : { name_found: null, name_match: 'unavailable' };
}

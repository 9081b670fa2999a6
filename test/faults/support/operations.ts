// Callers' requests of the service: transfers whose right response is known beforehand.

import { CURRENCIES, type Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import { formatAmount } from '../../../domain/money';
import type { FundedUser } from './users';
import type { Random } from './random';

export interface Operation {
  readonly key: string;
  readonly environment: Environment;
  readonly from: FundedUser;
  /** Undefined: a user who does not exist. */
  readonly to: FundedUser | undefined;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  /** Undefined when it depends on which requests came first. */
  readonly expected: 200 | 402 | 404 | undefined;
  /** An impatient caller takes a first 503 as final, and must be right. */
  readonly is_patient: boolean;
  /** Sent once more after the final response, which has to come again byte for byte. */
  readonly is_repeated: boolean;
  /** Picks the process that gets the first request. */
  readonly first_api: number;
}

/** More than all wallets of a currency hold together (users.ts), less than the limit. */
const NEVER_AFFORDABLE = 9_000_000n;

/** Operation n is the same for the same seed, for any client that sends it. */
export function createOperations(
  name: string,
  users: readonly FundedUser[],
  random: Random,
): () => Operation {
  let count = 0;
  return () => {
    count += 1;
    const from = random.pick(users);
    const to = random.pick(users.filter((user) => user !== from));
    const currency = random.pick(CURRENCIES);
    const lot = random.next();
    const isTooMuch = lot < 0.04;
    const isUnknown = lot > 0.97;
    const amount_minor = BigInt(random.integer(1, 5)) * 100n;
    return {
      // The users are new in each run, so that the same key never meets an older transfer.
      key: `${name}-${count}`,
      environment: random.chance(0.9) ? 'live' : 'sandbox',
      from,
      to: isUnknown ? undefined : to,
      currency,
      amount_minor: isTooMuch ? NEVER_AFFORDABLE : amount_minor,
      expected: isTooMuch ? 402 : isUnknown ? 404 : 200,
      is_patient: random.chance(0.7),
      is_repeated: random.chance(0.15),
      first_api: random.integer(0, 1),
    };
  };
}

/** One plain live transfer that has to succeed. */
export function plainTransfer(
  operation: Pick<Operation, 'key' | 'from'> & { readonly to: FundedUser } & Partial<Operation>,
): Operation {
  return {
    environment: 'live',
    currency: 'XOF',
    amount_minor: 100n,
    expected: 200,
    is_patient: true,
    is_repeated: false,
    first_api: 0,
    ...operation,
  };
}

export function bodyOf({ to, currency, amount_minor }: Operation): string {
  const to_username = to?.username ?? 'nobody.of.this.name';
  const rest = JSON.stringify({ to_username, currency }).slice(0, -1);
  return `${rest},"amount":${formatAmount(amount_minor)}}`;
}

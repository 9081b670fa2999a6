// The safeguarding report of an environment: what customers have, what is the house's own, and what is held for both.

import type { Db } from '../../db/connect';
import { isCheckViolation } from '../../db/errors';
import { readAccountsAt, type AccountsAt } from '../../db/treasury/safeguarding';
import { CURRENCIES, type Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';

const CUSTOMERS = {
  wallets: 'wallet',
  suspense: 'suspense',
  refunds: 'refunds',
  payouts: 'payouts',
  disputes: 'disputes',
  holds: 'holds',
} as const;
const OWN = { fees: 'fees', taxes: 'taxes', provider_fees: 'provider_fees' } as const;

type Sums<Parts> = Readonly<Record<keyof Parts | 'total', bigint>>;

/** In minor units. `customers.total + own.total = held.total + unbacked`. */
export interface SafeguardingOf {
  readonly currency: Currency;
  readonly customers: Sums<typeof CUSTOMERS>;
  readonly own: Sums<typeof OWN>;
  readonly held: {
    readonly banks: readonly { readonly name: string; readonly balance: bigint }[];
    readonly in_transit: readonly { readonly provider: string; readonly balance: bigint }[];
    readonly total: bigint;
  };
  /** The wallets' money that operators and the sandbox gave without any. */
  readonly unbacked: bigint;
  readonly shortfall: bigint;
}

export type Safeguarding =
  | { readonly ok: true; readonly at: string; readonly currencies: readonly SafeguardingOf[] }
  /** The moment has not passed. */
  | { readonly ok: false };

export async function reportSafeguarding(
  db: Db,
  environment: Environment,
  at: string | null,
): Promise<Safeguarding> {
  try {
    const accounts = await readAccountsAt(db, environment, at);
    return {
      ok: true,
      at: accounts[0]!.at,
      currencies: CURRENCIES.map((currency) =>
        reportOf(
          currency,
          accounts.filter((account) => account.currency === currency),
        ),
      ),
    };
  } catch (error) {
    if (isCheckViolation(error, 'moment_has_passed')) return { ok: false };
    throw error;
  }
}

function reportOf(currency: Currency, accounts: readonly AccountsAt[]): SafeguardingOf {
  const sum = (...kinds: string[]): bigint =>
    accounts
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((total, { balance_minor }) => total + balance_minor, 0n);
  const sums = <Parts extends Readonly<Record<string, string>>>(parts: Parts): Sums<Parts> => {
    const each = Object.entries(parts).map(([name, kind]) => [name, sum(kind)] as const);
    const total = sum(...Object.values(parts));
    return Object.fromEntries([...each, ['total', total]]) as Sums<Parts>;
  };
  const held = (kind: string) =>
    accounts
      .filter((account) => account.kind === kind && account.balance_minor !== 0n)
      .map(({ name, balance_minor }) => ({ name: name!, balance: -balance_minor }))
      .sort((one, two) => (one.name < two.name ? -1 : 1));
  const [customers, own] = [sums(CUSTOMERS), sums(OWN)];
  const total = -sum('bank', 'gateway_clearing');
  const missing = customers.total + own.taxes - total;
  return {
    currency,
    customers,
    own,
    held: {
      banks: held('bank'),
      in_transit: held('gateway_clearing').map(({ name: provider, balance }) => ({
        provider,
        balance,
      })),
      total,
    },
    unbacked: -sum('operator', 'sandbox_source'),
    shortfall: missing > 0n ? missing : 0n,
  };
}

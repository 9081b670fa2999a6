// The operators through which customers pay by phone, of all gateways of an environment.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { PaymentMethod } from '../../domain/payment-attempt';
import type { Gateway, PhonePayments } from '../../gateway/port';
import { within } from '../../temporal/calls';
import type { OrderDependencies } from '../requests/dependencies';

export type MethodDependencies = Pick<OrderDependencies, 'gateways' | 'log'>;

export interface MethodFilter {
  readonly currency?: Currency | undefined;
  readonly country?: string | undefined;
}

/** A gateway that takes longer gives none, and the others theirs. */
const ASK_WITHIN_MS = 2_000;
/** An operator that closes is refused by its gateway meanwhile. */
const KEPT_MS = 15_000;
/** Pages of many customers ask a gateway that does not answer once in so long. */
const FAULT_KEPT_MS = 1_000;

/** Each operator once in each currency: with the first gateway that has it. */
export async function listMethods(
  dependencies: MethodDependencies,
  environment: Environment,
  filter: MethodFilter = {},
): Promise<readonly PaymentMethod[]> {
  const offered = await listOffers(dependencies, environment, filter);
  return offered.map(({ method }) => method);
}

export interface Offer {
  readonly gateway: string;
  readonly method: PaymentMethod;
}

export async function listOffers(
  { gateways, log }: MethodDependencies,
  environment: Environment,
  { currency, country }: MethodFilter,
): Promise<readonly Offer[]> {
  const of_gateways = await Promise.all(
    gateways[environment].map(async (gateway) => {
      const methods = await methodsOf(gateway, log);
      return methods.map((method) => ({ gateway: gateway.name, method }));
    }),
  );
  const offers = new Map<string, Offer>();
  for (const offer of of_gateways.flat()) {
    const { method } = offer;
    if (currency !== undefined && method.currency !== currency) continue;
    if (country !== undefined && method.country !== country) continue;
    const name = `${method.operator}/${method.currency}`;
    if (!offers.has(name)) offers.set(name, offer);
  }
  return [...offers.values()];
}

interface Kept {
  methods: Promise<readonly PaymentMethod[]>;
  until: number;
  /** It gave none, and gives none until it has answered again: no request waits for it meanwhile. */
  is_away: boolean;
}

const kept = new WeakMap<PhonePayments, Kept>();

function methodsOf(
  { name, environment, phones }: Gateway,
  log: MethodDependencies['log'],
): Promise<readonly PaymentMethod[]> {
  if (!phones) return Promise.resolve([]);
  const known = kept.get(phones);
  if (known && known.until > performance.now()) return known.methods;
  const ask = async (): Promise<readonly PaymentMethod[]> => {
    try {
      const methods = await within(ASK_WITHIN_MS, phones.methods());
      if (methods) return methods;
      log({
        part: 'gateway',
        gateway: name,
        environment,
        error: 'its methods did not come in time',
      });
    } catch (error) {
      log({ part: 'gateway', gateway: name, environment, error: String(error) });
    }
    asked.until = performance.now() + FAULT_KEPT_MS;
    asked.is_away = true;
    return [];
  };
  const answer = Promise.resolve().then(ask);
  const methods = known?.is_away ? known.methods : answer;
  const asked: Kept = { methods, until: performance.now() + KEPT_MS, is_away: false };
  void answer.then(() => (asked.methods = answer));
  kept.set(phones, asked);
  return asked.methods;
}

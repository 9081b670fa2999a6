// The adapter of Example. What each method means: docs/adapters.md.

import { GatewayError } from '../../../domain/gateway-error';
import type { AdapterModule, AdapterOptions } from '../../../gateway/adapter-module';
import type { PayoutProvider } from '../../../gateway/payout-port';
import type { Gateway } from '../../../gateway/port';

const adapter: AdapterModule = {
  name: 'example',
  createGateway: createExampleGateway,
  createPayouts: createExamplePayouts,
};
export default adapter;

interface Account {
  readonly url: string;
  readonly token: string;
  readonly secrets: readonly string[];
  readonly timeout_ms: number;
}

/** The account of an environment, whose settings begin with its name; undefined where it has none. */
function accountOf({ environment, settings, timeout_ms }: AdapterOptions): Account | undefined {
  const of = (name: string) => settings[`${environment.toUpperCase()}_${name}`];
  const [url, token] = [of('URL'), of('API_TOKEN')];
  if (url === undefined || token === undefined) return undefined;
  return { url, token, secrets: of('CALLBACK_SECRETS')?.split(',') ?? [], timeout_ms };
}

/** Serves payments by phone. A gateway with a page of its own has `openCheckout` and no `phones`. */
function createExampleGateway(options: AdapterOptions): Gateway | undefined {
  const account = accountOf(options);
  if (account === undefined) return undefined;
  return {
    name: adapter.name,
    environment: options.environment,
    bounds: { currencies: ['XOF'], minimum: {} },
    phones: {
      promises: { idempotent_by_id: false, not_found_is_final_after_s: null, callbacks: 'none' },
      methods: async () => notWritten('methods'),
      charge: async (order) => notWritten(`charge ${order.id} at ${account.url}`),
      findCharge: async (id) => notWritten(`findCharge ${id}`),
    },
    // It has no page: customers stay on the pay page of this service.
    openCheckout: async ({ intent_id, pay_url }) => ({
      session_id: intent_id,
      checkout_url: pay_url,
      lapses_at: null,
    }),
    findPayment: async () => ({ state: 'none' }),
    closeCheckout: async () => ({ state: 'none' }),
    refund: async () => notWritten('refund'),
    findRefund: async () => notWritten('findRefund'),
    findDispute: async () => {
      throw new GatewayError('refused', 'There are no disputes');
    },
    // Where the provider gives no list, these stay as they are.
    listPayments: async () => ({ items: [], next: null }),
    findTakenPayment: async () => undefined,
    listRefunds: async () => ({ items: [], next: null }),
    mayBeSigned: () => false,
    readNotification: () => ({ ok: false, fault: 'not_ours' }),
  };
}

function createExamplePayouts(options: AdapterOptions): PayoutProvider | undefined {
  const account = accountOf(options);
  if (account === undefined) return undefined;
  return {
    name: adapter.name,
    environment: options.environment,
    promises: { idempotent_by_id: false, not_found_is_final_after_s: null, callbacks: 'none' },
    rails: async () => notWritten('rails'),
    check: async () => notWritten('check'),
    send: async (order) => notWritten(`send ${order.id} at ${account.url}`),
    find: async (id) => notWritten(`find ${id}`),
    list: async () => ({ items: [], next: null }),
    float: async () => [],
    mayBeSigned: () => false,
    readNotification: () => ({ ok: false, fault: 'not_ours' }),
  };
}

function notWritten(method: string): never {
  throw new GatewayError('refused', `${method} is not written yet`);
}

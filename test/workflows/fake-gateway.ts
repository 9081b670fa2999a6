// A gateway in this process whose every answer is the test's.

import type { GatewayError } from '../../domain/gateway-error';
import type { PaymentState, RefundState } from '../../domain/payment';
import { withResolvers } from '../../domain/promises';
import type { Gateway, RefundRequest } from '../../gateway/port';

export interface FakeGateway {
  readonly gateway: Gateway;
  /** Listed in the order in which they were opened. */
  readonly sessions: { readonly number: number; readonly session_id: string }[];
  readonly closed: string[];
  state: PaymentState;
  fault: GatewayError | undefined;
  /** These run between what the gateway has done and our reading of it. */
  onOpen: () => Promise<void>;
  onClose: () => Promise<void>;
  onRefund: (idempotency_key: string, request: RefundRequest) => Promise<RefundState>;
  onFindRefund: (refund_id: string) => Promise<RefundState>;
}

/** Sessions without a number of seconds live until they are closed. */
export function fakeGateway(session_seconds: number | null = null): FakeGateway {
  const openCheckout: Gateway['openCheckout'] = async ({ intent_id, number }) => {
    if (fake.fault) throw fake.fault;
    const session_id = `cs_${intent_id}_${number}`;
    const isNew = fake.sessions.every((one) => one.session_id !== session_id);
    if (isNew) fake.sessions.push({ number, session_id });
    await fake.onOpen();
    const checkout_url = `https://gateway.example.com/${session_id}`;
    const lapses_at =
      session_seconds === null
        ? null
        : new Date(Date.now() + session_seconds * 1_000).toISOString();
    return { session_id, checkout_url, lapses_at };
  };
  const closeCheckout: Gateway['closeCheckout'] = async (session_id) => {
    if (fake.fault) throw fake.fault;
    fake.closed.push(session_id);
    const { state } = fake;
    await fake.onClose();
    return state;
  };
  const fake: FakeGateway = {
    sessions: [],
    closed: [],
    state: { state: 'none' },
    fault: undefined,
    onOpen: async () => undefined,
    onClose: async () => undefined,
    onRefund: async (key) => ({ status: 'succeeded', refund_id: `re_${key}` }),
    onFindRefund: async (refund_id) => ({ status: 'succeeded', refund_id }),
    gateway: {
      name: 'fake',
      environment: 'sandbox',
      bounds: { currencies: ['XOF'], minimum: {} },
      openCheckout,
      closeCheckout,
      findPayment: async () => fake.state,
      refund: (request) => fake.onRefund(request.idempotency_key, request),
      listPayments: async () => ({ items: [], next: null }),
      findTakenPayment: async () => undefined,
      listRefunds: async () => ({ items: [], next: null }),
      mayBeSigned: () => false,
      findRefund: (refund_id) => fake.onFindRefund(refund_id),
      findDispute: async () => {
        throw new Error('this gateway has no disputes');
      },
      readNotification: () => ({ ok: false, fault: 'not_ours' }),
    },
  };
  return fake;
}

/** It answers no such call any more, until the returned function is called. */
export function hang(fake: FakeGateway, call: 'onOpen' | 'onClose'): () => void {
  const { promise, resolve } = withResolvers();
  fake[call] = () => promise;
  return resolve;
}

/** Pays the 5000 XOF that intents have by default. */
export const PAID = {
  state: 'paid',
  payment: {
    provider_payment_id: 'pay_asked',
    amount_minor: '500000',
    currency: 'XOF',
    occurred_at: '2026-01-01T00:00:00Z',
  },
} as const satisfies PaymentState;

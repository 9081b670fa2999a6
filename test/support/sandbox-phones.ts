// Phones that pay at the simulated operators, for tests. Faults are set with `setFaults` of sandbox-gateway.ts:
// `only: 'charge'` are those of asking a phone.
//
//   const gateway = await startTestGateway({ notification_url: receiver.url });
//   const order = chargeOrder({ phone: '+221760000013' });
//   await phonesOf(gateway, 'sandbox').charge(order);
//   await pressPhone(gateway, 'sandbox', order.id, 'confirm');

import { randomBytes, randomUUID } from 'node:crypto';
import type { Environment } from '../../domain/environment';
import type { Minor } from '../../domain/money';
import type { Press } from '../../dev/simulators/gateway/courses';
import type { ChargeOrder, PhonePayments } from '../../gateway/port';
import { adapterOf, callGateway, type TestGateway } from './sandbox-gateway';

export function phonesOf(
  gateway: TestGateway,
  environment: Environment,
  timeout_ms?: number,
): PhonePayments {
  return adapterOf(gateway, environment, timeout_ms).phones!;
}

/** An order of 5000 XOF from a phone that is asked and pays, unless the overrides name another. */
export function chargeOrder(overrides: Partial<ChargeOrder> = {}): ChargeOrder {
  return {
    id: randomUUID(),
    intent_id: randomUUID(),
    reference: `TRX-${randomBytes(8).toString('hex').toUpperCase()}`,
    amount: 500_000n as Minor,
    currency: 'XOF',
    operator: 'free_sn',
    phone: '+221760000100',
    otp: null,
    description: 'Order 1001',
    merchant_name: 'Atelier Awa',
    return_url: 'https://pay.example/p/abc',
    ...overrides,
  };
}

/** Acts as the phone's owner. The answer is 409 when the act does not fit the state of the charge. */
export async function pressPhone(
  gateway: TestGateway,
  environment: Environment,
  id: string,
  press: Press,
): Promise<Response> {
  return callGateway(gateway, environment, 'POST', `/charges/${id}/press`, { press });
}

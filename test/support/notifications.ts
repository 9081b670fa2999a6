// Notifications as a gateway sends them, and as a stranger would.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../../domain/environment';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { request, type HttpResponse } from './http';
import { GATEWAY_SECRETS } from './sandbox-gateway';

export const SIGNATURE = 'x-gateway-signature';

export type Fields = Readonly<Record<string, unknown>>;

/** A succeeded payment of the intent's own amount; an undefined field is left out. */
export function notificationOf(intent: HttpResponse['json'], fields: Fields = {}): Fields {
  return {
    event_id: `evt_${randomUUID()}`,
    type: 'payment.succeeded',
    intent_id: intent.id,
    reference: intent.reference,
    amount: intent.amount,
    currency: intent.currency,
    environment: intent.environment,
    provider_payment_id: `pay_${randomUUID()}`,
    occurred_at: new Date().toISOString(),
    ...fields,
  };
}

/** Sends the given headers and nothing else. */
export function deliver(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<HttpResponse> {
  return request({ base_url: '' }, 'POST', url, { headers, body });
}

/** Signed by the secret of this environment. */
export function deliverSigned(
  { notification_url }: { readonly notification_url: string },
  body: string | Uint8Array,
  environment: Environment = 'sandbox',
): Promise<HttpResponse> {
  const [secret] = GATEWAY_SECRETS[environment];
  const signature = signGatewayBody(typeof body === 'string' ? body : Buffer.from(body), secret);
  return deliver(notification_url, body, { [SIGNATURE]: signature });
}

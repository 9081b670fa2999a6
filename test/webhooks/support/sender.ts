// A sender with short deadlines, and requests to send with it.

import { makeWebhookSecret, signWebhook } from '../../../secrets/webhook-secret';
import {
  createWebhookSender,
  type SendRequest,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../webhooks/send';
import type { WebhookUrlPolicy } from '../../../webhooks/url';
import { closeAfterFile } from '../../support/cleanup';

export const NOBODY: WebhookUrlPolicy = { allowed_addresses: [], ports: [], own_hosts: [] };
export const LOOPBACK: WebhookUrlPolicy = { ...NOBODY, allowed_addresses: ['127.0.0.1'] };

export const SECRET = makeWebhookSecret();
export const BODY = '{"id":"evt_1","type":"payment.succeeded","data":{"amount":5000.00}}';

export function startSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = createWebhookSender({
    policy: LOOPBACK,
    max_per_origin: 8,
    max_per_account: 8,
    deadline_ms: 5_000,
    ...options,
  });
  closeAfterFile(() => sender.close());
  return sender;
}

export function webhookTo(url: string, deadline_ms?: number): SendRequest {
  const headers = signWebhook({
    id: 'evt_1',
    timestamp: 1_700_000_000,
    body: BODY,
    secret: SECRET,
    previous_secret: null,
  });
  return {
    account: 'merchant',
    url,
    headers,
    body: BODY,
    ...(deadline_ms === undefined ? {} : { deadline_ms }),
  };
}

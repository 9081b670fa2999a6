// S5: webhooks lead to nothing that this service consists of.

import { webhookPolicy } from '../../bin/webhook-policy';
import { loadConfig } from '../../config/load';
import { checkWebhookUrl } from '../../webhooks/url';

const policy = webhookPolicy(
  loadConfig({
    PUBLIC_URL: 'https://api.example.com',
    PAY_URL_BASE: 'https://pay.example.com',
    DASHBOARD_URL: 'https://dashboard.example.com',
    TEMPORAL_ADDRESS: 'temporal.example.com:7233',
    TEMPORAL_UI_URL: 'https://temporal-ui.example.com',
    DATABASE_URL: 'postgres://app:secret@db.example.com:5432/payments?sslmode=require',
    DATABASE_OWNER_URL: 'postgres://owner@db-owner.example.com/payments',
    SANDBOX_GATEWAY_URL: 'http://simulator.example.com:8090',
    SANDBOX_GATEWAY_SECRETS: 'a-secret-of-the-simulator',
    SANDBOX_GATEWAY_PUBLIC_URL: 'https://checkout.example.com',
    GATEWAY_NOTIFICATION_URL: 'https://inner-api.example.com/internal/gateway/notifications',
  }),
);

it.each([
  'api',
  'pay',
  'dashboard',
  'temporal',
  'temporal-ui',
  'db',
  'db-owner',
  'simulator',
  'checkout',
  'inner-api',
])('refuses a webhook to our own %s', (name) => {
  expect(checkWebhookUrl(`https://${name.toUpperCase()}.example.com./x`, policy)).toEqual({
    ok: false,
    reason: 'own_host',
    fault: 'The URL must not lead to this service itself.',
  });
});

it('allows a neighbour, and needs no host in the URL of a database', () => {
  expect(checkWebhookUrl('https://shop.example.com/x', policy).ok).toBe(true);
  const socket = loadConfig({ DATABASE_URL: 'postgres:///payments?host=/var/run/postgresql' });
  expect(checkWebhookUrl('https://shop.example.com/x', webhookPolicy(socket)).ok).toBe(true);
});

// A sender with short deadlines, and requests to send with it.

import { makeWebhookSecret, signWebhook } from '../../../secrets/webhook-secret';
import {
  createWebhookSender,
  type SendRequest,
  type SendResult,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../webhooks/send';
import type { WebhookUrlPolicy } from '../../../webhooks/url';
import { signCertificate } from '../../support/certificate';
import { closeAfterFile } from '../../support/cleanup';
import { startDnsServer, type DnsAnswer, type DnsServer, type Question } from './dns-server';
import { startReceiver, type Receiver, type ReceiverOptions } from './receivers';

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

export interface Opened {
  readonly receiver: Receiver;
  readonly sender: WebhookSender;
  /** Sends to a path of the receiver. */
  readonly send: (path?: string, deadline_ms?: number) => Promise<SendResult>;
}

/** A sender and its receiver. */
export async function open(
  receives: ReceiverOptions = {},
  options: Partial<WebhookSenderOptions> = {},
): Promise<Opened> {
  return openAt('127.0.0.1', await startReceiver(receives), startSender(options));
}

export const NAME = 'hooks.example.test';
export const CERTIFICATE = signCertificate({ names: [NAME] });

/** A sender that asks a DNS server of the test's, and a receiver with a certificate for NAME. */
export async function openByName(
  answer: (question: Question) => DnsAnswer = () => ['127.0.0.1'],
  receives: ReceiverOptions = {},
  policy: Partial<WebhookUrlPolicy> = {},
): Promise<Opened & { readonly dns: DnsServer }> {
  const receiver = await startReceiver({ tls: CERTIFICATE, ...receives });
  const dns = await startDnsServer(answer);
  const sender = startSender({
    policy: { ...LOOPBACK, ports: [receiver.port], ...policy },
    ca: CERTIFICATE.cert,
    dns_servers: [dns.address],
  });
  return { ...openAt(NAME, receiver, sender), dns };
}

function openAt(host: string, receiver: Receiver, sender: WebhookSender): Opened {
  const origin = `${host === NAME ? 'https' : 'http'}://${host}:${receiver.port}`;
  return {
    receiver,
    sender,
    send: (path = '/', deadline_ms) => sender.send(webhookTo(origin + path, deadline_ms)),
  };
}

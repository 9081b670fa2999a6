// What `npm start` says when everything is ready: to scripts, and to people.

import { renameSync, writeFileSync } from 'node:fs';
import type { Config } from '../config/load';
import { GATEWAY_SIGNATURE_HEADER } from '../secrets/gateway-signature';
import type { DemoUser } from './demo-users';

export interface Demo {
  readonly users: readonly DemoUser[];
  readonly webhook_sink: {
    /** Where the merchant's demo endpoints send to. */
    readonly url: string;
    readonly page: string;
  };
}

/** What scripts read; the form is promised in docs/configuration.md. */
export function writeDemoFile(file: string, config: Config, { users, webhook_sink }: Demo): void {
  const demo = {
    base_url: `${config.public_url}/api/public/v1`,
    pay_url_base: config.pay_url_base,
    dashboard_url: null,
    temporal_address: config.temporal_address,
    temporal_namespace: config.temporal_namespace,
    temporal_ui_url: config.temporal_ui_url ?? null,
    database_url: config.database_url,
    gateway: config.gateway.simulator
      ? {
          notification_url: config.gateway.simulator_process.notification_url,
          secret: config.gateway.simulator.secrets.sandbox[0] ?? null,
          signature_header: GATEWAY_SIGNATURE_HEADER,
        }
      : null,
    users,
    webhook_sink,
  };
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function screen(config: Config, { users, webhook_sink }: Demo, demo_file: string): string {
  const base = `${config.public_url}/api/public/v1`;
  const [merchant, customer] = users as [DemoUser, DemoUser];
  return `
Payment API is ready.

  API           ${base}
  OpenAPI       ${config.public_url}/openapi.json
  Gateway       ${config.gateway.simulator?.url ?? '(yours)'} (a simulator${config.gateway.stripe ? '' : ', for live payments too'})
  Webhooks      ${webhook_sink.page} (a receiver that shows what arrives)
  Temporal UI   ${config.temporal_ui_url ?? '(yours)'}
  Everything    ${demo_file}

  ${merchant.username.padEnd(12)}  live ${merchant.live_key}
                test ${merchant.test_key}
  ${customer.username.padEnd(12)}  live ${customer.live_key}
                test ${customer.test_key}

Send money:

  curl -s ${base}/transfers \\
    -H 'Authorization: Bearer ${merchant.live_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to_username": "${customer.username}", "currency": "XOF", "amount": 5000}'

Or make a payment link, and open its pay_url:

  curl -s ${base}/payment-intents \\
    -H 'Authorization: Bearer ${merchant.test_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount": 49.90, "currency": "EUR", "description": "Two books"}'

Ctrl-C stops everything; the data stays.`;
}

// `demo.json`: what scripts and the command line read about the running system. Its form is promised in
// docs/configuration.md.

import { renameSync, writeFileSync } from 'node:fs';
import type { Config } from '../config/load';
import { GATEWAY_SIGNATURE_HEADER } from '../secrets/gateway-signature';
import type { DemoUser } from './demo-users';

export interface Demo {
  readonly users: readonly DemoUser[];
  readonly webhook_sink: {
    /** The URL of the merchant's demo endpoints. */
    readonly url: string;
    readonly page: string;
  };
}

export function writeDemoFile(
  file: string,
  config: Config,
  { users, webhook_sink, metrics_urls }: Demo & { readonly metrics_urls: readonly string[] },
): void {
  const demo = {
    base_url: `${config.public_url}/api/public/v1`,
    pay_url_base: config.pay_url_base,
    dashboard_url: config.dashboard_url,
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
    metrics_urls,
  };
  // Renamed into place, so that a reader never sees half a file.
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

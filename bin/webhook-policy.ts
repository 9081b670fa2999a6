// Where webhooks may be sent, from the configuration.

import { ConfigError, type Config } from '../config/load';
import { createUrlCheck, type WebhookUrlPolicy } from '../webhooks/url';

export function webhookPolicy(
  config: Pick<Config, 'public_url' | 'pay_url_base' | 'temporal_ui_url' | 'webhooks'>,
): WebhookUrlPolicy {
  const hosts = [config.public_url, config.pay_url_base, config.temporal_ui_url]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).hostname);
  const policy = {
    allowed_addresses: config.webhooks.allowed_addresses,
    ports: config.webhooks.ports,
    own_hosts: hosts,
  };
  try {
    createUrlCheck(policy);
  } catch (error) {
    // Only this check knows the syntax of addresses, so its error becomes a configuration fault.
    throw new ConfigError([`WEBHOOK_ALLOWED_ADDRESSES: ${(error as Error).message}`]);
  }
  return policy;
}

// Where webhooks may be sent to, as the configuration has it.

import type { Config } from '../config/load';
import type { WebhookUrlPolicy } from '../webhooks/url';

export function webhookPolicy(
  config: Pick<Config, 'public_url' | 'pay_url_base' | 'temporal_ui_url' | 'webhooks'>,
): WebhookUrlPolicy {
  const hosts = [config.public_url, config.pay_url_base, config.temporal_ui_url]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).hostname);
  return {
    allowed_addresses: config.webhooks.allowed_addresses,
    ports: config.webhooks.ports,
    own_hosts: hosts,
  };
}

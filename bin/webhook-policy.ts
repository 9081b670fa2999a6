// Reads where webhooks may be sent from the configuration.

import { ConfigError, type Config } from '../config/load';
import { hostUrls } from '../domain/database-url';
import { parseUrl } from '../domain/url';
import { createUrlCheck, type WebhookUrlPolicy } from '../webhooks/url';

type HostSetting =
  | 'public_url'
  | 'pay_url_base'
  | 'dashboard_url'
  | 'temporal_ui_url'
  | 'database_url'
  | 'database_owner_url'
  | 'database_read_url';

export function webhookPolicy(
  config: Pick<Config, HostSetting | 'temporal_address' | 'gateway' | 'webhooks'>,
): WebhookUrlPolicy {
  const hosts = ownHosts(config);
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

/** Names and addresses of the service and of what it uses; its interfaces are asked for at each call. */
function ownHosts(
  config: Pick<Config, HostSetting | 'temporal_address' | 'gateway'>,
): readonly string[] {
  const { simulator, simulator_process } = config.gateway;
  const { notification_url, public_url } = simulator_process;
  const urls = [
    config.public_url,
    config.pay_url_base,
    config.dashboard_url,
    config.temporal_ui_url,
    simulator?.url,
    notification_url,
    public_url,
    config.database_url,
    config.database_owner_url,
    config.database_read_url,
    // An address without a scheme: `host:port`.
    config.temporal_address === undefined ? undefined : `http://${config.temporal_address}`,
  ];
  // A database's address may name no host, or several.
  return urls
    .flatMap((url) => (url === undefined ? [] : hostUrls(url)))
    .map((url) => parseUrl(url)?.hostname)
    .filter((host) => host !== undefined)
    .filter((host) => host !== '');
}

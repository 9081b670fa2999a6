// Creates the payment gateway of each environment from the configuration.

import type { Config } from '../config/load';
import type { Environment } from '../domain/environment';
import { limitCalls } from '../gateway/limit-calls';
import type { Gateway, Gateways } from '../gateway/port';
import { createSandboxGateway } from '../gateway/sandbox/adapter';
import { createStripeGateway } from '../gateway/stripe/adapter';

/** Logs a warning for an environment without a gateway, and when the simulator takes live payments. */
export function createGateways(
  { gateway }: Pick<Config, 'gateway'>,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Gateways {
  const live = liveGateway(gateway);
  const sandbox = simulatorOf(gateway, 'sandbox');
  const gateways = { live: live && limitCalls(live), sandbox: sandbox && limitCalls(sandbox) };
  const warn = (environment: Environment, warning: string): void =>
    log({ log: 'warning', at: new Date().toISOString(), part: 'gateway', environment, warning });
  for (const environment of ['live', 'sandbox'] as const) {
    if (!gateways[environment])
      warn(environment, 'no payment gateway is configured: creating payment intents returns 503');
  }
  if (gateways.live?.name === 'sandbox') {
    warn('live', 'the simulator is used for live payments: no real money moves');
  }
  return gateways;
}

function liveGateway(config: Config['gateway']): Gateway | undefined {
  const { stripe, timeout_ms } = config;
  if (!stripe) return simulatorOf(config, 'live');
  const { secret_key, webhook_secrets, api_url } = stripe;
  return createStripeGateway({
    environment: 'live',
    secret_key,
    webhook_secrets,
    timeout_ms,
    ...(api_url === undefined ? {} : { api: apiOf(new URL(api_url)) }),
  });
}

function simulatorOf(
  { simulator, timeout_ms }: Config['gateway'],
  environment: Environment,
): Gateway | undefined {
  if (!simulator || simulator.secrets[environment].length === 0) return undefined;
  return createSandboxGateway({
    environment,
    url: simulator.url,
    secrets: simulator.secrets[environment],
    timeout_ms,
  });
}

function apiOf(url: URL): { protocol: 'http' | 'https'; host: string; port: number } {
  const is_secure = url.protocol === 'https:';
  return {
    protocol: is_secure ? 'https' : 'http',
    host: url.hostname,
    port: Number(url.port || (is_secure ? 443 : 80)),
  };
}

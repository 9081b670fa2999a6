// Creates the payment gateways of each environment from the configuration.

import type { Config } from '../config/load';
import { ENVIRONMENTS, type Environment } from '../domain/environment';
import { callsAtOnce, limitCalls, limitPayoutCalls } from '../gateway/limit-calls';
import type { Gateway, Gateways } from '../gateway/port';
import type { PayoutProvider, PayoutProviders } from '../gateway/payout-port';
import { createSandboxGateway } from '../gateway/sandbox/adapter';
import { createSandboxPayouts } from '../gateway/sandbox/payouts';
import { createStripeGateway } from '../gateway/stripe/adapter';

type GatewayConfig = Config['gateway'];
/** Undefined where it is not configured. */
type CreateGateway = (config: GatewayConfig, environment: Environment) => Gateway | undefined;

/**
 * Each gateway that there is, by the name that its payments carry. New payments go to the first one that
 * is configured, unless the configuration chooses another.
 */
const CREATE: Readonly<Record<string, CreateGateway>> = {
  stripe: createStripe,
  sandbox: createSimulator,
};

/** Logs a warning for an environment without a gateway, and when the simulator takes live payments. */
export function createGateways(
  { gateway: config }: Pick<Config, 'gateway'>,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Gateways {
  const configured = ENVIRONMENTS.flatMap((environment) =>
    Object.values(CREATE).flatMap((create) => create(config, environment) ?? []),
  );
  const at_once = callsAtOnce(configured.length);
  const gatewaysOf = (environment: Environment): readonly Gateway[] => {
    const gateways = configured
      .filter((gateway) => gateway.environment === environment)
      .map((gateway) => limitCalls(gateway, at_once));
    const chosen = gateways.filter(({ name }) => name === config.chosen[environment]);
    return [...new Set([...chosen, ...gateways])];
  };
  const gateways = { live: gatewaysOf('live'), sandbox: gatewaysOf('sandbox') };
  const warn = (environment: Environment, warning: string): void =>
    log({ log: 'warning', at: new Date().toISOString(), part: 'gateway', environment, warning });
  for (const environment of ENVIRONMENTS) {
    if (gateways[environment].length === 0)
      warn(environment, 'no payment gateway is configured: creating payment intents returns 503');
  }
  if (gateways.live[0]?.name === 'sandbox') {
    warn('live', 'the simulator is used for live payments: no real money moves');
  }
  return gateways;
}

function createStripe(
  { stripe, timeout_ms }: GatewayConfig,
  environment: Environment,
): Gateway | undefined {
  if (!stripe || environment !== 'live') return undefined;
  const { secret_key, webhook_secrets, api_url } = stripe;
  return createStripeGateway({
    environment,
    secret_key,
    webhook_secrets,
    timeout_ms,
    ...(api_url === undefined ? {} : { api: apiOf(new URL(api_url)) }),
  });
}

function createSimulator(
  { simulator, timeout_ms }: GatewayConfig,
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

/** The providers of payouts in each environment; none where none is configured. */
export function createPayoutProviders({
  gateway: config,
}: Pick<Config, 'gateway'>): PayoutProviders {
  const of = (environment: Environment): readonly PayoutProvider[] => {
    const { simulator, timeout_ms } = config;
    if (!simulator || simulator.secrets[environment].length === 0) return [];
    const { url, secrets } = simulator;
    const account = { environment, url, secrets: secrets[environment], timeout_ms };
    return [limitPayoutCalls(createSandboxPayouts(account), PAYOUT_CALLS_AT_ONCE)];
  };
  return { live: of('live'), sandbox: of('sandbox') };
}

/** Each environment has so many: beside the gateways' calls they leave a tenth of a process's activities free. */
const PAYOUT_CALLS_AT_ONCE = 25;

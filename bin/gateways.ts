// Creates the payment gateways of each environment from the configuration.

import { ConfigError, type Config } from '../config/load';
import { ENVIRONMENTS, type Environment } from '../domain/environment';
import { callsAtOnce, limitCalls, limitPayoutCalls } from '../gateway/limit-calls';
import type { Gateway, Gateways } from '../gateway/port';
import type { PayoutProvider, PayoutProviders } from '../gateway/payout-port';
import type { AdapterModule } from '../gateway/adapter-module';
import { loadAdapterModule, settingsOf } from '../gateway/load';
import { createPawapayGateway } from '../gateway/pawapay/adapter';
import { createPawapayPayouts } from '../gateway/pawapay/payouts';
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
  pawapay: ({ pawapay, timeout_ms }, environment) =>
    pawapay && environment === 'live'
      ? createPawapayGateway({ environment, timeout_ms, ...pawapay })
      : undefined,
  sandbox: createSimulator,
};

/** Logs a warning for an environment without a gateway, and when the simulator takes live payments. */
export function createGateways(
  { gateway: config }: Pick<Config, 'gateway'>,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Gateways {
  const creators = [...Object.values(CREATE), ...modulesOf(config).map(gatewayOfModule)];
  const configured = ENVIRONMENTS.flatMap((environment) =>
    creators.flatMap((create) => create(config, environment) ?? []),
  );
  const { live: chosen_live } = config.chosen;
  if (chosen_live && !configured.some(isOf(chosen_live, 'live'))) {
    throw new ConfigError([`LIVE_GATEWAY=${chosen_live} is no gateway of this installation`]);
  }
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

/** The modules with adapters of one's own, in the order of `GATEWAY_MODULES`. */
function modulesOf({ modules }: GatewayConfig): readonly AdapterModule[] {
  const loaded = modules.paths.map(loadAdapterModule);
  const names = loaded.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new ConfigError([`GATEWAY_MODULES has two adapters of one name: ${names.join(', ')}`]);
  }
  return loaded;
}

function gatewayOfModule(module: AdapterModule): CreateGateway {
  return (config, environment) =>
    checked(module, environment, module.createGateway?.(optionsOf(module, config, environment)));
}

function optionsOf({ name }: AdapterModule, config: GatewayConfig, environment: Environment) {
  const settings = settingsOf(name, config.modules.env);
  return { environment, settings, timeout_ms: config.timeout_ms };
}

const isOf =
  (name: string, environment: Environment) =>
  (one: { readonly name: string; readonly environment: Environment }): boolean =>
    one.name === name && one.environment === environment;

/** Its payments carry this name in this environment: under another they would never be found again. */
function checked<Made extends Gateway | PayoutProvider>(
  { name }: AdapterModule,
  environment: Environment,
  made: Made | undefined,
): Made | undefined {
  if (made === undefined || isOf(name, environment)(made)) return made;
  throw new ConfigError([
    `the adapter ${name} gave ${made.name} of ${made.environment} for ${environment}`,
  ]);
}

/** The providers of payouts in each environment; none where none is configured. */
export function createPayoutProviders({
  gateway: config,
}: Pick<Config, 'gateway'>): PayoutProviders {
  const modules = modulesOf(config);
  const { pawapay, simulator, timeout_ms } = config;
  const of = (environment: Environment): readonly PayoutProvider[] => {
    const providers: PayoutProvider[] = [];
    if (pawapay && environment === 'live') {
      providers.push(createPawapayPayouts({ environment, timeout_ms, ...pawapay }));
    }
    if (simulator && simulator.secrets[environment].length > 0) {
      const { url, secrets } = simulator;
      const account = { environment, url, secrets: secrets[environment], timeout_ms };
      providers.push(createSandboxPayouts(account));
    }
    for (const module of modules) {
      const made = module.createPayouts?.(optionsOf(module, config, environment));
      const provider = checked(module, environment, made);
      if (provider) providers.push(provider);
    }
    const at_once = Math.floor(PAYOUT_CALLS_AT_ONCE / Math.max(1, providers.length));
    return providers.map((provider) => limitPayoutCalls(provider, at_once));
  };
  return { live: of('live'), sandbox: of('sandbox') };
}

/** Each environment has so many: beside the gateways' calls they leave a tenth of a process's activities free. */
const PAYOUT_CALLS_AT_ONCE = 25;

// A command line with the environment variables that its operator would set.

import { readStack } from '../../support/stack';
import { TEST_SECRETS_KEY } from '../../support/secrets';
import { startTestApi, type TestApi } from '../../support/api';
import { setUp } from '../../support/database';
import { buildCli, type Cli } from './cli';

type Variables = Readonly<Record<string, string | undefined>>;

/** The API of a test file, and its operators' command line. */
export function setUpMerchantCli() {
  const api = setUp(startTestApi);
  return { api, cli: setUp(async () => buildMerchantCli(api)) };
}

export function buildMerchantCli(api: TestApi, variables: Variables = {}): Cli {
  return buildCli(api.database, { ...merchantVariables(api), ...variables });
}

export function merchantVariables({ service, gateway }: TestApi): Variables {
  return {
    TEMPORAL_ADDRESS: readStack().temporal_address,
    TASK_QUEUE: service.config.task_queue,
    SECRETS_KEYS: TEST_SECRETS_KEY,
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
    PUBLIC_URL: service.origin,
    SANDBOX_GATEWAY_URL: gateway.url,
    SANDBOX_GATEWAY_SECRETS: gateway.secrets.sandbox.join(','),
    LIVE_SIMULATOR_SECRETS: gateway.secrets.live.join(','),
  };
}

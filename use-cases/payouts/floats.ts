// Asks the providers of payouts about themselves: our balance there, and what they pay at the moment.

import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { Rail } from '../../domain/payout';
import type { PayoutProvider, ProviderBalance } from '../../gateway/payout-port';
import { within } from '../../temporal/calls';

/** An operator's page waits for it. */
const ANSWER_WITHIN_MS = 3_000;

export interface AskedProvider {
  readonly name: string;
  readonly environment: Environment;
  /** Null: it does not answer. */
  readonly float: readonly ProviderBalance[] | null;
  readonly rails: readonly Rail[] | null;
}

/** All at once: one that does not answer keeps no other one waiting. */
export function askProviders(
  providers: readonly PayoutProvider[],
): Promise<readonly AskedProvider[]> {
  return Promise.all(
    providers.map(async (provider) => {
      const { name, environment } = provider;
      const [float, rails] = await Promise.all([
        answerOf(provider.float()),
        answerOf(provider.rails()),
      ]);
      return { name, environment, float, rails };
    }),
  );
}

async function answerOf<T>(asked: Promise<T>): Promise<T | null> {
  const answered = asked.catch((error: unknown) => {
    if (error instanceof GatewayError) return null;
    throw error;
  });
  return (await within(ANSWER_WITHIN_MS, answered)) ?? null;
}

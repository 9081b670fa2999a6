// The target of a delivery run: the URL, the secrets that sign, and the rate limit, as the last
// claim read them. The merchant may change each of them while the run goes on.

import type { ClaimedEndpoint } from '../../db/webhooks/webhook-delivery-runs';
import type { Sealer } from '../../secrets/seal';
import { createRateLimit, type RateLimit } from './endpoint-health';

export interface Target {
  /** The account that owns the endpoint. */
  readonly account: string;
  readonly url: string;
  readonly secrets: OpenSecrets;
  readonly rate_limit: RateLimit;
}

interface OpenSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  /** The sealed texts that they were opened from. */
  readonly sealed: readonly [secret: Buffer, previous: Buffer | null];
}

interface EndpointRow extends ClaimedEndpoint {
  readonly id: string;
}

/**
 * Secrets are opened again only after a rotation, and a rate limit goes on while it is the same.
 */
export function readTarget(sealer: Sealer, row: EndpointRow, known: Target | undefined): Target {
  return {
    account: row.user_id,
    url: row.url,
    secrets: openSecrets(sealer, row, known?.secrets),
    rate_limit:
      known?.rate_limit.max_per_second === row.max_per_second
        ? known.rate_limit
        : createRateLimit(row.max_per_second),
  };
}

function openSecrets(
  sealer: Sealer,
  { id, sealed_secret, sealed_previous }: EndpointRow,
  known: OpenSecrets | undefined,
): OpenSecrets {
  if (known && isSame(known.sealed[0], sealed_secret) && isSame(known.sealed[1], sealed_previous)) {
    return known;
  }
  return {
    secret: sealer.open(sealed_secret, id),
    previous_secret: sealed_previous && sealer.open(sealed_previous, id),
    sealed: [sealed_secret, sealed_previous],
  };
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

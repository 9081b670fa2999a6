// The sealed secrets of endpoints, for the webhook sink, which verifies signatures.

import type { Environment } from '../../domain/environment';
import { lookUp, type Db } from '../connect';

export interface SealedSecrets {
  readonly id: string;
  readonly environment: Environment;
  readonly sealed_secret: Buffer;
  readonly sealed_previous: Buffer | null;
}

const AT_URL = {
  name: 'webhook_secrets_at_url',
  text: `select w.id, w.environment, w.sealed_secret,
                case when w.previous_until > now() then w.sealed_previous end as sealed_previous
           from webhook_endpoints w where w.url = $1 and w.status <> 'deleted'
          order by w.created_at, w.id limit 1000`,
};

/** Finds the secrets of all merchants' endpoints with this URL. */
export async function findSecretsAtUrl(db: Db, url: string): Promise<SealedSecrets[]> {
  return lookUp<SealedSecrets>(db, AT_URL, [url]);
}

// The sealed secrets of endpoints, for the two that open them: the webhook sink, which verifies
// signatures, and the command that seals all secrets with another key.

import type { Environment } from '../../domain/environment';
import { callValue, execute, lookUp, type Db, type Tx } from '../connect';

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

const LIST = {
  name: 'list_webhook_secrets',
  text: `select w.id, w.environment, w.sealed_secret, w.sealed_previous from webhook_endpoints w
          where w.id > $1::uuid and w.status <> 'deleted' order by w.id limit $2`,
};

/** Lists those of all endpoints but deleted ones, page by page: ids greater than `after`. */
export async function listSealedSecrets(
  db: Db,
  after: string,
  limit: number,
): Promise<SealedSecrets[]> {
  return lookUp<SealedSecrets>(db, LIST, [after, limit]);
}

const FIND = {
  name: 'find_webhook_secrets',
  text: `select w.id, w.environment, w.sealed_secret, w.sealed_previous from webhook_endpoints w
          where w.id = $1 and w.status <> 'deleted'`,
};

export async function findSealedSecrets(db: Db, id: string): Promise<SealedSecrets | undefined> {
  const [row] = await execute<SealedSecrets>(db, FIND, [id]);
  return row;
}

/** False when the secret was rotated meanwhile, and so was sealed anew. */
export async function resealWebhookSecret(
  db: Db | Tx,
  old: Pick<SealedSecrets, 'id' | 'sealed_secret'>,
  sealed: Pick<SealedSecrets, 'sealed_secret' | 'sealed_previous'>,
): Promise<boolean> {
  const values = [old.id, old.sealed_secret, sealed.sealed_secret, sealed.sealed_previous];
  return (await callValue<boolean | null>(db, 'reseal_webhook_secret', values)) === true;
}

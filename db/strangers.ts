// Which of many secrets are right, in one query each: for callers whose addresses are over their limit.

import { lookUp, type Db } from './connect';

const KEYS = {
  name: 'find_active_keys',
  text: `select key_hash from api_keys
          where key_hash = any ($1::bytea[]) and revoked_at is null and allowed_ips is null`,
};

/**
 * The hashes of keys that would be let in. Not those with a list of addresses: whoever stole one
 * would get a query for each call.
 */
export async function findActiveKeys(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await lookUp<{ key_hash: Buffer }>(db, KEYS, [hashes]);
  return rows.map(({ key_hash }) => key_hash);
}

const CODES = {
  name: 'find_short_codes',
  text: `select short_code from payment_intents where short_code = any ($1::text[])`,
};

/** The codes that belong to a payment intent, whether or not a customer may see it. */
export async function findShortCodes(db: Db, codes: readonly string[]): Promise<string[]> {
  const rows = await lookUp<{ short_code: string }>(db, CODES, [codes]);
  return rows.map(({ short_code }) => short_code);
}

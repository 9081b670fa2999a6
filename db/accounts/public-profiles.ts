// Customers see these of merchants: name, contact and logo.

import { calls, execute, lookUp, type Db, type Tx } from '../connect';

/** A field that is left out stays; null takes it away. */
export interface ProfileChange {
  readonly display_name?: string | null;
  readonly contact?: string | null;
}

/** The name by which others know an account; of `users` as `u`. */
export const PUBLIC_NAME = `coalesce(u.display_name,
    nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)`;

/** Columns of `users` as `u` and `merchant_logos` as `l`. */
export const MERCHANT_COLUMNS = `${PUBLIC_NAME} as merchant_name, u.country as merchant_country, u.contact as merchant_contact,
  (extract(epoch from l.set_at) * 1000)::bigint::text as logo_version`;

export interface Merchant {
  readonly merchant_name: string;
  readonly merchant_country: string;
  readonly merchant_contact: string | null;
  /** Another one for each picture; null without one. */
  readonly logo_version: string | null;
}

/** Returns the merchant of an account that is there. */
export async function getMerchant(db: Db, user_id: string): Promise<Merchant> {
  const text = `select ${MERCHANT_COLUMNS} from users u
                  left join merchant_logos l on l.user_id = u.id where u.id = $1`;
  return (await lookUp<Merchant>(db, { name: 'get_merchant', text }, [user_id]))[0]!;
}

export async function setPublicProfile(
  db: Db | Tx,
  user_id: string,
  change: ProfileChange,
): Promise<void> {
  const statement = { name: 'set_public_profile', text: 'select from set_public_profile($1, $2)' };
  await execute(db, statement, [user_id, JSON.stringify(change)]);
}

/** A PNG of at most MAX_LOGO_BYTES; null takes it away. */
export const setLogo = calls<(user_id: string, image: Buffer | null) => void>('set_logo');

/**
 * Sets both at once, by an operator. `logo` as in setLogo; undefined leaves it. False: no such
 * user.
 */
export async function setPublicProfileAs(
  db: Db,
  username: string,
  { logo, ...change }: ProfileChange & { readonly logo?: Buffer | null | undefined },
  actor: string,
): Promise<boolean> {
  const text = 'select id from set_public_profile($1, $2::jsonb, $3, $4, $5)';
  const values = [username, JSON.stringify(change), logo !== undefined, logo ?? null, actor];
  const statement = { name: 'set_public_profile_as', text };
  return (await execute<{ id: string }>(db, statement, values)).length > 0;
}

/** Finds the logo of the merchant of a payment link that customers may see. */
export async function findLogoOfLink(db: Db, short_code: string): Promise<Buffer | undefined> {
  const text = `select l.image from payment_intents i join merchant_logos l on l.user_id = i.user_id
                 where i.short_code = $1 and i.status not in ('creating', 'abandoned')`;
  const statement = { name: 'find_logo_of_link', text };
  return (await lookUp<{ image: Buffer }>(db, statement, [short_code]))[0]?.image;
}

export async function hasLogo(db: Db, user_id: string): Promise<boolean> {
  const text = 'select exists (select from merchant_logos where user_id = $1) as found';
  return (await lookUp<{ found: boolean }>(db, { name: 'has_logo', text }, [user_id]))[0]!.found;
}

export async function findLogo(
  db: Db,
  user_id: string,
): Promise<{ readonly image: Buffer } | undefined> {
  const statement = {
    name: 'find_logo',
    text: 'select image from merchant_logos where user_id = $1',
  };
  return (await lookUp<{ image: Buffer }>(db, statement, [user_id]))[0];
}

// Values that are sealed with a key of SECRETS_KEYS (secrets/seal.ts): listed, and kept as they were sealed with another one.

import { calls, execute, type Db } from '../connect';

/** Those that are opened again, by table and column. Those of identity checks: db/accounts/identity-checks.ts. */
const PLACES = {
  // In this order a secret that is rotated meanwhile is found as the previous one.
  'webhook_endpoints.sealed_secret': `webhook_endpoints x where x.status <> 'deleted'`,
  'webhook_endpoints.sealed_previous': `webhook_endpoints x where x.status <> 'deleted'`,
  'logins.sealed_totp_secret': 'logins x where x.totp_confirmed_at is not null',
  'sessions.sealed_flash': 'sessions x where x.sealed_flash is not null',
  'mails.sealed_text': 'mails x where x.sent_at is null and x.failed_at is null',
  'risk_provider.sealed_secret': `(select '00000000-0000-0000-0000-000000000001'::uuid as id, p.* from risk_provider p) x where true`,
} as const;
export type SealedPlace = keyof typeof PLACES;
export const SEALED_PLACES = Object.keys(PLACES) as SealedPlace[];

export interface SealedValue {
  readonly id: string;
  readonly sealed: Buffer;
}

/** Those of ids greater than `after`, in pages. */
export function listSealed(db: Db, place: SealedPlace, after: string): Promise<SealedValue[]> {
  const column = place.slice(place.indexOf('.') + 1);
  const text = `select x.id, x.${column} as sealed from ${PLACES[place]}
       and x.${column} is not null and x.id > $1 order by x.id limit 500`;
  return execute(db, { name: `list_${place}`, text }, [after]);
}

/** False when it has changed meanwhile. */
export const reseal =
  calls<(place: SealedPlace, id: string, old: Buffer, sealed: Buffer) => boolean>('reseal');

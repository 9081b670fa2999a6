// Values that are sealed with a key of SECRETS_KEYS are sealed again with the first, so that the others can go. Those of
// identity checks are a use case of their own (identity-checks.ts): the audit log has who reads them.

import type { Db } from '../db/connect';
import { listSealed, reseal, SEALED_PLACES, type SealedPlace } from '../db/operators/sealed';
import { SECRET_CONTEXT } from '../db/risk/provider';
import { NIL_UUID } from '../domain/ids';
import type { Sealer } from '../secrets/seal';
import { mailContext } from './mails';
import { totpContext } from './second-factor';

export interface Resealed {
  readonly resealed: number;
  readonly already: number;
  /** No key decrypts them. */
  readonly unreadable: number;
}

/** The context of what the next page of a session shows once. */
export const flashContext = (session_id: string): string => `session/${session_id}`;

const CONTEXTS: Readonly<Record<SealedPlace, (id: string) => string>> = {
  'webhook_endpoints.sealed_secret': (id) => id,
  'webhook_endpoints.sealed_previous': (id) => id,
  'logins.sealed_totp_secret': totpContext,
  'sessions.sealed_flash': flashContext,
  'mails.sealed_text': mailContext,
  'risk_provider.sealed_secret': () => SECRET_CONTEXT,
};

export async function resealAll(db: Db, sealer: Sealer): Promise<Resealed> {
  const counts = { resealed: 0, already: 0, unreadable: 0 };
  for (const place of SEALED_PLACES) {
    for (let after = NIL_UUID; ;) {
      const page = await listSealed(db, place, after);
      if (page.length === 0) break;
      for (const { id, sealed } of page) {
        const keep = (renewed: Buffer) => reseal(db, place, id, sealed, renewed);
        counts[await resealValue(sealer, sealed, CONTEXTS[place](id), keep)] += 1;
      }
      after = page.at(-1)!.id;
    }
  }
  return counts;
}

/** `keep` says false when another call has done it, or it was changed or deleted. */
export async function resealValue(
  sealer: Sealer,
  sealed: Buffer,
  context: string,
  keep: (sealed: Buffer) => Promise<boolean>,
): Promise<keyof Resealed> {
  if (sealer.isCurrent(sealed)) return 'already';
  let bytes: Buffer;
  try {
    bytes = sealer.openBytes(sealed, context);
  } catch {
    return 'unreadable';
  }
  return (await keep(sealer.sealBytes(bytes, context))) ? 'resealed' : 'already';
}

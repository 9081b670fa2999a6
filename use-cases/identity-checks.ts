// Identity checks: a merchant submits one, an operator looks at it and decides.

import { randomUUID } from 'node:crypto';
import type { Db } from '../db/connect';
import {
  decideCheck,
  findOwnIdentityData,
  listIdentityData,
  resealIdentityData,
  submitIdentityCheck,
  viewIdentityData,
} from '../db/accounts/identity-checks';
import { listIdentityPictures, resealIdentityPicture } from '../db/accounts/identity-pictures';
import { findUserByName, type UserRow } from '../db/accounts/users';
import { NIL_UUID } from '../domain/ids';
import type { Identity } from '../domain/identity';
import type { Sealer } from '../secrets/seal';
import { normalUsername } from '../domain/username';
import { pictureContext } from './identity-pictures';
import { resealValue, type Resealed } from './sealed';

export interface SubmittingDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly times: {
    readonly remind_after_seconds: readonly number[];
    readonly expires_after_seconds: number;
  };
}

/** Returns the check's id; undefined when one is under way, or approved. */
export async function submitIdentity(
  { db, sealer, times }: SubmittingDependencies,
  owner: { readonly user_id: string; readonly login_id: string },
  identity: Identity,
): Promise<string | undefined> {
  const id = randomUUID();
  const sealed = sealer.seal(JSON.stringify(identity), contextOf(id));
  const isSubmitted = await submitIdentityCheck(db, { id, ...owner, sealed, ...times });
  return isSubmitted ? id : undefined;
}

/** The person's data for a check that was not approved; undefined when they are gone. */
export async function findOwnIdentity(
  { db, sealer }: Pick<SubmittingDependencies, 'db' | 'sealer'>,
  owner: { readonly user_id: string; readonly login_id: string },
): Promise<Identity | undefined> {
  const found = await findOwnIdentityData(db, owner);
  return found && open(sealer, found.check_id, found.sealed);
}

interface Deciding {
  readonly db: Db;
  /** The operator. */
  readonly actor: string;
}

/** Leaves a row in the audit log. Undefined when nothing was submitted. */
export async function viewIdentity(
  { db, actor, sealer }: Deciding & { readonly sealer: Sealer },
  id: string,
): Promise<Identity | undefined> {
  const sealed = await viewIdentityData(db, id, actor);
  return sealed === null ? undefined : open(sealer, id, sealed);
}

function open(sealer: Sealer, id: string, sealed: Buffer): Identity {
  return JSON.parse(sealer.open(sealed, contextOf(id))) as Identity;
}

/** @throws Error when no key decrypts it. */
export const openIdentity = (
  sealer: Sealer,
  { check_id, sealed }: { readonly check_id: string; readonly sealed: Buffer },
): Identity => open(sealer, check_id, sealed);

function contextOf(id: string): string {
  return `identity-check/${id}`;
}

/**
 * Seals everything that was submitted with the first key, pictures too. Each page leaves a row in the audit log.
 */
export async function resealIdentities({
  db,
  actor,
  sealer,
}: Deciding & { readonly sealer: Sealer }): Promise<Resealed> {
  const counts = { resealed: 0, already: 0, unreadable: 0 };
  for (let after = NIL_UUID; ;) {
    const page = await listIdentityData(db, after, actor);
    if (page.length === 0) break;
    for (const row of page) {
      const keep = (sealed: Buffer) => resealIdentityData(db, row, sealed);
      counts[await resealValue(sealer, row.sealed, contextOf(row.check_id), keep)] += 1;
    }
    after = page.at(-1)!.check_id;
  }
  for (let after = { check_id: NIL_UUID, side: '' }; ;) {
    const page = await listIdentityPictures(db, after, actor);
    if (page.length === 0) return counts;
    for (const { check_id, side, sealed: old } of page) {
      const keep = (sealed: Buffer) => resealIdentityPicture(db, check_id, side, old, sealed);
      counts[await resealValue(sealer, old, pictureContext(check_id, side), keep)] += 1;
    }
    after = page.at(-1)!;
  }
}

export interface IdentityDecision {
  readonly decision: 'approved' | 'rejected';
  /** Told to the merchant, by mail and on the profile. */
  readonly reason?: string | undefined;
  /** Decide only if this check waits; whatever the status is when left out. */
  readonly check?: string;
}

export type DecidedIdentity =
  | { readonly ok: true; readonly user: UserRow }
  | { readonly ok: false; readonly error: 'not_found' | 'not_waiting' | 'invalid_reason' };

export const MAX_REASON = 500;

export interface DecidingIdentity extends Deciding {
  /** Compares the names of an account. Without it they are compared soon after. */
  readonly screen?: (user_id: string) => Promise<unknown>;
}

/**
 * After an approval live keys can be created. A rejection leaves existing keys as they are. The
 * check's workflow tells the merchant.
 */
export async function decideIdentityCheck(
  { db, actor, screen }: DecidingIdentity,
  name: string,
  { decision, reason, check }: IdentityDecision,
): Promise<DecidedIdentity> {
  const username = normalUsername(name);
  const why = reason?.trim() || null;
  if (why !== null && why.length > MAX_REASON) return { ok: false, error: 'invalid_reason' };
  const user = decision === 'approved' ? await findUserByName(db, username) : undefined;
  // Before, so that no money of an account whose name is found leaves in between.
  if (user) await screen?.(user.id);
  const decided = { username, only_check: check ?? null, decision, reason: why };
  const outcome = await decideCheck(db, decided, actor);
  if (outcome !== 'decided') return { ok: false, error: outcome };
  return { ok: true, user: (await findUserByName(db, username))! };
}

// Photos of the document of an identity check, sealed: the rules are in db/accounts/identity.sql.

import { calls, call, type Db } from '../connect';

export const PICTURE_SIDES = ['front', 'back'] as const;
export type PictureSide = (typeof PICTURE_SIDES)[number];

/** False when this person has submitted no such check that waits. */
export const setIdentityPicture =
  calls<(check_id: string, login_id: string, side: PictureSide, sealed: Buffer) => boolean>(
    'set_identity_picture',
  );

/** Which there are. */
export const listPictureSides =
  calls<(check_id: string) => readonly PictureSide[]>('identity_picture_sides');

/** Sealed. Needs the operators' role, and leaves a row in the audit log. */
export const viewIdentityPicture =
  calls<(check_id: string, side: PictureSide, actor: string) => Buffer | null>(
    'view_identity_picture',
  );

export interface SealedPicture {
  readonly check_id: string;
  readonly side: PictureSide;
  readonly sealed: Buffer;
}

/** A few of those after this one. Needs the operators' role, and leaves a row in the audit log. */
export const listIdentityPictures = (
  db: Db,
  { check_id, side }: { readonly check_id: string; readonly side: string },
  actor: string,
): Promise<SealedPicture[]> => call(db, 'list_identity_pictures', [check_id, side, actor]);

/** False when it was sealed anew, replaced or deleted meanwhile. Needs the operators' role. */
export const resealIdentityPicture =
  calls<(check_id: string, side: PictureSide, old_sealed: Buffer, new_sealed: Buffer) => boolean>(
    'reseal_identity_picture',
  );

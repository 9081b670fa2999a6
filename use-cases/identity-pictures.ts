// Photos of the document for an identity check: taken with a phone, kept as sealed as the data of the check, and shown
// to operators alone.

import type { Db } from '../db/connect';
import {
  setIdentityPicture,
  viewIdentityPicture,
  type PictureSide,
} from '../db/accounts/identity-pictures';
import type { Sealer } from '../secrets/seal';

export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;

/** They begin so; any other file is refused, so that a browser is never given one. */
const KINDS = [
  { type: 'image/jpeg', begins: Buffer.from([0xff, 0xd8, 0xff]) },
  { type: 'image/png', begins: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
] as const;

export type PictureType = (typeof KINDS)[number]['type'];

function typeOf(file: Buffer): PictureType | undefined {
  return KINDS.find(({ begins }) => file.subarray(0, begins.length).equals(begins))?.type;
}

export const pictureContext = (check_id: string, side: PictureSide): string =>
  `identity-check/${check_id}/${side}`;

export type SentPicture = 'kept' | 'too_large' | 'no_picture' | 'not_waiting';

export async function sendPicture(
  { db, sealer }: { readonly db: Db; readonly sealer: Sealer },
  { check_id, login_id }: { readonly check_id: string; readonly login_id: string },
  side: PictureSide,
  file: Buffer,
): Promise<SentPicture> {
  if (file.length > MAX_PICTURE_BYTES) return 'too_large';
  if (typeOf(file) === undefined) return 'no_picture';
  const sealed = sealer.sealBytes(file, pictureContext(check_id, side));
  return (await setIdentityPicture(db, check_id, login_id, side, sealed)) ? 'kept' : 'not_waiting';
}

/** Leaves a row in the audit log. Undefined when there is none. */
export async function viewPicture(
  { db, actor, sealer }: { readonly db: Db; readonly actor: string; readonly sealer: Sealer },
  check_id: string,
  side: PictureSide,
): Promise<{ readonly type: PictureType; readonly image: Buffer } | undefined> {
  const sealed = await viewIdentityPicture(db, check_id, side, actor);
  if (sealed === null) return undefined;
  const image = sealer.openBytes(sealed, pictureContext(check_id, side));
  return { type: typeOf(image)!, image };
}

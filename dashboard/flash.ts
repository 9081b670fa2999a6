// The notice that the next page shows once. It may be a key, so the database keeps it encrypted.

import { setSessionFlash, takeSessionFlash, type SessionRow } from '../db/people/sessions';
import { flashContext } from '../use-cases/sealed';
import type { DashboardDependencies, Flash } from './context';

type FlashDependencies = Pick<DashboardDependencies, 'db' | 'sealer'>;

export async function keepFlash(
  { db, sealer }: FlashDependencies,
  session_id: string,
  flash: Flash,
): Promise<void> {
  await setSessionFlash(
    db,
    session_id,
    sealer.seal(JSON.stringify(flash), flashContext(session_id)),
  );
}

export async function takeFlash(
  { db, sealer }: FlashDependencies,
  session: SessionRow | undefined,
): Promise<Flash | undefined> {
  if (!session?.sealed_flash) return undefined;
  const sealed = await takeSessionFlash(db, session.id);
  // Another page has shown it meanwhile.
  if (sealed === null) return undefined;
  return JSON.parse(sealer.open(sealed, flashContext(session.id))) as Flash;
}

// Responses that are read from the database while they are sent.

import { createLimit } from '../domain/limit';
import { Refusal } from '../domain/refusal';
import type { ApiFile } from './context';

/** Files of one account at a time, in this process. */
const FILES_OF_ACCOUNT = createLimit({ each: 2 });

/**
 * The account has a file less to ask for until this one is complete or broken off.
 * @throws {Refusal} 429 `rate_limited` when the account has none left.
 */
export async function sendFile(user_id: string, open: () => Promise<ApiFile>): Promise<ApiFile> {
  const release = FILES_OF_ACCOUNT.enter(user_id);
  if (!release) {
    throw new Refusal('rate_limited', {
      message: 'Two files of this account are being read already: wait until one is complete.',
      retry_after_seconds: 1,
    });
  }
  try {
    const file = await open();
    file.body.once('close', release);
    return file;
  } catch (error) {
    release();
    throw error;
  }
}

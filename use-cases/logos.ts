// A merchant's logo: a PNG is read, made small, and written again by us, so that nothing but its
// pixels is kept and served. Only PNG, because its reader is one that we have already and is plain
// JavaScript (docs/decisions/payments.md).

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MAX_LOGO_BYTES } from '../domain/public-profile';

export type LogoFault = 'too_large' | 'not_png' | 'wrong_size' | 'busy';
export type ReadLogo =
  { readonly ok: true; readonly image: Buffer } | { readonly ok: false; readonly fault: LogoFault };

const THREAD = join(__dirname, 'logo-thread.mjs');

/**
 * The largest picture takes half a second of one processor and some 60 MB, on a thread of its own.
 */
const MAX_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

const reading = new Set<string>();
let last: Promise<unknown> = Promise.resolve();

/**
 * Pictures are read one at a time, and one of each owner: a merchant who sends many delays no
 * other. `busy`: another one of the owner's is being read.
 */
export async function readLogo(owner: string, file: Buffer): Promise<ReadLogo> {
  if (file.length > MAX_LOGO_BYTES) return { ok: false, fault: 'too_large' };
  if (reading.has(owner)) return { ok: false, fault: 'busy' };
  reading.add(owner);
  const read = last.then(async () => readInThread(file));
  last = read;
  return read.finally(() => reading.delete(owner));
}

/** Never rejects. A thread that runs out of memory or time has met what is no logo. */
async function readInThread(file: Buffer): Promise<ReadLogo> {
  const thread = new Worker(THREAD, { workerData: file, resourceLimits: RESOURCE_LIMITS });
  const timer = setTimeout(() => void thread.terminate(), MAX_MS);
  try {
    return await new Promise<ReadLogo>((resolve) => {
      thread.once('message', (read: { ok: true; image: Uint8Array } | { ok: false }) => {
        resolve(read.ok ? { ok: true, image: Buffer.from(read.image) } : (read as ReadLogo));
      });
      const refuse = (): void => resolve({ ok: false, fault: 'not_png' });
      thread.once('error', refuse).once('exit', refuse);
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
